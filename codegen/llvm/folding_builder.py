"""A builder of LLVM IR that does not emit what it can know: constants, and what it has emitted.

Code generators ask for instructions one by one, and many of them are alike: addresses that differ
by a constant, masks of neighbours, halves that become the word again that they were taken from.
LLVM would remove them in its first passes, after they have been made, printed and parsed, which
takes most of the time of a compilation.

Integers are folded (see `integer_folding`); what is left is numbered as in LLVM's EarlyCSE: an
instruction without effects is emitted once, as far as its block and the blocks that dominate it
go. What a loop does not change is emitted before the loop, as LLVM's LICM would have it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice

from llvmlite import ir
from llvmlite.ir.instructions import CastInstr, InlineAsm, Instruction

from . import integer_folding
from .block_tree import BlockTree
from .function import Call

_ARITHMETIC = ("add", "sub", "mul", "udiv", "urem", "and_", "or_", "xor", "shl", "lshr", "ashr")
_CASTS = ("trunc", "zext", "sext", "fpext", "fptrunc", "bitcast", "ptrtoint", "inttoptr")
_REGROUPED = frozenset({"add", "and_", "or_", "xor"})
_LATEST = 32
"""So many instructions of a key are looked at, the latest first: the others are mostly in branches
that emission has left."""
_TRAPS = frozenset({"udiv", "urem"})
"""Operations that are undefined for a divisor of zero, so they stay where they are asked for."""


class FoldingBuilder(ir.IRBuilder):
    """An `ir.IRBuilder` that folds integers and emits instructions without effects once."""

    def __init__(self, block: ir.Block) -> None:
        super().__init__(block)
        self._tree = BlockTree()
        self._assembly: dict[Hashable, InlineAsm] = {}
        """Text, constraints, whether it has effects, and type of the result -> the assembly."""
        self._emitted: dict[Hashable, dict[ir.Block, ir.Value]] = {}
        """Key of an instruction -> those that have been emitted, by their blocks."""

    def icmp_signed(self, cmpop: str, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        """Compare signed integers."""
        folded = integer_folding.comparison(cmpop, lhs, rhs, True)
        return folded or self._once(
            ("icmp", cmpop, _name(lhs), _name(rhs)),
            (lhs, rhs),
            partial(super().icmp_signed, cmpop, lhs, rhs, name),
        )

    def icmp_unsigned(self, cmpop: str, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        """Compare unsigned integers."""
        folded = integer_folding.comparison(cmpop, lhs, rhs, False)
        return folded or self._once(
            ("ucmp", cmpop, _name(lhs), _name(rhs)),
            (lhs, rhs),
            partial(super().icmp_unsigned, cmpop, lhs, rhs, name),
        )

    def select(
        self, cond: ir.Value, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Sequence = ()
    ) -> ir.Value:
        """Select one of two values."""
        folded = integer_folding.selection(cond, lhs, rhs)
        return folded or self._once(
            ("select", _name(cond), _name(lhs), _name(rhs), *flags),
            (cond, lhs, rhs),
            partial(super().select, cond, lhs, rhs, name, flags),
        )

    def gep(
        self,
        ptr: ir.Value,
        indices: Sequence[ir.Value],
        inbounds: bool = False,
        name: str = "",
        source_etype: ir.Type | None = None,
    ) -> ir.Value:
        """Compute an address."""
        zero = source_etype is not None and len(indices) == 1
        if zero and integer_folding.number(indices[0]) == 0:
            return ptr
        return self._once(
            ("gep", str(source_etype), inbounds, _name(ptr), *map(_name, indices)),
            (ptr, *indices),
            partial(super().gep, ptr, indices, inbounds, name, source_etype),
        )

    def asm(
        self,
        ftype: ir.FunctionType,
        asm: str,
        constraint: str,
        args: Sequence[ir.Value],
        side_effect: bool,
        name: str = "",
    ) -> ir.Value:
        """Emit inline assembly."""
        text = (asm, constraint, side_effect, ftype.return_type)
        if text not in self._assembly:
            self._assembly[text] = InlineAsm(ftype, asm, constraint, side_effect)
        emit = partial(self._call, self._assembly[text], args, name)
        if side_effect:
            return emit()
        return self._once((*text, *map(_name, args)), args, emit)

    def call(
        self,
        fn: ir.Function | InlineAsm,
        args: Sequence[ir.Value],
        name: str = "",
        cconv: str | None = None,
        tail: bool | str = False,
        fastmath: Sequence[str] = (),
        attrs: Sequence[str] = (),
        arg_attrs: Mapping[int, Sequence[str]] | None = None,
    ) -> ir.Value:
        """Emit a call."""
        if cconv or tail or fastmath or arg_attrs:
            return super().call(fn, args, name, cconv, tail, fastmath, attrs, arg_attrs)
        made = self._call(fn, args, name)
        for attribute in attrs:
            made.attributes.add(attribute)
        return made

    def _call(self, callee: ir.Function | InlineAsm, args: Sequence[ir.Value], name: str) -> Call:
        made = Call(self.block, callee, args, name)
        self._insert(made)
        return made

    def branch(self, target: ir.Block) -> ir.Value:
        """Branch to a block."""
        self._tree.add_edge(self.block, target)
        return super().branch(target)

    def cbranch(self, cond: ir.Value, truebr: ir.Block, falsebr: ir.Block) -> ir.Value:
        """Branch to one of two blocks."""
        self._tree.add_edge(self.block, truebr)
        self._tree.add_edge(self.block, falsebr)
        return super().cbranch(cond, truebr, falsebr)

    def enter_loop(self, head: ir.Block) -> None:
        """Branch to the head of a loop unless that is done, and go on there.

        What does not depend on the loop is emitted before it.
        """
        self._tree.enter(head, self.block)
        if not self.block.is_terminated:
            self.branch(head)
        self.position_at_end(head)

    def leave_loop(self, head: ir.Block, after: ir.Block) -> None:
        """Go on behind the loop of a head: in `after`, where its body may have come by."""
        self._tree.leave(head, after)
        self.position_at_end(after)

    def _once(
        self,
        key: Hashable,
        operands: Iterable[ir.Value],
        emit: Callable[[], ir.Value],
        moves: bool = True,
    ) -> ir.Value:
        """Return the instruction of a key, which is emitted unless a dominating block has it.

        It is emitted before the loops that define none of the operands, if it `moves`.
        """
        here = self._block
        if self._anchor < len(here.instructions) - here.is_terminated:
            return emit()
        emitted = self._emitted.setdefault(key, {})
        nearest = self._tree.nearest(islice(reversed(emitted), _LATEST), here)
        if nearest is not None:
            return emitted[nearest]
        place = self._outside(operands) if moves and self._tree.before else here
        if place is here:
            made = emit()
        else:
            anchor = self._anchor
            self._block, self._anchor = place, len(place.instructions) - place.is_terminated
            made = emit()
            self._block, self._anchor = here, anchor
        emitted[place] = made
        return made

    def _outside(self, operands: Iterable[ir.Value]) -> ir.Block:
        """Return the block before all loops around this one that define none of the operands."""
        within: set[ir.Block] = set()
        for value in operands:
            if isinstance(value, Instruction):
                within.update(self._tree.loops(value.parent))
        place = self._block
        for head in self._tree.loops(place):
            if head in within:
                break
            place = self._tree.before[head]
        return place

    def _is_outside(self, value: ir.Value, head: ir.Block) -> bool:
        """Whether a value is defined outside of the loop of a head."""
        return not isinstance(value, Instruction) or head not in self._tree.loops(value.parent)

    def _regrouped(self, operation: str, lhs: ir.Value, rhs: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return the operands a and b + c for (a + b) + c, if the loop of a defines neither.

        Of others, return them as they are. What is regrouped again has fewer loops around it.
        """
        for total, other in ((lhs, rhs), (rhs, lhs)):
            if not isinstance(total, Instruction) or total.opname != operation.rstrip("_"):
                continue
            heads = self._tree.loops(total.parent)
            if not heads or total.flags or isinstance(other, ir.Constant):
                continue
            if not self._is_outside(other, heads[0]):
                continue
            for inside, outside in (total.operands, total.operands[::-1]):
                if self._is_outside(inside, heads[0]) or not isinstance(outside, Instruction):
                    continue
                if self._is_outside(outside, heads[0]):
                    return inside, getattr(self, operation)(outside, other)
        return lhs, rhs


def _name(value: ir.Value) -> Hashable:
    """Return what stands for an operand in a key: constants by their value, others themselves."""
    if not isinstance(value, ir.Constant):
        return value
    if isinstance(value.type, ir.IntType) and isinstance(value.constant, int):
        return value.type.width, value.constant
    return str(value)


def _binary(operation: str) -> Callable[..., ir.Value]:
    """Return the method that emits an integer operation of two operands."""
    plain = getattr(ir.IRBuilder, operation)

    def method(
        self: FoldingBuilder, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Sequence = ()
    ) -> ir.Value:
        if self._tree.before and operation in _REGROUPED and not flags:
            lhs, rhs = self._regrouped(operation, lhs, rhs)
        folded = integer_folding.binary(operation, lhs, rhs)
        return folded or self._once(
            (operation, _name(lhs), _name(rhs), *flags),
            (lhs, rhs),
            partial(plain, self, lhs, rhs, name, flags),
            operation not in _TRAPS or bool(integer_folding.number(rhs)),
        )

    return method


def _cast(operation: str) -> Callable[..., ir.Value]:
    """Return the method that emits a cast."""
    plain = getattr(ir.IRBuilder, operation)

    def method(self: FoldingBuilder, value: ir.Value, kind: ir.Type, name: str = "") -> ir.Value:
        if value.type == kind:
            return value
        folded = integer_folding.cast(operation, value, kind)
        if folded is not None:
            return folded
        if operation == "bitcast" and isinstance(value, CastInstr) and value.opname == "bitcast":
            return self.bitcast(value.operands[0], kind)
        key = (operation, str(kind), _name(value))
        return self._once(key, (value,), partial(plain, self, value, kind, name))

    return method


for _each in _ARITHMETIC:
    setattr(FoldingBuilder, _each, _binary(_each))
for _each in _CASTS:
    setattr(FoldingBuilder, _each, _cast(_each))
