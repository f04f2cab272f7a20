"""Control flow: a terminator is raised, and caught by the op that it goes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tileir.ir import Op

from .elements import read, wrapped
from .undefined import Undefined

if TYPE_CHECKING:
    from .machine import Block

LONGEST = 100_000
"""Iterations of one loop; more are refused, as if they had no end."""


class Leave(Exception):
    """A terminator on its way out, with the values that it hands over."""

    def __init__(self, name: str, values: tuple) -> None:
        super().__init__(name)
        self.name = name
        self.values = values


def terminator(block: Block, op: Op, operands):
    raise Leave(op.name, operands)


def _region(block: Block, op: Op, number: int, arguments: tuple, *ends: str) -> Leave:
    """Run a region up to a terminator of one of these names; others go on outwards."""
    if not op.regions[number].blocks:
        return Leave("yield", ())
    try:
        block.enter(op.regions[number].block, arguments)
    except Leave as leave:
        if leave.name not in ends:
            raise
        return leave
    raise AssertionError("a region without an end")


def if_(block: Block, op: Op, condition):
    return _region(block, op, 0 if condition else 1, (), "yield").values


def for_(block: Block, op: Op, lower, upper, step, carried):
    element = op.operands["lowerBound"].type.element
    signedness = "unsigned" if op.attributes["unsignedCmp"] else "signed"
    at, end, by = (int(read(tile, element, signedness)[()]) for tile in (lower, upper, step))
    if by <= 0:
        raise Undefined(f"a step of {by}")
    if (end - at) // by > LONGEST:
        raise Undefined("a loop that takes too long")
    while at < end:
        at_tile = wrapped(at, element)
        if int(read(at_tile, element, signedness)[()]) != at:
            raise Undefined("the induction variable wraps")
        carried = _region(block, op, 0, (at_tile, *carried), "continue").values
        at += by
    if int(read(wrapped(at, element), element, signedness)[()]) != at:
        raise Undefined("the induction variable wraps")
    return carried


def loop(block: Block, op: Op, carried):
    for _ in range(LONGEST):
        leave = _region(block, op, 0, carried, "continue", "break")
        if leave.name == "break":
            return leave.values
        carried = leave.values
    raise Undefined("a loop without end")


# Combining ----------------------------------------------------------------------------------------


def _folded(block: Block, op: Op, lines: list[np.ndarray]) -> list[tuple]:
    """The running values after each element of lines of equal length, from the first one on.

    The identity takes no part: on a GPU the largest of nothing but NaN is NaN.
    """
    first, *others = (
        [np.asarray(value) for value in values] for values in zip(*lines, strict=True)
    )
    found = [tuple(first)]
    for elements in others:
        pairs = zip(found[-1], elements, strict=True)
        arguments = tuple(value for pair in pairs for value in pair)
        found.append(_region(block, op, 0, arguments, "yield").values)
    return found


def _lines(op: Op, operands):
    """The index of each line along the dimension, and its part of each operand."""
    along = [np.moveaxis(operand, op.attributes["dim"], -1) for operand in operands]
    for at in np.ndindex(along[0].shape[:-1]):
        yield at, [operand[at] for operand in along]


def reduce(block: Block, op: Op, operands):
    """A fold from the first element to the last: (running value, element) -> running value."""
    pairs = zip(op.results, operands, strict=True)
    results = [np.empty(value.type.shape, array.dtype) for value, array in pairs]
    for at, line in _lines(op, operands):
        for result, value in zip(results, _folded(block, op, line)[-1], strict=True):
            result[at] = value
    return tuple(results)


def scan(block: Block, op: Op, operands):
    """As a reduction, with all the running values kept."""
    step = -1 if op.attributes["reverse"] else 1
    results = [np.empty_like(operand, order="C") for operand in operands]
    views = list(_lines(op, results))
    for number, (_, line) in enumerate(_lines(op, operands)):
        found = _folded(block, op, [part[::step] for part in line])
        for target, values in zip(views[number][1], zip(*found, strict=True), strict=True):
            target[::step] = [value[()] for value in values]
    return tuple(results)


OPS = {
    "break": terminator,
    "continue": terminator,
    "for": for_,
    "if": if_,
    "loop": loop,
    "reduce": reduce,
    "return": terminator,
    "scan": scan,
    "yield": terminator,
}
