"""Make block IR of Tile IR: decisions become types, and moves between layouts become ops.

Every value gets one layout, that of its type. An op that is computed in several layouts becomes
several ops; a value that is needed in a layout in which it is not defined is converted behind its
definition. Operands of matrix products that are staged are stored to shared memory there, too.

The body is edited in place: values keep their identity, and so the facts about them hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from tileir.codegen.analysis.carried_values import carried_arguments, targets
from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.dialect import BLOCK, ROWS
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import LinearLayout, coordinate_images, uniform
from tileir.codegen.layouts.renumber import needed
from tileir.codegen.nvptx.needs import CONTROLS_GRIDS
from tileir.codegen.nvptx.schedule.access_attributes import access_attributes
from tileir.codegen.nvptx.schedule.assignment import Assignment
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.types import Tile, Token

from .expand_folds import EXPANSIONS
from .expand_slices import exchange
from .place_frame import place_frame
from .stage_operands import ProductOperands


def to_block_ir(state: KernelState, target: Target) -> None:
    """Turn the body of a kernel whose layouts are assigned into block IR."""
    kernel = state.kernel
    for analysis in (Divisibility, Contiguity):
        kernel.facts(analysis)
    _Rewriter(state, target).block(kernel.body.block, ())
    for op in reversed(list(kernel.walk())):  # what is inside of a fold comes first
        if expand := EXPANSIONS.get(op.name):
            expand(op)
    place_frame(state)
    kernel.dialect = BLOCK
    kernel.edited(Divisibility)


class _Rewriter:
    """Rewrites one body.

    `_forms` maps a tile of several elements to its form in each layout, `_instead` other values to
    those that take their place.
    """

    def __init__(self, state: KernelState, target: Target) -> None:
        self._state, self._target = state, target
        self._assignment: Assignment = state.assignment
        self._forms: dict[Value, dict[LinearLayout, Value]] = {}
        self._instead: dict[Value, Value] = {}
        self._made: list[Op] = []
        self._products = ProductOperands(state, self._form, self._add)

    # Blocks -------------------------------------------------------------------------------------

    def block(self, block: Block, around: tuple[Op, ...]) -> None:
        """Rewrite a block; `around` are its parent ops, innermost last."""
        outer, self._made = self._made, []
        for value in block.arguments:
            if _is_spread(value):
                self._define(value, self._layout(value))
                self._convert(value)
        for op in list(block.ops):
            self._op(op, around)
        block.ops[:] = self._made  # what stays is not taken out first
        self._made = outer

    def _op(self, op: Op, around: tuple[Op, ...]) -> None:
        if op.spec.terminator:
            self._terminator(op, around)
        elif op.regions:
            self._structured(op, around)
        elif family_of(op) is Family.PRODUCT:
            self._settle(op, self._products.multiply(op))
        else:
            self._plain(op)

    def _terminator(self, op: Op, around: tuple[Op, ...]) -> None:
        after = targets(op, around)
        layouts = [self._layout(value) if _is_spread(value) else None for value in after]
        if not layouts:  # of a fold's body, where each thread holds whole tiles
            layouts = [self._layout(v) if _is_spread(v) else None for v in op.operand_list()]
        self._take(op, "operands", layouts)
        self._add(op)

    def _structured(self, op: Op, around: tuple[Op, ...]) -> None:
        """Rewrite a loop, a branch or a fold: its region, and what goes in and comes out."""
        if family_of(op) is Family.LOOP:
            carried = carried_arguments(op)
            self._take(
                op, "initValues", [self._layout(v) if _is_spread(v) else None for v in carried]
            )
        elif family_of(op) is Family.FOLD:
            self._take(
                op, "operands", [self._assignment.op_layouts[op]] * len(op.operands["operands"])
            )
        self._own_row(op, {})
        for region in op.regions:
            for inner in region.blocks:
                self.block(inner, (*around, op))
        self._settle(op, [(op, None)])

    # Ops without regions --------------------------------------------------------------------------

    def _plain(self, op: Op) -> None:
        """Rewrite an op without regions, once for each layout that it works in."""
        if op.name in CONTROLS_GRIDS and not self._target.has("griddepcontrol"):
            return self._drop(op)  # grids cannot overlap there
        if is_plain_load(op) and is_weak(op) and not self._assignment.required_in(op.results[0]):
            return self._drop(op)
        results = [value for value in op.results if _is_spread(value)]
        layouts: Sequence[LinearLayout | None] = [self._assignment.op_layouts.get(op)]
        if results and (layouts == [None] or family_of(op) is Family.SLICE):
            layouts = self._assignment.defined_in(results[0])
            if not layouts:
                if family_of(op) in _UNUSED or is_weak(op):
                    return self._drop(op)
                layouts = [self._state.preferences[results[0]]]
        attributes = [self._attributes(op, layout) for layout in layouts]
        originals = dict(op.operands)
        copies = [op, *(op.clone({}) for _ in layouts[1:])]
        for copy, layout, added in zip(copies, layouts, attributes, strict=True):
            operands = {
                slot: self._operand(op, slot, operand, layout)
                for slot, operand in originals.items()
            }
            if copy is not op or operands != originals:
                copy.operands = operands
            self._own_row(copy, added)
        self._settle(op, list(zip(copies, layouts, strict=True)))
        return None

    def _operand(
        self, op: Op, slot: str, operand: Any, layout: LinearLayout | None
    ) -> Value | tuple[Value, ...] | None:
        """Return what an op that works in a layout takes in a slot."""
        if operand is None:
            return None
        if isinstance(operand, tuple):
            return tuple(
                self._form(value, self._wanted(op, slot, number, value, layout))
                for number, value in enumerate(operand)
            )
        return self._form(operand, self._wanted(op, slot, 0, operand, layout))

    def _attributes(self, op: Op, layout: LinearLayout | None) -> dict[str, Any]:
        return access_attributes(
            op, layout or uniform(self._state.threads), self._state, self._target
        )

    def _wanted(
        self, op: Op, slot: str, number: int, value: Value, layout: LinearLayout | None
    ) -> LinearLayout | None:
        """Return the layout in which an op that works in a layout takes an operand."""
        if not _is_spread(value):
            return None
        if slot == "index" and layout is not None:
            return layout.compose(coordinate_images(op.operands["view"].type.tile, number))
        if family_of(op) is Family.SLICE and slot == "source":
            return self._assignment.op_layouts[op]
        if family_of(op) in _COMPUTED:  # of a result of one element, every thread has that
            return needed(op, layout or uniform(self._state.threads))
        if layout is None:  # print and assert take any layout
            return self._assignment.defined_in(value)[0]
        return layout

    def _own_row(self, op: Op, added: dict[str, Any]) -> None:
        """Give an op the row of the block IR, if that has it, with the slots that it adds."""
        row = ROWS.get(op.name)
        if row is None or row is op.spec:
            return
        for slot in row.attributes:
            if slot.name not in op.attributes:
                op.attributes[slot.name] = added.get(slot.name, slot.default)
        for slot in row.operands:
            if slot.name not in op.operands:
                op.operands[slot.name] = None
        op.spec = cast(Any, row)

    def _drop(self, op: Op) -> None:
        """Leave out an op that does nothing; what comes after it comes after its token."""
        tokens = [value for value in op.results if isinstance(value.type, Token)]
        for token in tokens:
            before = op.operands.get("token")
            if before is None:
                made = make("make_token", results=[Token()], origin=op)
                self._add(made)
                before = made.result
            self._instead[token] = self._form(before, None)

    # Values ---------------------------------------------------------------------------------------

    def _settle(self, op: Op, copies: Iterable[tuple[Op, LinearLayout | None]]) -> None:
        """Add an op, or its copies for several layouts, and define its results."""
        first = None
        for copy, layout in copies:
            self._add(copy)
            first = first or copy
            for original, value in zip(op.results, copy.results, strict=True):
                if _is_spread(original):
                    canonical = self._assignment.canonical.get(original)
                    own = layout if canonical is None or layout in canonical else None
                    self._define(original, own or self._layout(original), value)
                elif copy is first and value is not original:
                    self._instead[original] = value
                if copy.attributes.get("owner") and self._assignment.required_in(original):
                    self._exchange(original, layout)
        for value in op.results:
            if _is_spread(value):
                self._convert(value)

    def _define(self, value: Value, layout: LinearLayout, form: Value | None = None) -> None:
        """Note that a form of a value, itself if none is given, is in a layout."""
        form = form or value
        form.type = Frag(value.type.element, value.type.shape, layout=layout)
        self._forms.setdefault(value, {})[layout] = form

    def _convert(self, value: Value) -> None:
        """Convert a tile to the layouts that it is needed in; stage it if that is planned."""
        forms = self._forms[value]
        source = next(iter(forms.values()))
        for layout in self._assignment.required_in(value):
            if layout not in forms:
                kind = Frag(value.type.element, value.type.shape, layout=layout)
                made = make(
                    "convert_layout", {"source": source}, results=[kind], origin=_origin(value)
                )
                self._add(made)
                forms[layout] = made.result
        self._products.stage(value)

    def _exchange(self, original: Value, layout: LinearLayout | None) -> None:
        """Pass a tile that only owners have so far to all threads: through shared memory."""
        value = self._form(original, layout)
        made = exchange(value, _origin(value))
        self._made += made
        everywhere = made[-1].result
        if _is_spread(original):
            self._forms[original][cast(LinearLayout, layout)] = everywhere
        else:
            self._instead[original] = everywhere

    def _form(self, value: Value, layout: LinearLayout | None) -> Value:
        """Return a value in a layout."""
        if _is_spread(value):
            return self._forms[value][cast(LinearLayout, layout)]
        return self._instead.get(value, value)

    def _layout(self, value: Value) -> LinearLayout:
        """Return the layout that a value is defined in."""
        defined = self._assignment.defined_in(value)
        return defined[0] if defined else self._state.preferences[value]

    def _take(self, op: Op, slot: str, layouts: Sequence[LinearLayout | None]) -> None:
        """Have an op take the values in a slot in these layouts."""
        values = op.operands[slot]
        pairs = zip(values, layouts, strict=False)
        taken = tuple(self._form(value, layout) for value, layout in pairs)
        if taken != values:
            op.operands[slot] = taken

    def _add(self, op: Op) -> None:
        self._made.append(op)


_COMPUTED = {
    Family.ELEMENT_WISE,
    Family.GENERATOR,
    Family.JOINING,
    Family.RENUMBERING,
}
"""Families of ops whose operands' layouts follow from that of the result."""
_UNUSED = {*_COMPUTED, Family.SLICE}
"""Families of ops that may be left out if nobody wants their results."""


def _is_spread(value: Value) -> bool:
    """Whether a value is a tile of several elements, which has a layout."""
    return isinstance(value.type, Tile) and value.type.size > 1


def _origin(value: Value) -> Op | None:
    """Return the op that defines a value; for a block argument, the op around the block."""
    return value.owner if isinstance(value.owner, Op) else value.owner.parent_op
