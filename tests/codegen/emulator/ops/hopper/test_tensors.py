"""`cp.async.bulk.tensor`: boxes of tensors, swizzles, what is outside, reductions, gather4."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import (
    COMMIT,
    DONE,
    EVERY,
    FENCE,
    MEMORY,
    fails,
    filled,
)
from tests.codegen.emulator.ops.hopper.boxes import (
    DTYPES,
    PARAMETERS,
    boxed,
    described,
    load,
    loaded,
    swizzled,
    tensor,
)
from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import TensorMap

SHAPES = {
    1: ((200,), (64,), [(0,), (32,), (-16,), (160,), (300,)]),
    2: ((20, 48), (32, 8), [(0, 0), (8, 5), (24, 17), (-8, -3), (48, 0)]),
    3: ((5, 6, 32), (16, 4, 2), [(0, 0, 0), (16, 4, 4), (-4, -1, -1), (30, 5, 1)]),
    4: ((3, 4, 5, 16), (16, 2, 3, 2), [(0, 0, 0, 0), (4, 4, 2, 2), (0, -1, 3, -1)]),
    5: ((2, 3, 2, 4, 16), (16, 2, 2, 2, 2), [(0, 0, 0, 0, 0), (2, 3, 1, 2, 1), (0, 3, -1, -1, -1)]),
}
"""Rank -> shape of an array, box, and starts, inside and outside; those innermost first."""


@pytest.mark.parametrize("schedule", ["lock-step", "ascending"])
@pytest.mark.parametrize("rank", SHAPES)
def test_boxes(rank: int, schedule: str) -> None:
    shape, box, starts = SHAPES[rank]
    x = tensor(shape, np.int32)
    for start in starts:
        expected = boxed(x, start, box)
        found = loaded(described(x, "s32", box), start, expected.nbytes, schedule)
        assert found == expected.tobytes(), start


@pytest.mark.parametrize("element", DTYPES)
def test_elements(element: str) -> None:
    kind = np.dtype(DTYPES[element])
    per = 16 // kind.itemsize
    x, box = tensor((9, 6 * per), kind), (4 * per, 4)
    for start in ((per, 2), (3, 7), (-3, 1), (5 * per - 1, 0)):
        expected = boxed(x, start, box)
        found = loaded(described(x, element, box), start, expected.nbytes, "lock-step")
        assert found == expected.tobytes(), start


@pytest.mark.parametrize("schedule", ["lock-step", "ascending"])
def test_numbers_are_rounded_to_tf32(schedule: str) -> None:
    """To nearest, ties to even, as by cvt.rn.tf32.f32: bits of f32, and those that are copied.

    Infinities and NaN stay as they are.
    """
    rows = {
        0x3F800000: 0x3F800000, 0x3F800FFF: 0x3F800000, 0x3F801000: 0x3F800000,
        0x3F801001: 0x3F802000, 0x3F803000: 0x3F804000, 0x3F802FFF: 0x3F802000,
        0xBF803000: 0xBF804000, 0x3FFFF000: 0x40000000, 0x00001001: 0x00002000,
        0x80000FFF: 0x80000000, 0x7F7FEFFF: 0x7F7FE000, 0x7F7FF000: 0x7F800000,
        0x7F800000: 0x7F800000, 0xFF800000: 0xFF800000, 0x7FC00000: 0x7FC00000,
        0x7FFFFFFF: 0x7FFFFFFF,
    }  # fmt: skip
    x = aligned(np.array([[*rows], [*rows.values()]], np.uint32).view(np.float32))
    found = loaded(described(x, "tf32", (16, 3)), (0, 0), 192, schedule)
    expected = np.array([[*rows.values()]] * 2 + [[0] * 16], np.uint32)
    np.testing.assert_array_equal(np.frombuffer(found, np.uint32).reshape(3, 16), expected)


@pytest.mark.parametrize("schedule", EVERY)
@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_swizzles(swizzle: int, schedule: str) -> None:
    """As the PTX ISA's tables of swizzle modes have them."""
    x, box = tensor((32, 96), np.float16), (swizzle // 2, 16)
    made_of = described(x, "f16", box, swizzle=swizzle)
    for start in ((0, 0), (16, 20), (-8, -1)):
        expected = boxed(x, start, box)
        found = loaded(made_of, start, expected.nbytes, schedule)
        assert found == swizzled(expected, swizzle).tobytes()


def test_what_is_outside_may_be_nan() -> None:
    x, box = tensor((4, 8), np.float32), (8, 8)
    found = loaded(described(x, "f32", box, fill="nan"), (4, -2), 256, "lock-step")
    values = np.frombuffer(found, np.float32).reshape(8, 8)
    inside = boxed(x, (4, -2), box)
    np.testing.assert_array_equal(np.isnan(values), inside == 0)
    np.testing.assert_array_equal(np.nan_to_num(values, nan=0.0), inside)


def test_element_strides() -> None:
    """A box of 8 x 7 x 6 with steps 2 and 3 along the outer dimensions moves 8 x 4 x 2 elements."""
    x = tensor((9, 10, 16), np.int32)
    made_of = described(x, "s32", (8, 7, 6), element_strides=(1, 2, 3))
    for start in ((0, 0, 0), (8, 5, 4), (-1, -1, -2)):
        expected = np.ascontiguousarray(boxed(x, start, (8, 7, 6))[::3, ::2])
        found = loaded(made_of, start, expected.nbytes, "lock-step")
        assert found == expected.tobytes()


def test_an_array_may_have_gaps() -> None:
    whole = tensor((16, 64), np.int32)
    x = whole[::2, :20]
    for start in ((0, 0), (16, 6)):
        expected = boxed(x, start, (8, 4))
        found = loaded(described(x, "s32", (8, 4)), start, expected.nbytes, "lock-step")
        assert found == expected.tobytes()


def test_rows_are_gathered() -> None:
    x = tensor((20, 32), np.int32)
    rows = (7, 19, 20, 0)
    expected = np.concatenate([boxed(x, (8, row), (16, 1)) for row in rows])
    made_of = described(x, "s32", (16, 1))
    found = loaded(made_of, (8, *rows), 256, "lock-step", mode=".tile::gather4")
    assert found == expected.tobytes()
    box = described(x, "s32", (16, 2))
    body = MEMORY + load(2, (8, *rows), 256, mode=".tile::gather4")
    fails("launch", "a box of one row", body, box, parameters=("map",))


def store(rank: int, start: tuple[int, ...], size: int, mode: str = "", reduce: str = "") -> str:
    """Store a box from shared memory, which array 1 fills."""
    places = ", ".join(map(str, start))
    name = "cp.reduce.async" if reduce else "cp.async"
    return (
        MEMORY
        + filled(size // 4, 1)
        + FENCE
        + f"@%p1 {name}.bulk.tensor.{rank}d.global.shared::cta"
        f"{reduce}{mode}.bulk_group [%d0, {{{places}}}], [%r4];\n" + COMMIT + DONE
    )


@pytest.mark.parametrize("schedule", ["lock-step", "ascending"])
@pytest.mark.parametrize("rank", SHAPES)
def test_stores(rank: int, schedule: str) -> None:
    """What is inside of the tensor is written, and nothing else."""
    shape, box, starts = SHAPES[rank]
    for start in starts:
        x, data = tensor(shape, np.int32), tensor(box[::-1], np.int32) + np.int32(1000)
        before = x.copy()
        body = store(rank, start, data.nbytes, ".tile")
        run(body, described(x, "s32", box), data, parameters=PARAMETERS, schedule=schedule)
        written = boxed(x, start, box, -1)
        np.testing.assert_array_equal(written, np.where(written == -1, -1, data))
        assert np.count_nonzero(x != before) == np.count_nonzero(written != -1)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_stores_with_a_swizzle(swizzle: int) -> None:
    x, box = np.zeros((32, 96), np.float16), (swizzle // 2, 16)
    x, data = aligned(x), tensor(box[::-1], np.float16)
    there = aligned(swizzled(data, swizzle))
    made_of = described(x, "f16", box, swizzle=swizzle)
    run(store(2, (16, 3), data.nbytes), made_of, there, parameters=PARAMETERS)
    np.testing.assert_array_equal(boxed(x, (16, 3), box), data)
    assert np.count_nonzero(x) == data.size


NUMPY = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@pytest.mark.parametrize("schedule", ["lock-step", "ascending"])
@pytest.mark.parametrize(
    ("operation", "element"),
    [(name, "u32") for name in NUMPY] + [("add", "f32"), ("add", "bf16"), ("max", "f16")],
)
def test_reductions(operation: str, element: str, schedule: str) -> None:
    kind = np.dtype(DTYPES[element])
    box, start = (64 // kind.itemsize, 4), (8, -1)
    x, data = tensor((6, 64), kind), tensor(box[::-1], kind)
    before = boxed(x, start, box)
    body = store(2, start, data.nbytes, reduce=f".{operation}")
    run(body, described(x, element, box), data, parameters=PARAMETERS, schedule=schedule)
    expected = NUMPY[operation](before, data).astype(kind)
    np.testing.assert_array_equal(boxed(x, start, box)[1:], expected[1:])


def test_rows_are_scattered() -> None:
    x, data = tensor((20, 32), np.int32), tensor((4, 16), np.int32) + np.int32(1000)
    rows = (7, 19, 20, 0)
    body = store(2, (8, *rows), 256, ".tile::scatter4")
    run(body, described(x, "s32", (16, 1)), data, parameters=PARAMETERS)
    np.testing.assert_array_equal(x[[7, 19, 0], 8:24], data[[0, 1, 3]])
    assert np.count_nonzero(x > 500) == 48


def drawn(seed: int) -> tuple[np.ndarray, TensorMap, tuple[int, ...], np.ndarray]:
    """A random array, box and start, and what is loaded."""
    random = np.random.default_rng(seed)
    element = list(DTYPES)[seed % len(DTYPES)]
    kind, rank = np.dtype(DTYPES[element]), int(random.integers(1, 6))
    per = 16 // kind.itemsize
    swizzle = int(random.choice([0, 32, 64, 128]))
    widest = (swizzle or 64) // 16
    box = (
        per * int(random.integers(1, widest + 1)),
        *random.integers(1, 5 if rank < 4 else 3, rank - 1).tolist(),
    )
    if swizzle:
        # Whole periods of the swizzle, so that its image has no gaps.
        box = (swizzle // kind.itemsize, *box[1:-1], 8) if rank > 1 else (per,)
        swizzle = swizzle if rank > 1 else 0
    shape = (*random.integers(1, 9, rank - 1).tolist(), per * int(random.integers(1, 9)))
    start = tuple(int(random.integers(-3, extent + 2)) for extent in shape[::-1])
    x = tensor(shape, kind)
    expected = boxed(x, start, box)
    image = swizzled(expected, swizzle) if swizzle else expected
    return x, described(x, element, box, swizzle=swizzle), start, image


@pytest.mark.parametrize("seed", range(60))
def test_random_boxes(seed: int) -> None:
    _, made_of, start, image = drawn(seed)
    schedule = EVERY[seed % len(EVERY)]
    assert loaded(made_of, start, image.nbytes, schedule) == image.tobytes()
