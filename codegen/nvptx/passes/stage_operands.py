"""Matrix products on the way to block IR: stage operands in shared memory, and make `mma` ops.

An operand that is not in the layout of the atom comes from shared memory: its root, the tile that
it is a renumbering of, is stored there where it is defined. Where shared memory cannot hold an
operand, pieces of it along k are stored one after the other, each before the `mma` that reads it.

An f16 accumulator is converted to f32 before the first `mma`, and rounded once, behind the last,
unless the instruction itself adds in f16.
Where tensor cores add with few bits, only short sums are left to them: each piece along k has an
accumulator of its own, which begins with zero and is added in registers. Where a thread has not
registers enough for that, columns are multiplied and added in parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from tileir.codegen.block.make import make
from tileir.codegen.block.types import Flight, Frag, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, log2
from tileir.codegen.layouts.shared_copies import through_registers
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.nvptx.machine.mma_atoms import stored_as
from tileir.codegen.nvptx.schedule.group_products import (
    SHORT_SUM,
    Restaged,
    column_parts,
    is_promoted,
)
from tileir.codegen.nvptx.schedule.mma_plan import ProductPlan, product_plan
from tileir.codegen.nvptx.schedule.staged import Staging, bases_in_root, root_of, seen_as
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Op, Value
from tileir.ir.constants import to_constant
from tileir.types import Element, Scalar, Tile

_IN_MEMORY = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "s8": "i8", "u8": "i8"}
"""Operand type of an atom -> the element type in memory, where the names differ."""
_HALF, _SINGLE = Scalar("f16"), Scalar("f32")
_SCALED = ("lhs_scale", "rhs_scale")


class ProductOperands:
    """Stages the operands of a kernel's products and makes the ops that multiply them.

    `form` returns a value in a layout, `add` adds an op at the place that is being rewritten.
    """

    def __init__(
        self,
        state: KernelState,
        form: Callable[[Value, LinearLayout | None], Value],
        add: Callable[[Op], None],
    ) -> None:
        self._assignment, self._form, self._add = state.assignment, form, add
        self._places: dict[Value, Value] = {}
        self._copies: dict[tuple[Op, str], Value] = {}
        """The operands that were staged twice, in shared memory the second time."""

    def stage(self, value: Value) -> None:
        """Store a tile that has just been defined to shared memory, if that is planned."""
        staging = self._assignment.staged.get(value)
        if staging is not None:
            origin = value.owner if isinstance(value.owner, Op) else value.owner.parent_op
            self._places[value] = self._allocate(value, staging, origin)
            self._store(value, staging, self._places[value], origin)

    def multiply(self, op: Op) -> list[tuple[Op, LinearLayout | None]]:
        """Return the op that completes a product, and its layout; earlier pieces are added."""
        plan = self._assignment.products[op]
        split = self._assignment.split.get(op)
        acc = self._form(op.operands["acc"], plan.acc.layout)
        rounded = acc.type
        if rounded.element == _HALF and plan.atom.acc != "f16":
            acc = self._converted(op, acc, _SINGLE)
        if split is None:
            promoted = is_promoted(op, plan)
            made = self._promoted(op, plan, acc) if promoted else self._mma(op, plan, acc, {})
            return self._completed(op, made, rounded)
        extent = plan.extents["k"]
        places = {
            slot: self._allocate(root_of(op.operands[slot]), staging, op)
            for slot, staging in split.operands.items()
        }
        made = None
        for first in range(0, extent, split.length):
            if made is not None:
                self._add(made)
                acc = made.result
            for slot, staging in split.operands.items():
                value = op.operands[slot]
                part = combine(bases_in_root(value), plan.part(slot).at(k=first))
                self._store(root_of(value), staging, places[slot], op, part)
            ends = {"first": first, "end": first + split.length}
            made = self._mma(op, plan, acc, places, ends)
        return self._completed(op, cast(Op, made), rounded)

    def _promoted(self, op: Op, plan: ProductPlan, acc: Value) -> Op:
        """Return the op that completes a product of short sums, which are added in registers."""
        if len(columns := column_parts(op, plan)) > 1:
            return self._by_columns(op, plan, acc, columns)
        extent, mode = plan.extents["k"], {"rounding_mode": "nearest_even"}
        nothing = to_constant(0.0, Tile(acc.type.element, acc.type.shape))
        zero = make("constant", attributes={"value": nothing}, results=[acc.type], origin=op)
        self._add(zero)
        made = None
        for first in range(0, extent, SHORT_SUM):
            if made is not None:
                self._add(made)
                acc = made.result
            end = min(first + SHORT_SUM, extent)
            ends = {} if end - first == extent else {"first": first, "end": end}
            last = self._mma(op, plan, zero.result, {}, ends)
            self._add(last)
            made = make("addf", {"lhs": acc, "rhs": last.result}, mode, [acc.type], origin=op)
        return cast(Op, made)

    def _by_columns(self, op: Op, plan: ProductPlan, acc: Value, columns: Sequence[int]) -> Op:
        """Return the op that completes such a product, if its columns are added part by part."""
        count = plan.atom.n
        part = product_plan(plan.atom, {**plan.extents, "n": count}, plan.warps, "")
        shape = (*acc.type.shape[:-1], count)
        kind = Frag(acc.type.element, shape, layout=part.acc.layout)
        nothing = to_constant(0.0, Tile(kind.element, shape))
        zero = make("constant", attributes={"value": nothing}, results=[kind], origin=op)
        self._add(zero)
        made = None
        for first in columns:
            if made is not None:
                self._add(made)
                acc = made.result
            last = self._mma(op, plan, zero.result, {}, columns=(first, count))
            self._add(last)
            operands, attributes = {"acc": acc, "product": last.result}, {"first": first}
            made = make("add_columns", operands, attributes, [acc.type], origin=op)
        return cast(Op, made)

    def _completed(
        self, op: Op, last: Op, kind: Frag | Tile
    ) -> list[tuple[Op, LinearLayout | None]]:
        """Return the op that completes a product: the last mma, or what rounds its result."""
        if last.result.type != kind:
            self._add(last)
            last = self._conversion(op, last.result, kind.element)
        return [(last, self._assignment.products[op].acc.layout)]

    def _converted(self, op: Op, value: Value, element: Element) -> Value:
        made = self._conversion(op, value, element)
        self._add(made)
        return made.result

    def _conversion(self, op: Op, value: Value, element: Element) -> Op:
        """Return a conversion of a tile, in the layout that it has."""
        kind = replace(value.type, element=element)
        attributes = {"rounding_mode": "nearest_even"}
        return make("ftof", {"from": value}, attributes, [kind], origin=op)

    def _mma(
        self,
        op: Op,
        plan: ProductPlan,
        acc: Value,
        pieces: dict[str, Value],
        ends: dict[str, int] | None = None,
        columns: tuple[int, int] | None = None,
    ) -> Op:
        """Return the op that completes a product, or its part along k between `ends`.

        Of operands that are staged in pieces, `pieces` has the memory. `columns` are the first one
        and the number of those that are multiplied, if not all are.
        """
        operands = {"acc": acc}
        attributes = {"atom": plan.atom.mnemonic, **(ends or {})}
        if not plan.atom.of_warpgroup:
            attributes["paired"] = plan.paired
        for slot in ("lhs", "rhs"):
            if restaged := self._assignment.restaged.get((op, slot)):
                operands[slot] = self._copied(op, plan, slot, restaged)
                continue
            value, reading = op.operands[slot], self._assignment.converted.get((op, slot))
            root = root_of(value) if reading is None else reading.root
            place = pieces.get(slot) or self._places.get(root)
            in_registers = plan.part(slot).layout
            if reading is not None:
                attributes[f"{slot}_conversion"] = reading.conversion.by or None
            if place is not None and in_registers not in self._assignment.required_in(value):
                operands[slot] = self._seen_as(op, value, place, root)
            else:
                operands[slot] = self._form(value, in_registers)
        name = "mma"
        if op.name == "mmaf_scaled":
            name = "mma_scaled"
            for slot, part in zip(_SCALED, (plan.lhs_scale, plan.rhs_scale), strict=True):
                operands[slot] = self._form(op.operands[slot], part.layout)
        if columns is not None:
            operands["rhs"] = self._columns_of(op, operands["rhs"], *columns)
        if plan.atom.of_warpgroup:
            return self._awaited(op, operands, attributes)
        return make(name, operands, attributes, [acc.type], origin=op)

    def _awaited(self, op: Op, operands: dict[str, Value], attributes: dict[str, Any]) -> Op:
        """Start a product of warpgroups; return the wait for it."""
        kind = operands["acc"].type
        flight = Flight((cast(Frag, kind),))
        started = make("mma_async", operands, attributes, [flight], origin=op)
        self._add(started)
        memory = tuple(
            operands[slot] for slot in ("lhs", "rhs") if isinstance(operands[slot].type, Shared)
        )
        waits = {"flight": started.result, "memory": memory}
        return make("wait_mma", waits, {"pending": 0}, [kind], origin=op)

    def _copied(self, op: Op, plan: ProductPlan, slot: str, restaged: Restaged) -> Value:
        """Copy an operand to rows that tensor cores read; return it there."""
        if (op, slot) not in self._copies:
            root, place = restaged.root, self._places[restaged.root]
            shape, source = root.type.shape, cast(Shared, place.type).offsets
            rows = swizzled_rows(shape, restaged.inner, plan.size)
            kind = Shared(stored_as(plan.atom.operand(slot)), shape, cast("tuple[int, ...]", rows))
            made = make("shared_alloc", results=[kind], origin=op)
            self._add(made)
            threads = through_registers(source, kind.offsets, plan.size, self._assignment.threads)
            attributes = {"threads": threads, "conversion": restaged.conversion or None}
            operands = {"source": place, "destination": made.result}
            self._add(make("copy_shared", operands, attributes, origin=op))
            self._copies[op, slot] = self._seen_as(op, op.operands[slot], made.result, root)
        return self._copies[op, slot]

    def _columns_of(self, op: Op, place: Value, first: int, count: int) -> Value:
        """Return the memory of so many columns of an operand, from the first one on."""
        kind = cast(Shared, place.type)
        *rows, columns = kind.shape
        offsets = (*kind.offsets[: log2(count)], *kind.offsets[log2(columns) :])
        made = make(
            "shared_view",
            {"source": place},
            {"first": first or None},
            [Shared(kind.element, (*rows, count), offsets)],
            origin=op,
        )
        self._add(made)
        return made.result

    def _allocate(self, root: Value, staging: Staging, origin: Op | None) -> Value:
        element = _element(root.type.element, staging)
        made = make(
            "shared_alloc", results=[Shared(element, root.type.shape, staging.bases)], origin=origin
        )
        self._add(made)
        return made.result

    def _store(
        self,
        root: Value,
        staging: Staging,
        place: Value,
        origin: Op | None,
        part: int | None = None,
    ) -> None:
        operands = {"value": self._form(root, staging.layout), "destination": place}
        self._add(make("store_shared", operands, {"part": part}, origin=origin))

    def _seen_as(self, op: Op, value: Value, place: Value, root: Value) -> Value:
        """Return memory that has an operand's root as the operand."""
        kind = cast(Shared, place.type)
        bases = seen_as(value, kind.offsets, root)
        if (value.type.shape, bases) == (kind.shape, kind.offsets):
            return place
        made = make(
            "shared_view",
            {"source": place},
            results=[Shared(kind.element, value.type.shape, bases)],
            origin=op,
        )
        self._add(made)
        return made.result


def _element(element: Element, staging: Staging) -> Element:
    name = _IN_MEMORY.get(staging.operand_type, staging.operand_type)
    return element if getattr(element, "name", None) == name else Scalar(name)
