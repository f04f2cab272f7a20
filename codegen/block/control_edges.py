"""The edges of structured control flow: which value becomes which, on the way to where.

Loops, branches and pipelined loops are told apart here alone; walks and joins go by edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tileir.ir import Block, Body, Op, Value

LOOPS = ("for", "loop", "pipelined_for")
BOUNDS = ("lowerBound", "upperBound", "step")
"""The operand slots of counted loops for their counter."""
BRANCHING = ("if", *LOOPS)
"""Ops whose regions are part of the control flow; others have regions that are functions."""

Pair = tuple[Value | None, Value]
"""A value and what it becomes; None if it is none of the values at the other end."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A way of control from an op (a terminator, or a loop that is entered or passed by)."""

    source: Op
    pairs: tuple[Pair, ...]
    again: bool = False
    """Whether it goes to another iteration."""


def loop_block(block: Block) -> Block | None:
    """Return the block of the innermost loop that a block is, or is in; None outside of loops."""
    while block.parent_op is not None:
        if block.parent_op.name in LOOPS:
            return block
        block = block.parent_op.parent
    return None


def carried(loop: Op) -> Sequence[Value]:
    """Return the block arguments for the carried values of a loop."""
    arguments = loop.regions[0].block.arguments
    if loop.name == "loop":
        return arguments
    return arguments[1 : 1 + len(loop.operands["initValues"])]


def handed_on(loop: Op) -> Sequence[Value]:
    """Return the block arguments of a pipelined loop for the values that are handed on."""
    start = 3 + len(loop.operands["initValues"])
    return loop.regions[0].block.arguments[start:]


def continues(block: Block) -> Iterator[Op]:
    """Yield the `continue` ops of the loop with this body."""
    for op in block.ops:
        if op.name == "continue":
            yield op
        elif op.name == "if":
            for region in op.regions:
                for inner in region.blocks:
                    yield from continues(inner)


def entry(loop: Op) -> Edge:
    """Return the edge into a loop; into its prologue, if it has one."""
    if loop.name == "pipelined_for":
        arguments = loop.regions[1].block.arguments[2:]
        return Edge(loop, (*zip(loop.operands["aheadValues"], arguments, strict=True),))
    return Edge(loop, (*zip(loop.operands["initValues"], carried(loop), strict=True),))


def prologue_again(loop: Op) -> Edge:
    """Return the edge from the end of a prologue to its start."""
    end = loop.regions[1].block.ops[-1]
    pairs = zip(end.operand_list(), loop.regions[1].block.arguments[2:], strict=False)
    return Edge(end, tuple(pairs), True)


def prologue_end(loop: Op) -> Edge:
    """Return the edge from the end of a prologue to the body."""
    end = loop.regions[1].block.ops[-1]
    pairs = [*zip(loop.operands["initValues"], carried(loop), strict=True)]
    ahead = len(loop.operands["aheadValues"])
    for number, (value, argument) in enumerate(
        zip(end.operand_list(), handed_on(loop), strict=True)
    ):
        # What is delayed may be of a trip of the prologue before the last one.
        stays = number < ahead or loop.attributes["ahead"] == 1
        pairs.append((value if stays else None, argument))
    return Edge(end, tuple(pairs))


def again(loop: Op, end: Op) -> Edge:
    """Return the edge from a `continue` to the next iteration."""
    values: list[Value | None] = [*end.operand_list()]
    arguments = [*carried(loop)]
    if loop.name == "pipelined_for":
        arguments += handed_on(loop)
        kept = len(loop.operands["initValues"]) + len(loop.operands["aheadValues"])
        if loop.attributes["ahead"] > 1:
            values[kept:] = [None] * (len(values) - kept)
    return Edge(end, tuple(zip(values, arguments, strict=True)), True)


def left(loop: Op, end: Op) -> Edge:
    """Return the edge out of a loop, from a `continue`, a `break`, or the loop itself."""
    values = loop.operands["initValues"] if end is loop else tuple(end.operand_list())
    return Edge(end, tuple(zip(values, loop.results, strict=False)))


def joined(branch: Op, end: Op) -> Edge:
    """Return the edge out of an `if`, from a `yield`."""
    return Edge(end, tuple(zip(end.operand_list(), branch.results, strict=True)))


def edges(body: Body) -> Iterator[Edge]:
    """Yield all edges of a body that values pass.

    A token that is delayed passes the edge like the others: what it orders stays ordered.
    """
    yield from _edges(body.block, None)


def _edges(block: Block, loop: Op | None) -> Iterator[Edge]:
    for op in block.ops:
        if op.name in LOOPS:
            yield entry(op)
            if op.name == "pipelined_for":
                yield prologue_again(op)
                end = op.regions[1].block.ops[-1]
                inits = [*zip(op.operands["initValues"], carried(op), strict=True)]
                yield Edge(end, (*inits, *zip(end.operand_list(), handed_on(op), strict=True)))
            if op.name != "loop":
                yield left(op, op)
        if op.name in BRANCHING:
            for region in op.regions:
                for inner in region.blocks:
                    yield from _edges(inner, op if op.name in LOOPS else loop)
        if op.name == "continue" and loop is not None:
            arguments = [*carried(loop)]
            if loop.name == "pipelined_for":
                arguments += handed_on(loop)
            yield Edge(op, tuple(zip(op.operand_list(), arguments, strict=True)), True)
            if loop.name != "loop":
                yield left(loop, op)
        elif op.name == "break" and loop is not None:
            yield left(loop, op)
        elif op.name == "yield" and op.parent.parent_op.name == "if":
            yield joined(op.parent.parent_op, op)
