"""The growth of a function: it chooses the next op, its operands, and the ends of blocks.

An op takes visible values of the right types; a value that is missing is made just before it, by an
op whose result may have any type of its kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tileir.builder.calls import python_name
from tileir.builder.kernel import Kernel
from tileir.builder.regions import Nested
from tileir.bytecode import Global
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import Op, Region
from tileir.ir import Value
from tileir.ir.dialect import KINDS
from tileir.ir.slot_types import infer, operand_slots
from tileir.types import Pointer, ValueType

from .attributes import attribute
from .draft import Draft, Unfit
from .draws import Draws
from .pool import Pool
from .relations import RELATIONS
from .rows import MAKERS, rows
from .sources import Sources

DEEPEST = 4
"""The most nested regions."""


class GrowingBlock:
    """A block that is being filled: its region's row, its op, and how many values were visible."""

    def __init__(self, row: Region, nested: Nested | None, visible: int) -> None:
        self.row = row
        self.nested = nested
        self.visible = visible


class Grower:
    """Grows one function; `budget` is the number of ops that are still to be made."""

    def __init__(
        self,
        draws: Draws,
        pool: Pool,
        kernel: Kernel,
        globals: Sequence[Global],
        sources: Sources,
        budget: int,
    ) -> None:
        self.draws = draws
        self.pool = pool
        self.kernel = kernel
        self.globals = globals
        self.sources = sources
        self.budget = budget
        self.rows = rows(pool.version)
        self._open: list[GrowingBlock] = []
        self._visible: list[Value] = []
        self._by_type: dict[ValueType, list[Value]] = {}

    def grow(self) -> None:
        """Fill the body, its terminator included."""
        self._define(self.kernel.parameters)
        self._block(BY_NAME["entry"].regions[0], None, self.budget)

    # Values -------------------------------------------------------------------------------------

    def _define(self, values: Sequence[Value]) -> None:
        for value in values:
            self._visible.append(value)
            self._by_type.setdefault(value.type, []).append(value)

    def _forget(self, visible: int) -> None:
        while len(self._visible) > visible:
            self._by_type[self._visible.pop().type].pop()

    def some_visible(self, count: int) -> list[Value]:
        """Draw values that are visible here, with repeats."""
        if not self._visible:
            return []
        return [self.draws.pick(self._visible) for _ in range(count)]

    def value(self, type: ValueType) -> Value:
        """Return a value of a type: one that is visible, or a new one."""
        known = self._by_type.get(type)
        if known and self.draws.chance(93):
            return self.draws.pick(known)
        kind = KINDS[type.__class__]
        if kind == "tile":
            name = "ptr" if isinstance(type.element, Pointer) else type.element.name
            kind = name if name in MAKERS else "number"
        spec, result = self.rows.makers[kind]
        return self.op(spec, {result: type})[0]

    # Ops ----------------------------------------------------------------------------------------

    def op(self, spec: Op, fixed: dict[str, ValueType] | None = None) -> Sequence[Value]:
        """Make an op and the operands it lacks, and grow its regions; Unfit if no types fit."""
        draft = Draft(self, spec, fixed)
        if spec.mnemonic in RELATIONS:
            RELATIONS[spec.mnemonic](draft)
        draft.complete()
        for slot in spec.attributes:
            draft.attributes[slot.name] = attribute(draft, slot)
        named = {python_name(name): value for name, value in draft.attributes.items()}
        for slot in draft.operands:
            values = [self.value(type) for type in draft.types[slot.name]]
            one = values[0] if values else None
            named[python_name(slot.name)] = values if slot.arity == "many" else one
        stated = [type for slot in draft.results for type in draft.types[slot.name]]
        return self._make(spec, named, stated)

    def _make(self, spec: Op, named: dict, results: Sequence[ValueType]) -> Sequence[Value]:
        self.budget -= 1
        named["results"] = list(results)
        named["location"] = self.sources.next()
        made = self.kernel.op(spec, (), named)
        if isinstance(made, Nested):
            self._regions(made)
            made = made.results
        values = () if made is None else (made,) if isinstance(made, Value) else made
        self._define(values)
        return values

    def _some_op(self) -> None:
        """Make an op that is allowed here; none if the draws do not fit together."""
        effect_free = any(block.row.terminators == ("yield",) for block in self._open)
        deep = len(self._open) > DEEPEST or self.budget < 3
        choices = self.rows.choices(effect_free, not deep, bool(self.globals))
        nesting = [op for op in choices if op.regions]
        try:
            self.op(self.draws.pick(nesting if nesting and self.draws.chance(8) else choices))
        except Unfit:
            return

    # Regions ------------------------------------------------------------------------------------

    def _regions(self, nested: Nested) -> None:
        op = nested.op
        share = self.draws.below(max(self.budget // 2, 1)) // len(op.spec.regions) + 1
        for row in op.spec.regions:
            if row.may_be_empty and not op.results and self.draws.chance(50):
                continue
            with getattr(nested, row.name) as arguments:
                self._block(row, nested, share, arguments)

    def _block(
        self, row: Region, nested: Nested | None, share: int, arguments: Sequence[Value] = ()
    ) -> None:
        block = GrowingBlock(row, nested, len(self._visible))
        self._open.append(block)
        self._define(arguments)
        stop = self.budget - share
        tries = 4 * share
        while self.budget > max(stop, 0) and tries:
            self._some_op()
            tries -= 1
        self._end()
        self._forget(block.visible)
        self._open.pop()

    def _end(self) -> None:
        """End the block with one of the terminators that are allowed here."""
        ends = {}
        for name in self._open[-1].row.terminators:
            wanted = self._handed_over(name)
            if wanted is not None:
                ends[name] = wanted
        names = list(ends)
        name = names[0] if self.draws.chance(40) else self.draws.pick(names)
        values = [self.value(type) for type in ends[name]]
        self._make(BY_NAME[name], {"operands": values}, ())

    def _handed_over(self, name: str) -> list[ValueType] | None:
        """Return the operand types of a terminator; None if it is not allowed here."""
        for block in reversed(self._open):
            rules = dict(block.row.gives)
            rule = rules.get(name)
            if rule is not None:
                op = cast("Nested", block.nested).op  # only an entry has none, which gives nothing
                slots = operand_slots(op)
                for slot in op.spec.results[:1]:
                    slots[slot.name] = op.results
                return infer(op, rule, slots)
            if name not in block.row.terminators:
                return None
        return []
