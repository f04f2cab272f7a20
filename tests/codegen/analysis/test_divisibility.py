"""Divisors and bounds of values, from what producers assume and what ops do."""

from __future__ import annotations

import random

import pytest

from tests.codegen.build import Kernel, tensor
from tileir import assemble
from tileir.attributes import Bounded, DivBy
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops.divisibility import MAX_DIVISOR, Facts
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.ir import Value
from tileir.types import PartitionView, Tile

INT = (-(2**31), 2**31 - 1)


def facts_in(kernel: Kernel) -> Divisibility:
    function = kernel.module().functions[0]
    return KernelIR.of(function).facts(Divisibility)


def assumed(kernel: Kernel, value: Value, *claims: object) -> Value:
    for claim in claims:
        kind = value.type
        value = kernel.op("assume", value, results=[kind], predicate=claim)
    return value


def test_assumptions_add_up_on_new_values() -> None:
    kernel = Kernel("k", "i32")
    (n,) = kernel.parameters
    one = assumed(kernel, n, DivBy(4))
    two = assumed(kernel, one, Bounded(0, None), DivBy(16), DivBy(2))
    facts = facts_in(kernel)
    assert facts[n] == Facts(1, *INT)
    assert facts[one] == Facts(4, *INT)
    assert facts[two] == Facts(16, 0, INT[1])
    assert facts[two].not_negative


def test_an_assumption_about_groups_says_nothing_of_each_element() -> None:
    kernel = Kernel("k", "i32")
    tile = kernel.op("iota", results=["8xi32"])
    grouped = assumed(kernel, tile, DivBy(4, every=4, along=0))
    assert facts_in(kernel)[grouped] == Facts(1, 0, 7)


def test_pointers_have_divisors_only() -> None:
    kernel = Kernel("k", "ptr<f32>", "i32")
    pointer, count = kernel.parameters
    aligned = assumed(kernel, pointer, DivBy(64))
    steps = assumed(kernel, count, DivBy(8))
    moved = kernel.op("offset", aligned, steps, results=["ptr<f32>"])
    by_one = kernel.op("offset", aligned, count, results=["ptr<f32>"])
    facts = facts_in(kernel)
    assert facts[aligned] == Facts(64)
    assert facts[moved] == Facts(32)
    assert facts[by_one] == Facts(4)


def test_constants_are_known_exactly() -> None:
    kernel = Kernel("k")
    twelve = kernel.constant("i32", 12)
    zero = kernel.constant("i32", 0)
    minus = kernel.constant("i16", 0xFFF8)
    several = kernel.constant("4xi32", 8, 16, 4, 24)
    one_half = kernel.constant("f32", 0x3F000000)
    facts = facts_in(kernel)
    assert facts[twelve] == Facts(4, 12, 12)
    assert facts[twelve].constant == 12
    assert facts[zero].divisor == 1 << 32
    assert facts[minus] == Facts(8, -8, -8)
    assert facts[several] == Facts(4, 4, 24)
    assert facts[one_half] == Facts()


def test_what_may_wrap_has_no_bounds_but_keeps_its_divisor() -> None:
    kernel = Kernel("k", "i32")
    even = assumed(kernel, kernel.parameters[0], DivBy(8), Bounded(0, None))
    total = kernel.op("addi", even, even, results=["i32"], overflow="none")
    product = kernel.op("muli", even, kernel.constant("i32", 6), results=["i32"], overflow="none")
    facts = facts_in(kernel)
    assert facts[total] == Facts(8, *INT)
    assert facts[product] == Facts(16, *INT)


@pytest.mark.parametrize(
    ("promise", "lower"), [("none", INT[0]), ("no_unsigned_wrap", INT[0]), ("no_signed_wrap", 7)]
)
def test_what_must_not_wrap_keeps_its_bounds(promise: str, lower: int) -> None:
    kernel = Kernel("k", "i32")
    count = assumed(kernel, kernel.parameters[0], Bounded(0, None))
    more = kernel.op("addi", count, kernel.constant("i32", 7), results=["i32"], overflow=promise)
    assert facts_in(kernel)[more] == Facts(1, lower, INT[1])


@pytest.mark.parametrize(
    ("unsigned", "step", "expected"),
    [(False, 4, Facts(4, 8, 99)), (True, 4, Facts(4, 8, 99)), (False, -4, Facts(4, *INT))],
)
def test_counters_lie_between_their_bounds(unsigned: bool, step: int, expected: Facts) -> None:
    text = f"""
    entry @k() {{
      %low = constant <i32: 8> : tile<i32>
      %high = constant <i32: 100> : tile<i32>
      %step = constant <i32: {step}> : tile<i32>
      for {"unsigned " if unsigned else ""}%i in (%low to %high, step %step) : tile<i32> {{
        continue
      }}
      return
    }}"""
    kernel = KernelIR.of(assemble(text).functions[0])
    facts = kernel.facts(Divisibility)
    (loop,) = [op for op in kernel.walk() if op.name == "for"]
    assert facts[loop.regions[0].block.arguments[0]] == expected


def test_block_coordinates_are_small() -> None:
    kernel = Kernel("k")
    x, _, _ = kernel.op("get_tile_block_id", results=["i32"] * 3)
    start = kernel.op("muli", x, kernel.constant("i32", 64), results=["i32"], overflow="none")
    assert facts_in(kernel)[start] == Facts(64, 0, 64 * (2**24 - 2))


def test_unsigned_extents_that_may_look_negative_are_unbounded() -> None:
    kernel = Kernel("k", "ptr<f32>", "i32", "i32")
    pointer, rows, stride = kernel.parameters
    rows = assumed(kernel, rows, DivBy(16))
    stride = assumed(kernel, stride, DivBy(4), Bounded(0, 100))
    kind = tensor("f32", [None, 32], [None, 1])
    whole = kernel.op("make_tensor_view", pointer, (rows,), (stride,), results=[kind])
    whole = assumed(kernel, whole, DivBy(128))
    shape = kernel.op("get_tensor_shape", whole, results=["i64", "i64"])
    facts = facts_in(kernel)
    assert facts[whole].divisor == 128
    assert facts_of_extent(whole, 0, facts) == Facts(16)
    assert facts_of_extent(whole, 1, facts) == Facts(32, 32, 32)
    assert facts_of_stride(whole, 0, facts) == Facts(4, 0, 100)
    assert facts_of_stride(whole, 1, facts) == Facts(1, 1, 1)
    assert facts[shape[0]] == Facts(16, -(2**63), 2**63 - 1)


@pytest.mark.parametrize(("upper", "expected"), [(100, (0, 4)), (96, (0, 3)), (None, None)])
def test_numbers_of_tiles_have_the_bounds_of_extents(
    upper: int | None, expected: tuple[int, int] | None
) -> None:
    kernel = Kernel("tiles", "ptr<f32>", "i32")
    pointer, rows = kernel.parameters
    if upper is not None:
        rows = assumed(kernel, rows, Bounded(0, upper))
    whole = kernel.op("make_tensor_view", pointer, (rows,), (), results=[TILES.view])
    view = kernel.op("make_partition_view", whole, results=[TILES])
    counts = kernel.op("get_index_space_shape", view, results=["i32", "i32"])
    facts = facts_in(kernel)
    found = facts[counts[0]]
    assert (found.lower, found.upper) == (expected or (-(2**31), 2**31 - 1))
    assert (facts[counts[1]].lower, facts[counts[1]].upper) == (2, 2)


TILES = PartitionView((32, 32), tensor("f32", [None, 64], [64, 1]), (0, 1), None)
BINARY = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "shli": lambda a, b: a << (b & 15),
    "maxi": max,
    "mini": min,
    "divi": lambda a, b: int(a / b) if b else 0,
    "remi": lambda a, b: a - b * int(a / b) if b else 0,
}
SIGNED = {"maxi", "mini", "divi", "remi"}


def wrapped(number: int) -> int:
    return (number + 2**15) % 2**16 - 2**15


def holds(facts: Facts, number: int) -> bool:
    return number % facts.divisor == 0 and facts.lower <= number <= facts.upper


@pytest.mark.parametrize("name", BINARY)
def test_facts_hold_for_every_result(name: str) -> None:
    """Random operands that meet random assumptions give results that meet the facts."""
    rng = random.Random(name)
    for _ in range(60):
        ranges = []
        for _ in range(2):
            low = rng.choice([-40, -1, 0, 1, 3, 8])
            ranges.append((low, low + rng.choice([0, 0, 1, 7, 30000]), rng.choice([1, 2, 4, 8])))
        kernel = Kernel("k", "i16", "i16")
        operands = [
            assumed(kernel, value, Bounded(low, min(high, 2**15 - 1)), DivBy(divisor))
            for value, (low, high, divisor) in zip(kernel.parameters, ranges, strict=True)
        ]
        more = {"signedness": "signed"} if name in SIGNED else {}
        result = kernel.op(name, *operands, results=["i16"], **more)
        facts = facts_in(kernel)[result]
        for _ in range(20):
            a, b = (
                rng.randint(low, min(high, 2**15 - 1)) // divisor * divisor
                for low, high, divisor in ranges
            )
            outside = any(
                not low <= n <= high for n, (low, high, _) in zip((a, b), ranges, strict=True)
            )
            undefined = (name == "shli" and not 0 <= b < 16) or (name in ("divi", "remi") and not b)
            if not outside and not undefined:
                assert holds(facts, wrapped(BINARY[name](a, b))), (name, ranges, a, b, facts)


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
def test_extension_keeps_what_is_true(signedness: str) -> None:
    kernel = Kernel("k", "i8", "i8", "i1")
    wide = [kernel.op("exti", v, results=["i32"], signedness=signedness) for v in kernel.parameters]
    small = assumed(kernel, kernel.parameters[1], Bounded(0, 5), DivBy(2))
    kept = kernel.op("exti", small, results=["i64"], signedness=signedness)
    facts = facts_in(kernel)
    assert facts[wide[0]] == (Facts(1, -128, 127) if signedness == "signed" else Facts(1, 0, 255))
    assert facts[kept] == Facts(2, 0, 5)
    bounds = facts[wide[2]]
    assert bounds.lower <= (-1 if signedness == "signed" else 0)
    assert bounds.upper >= (0 if signedness == "signed" else 1)


@pytest.mark.parametrize("number", [1, 0xFFFFFFFF])
@pytest.mark.parametrize(("signedness", "expected"), [("signed", -1), ("unsigned", 1)])
def test_a_set_bit_is_extended_either_way(number: int, signedness: str, expected: int) -> None:
    """Whether it has been known as 1 or as -1."""
    kernel = Kernel("k")
    bit = kernel.op("trunci", kernel.constant("i32", number), results=["i1"])
    wide = kernel.op("exti", bit, results=["i32"], signedness=signedness)
    facts = facts_in(kernel)[wide]
    assert facts.lower <= expected <= facts.upper


def test_shape_changes_keep_facts() -> None:
    kernel = Kernel("k")
    tile = kernel.constant("4xi32", 8, 16, 4, 24)
    column = kernel.op("reshape", tile, results=["4x1xi32"])
    square = kernel.op("broadcast", column, results=["4x4xi32"])
    assert isinstance(square.type, Tile)
    facts = facts_in(kernel)
    assert facts[square] == facts[column] == Facts(4, 4, 24)


def test_zero_is_divisible_by_anything() -> None:
    kernel = Kernel("k")
    zero = kernel.constant("i64", 0)
    assert facts_in(kernel)[zero].divisor == MAX_DIVISOR
