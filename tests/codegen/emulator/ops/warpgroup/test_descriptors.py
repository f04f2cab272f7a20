"""Matrix descriptors: worked examples of the PTX ISA, patterns at any line, and what is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.codegen.emulator.ops.warpgroup.kernels import (
    COMMIT,
    FENCE,
    WAIT,
    held_by,
    instruction,
    of_threads,
    run,
    text,
    values,
)
from tests.codegen.emulator.ops.warpgroup.layouts import SPANS, Tile, dense, offsets, swizzled
from tileir.codegen.emulator import EmulationError
from tileir.codegen.emulator.ops.warpgroup.descriptors import Descriptors, mistake

EXAMPLES = {
    # name: exact layout, swizzle, bytes of an element, M- or N-major, encoded LBO and SBO, mode
    "K-major, no swizzling, tf32": ("((8,2),(4,4)):((4,32),(1,64))", (0, 4, 3), 4, False, 16, 8, 0),
    "K-major, 32B, tf32": ("((8,2),(4,4)):((8,64),(1,4))", (1, 4, 3), 4, False, 1, 16, 3),
    "MN-major, no swizzling, bf16":
        ("((8,1,2),(8,2)):((1,8,64),(8,128))", (0, 4, 3), 2, True, 16, 8, 0),
    "MN-major, 32B, bf16":
        ("((8,2,2),(8,2)):((1,8,128),(16,256))", (1, 4, 3), 2, True, 16, 32, 3),
    "MN-major, 64B, bf16":
        ("((8,4,2),(8,2)):((1,8,256),(32,512))", (2, 4, 3), 2, True, 32, 64, 2),
}  # fmt: skip
"""The examples of "Canonical Layouts" of warpgroup instructions, as the ISA has them."""
EXTENTS = {"K-major, no swizzling, tf32": (16, 16), "K-major, 32B, tf32": (16, 8),
           "MN-major, no swizzling, bf16": (16, 16), "MN-major, 32B, bf16": (32, 16),
           "MN-major, 64B, bf16": (64, 16)}  # fmt: skip
"""Rows and columns. A line of 32 bytes has 8 of tf32, though the ISA's layout goes on to 16."""


def decoded(word: int) -> Descriptors:
    assert not mistake(word)
    return Descriptors.of(np.array([word], np.uint64))


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples(name: str) -> None:
    layout, swizzle, size, transposed, leading, stride, mode = EXAMPLES[name]
    rows, depth = EXTENTS[name]
    word = 0x4000 >> 4 | leading << 16 | stride << 32 | mode << 62
    found = decoded(word).addresses(0, rows, depth, size, transposed)[0]
    expected = offsets(layout, swizzle, rows, depth, size)
    each = 16 // size
    pieces = expected[::each].T if transposed else expected[:, ::each]
    np.testing.assert_array_equal(found, 0x4000 + pieces)


def test_fields() -> None:
    """Every bit of a field, and of no other."""
    word = decoded(0x2ABC | 0x1DEF << 16 | 0x3123 << 32 | 5 << 49 | 2 << 62)
    fields = (word.start, word.leading, word.stride, word.base, word.mode)
    assert [int(each[0]) for each in fields] == [0x2ABC0, 0x1DEF0, 0x31230, 5, 2]


RESERVED = [14, 15, 30, 31, *range(46, 49), *range(52, 62)]


def kernel(n: int, nbytes: int, word: int, step: int = 0) -> str:
    """A product with A in registers and B by a descriptor, `step` * 16 bytes further."""
    code = instruction("f32.f16.f16", n, "{%a0, %a1, %a2, %a3}", "%d9", "0, 1, 1, 0")
    body = f"mov.b64 %d9, {word};\nadd.s64 %d9, %d9, {step};\n"
    return text(body + FENCE + code + COMMIT + WAIT, held=4, nbytes=nbytes, sums=n // 2)


def product(
    a: np.ndarray, b: np.ndarray, image: np.ndarray, word: int, step: int = 0
) -> np.ndarray:
    """`a @ b.T`, B by a descriptor."""
    ptx = kernel(len(b), image.nbytes, word, step)
    before = np.concatenate([held_by(a, 2), np.zeros((128, len(b) // 2), np.uint32)], axis=1)
    return of_threads(run(ptx, image, before, len(b) // 2), len(b), "f32")


@pytest.mark.parametrize("bit", RESERVED)
def test_reserved_bits(bit: int) -> None:
    tile = dense("k", 1, 8, 16, 2)
    word = tile.descriptor(0) | 1 << bit
    assert "reserved bits" in mistake(word)
    assert not mistake(tile.descriptor(0))


def test_a_wrong_descriptor_is_reported() -> None:
    a, b = values("f16", (64, 16)), values("f16", (8, 16), 1)
    tile = dense("k", 0, 8, 16, 2)
    for word in (tile.descriptor(0) | 1 << 46, tile.descriptor(0, base=1)):
        with pytest.raises(EmulationError, match="a matrix descriptor 0x") as caught:
            product(a, b, tile.image(b), word)
        assert caught.value.kind == "descriptor"


@pytest.mark.parametrize("mode", [1, 2, 3])
@pytest.mark.parametrize("line", range(1, 8))
def test_patterns_that_start_at_any_line(mode: int, line: int) -> None:
    """The base offset is the number of the 128 bytes in which the pattern starts."""
    tile = dense("k", mode, 16, 16, 2)
    a, b = values("f16", (64, 16)), values("f16", (16, 16), 1)
    start = 2048 + 128 * line
    image = np.full(8192, 0xFF, np.uint8)
    image[start : start + tile.nbytes] = tile.image(b)
    found = product(a, b, image, tile.descriptor(start, base=start >> 7 & 7))
    expected = a.astype(float) @ b.astype(float).T
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    if line % (SPANS[mode] // 16):
        wrong = product(a, b, image, tile.descriptor(start))
        assert not np.allclose(wrong, expected, rtol=1e-3)


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_steps_along_k_within_a_line(mode: int) -> None:
    """The next 32 bytes of a swizzled line are 32 bytes further in the start address."""
    steps = SPANS[mode] // 32
    tile = dense("k", mode, 16, 16 * steps, 2)
    a, b = values("f16", (64, 16)), values("f16", (16, 16 * steps), 1)
    for step in range(steps):
        found = product(a, b, tile.image(b), tile.descriptor(0), 2 * step)
        part = b[:, 16 * step : 16 * (step + 1)].astype(float)
        np.testing.assert_allclose(found, a.astype(float) @ part.T, rtol=1e-6, atol=1e-6)


def test_an_offset_that_swizzles_do_not_need() -> None:
    """K-major swizzled factors ignore the leading dimension."""
    tile = dense("k", 1, 16, 16, 2)
    a, b = values("f16", (64, 16)), values("f16", (16, 16), 1)
    other = Tile(*{**vars(tile), "leading": 0x3FFF0}.values())
    found = [product(a, b, tile.image(b), each.descriptor(0)) for each in (tile, other)]
    np.testing.assert_array_equal(*found)


def test_factors_end_within_shared_memory() -> None:
    tile = dense("k", 0, 16, 16, 2)
    a, b = values("f16", (64, 16)), values("f16", (16, 16), 1)
    with pytest.raises(EmulationError) as caught:
        product(a, b, tile.image(b), tile.descriptor(tile.nbytes - 128))
    assert caught.value.kind == "bounds"


def test_swizzles_are_their_own_inverse() -> None:
    """CuTe's swizzle moves pieces of 16 bytes within a line, and none in the first line."""
    for bits in range(4):
        moved = [swizzled(address, bits, 4, 3) for address in range(0, 1024, 16)]
        assert sorted(moved) == list(range(0, 1024, 16))
        assert [swizzled(each, bits, 4, 3) for each in moved] == list(range(0, 1024, 16))
        assert moved[:8] == list(range(0, 128, 16))


@pytest.mark.oracle
def test_the_kernel_is_ptx(tool, tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(kernel(16, 2048, dense("k", 1, 16, 16, 2).descriptor(0), 2))
    done = tool("ptxas", "-arch=sm_90a", "-o", tmp_path / "k.cubin", source)
    assert (done.returncode, done.stderr + done.stdout) == (0, b"")
