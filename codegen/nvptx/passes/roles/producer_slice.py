"""What a producer has to compute: the slice of a body that says what tensor copies fill.

It is what views, indices and bounds of rings are computed from, and the loops around them. A
producer is one warp without tiles. So there is no slice if a tile of several elements, a branch or
an op with an effect would be in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.block.areas import ALLOCATIONS
from tileir.codegen.block.control_edges import BOUNDS, continues
from tileir.codegen.block.op_facts import COPIES, HARMLESS
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.token_order import ordered_before, why_fenced
from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Body, Op, Value
from tileir.types import Token


@dataclass(slots=True)
class ProducerSlice:
    """The slice of a body for the rings of some loops."""

    loops: Sequence[Op]
    """The pipelined loops with these rings."""
    around: set[Op] = field(default_factory=set)
    """The `for` loops around them."""
    ops: set[Op] = field(default_factory=set)
    """What is computed besides loops."""
    carried: set[Value] = field(default_factory=set)
    """The block arguments for carried values of loops around, that are needed."""


def producer_slice(body: Body, loops: Sequence[Op]) -> ProducerSlice | Reason:
    """Return the slice for the rings of these pipelined loops, or why there is none."""
    found = ProducerSlice(loops)
    for loop in loops:
        around = loop.parent.parent_op
        while around is not None:
            if around.name != "for":
                return Reason("role_around", around.name)
            found.around.add(around)
            around = around.parent.parent_op
    for loop in (*loops, *found.around):
        (end, *others) = continues(loop.regions[0].block)
        if others or end.parent is not loop.regions[0].block:
            return Reason("role_early_end")
    if any(op.name == "return" and op.parent is not body.block for op in body.walk()):
        return Reason("role_early_return")
    return _Slicing(body, found).sliced()


def why_in_order(load: Op, body: Body) -> Reason | None:
    """Return why another warp may not make a load: tokens order it behind more than weak loads."""
    for op in ordered_before(load, body):
        if not is_plain_load(op) and family_of(op) is not Family.TOKEN and op.name not in COPIES:
            return Reason("role_order", op.name)
    return None


class _Slicing:
    def __init__(self, body: Body, found: ProducerSlice) -> None:
        self._body, self._found = body, found
        self._left: list[Value] = []

    def sliced(self) -> ProducerSlice | Reason:
        """Add what is needed, from what is used backwards."""
        for loop in (*self._found.loops, *self._found.around):
            self._left += [loop.operands[slot] for slot in BOUNDS]
        for loop in self._found.loops:
            prologue = loop.regions[1].block
            for op in prologue.ops:
                if any(isinstance(each.type, Frag) for each in op.results):
                    return Reason("role_tile", op.name)
                if op.name in COPIES and (why := why_in_order(op, self._body)):
                    return why
            self._left += _outer_values(prologue)
        done = set[Value]()
        while self._left:
            value = self._left.pop()
            if value in done:
                continue
            done.add(value)
            problem = self._add(value)
            if problem is not None:
                return problem
        return self._found

    def _add(self, value: Value) -> Reason | None:
        op = value.owner
        if not isinstance(op, Op):
            return self._add_argument(value, op)
        if op in self._found.ops:
            return None
        if op.regions:
            return Reason("role_control", op.name)
        if any(isinstance(each.type, Frag | Shared) for each in op.results):
            return Reason("role_tile", op.name)
        loads = is_plain_load(op)
        if loads and (why := why_fenced(op, self._body) or why_in_order(op, self._body)):
            return why
        if loads and any(each.name == "assert" for each in self._body.walk()):
            return Reason("role_effect", "assert")  # which may come before it
        if not loads and op.spec.effects not in HARMLESS:
            return Reason("role_effect", op.name)
        self._found.ops.add(op)
        # What stands in no loop is computed before the roles, with its tokens.
        stays = op.parent is self._body.block
        self._left += [
            each for each in op.operand_list() if stays or not isinstance(each.type, Token)
        ]
        return None

    def _add_argument(self, value: Value, block: Block) -> Reason | None:
        loop = block.parent_op
        if loop is None or (value.index == 0 and loop in self._found.around):
            return None
        if loop not in self._found.around:
            return Reason("role_control", loop.name)
        self._found.carried.add(value)
        (end,) = continues(block)
        self._left.append(loop.operands["initValues"][value.index - 1])
        self._left.append(list(end.operand_list())[value.index - 1])
        return None


def _outer_values(prologue: Block) -> Iterator[Value]:
    """Yield the values from around a prologue that its copies depend on."""
    own = {value for op in prologue.ops for value in op.results} | {*prologue.arguments}
    for op in prologue.ops:
        for value in op.operand_list():
            if value not in own and not isinstance(value.type, Token) and _is_computed(value):
                yield value


def _is_computed(value: Value) -> bool:
    """Whether a value is computed, and is no memory of the ring."""
    owner = value.owner
    return not isinstance(owner, Op) or owner.name not in ALLOCATIONS
