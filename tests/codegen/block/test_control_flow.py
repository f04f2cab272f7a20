"""Control flow of the block IR on the emulator: loops that work ahead, and nested exits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.codegen.block.kernels_by_hand import BlockKernel
from tests.codegen.build import tile
from tileir.codegen.layouts.linear_layout import blocked
from tileir.ir import Region, Value

LAYOUT = blocked(128, 2, 64)
I1, I32 = tile("i1"), tile("i32")
TRIPS = [0, 1, 2, 7]


def bounds(trips: int, step: int = 3) -> tuple[int, int, int]:
    """Bounds with so many trips, of which the last one is cut short."""
    return 5, 5 + trips * step - (1 if trips else 0), step


class Loop(BlockKernel):
    """A kernel of a loop that carries a tile of 128 integers: out, and the bounds."""

    def __init__(self) -> None:
        super().__init__("ptr<i32>", "i32", "i32", "i32")
        self.out, *limits = self.parameters
        self.limits = dict(zip(("lowerBound", "upperBound", "step"), limits, strict=True))
        self.zero, self.one = self.constant("i32", 0), self.constant("i32", 1)
        self.total = self.load(self.out, [128], LAYOUT)

    def spread(self, scalar: Value) -> Value:
        """A tile of a scalar."""
        one = self.op("reshape", [tile("1xi32")], source=scalar)
        return self.op("broadcast", [self.total.type], source=one)

    def less(self, lhs: Value, rhs: Value) -> Value:
        """Whether a scalar is less than another one."""
        attributes = {"comparison_predicate": "less_than", "signedness": "signed"}
        return self.op("cmpi", [I1], attributes=attributes, lhs=lhs, rhs=rhs)

    def loop(self, name: str, *regions: Region, **operands: Any) -> Value:
        """A counted loop that carries the tile."""
        attributes = {"ahead": operands.pop("ahead")} if "ahead" in operands else {}
        return self.op(
            name, [self.total.type], regions, attributes, **self.limits,
            initValues=(self.total,), **operands,
        )  # fmt: skip

    def found(self, total: Value, trips: int) -> np.ndarray:
        """What the kernel stores, given that out was 1 everywhere before."""
        self.store(self.out, total)
        found = np.ones(128, np.int32)
        self.run(found, *bounds(trips))
        return found


@pytest.mark.parametrize("trips", TRIPS)
def test_a_loop_hands_on_tiles(trips: int) -> None:
    kernel = Loop()
    with kernel.inside(I32, kernel.total.type) as (region, (index, total)):
        kernel.op("continue", operands=(kernel.add(total, kernel.spread(index)),))
    total = kernel.loop("for", region)
    assert (kernel.found(total, trips) == 1 + sum(range(*bounds(trips)))).all()


def selected(kernel: Loop, condition: Value, lhs: Value, rhs: Value) -> Value:
    """One of two scalars."""
    return kernel.op("select", [lhs.type], cond=condition, val_if_true=lhs, val_if_false=rhs)


def works_ahead(ahead: int, delayed: bool) -> Loop:
    """Sums, over iterations, numbers that are made ahead: index times how often work was done.

    With `delayed`, the loop hands on a tile from the prologue, and from iteration to iteration;
    without it, a number that every call of the work counts up. Beyond the end, -1000 is made.
    """
    kernel = Loop()
    kind = kernel.total.type
    lost = kernel.constant("i32", -1000 & 0xFFFFFFFF)

    def made(index: Value, exists: Value, count: Value) -> tuple[Value, ...]:
        number = selected(
            kernel, exists, kernel.binary("muli", index, count, overflow="none"), lost
        )
        after = kernel.add(count, kernel.one)
        return (after, kernel.spread(number)) if delayed else (after,)

    late = [kind] if delayed else []
    with kernel.inside(I32, I1, I32) as (prologue, arguments):
        kernel.op("yield", operands=made(*arguments))
    with kernel.inside(I32, kind, I32, I1, I32, *late) as (body, (index, total, *later)):
        more = later.pop() if delayed else kernel.spread(later[2])
        ahead_of_it = selected(kernel, later[1], later[0], lost)
        more = kernel.add(more, kernel.spread(ahead_of_it))
        more = kernel.add(more, kernel.spread(index))
        kernel.op("continue", operands=(kernel.add(total, more), *made(*later)))
    kernel.total = kernel.loop(
        "pipelined_for", body, prologue, ahead=ahead, aheadValues=(kernel.one,)
    )
    return kernel


@pytest.mark.parametrize("trips", TRIPS)
@pytest.mark.parametrize(("ahead", "delayed"), [(1, True), (1, False), (2, False), (3, False)])
def test_a_loop_works_ahead(trips: int, ahead: int, delayed: bool) -> None:
    kernel = works_ahead(ahead, delayed)
    indices, expected = list(range(*bounds(trips))), 1
    for number, index in enumerate(indices):
        count = 1 + ahead + number
        later = indices[number + ahead] if number + ahead < trips else -1000
        expected += index + later + (index * (number + 1) if delayed else count)
    assert (kernel.found(kernel.total, trips) == expected).all()


def test_delayed_tiles_are_for_one_iteration_ahead() -> None:
    kernel = works_ahead(2, True)
    with pytest.raises(AssertionError, match="one iteration"):
        kernel.ptx()


def test_the_prologue_of_several_iterations_is_there_once() -> None:
    texts = [works_ahead(ahead, False).ptx() for ahead in (2, 3)]
    assert texts[0].count("\n") == texts[1].count("\n")


@pytest.mark.parametrize("trips", [1, 4, 7])
def test_exits_in_nested_branches_leave_the_innermost_loop(trips: int) -> None:
    """Of a pipelined loop some iterations are skipped early; of the endless loop inside, too."""
    kernel = Loop()
    kind, eleven = kernel.total.type, kernel.constant("i32", 11)
    with kernel.inside(I32, I1, I32) as (prologue, (index, _, _)):
        with kernel.inside() as (then, _):
            kernel.op("yield", operands=(kernel.one,))
        with kernel.inside() as (otherwise, _):
            kernel.op("yield", operands=(index,))
        first = kernel.op(
            "if", [I32], [then, otherwise], condition=kernel.less(index, eleven)
        )  # fmt: skip
        kernel.op("yield", operands=(first,))
    with kernel.inside(I32, kind, I32, I1, I32) as (body, (index, total, later, _, before)):
        with kernel.inside() as (then, _):
            more = kernel.add(total, kernel.spread(before))
            kernel.op("continue", operands=(more, later))
        kernel.op("if", [], [then, Region()], condition=kernel.less(index, eleven))
        with kernel.inside(I32) as (inner, (count,)):
            with kernel.inside() as (then, _):
                kernel.op("continue", operands=(kernel.add(count, kernel.one),))
            with kernel.inside() as (otherwise, _):
                kernel.op("break", operands=(count, kernel.spread(count)))
            kernel.op("if", [], [then, otherwise], condition=kernel.less(count, index))
            kernel.op("return")
        last, tiles = kernel.op("loop", [I32, kind], [inner], initValues=(kernel.zero,))
        total = kernel.add(kernel.add(total, tiles), kernel.spread(last))
        kernel.op("continue", operands=(total, later))
    total = kernel.loop("pipelined_for", body, prologue, ahead=1, aheadValues=(kernel.zero,))
    expected, before = 1, 1
    low, high, step = bounds(trips)
    for index in range(low, high, step):
        expected += before if index < 11 else 2 * index
        before = index + step
    assert (kernel.found(total, trips) == expected).all()


@pytest.mark.parametrize("factor", [1, 4])
def test_a_loop_is_unrolled_as_often_as_it_says(factor: int) -> None:
    kernel = Loop()
    with kernel.inside(I32, kernel.total.type) as (region, (_, total)):
        more = kernel.load(kernel.out, [128], LAYOUT)
        kernel.op("continue", operands=(kernel.add(total, more),))
    kernel.store(kernel.out, kernel.loop("for", region))
    loop = next(op for op in kernel.block.ops if op.name == "for")
    loop.attributes["unroll"] = factor
    loads = kernel.ptx().count("ld.global")
    assert loads >= 2 * (1 + factor)


def test_return_ends_the_kernel() -> None:
    kernel = Loop()
    with kernel.inside() as (then, _):
        kernel.op("return")
    low, high = kernel.limits["lowerBound"], kernel.limits["upperBound"]
    kernel.op("if", [], [then, Region()], condition=kernel.less(low, high))
    kernel.store(kernel.out, kernel.add(kernel.total, kernel.total))
    for trips in (0, 1):
        found = np.ones(128, np.int32)
        kernel.run(found, *bounds(trips))
        assert (found == (1 if trips else 2)).all()
