"""`mma.sync`: fragments laid out as the PTX manual says, shape by shape, against NumPy."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, EmulationError

pytestmark = pytest.mark.usefixtures("quiet")

THREADS = 64
DTYPES = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32,
    "f64": np.float64, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8, "u8": np.uint8, "s32": np.int32,
}  # fmt: skip

Place = Callable[[int, int, int], tuple[int, int]]
"""Row and column of element i: from groupID, threadID_in_group and i."""

C16: Place = lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1))  # noqa: E731
C8: Place = lambda g, t, i: (g, t * 2 + (i & 1))  # noqa: E731
FRAGMENTS: dict[tuple[str, int], tuple[Place, Place, Place]] = {
    # shape, bits of an element: places in A, B, and C
    ("m8n8k4", 64): (lambda g, t, i: (g, t), lambda g, t, i: (t, g), C8),
    ("m16n8k4", 64): (lambda g, t, i: (g if i == 0 else g + 8, t), lambda g, t, i: (t, g), C16),
    ("m16n8k8", 64): (
        lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
        lambda g, t, i: (t if i == 0 else t + 4, g),
        C16,
    ),
    ("m16n8k16", 64): (
        lambda g, t, i: (g, i * 2 + t) if i % 2 == 0 else (g + 8, i * 2 - 2 + t),
        lambda g, t, i: (t + i * 4, g),
        C16,
    ),
    ("m16n8k4", 32): (lambda g, t, i: (g if i == 0 else g + 8, t), lambda g, t, i: (t, g), C16),
    ("m16n8k8", 32): (
        lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
        lambda g, t, i: (t if i == 0 else t + 4, g),
        C16,
    ),
    ("m16n8k8", 16): (
        lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
        lambda g, t, i: (t * 2 + i, g),
        C16,
    ),
    ("m16n8k16", 16): (
        lambda g, t, i: (
            g if 0 <= i < 2 or 4 <= i < 6 else g + 8,
            t * 2 + (i & 1) + (0 if i < 4 else 8),
        ),
        lambda g, t, i: (t * 2 + (i & 1) + (0 if i < 2 else 8), g),
        C16,
    ),
    ("m8n8k16", 8): (lambda g, t, i: (g, t * 4 + i), lambda g, t, i: (t * 4 + i, g), C8),
    ("m16n8k16", 8): (
        lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3)),
        lambda g, t, i: (t * 4 + i, g),
        C16,
    ),
    ("m16n8k32", 8): (
        lambda g, t, i: (
            g if 0 <= i < 4 or 8 <= i < 12 else g + 8,
            t * 4 + (i & 3) + (0 if i < 8 else 16),
        ),
        lambda g, t, i: (t * 4 + (i & 3) + (0 if i < 4 else 16), g),
        C16,
    ),
}

FLOATS = [
    *((shape, f"{sums}.f16.f16.{sums}") for shape in ("m16n8k8", "m16n8k16")
      for sums in ("f16", "f32")),
    *((shape, "f32.bf16.bf16.f32") for shape in ("m16n8k8", "m16n8k16")),
    *((shape, "f32.tf32.tf32.f32") for shape in ("m16n8k4", "m16n8k8")),
    *((shape, "f64.f64.f64.f64") for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")),
    *((shape, f"{sums}.{a}.{b}.{sums}") for shape in ("m16n8k16", "m16n8k32")
      for sums in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
]  # fmt: skip
INTEGERS = [
    (shape, f"{mode}s32.{a}8.{b}8.s32")
    for shape in ("m8n8k16", "m16n8k16", "m16n8k32")
    for mode in ("", "satfinite.")
    for a in "su"
    for b in "su"
]


def sides(shape: str) -> tuple[int, int, int]:
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def held(matrices: np.ndarray, place: Place) -> np.ndarray:
    """What each lane holds of the matrix of its warp: shape (lanes, registers), as words."""
    warps, rows, columns = matrices.shape
    lanes = [
        [matrices[warp][place(lane >> 2, lane % 4, i)] for i in range(rows * columns // 32)]
        for warp in range(warps)
        for lane in range(32)
    ]
    return aligned(np.array(lanes, matrices.dtype).view(f"u{max(matrices.itemsize, 4)}"))


def spread(words: np.ndarray, shape: tuple[int, ...], dtype: np.dtype, place: Place) -> np.ndarray:
    """The reverse."""
    elements = words.view(dtype).reshape(-1, 32, np.prod(shape) // 32)
    out = np.zeros((len(elements), *shape), dtype)
    for lane in range(32):
        for i in range(elements.shape[2]):
            out[(slice(None), *place(lane >> 2, lane % 4, i))] = elements[:, lane, i]
    return out


def transfers(name: str, words: np.ndarray, base: str, first: int) -> tuple[str, str]:
    """Code that moves the registers of every lane, and their names in braces."""
    size, count = words.itemsize, words.shape[1]
    family = "%r" if size == 4 else "%d"
    names = [f"{family}{first + i}" for i in range(count)]
    place = f"mul.wide.u32 %d10, %r0, {size * count};\nadd.s64 %d10, %d10, {base};\n"
    moves = {
        "ld": "".join(f"ld.global.b{8 * size} {n}, [%d10+{size * i}];\n"
                      for i, n in enumerate(names)),
        "st": "".join(f"st.global.b{8 * size} [%d10+{size * i}], {n};\n"
                      for i, n in enumerate(names)),
    }  # fmt: skip
    return place + moves[name], "{" + ", ".join(names) + "}"


def multiplied(shape: str, kinds: str, a: np.ndarray, b: np.ndarray, c: np.ndarray,
               guard: str = "", schedule: str = "lock-step") -> np.ndarray:  # fmt: skip
    """`a @ b + c` by one instruction in every warp."""
    bits = 8 * a.itemsize
    places = FRAGMENTS[shape, bits]
    words = [held(matrix, place) for matrix, place in zip((a, b, c), places, strict=True)]
    out = np.zeros_like(words[2])
    loads, names = [], []
    for place, each in enumerate(words):
        code, name = transfers("ld", each, f"%d{place}", 12 + 8 * place)
        loads.append(code)
        names.append(name)
    store, result = transfers("st", out, "%d3", 40)
    clear = "".join(f"mov.b{8 * out.itemsize} {name}, 0;\n" for name in result[1:-1].split(", "))
    code = f"{guard} mma.sync.aligned.{shape}.row.col.{kinds} {result}, {', '.join(names)};\n"
    body = "".join(loads) + clear + "setp.lt.u32 %p1, %r0, 32;\nsetp.lt.u32 %p2, %r0, 48;\n"
    run(body + code + store, *words, out, threads=32 * len(a), schedule=schedule)
    return spread(out, c.shape[1:], c.dtype, places[2])


def random(shape: str, kinds: str, seed: int = 0) -> list[np.ndarray]:
    """A, B and C for two warps."""
    m, n, k = sides(shape)
    _, a, b, c = kinds.split(".")[-4:]
    source = np.random.default_rng(seed)
    out = []
    for rows, columns, kind in ((m, k, a), (k, n, b), (m, n, c)):
        dtype = np.dtype(DTYPES[kind])
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            out.append(source.integers(info.min, info.max, (2, rows, columns), dtype, True))
        else:
            out.append(source.standard_normal((2, rows, columns)).astype(dtype))
    return out


def exact(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return a.astype(float) @ b.astype(float) + c.astype(float)


@pytest.mark.parametrize(("shape", "kinds"), FLOATS)
def test_floats(shape: str, kinds: str) -> None:
    a, b, c = random(shape, kinds)
    found = multiplied(shape, kinds, a, b, c)
    if "tf32" in kinds:
        a, b = (
            (each.view(np.uint32) >> np.uint32(13) << np.uint32(13)).view(np.float32)
            for each in (a, b)
        )
    expected = exact(a, b, c)
    limit = {"f16": 2.0**-11, "f32": 2.0**-24, "f64": 2.0**-50}[kinds[:3]]
    np.testing.assert_allclose(found.astype(float), expected, rtol=limit, atol=limit / 8)


@pytest.mark.parametrize(("shape", "kinds"), INTEGERS)
def test_integers(shape: str, kinds: str) -> None:
    a, b, c = random(shape, kinds)
    c[:, ::2] = np.where(c[:, ::2] > 0, 2**31 - 1, -(2**31))
    expected = a.astype(np.int64) @ b.astype(np.int64) + c
    if kinds.startswith("satfinite"):
        expected = np.clip(expected, -(2**31), 2**31 - 1)
    found = multiplied(shape, kinds, a, b, c)
    np.testing.assert_array_equal(found, expected.astype(np.int32))


def test_what_is_not_finite() -> None:
    a, b, c = random("m16n8k8", "f32.f16.f16.f32")
    a[0, 3, 2], b[0, 2, :] = np.inf, 0
    a[1, 4, :], b[1], c[1] = 60000, 60000, 3e38
    found = multiplied("m16n8k8", "f32.f16.f16.f32", a, b, c)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact(a, b, c)))
    assert (found[0, 3].view(np.uint32) == 0x7FFFFFFF).all()
    a[1, 5, :] = np.inf
    assert np.isposinf(multiplied("m16n8k8", "f32.f16.f16.f32", a, b, c)[1, 5]).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_guard_takes_whole_warps(schedule: str) -> None:
    shape, kinds = "m16n8k16", "f32.bf16.bf16.f32"
    a, b, c = random(shape, kinds)
    found = multiplied(shape, kinds, a, b, c, "@%p1", schedule)
    np.testing.assert_allclose(found[0], exact(a, b, c)[0], rtol=1e-6, atol=1e-7)
    assert not found[1].any()


def test_a_part_of_a_warp_is_noticed() -> None:
    shape, kinds = "m16n8k16", "f32.bf16.bf16.f32"
    with pytest.raises(EmulationError, match="only a part of the warp") as caught:
        multiplied(shape, kinds, *random(shape, kinds), "@%p2")
    assert caught.value.kind == "warp"
    assert caught.value.threads == tuple(range(32, 64))


def test_lanes_that_parted_meet_again() -> None:
    """All lanes wait for those of their warp that took another way."""
    fragments = "mov.b32 %r5, 0x3c003c00;\nmov.b32 %r6, 0;\nmov.b32 %r20, 0;\n"
    parted = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra low;\nmov.b32 %r6, 0x3f800000;\nlow:\n"
    code = (
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r10, %r11, %r12, %r13}, {%r5, %r5},"
        " {%r5}, {%r6, %r6, %r6, %r6};\n"
    )
    store = "mul.wide.u32 %d10, %r0, 4;\nadd.s64 %d10, %d10, %d0;\nst.global.b32 [%d10], %r10;\n"
    out = np.zeros(THREADS, np.float32)
    run(fragments + parted + code + store, out, schedule="random-1")
    np.testing.assert_array_equal(out, np.where(np.arange(THREADS) < 16, 8.0, 9.0))


def test_too_few_registers() -> None:
    body = (
        "mov.b32 %r5, 0;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        " {%r10, %r11, %r12, %r13}, {%r5, %r5}, {%r5, %r5}, {%r5, %r5, %r5, %r5};\n"
    )
    with pytest.raises(EmulationError, match="a matrix in 2 registers"):
        run(body)
