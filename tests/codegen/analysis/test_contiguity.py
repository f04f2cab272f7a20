"""What neighbours in tiles have in common: every claim about random index arithmetic is true."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from tests.codegen.build import Kernel
from tileir import assemble
from tileir.attributes import Bounded, DivBy, SameElements
from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops.contiguity import Run, unit_of
from tileir.ir import Value

SHAPE = (8, 16)
WIDTHS = (8, 16, 32)
ADDRESS = 62
"""Bits that addresses cannot exceed here."""
PREDICATES = {
    "equal": np.equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "not_equal": np.not_equal,
}


def runs_in(kernel: Kernel) -> Contiguity:
    """The kernel's first parameter is a pointer, without which nothing is inferred."""
    kernel.op(
        "load_ptr_tko", kernel.parameters[0], results=["f32", "token"],
        memory_ordering_semantics="weak",
    )  # fmt: skip
    return KernelIR.of(kernel.module().functions[0]).facts(Contiguity)


def wrapped(numbers: np.ndarray, bits: int) -> np.ndarray:
    """As signed numbers of a width."""
    half = 1 << bits - 1
    return (numbers + half) % (2 * half) - half


class Arithmetic:
    """Random ops on tiles, done by NumPy at the same time."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        scalars = [f"i{bits}" for bits in WIDTHS for _ in range(2)]
        self.kernel = Kernel("k", "ptr<f32>", *scalars)
        self.known: list[tuple[Value, np.ndarray, int]] = []
        for value in self.kernel.parameters[1:]:
            self._scalar(value)
        for bits, dim in product(WIDTHS, (0, 1)):
            tile = self.kernel.op("iota", results=[f"{SHAPE[dim]}xi{bits}"])
            shape = [SHAPE[d] if d == dim else 1 for d in (0, 1)]
            self._spread(tile, np.arange(SHAPE[dim]).reshape(shape), shape, bits)
        base = rng.choice([0, 4, 16, 64, 1024])
        pointer = self._assumed(self.kernel.parameters[0], [DivBy(base & -base or 1 << 20)])
        self.pointers = [(self._stretched(pointer, [1, 1]), np.full(SHAPE, base))]

    def _scalar(self, value: Value) -> None:
        bits = value.type.element.bits
        divisor = self.rng.choice([1, 2, 4, 8, 16])
        number = self.rng.randrange(-(1 << bits - 1), 1 << bits - 1) // divisor * divisor
        claims = [DivBy(divisor)]
        if self.rng.random() < 0.5:
            number = self.rng.randrange(0, 5) * divisor
            claims.append(Bounded(0, 4 * divisor))
        self._spread(self._assumed(value, claims), np.full((1, 1), number), [1, 1], bits)

    def _assumed(self, value: Value, claims: list) -> Value:
        for claim in claims:
            value = self.kernel.op("assume", value, results=[value.type], predicate=claim)
        return value

    def _stretched(self, value: Value, shape: list[int]) -> Value:
        """Reshaped, then broadcast."""
        element = str(value.type.element)
        sizes = "x".join(map(str, shape))
        narrow = self.kernel.op("reshape", value, results=[f"{sizes}x{element}"])
        return self.kernel.op("broadcast", narrow, results=[f"{SHAPE[0]}x{SHAPE[1]}x{element}"])

    def _spread(self, value: Value, numbers: np.ndarray, shape: list[int], bits: int) -> None:
        spread = self._stretched(value, shape)
        self.known.append((spread, wrapped(np.broadcast_to(numbers, SHAPE), bits), bits))

    def _operands(self) -> tuple[Value, np.ndarray, Value, np.ndarray, int]:
        bits = self.rng.choice(WIDTHS)
        (a, x, _), (b, y, _) = self.rng.choices([k for k in self.known if k[2] == bits], k=2)
        return a, x, b, y, bits

    def binary(self) -> None:
        a, x, b, y, bits = self._operands()
        name, function = self.rng.choice(
            [("addi", np.add), ("subi", np.subtract), ("muli", np.multiply)]
        )
        value = self.kernel.op(name, a, b, results=[a.type])
        self.known.append((value, wrapped(function(x, y), bits), bits))

    def compare(self) -> None:
        a, x, b, y, bits = self._operands()
        predicate = self.rng.choice(list(PREDICATES))
        signedness = self.rng.choice(["signed", "unsigned"])
        value = self.kernel.op(
            "cmpi", a, b, results=[f"{SHAPE[0]}x{SHAPE[1]}xi1"],
            comparison_predicate=predicate, signedness=signedness,
        )  # fmt: skip
        if signedness == "unsigned":
            x, y = x % (1 << bits), y % (1 << bits)
        self.known.append((value, wrapped(PREDICATES[predicate](x, y).astype(int), 1), 1))

    def combine(self) -> None:
        (a, x, _), (b, y, _) = self.rng.choices([k for k in self.known if k[2] == 1], k=2)
        name, function = self.rng.choice([("andi", np.bitwise_and), ("ori", np.bitwise_or)])
        self.known.append((self.kernel.op(name, a, b, results=[a.type]), function(x, y), 1))

    def resize(self) -> None:
        value, numbers, bits = self.rng.choice(self.known)
        other = self.rng.choice([width for width in WIDTHS if width != bits])
        kind = f"{SHAPE[0]}x{SHAPE[1]}xi{other}"
        if other < bits:
            result = self.kernel.op("trunci", value, results=[kind])
        else:
            signedness = self.rng.choice(["signed", "unsigned"])
            result = self.kernel.op("exti", value, results=[kind], signedness=signedness)
            numbers = numbers if signedness == "signed" else numbers % (1 << bits)
        self.known.append((result, wrapped(numbers, other), other))

    def assume(self) -> None:
        """Something true about groups."""
        value, numbers, bits = self.rng.choice([k for k in self.known if k[2] > 1])
        groups = tuple(self.rng.choice([1, 2, 3, 4, 8]) for _ in SHAPE)
        every, along, divisor = groups[0], self.rng.choice([0, 1]), self.rng.choice([1, 2, 8])
        claims = []
        if is_constant(numbers, groups):
            claims.append(SameElements(groups))
        if counts_up(numbers, along, every, 1, bits) and starts(numbers, along, every, divisor):
            claims.append(DivBy(divisor, every=every, along=along))
        self.known.append((self._assumed(value, claims), numbers, bits))

    def move(self) -> None:
        pointer, addresses = self.rng.choice(self.pointers)
        amount, numbers, _ = self.rng.choice([k for k in self.known if k[2] > 1])
        value = self.kernel.op("offset", pointer, amount, results=[pointer.type])
        self.pointers.append((value, addresses + 4 * numbers))


def grouped(numbers: np.ndarray, along: int, group: int) -> list[np.ndarray]:
    """Neighbours along a dimension, `group` at a time."""
    cuts = range(group, numbers.shape[along], group)
    return np.split(numbers, list(cuts), axis=along)


def is_constant(numbers: np.ndarray, groups: tuple[int, ...]) -> bool:
    parts = [numbers]
    for along, group in enumerate(groups):
        parts = [piece for part in parts for piece in grouped(part, along, group)]
    return all((part == part.flat[0]).all() for part in parts)


def counts_up(numbers: np.ndarray, along: int, group: int, unit: int, bits: int) -> bool:
    return all(
        (np.diff(part, axis=along) % (1 << bits) == unit).all()
        for part in grouped(numbers, along, group)
    )


def starts(numbers: np.ndarray, along: int, group: int, divisor: int) -> bool:
    first = numbers.take(range(0, numbers.shape[along], group), along)
    return bool((first % divisor == 0).all())


@pytest.mark.parametrize("seed", range(40))
def test_every_claim_is_true(seed: int) -> None:
    rng = random.Random(seed)
    arithmetic = Arithmetic(rng)
    arithmetic.compare()
    steps = ("binary", "compare", "combine", "resize", "assume", "move")
    for name in rng.choices(steps, weights=(4, 2, 1, 3, 2, 2), k=40):
        getattr(arithmetic, name)()
    table = runs_in(arithmetic.kernel)
    found = [*arithmetic.known, *((value, at, ADDRESS) for value, at in arithmetic.pointers)]
    for value, numbers, bits in found:
        for along, run in enumerate(table[value]):
            what = f"{value.owner} along {along}: {run}"
            same = tuple(run.constant if dim == along else 1 for dim in (0, 1))
            divisor = min(run.divisor, 1 << bits)
            assert is_constant(numbers, same), what
            assert counts_up(numbers, along, run.contiguous, unit_of(value), bits), what
            assert starts(numbers, along, run.contiguous, divisor), what


def test_narrow_numbers_count_up_to_where_they_wrap_around() -> None:
    kernel = Kernel("k", "ptr<f32>")
    narrow = kernel.op("iota", results=["512xi8"])
    wide = kernel.op("exti", narrow, results=["512xi32"], signedness="unsigned")
    table = runs_in(kernel)
    assert (table[narrow][0].contiguous, table[wide][0].contiguous) == (512, 128)


def test_bits_do_not_count_up_when_they_are_extended_by_their_sign() -> None:
    kernel = Kernel("k", "ptr<f32>")
    bits = kernel.op("trunci", kernel.op("iota", results=["2xi32"]), results=["2xi1"])
    wide = kernel.op("exti", bits, results=["2xi32"], signedness="signed")
    assert runs_in(kernel)[wide][0].contiguous == 1


@pytest.mark.parametrize("predicate", ["less_than", "greater_than"])
def test_masks_change_where_narrow_numbers_wrap_around(predicate: str) -> None:
    """The upper half of 256 numbers of eight bits is negative; zero is not."""
    kernel = Kernel("k", "ptr<f32>")
    sides = [kernel.op("iota", results=["256xi8"]), kernel.constant("256xi8", 0)]
    sides = sides if predicate == "less_than" else sides[::-1]
    mask = kernel.op(
        "cmpi", *sides, results=["256xi1"], comparison_predicate=predicate, signedness="signed"
    )
    assert runs_in(kernel)[mask][0].constant == 128


def test_numbers_that_are_never_negative_count_up_from_anywhere() -> None:
    """But which of them are below a multiple of sixteen is not known."""
    kernel = Kernel("k", "ptr<f32>", "i32", "i32")
    count = kernel.op("assume", kernel.parameters[2], results=["i32"], predicate=DivBy(16))
    start, most = (
        kernel.op("broadcast", kernel.op("reshape", v, results=["1xi32"]), results=["64xi32"])
        for v in (kernel.parameters[1], count)
    )
    plain = kernel.op("addi", start, kernel.op("iota", results=["64xi32"]), results=["64xi32"])
    known = kernel.op("assume", plain, results=["64xi32"], predicate=Bounded(0, None))
    below = kernel.op(
        "cmpi", known, most, results=["64xi1"], comparison_predicate="less_than",
        signedness="signed",
    )  # fmt: skip
    wide = [kernel.op("exti", v, results=["64xi64"], signedness="signed") for v in (plain, known)]
    table = runs_in(kernel)
    assert [table[value][0].contiguous for value in wide] == [1, 64]
    assert table[below] == (Run(1, 1, 1, 64),)


LOOP = """
entry @walk(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %base = assume div_by<16>, %p : tile<ptr<f32>>
  %count = assume div_by<16>, %n : tile<i32>
  %i = iota : tile<64xi32>
  %base1 = reshape %base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bases = broadcast %base1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %first = offset %bases, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %count1 = reshape %count : tile<i32> -> tile<1xi32>
  %counts = broadcast %count1 : tile<1xi32> -> tile<64xi32>
  %mask = cmpi less_than %i, %counts, signed : tile<64xi32> -> tile<64xi1>
  %zero = constant <i32: 0> : tile<i32>
  %by = constant <i32: 1> : tile<i32>
  %step = constant <i32: STEP> : tile<64xi32>
  %last = for %k in (%zero to %count, step %by) : tile<i32>
      iter_values(%now = %first) -> (tile<64xptr<f32>>) {
    %x, %t = load_ptr_tko weak %now, %mask
      : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
    %next = offset %now, %step : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    continue %next : tile<64xptr<f32>>
  }
  return
}
"""


@pytest.mark.parametrize(("step", "divisor"), [(64, 16), (4, 16), (2, 8), (3, 4)])
def test_what_loops_carry_is_weakened_until_it_holds(step: int, divisor: int) -> None:
    function = assemble(LOOP.replace("STEP", str(step))).functions[0]
    kernel = KernelIR.of(function)
    table = kernel.facts(Contiguity)
    ops = {op.name: op for op in kernel.walk()}
    assert table[ops["cmpi"].result] == (Run(1, 16, 1, 64),)
    assert table[ops["for"].operands["initValues"][0]] == (Run(64, 1, 16),)
    assert table[ops["load_ptr_tko"].operands["source"]] == (Run(64, 1, divisor),)
    assert table[ops["for"].results[0]] == (Run(64, 1, divisor),)
