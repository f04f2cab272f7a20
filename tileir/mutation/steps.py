"""Steps of mutations: one edit each, drawn at random, of a module that is valid.

A step raises BuildError if it cannot be taken, and then has changed nothing. What it makes is
mostly valid; the rules that it cannot know of are for the verifier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from tileir.builder import Editor, splat
from tileir.builder.calls import python_name
from tileir.bytecode import Bytecode
from tileir.errors import BuildError
from tileir.formats.leaves import EnumValue
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import Attribute
from tileir.ir import Body, Op, Value
from tileir.ir.constants import Constant
from tileir.read.function import Function
from tileir.tools.sampler.draws import Draws
from tileir.types import Scalar, Tile, Token, Type

from .retyping import element_change, everywhere, size_change

NAMES = [spec.mnemonic for spec in OPS if spec.in_body and not spec.since.preview]
ELEMENTWISE = [
    name for name in NAMES if not BY_NAME[name].regions and len(BY_NAME[name].results) == 1
]
LONGEST_RUN = 6
"""Ops that are put into one region."""
ELEMENTS = ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
"""Element types that others become."""


class Steps:
    """Steps on one module; `ops` are those of the function that is changed."""

    def __init__(self, bytecode: Bytecode, draws: Draws) -> None:
        self.bytecode = bytecode
        self.draws = draws
        self.ops: list[Op] = []

    def visible(self, op: Op, like: Value | None = None) -> Iterator[Value]:
        """Yield the values that are visible to an op, of the type of another value."""
        values = [value for other in self.ops for value in other.results]
        blocks = [b for other in self.ops for r in other.regions for b in r.blocks]
        values += [value for block in blocks for value in block.arguments]
        values += cast(Body, op.root).block.arguments
        for value in self._around(values):
            if (like is None or value.type == like.type) and value.is_visible_to(op):
                yield value

    def _around(self, values: list[Value]) -> Iterator[Value]:
        """Begin anywhere, and go round; shuffling all of a large function would take longer."""
        if values:
            start, step = self.draws.below(len(values)), self.draws.pick((1, -1))
            for number in range(len(values)):
                yield values[(start + step * number) % len(values)]

    def value_of(self, slot: Attribute) -> object:
        """Return a value of the right kind for a slot, or None."""
        if isinstance(slot.node, EnumValue):
            return self.draws.pick([None, *(slot.allowed or slot.node.enum.by_name)])
        if slot.node is None:
            return self.draws.chance(50)
        return None

    # Ops ----------------------------------------------------------------------------------------

    def move(self, function: Function, op: Op) -> None:
        """Move to a random place."""
        anchor = self.draws.pick(self.ops)
        self.draws.pick((op.move_before, op.move_after))(anchor)

    def move_a_little(self, function: Function, op: Op) -> None:
        """Move past a neighbour."""
        ops = op.parent.ops
        op.move_before(ops[max(op.index - 1, 0)])

    def erase(self, function: Function, op: Op) -> None:
        """Erase an op, which may have uses."""
        op.erase()

    def erase_unused(self, function: Function, op: Op) -> None:
        """Erase the last op without uses."""
        for each in reversed(self.ops):
            if each.results and not any(value.uses for value in each.results):
                return each.erase()
        return None

    def clone(self, function: Function, op: Op) -> None:
        """Insert a copy of an op beside another."""
        copy = op.clone()
        anchor = self.draws.pick(self.ops)
        self.draws.pick((copy.insert_before, copy.insert_after))(anchor)

    def duplicate(self, function: Function, op: Op) -> None:
        """Insert a copy of an op behind it, and use that in some places."""
        copy = op.clone()
        copy.insert_after(op)
        for value, other in zip(op.results, copy.results, strict=True):
            value.replace_all_uses_with(
                other, lambda use: use.op is not copy and self.draws.chance(50)
            )

    def replace(self, function: Function, op: Op) -> None:
        """Replace an op by other values of its types."""
        found = [next(self.visible(op, each), None) for each in op.results]
        op.replace_with(*(value for value in found if value is not None))

    def use_another(self, function: Function, op: Op) -> None:
        """Replace some uses of a value."""
        for value in op.results:
            other = next(self.visible(op, value), None)
            if other is not None:
                value.replace_all_uses_with(other, lambda use: self.draws.chance(50))

    def insert(self, function: Function, op: Op) -> None:
        """Insert an element-wise op, which is right as often as its types allow it."""
        spec = BY_NAME[self.draws.pick(ELEMENTWISE)]
        editor = Editor(function)
        self.draws.pick((editor.before, editor.after))(op)
        first = next(self.visible(op), None)
        named: dict[str, Any] = {}
        for slot in spec.operands:
            if slot.arity == "one":
                named[python_name(slot.name)] = next(self.visible(op, first), first)
        for slot in spec.attributes:
            named[python_name(slot.name)] = self.value_of(slot)
        result = first.type if first is not None and self.draws.chance(30) else None
        made = editor.op(spec, (), named | {"result": result})
        if isinstance(made, Value) and first is not None and self.draws.chance(50):
            for use in first.uses[-1:]:
                if made.type == first.type and made.is_visible_to(use.op):
                    use.set(made)

    def insert_constant(self, function: Function, op: Op) -> None:
        """Insert a constant, and use it somewhere."""
        types = [value.type for value in operands(op) if isinstance(value.type, Tile)]
        types = [type for type in types if isinstance(type.element, Scalar)]
        if types:
            made = Editor(function).before(op).constant(splat(1, self.draws.pick(types)))
            for use in [use for v in operands(op) for use in v.uses if use.op is op][:1]:
                if use.value.type == made.type:
                    use.set(made)

    def insert_branch(self, function: Function, op: Op) -> None:
        """Insert an op with a region."""
        editor = Editor(function).before(op)
        condition = editor.constant(splat(1, "i1"))
        branch = editor.if_(condition)
        with branch.thenRegion:
            if self.draws.chance(50):
                editor.constant(splat(2, "4xi32"))
            editor.yield_()
        if self.draws.chance(50):
            with branch.elseRegion:
                editor.yield_()
        editor.settle()

    def rename(self, function: Function, op: Op) -> None:
        """Make an op one of another kind."""
        alike = [name for name in NAMES if _shape(name) == _shape(op.name)]
        Editor(function).rename(op, self.draws.pick(alike or [op.name]))

    # Slots --------------------------------------------------------------------------------------

    def set_attribute(self, function: Function, op: Op) -> None:
        """Set an attribute to something of the right kind."""
        if op.spec.attributes:
            slot = self.draws.pick(op.spec.attributes)
            Editor(function).set(op, **{python_name(slot.name): self.value_of(slot)})

    def set_operand(self, function: Function, op: Op) -> None:
        """Set an operand to another value of its type."""
        uses = [use for value in operands(op) for use in value.uses if use.op is op]
        if uses:
            use = self.draws.pick(uses)
            other = next(self.visible(op, use.value), None)
            if other is not None:
                use.set(other)

    def swap_operands(self, function: Function, op: Op) -> None:
        """Swap two operands of one type."""
        slots = [name for name, value in op.operands.items() if isinstance(value, Value)]
        pairs = [
            (one, two)
            for number, one in enumerate(slots)
            for two in slots[:number]
            if op.operands[one].type == op.operands[two].type
        ]
        if pairs:
            one, two = self.draws.pick(pairs)
            op.operands[one], op.operands[two] = op.operands[two], op.operands[one]

    def set_constant(self, function: Function, op: Op) -> None:
        """Give a constant other bytes."""
        constants = [
            each for each in self.ops if isinstance(each.attributes.get("value"), Constant)
        ]
        if constants:
            chosen = self.draws.pick(constants)
            old = chosen.attributes["value"]
            size = min(len(old.data), 4096)
            drawn = self.draws.bits(8 * size).to_bytes(size, "little")
            Editor(function).set(chosen, value=Constant(old.type, drawn + bytes(old.data)[size:]))

    # Types --------------------------------------------------------------------------------------

    def element_everywhere(self, function: Function, op: Op) -> None:
        """Change an element type of a function, wherever it is."""
        types = [v.type for v in (*operands(op), *op.results) if isinstance(v.type, Tile)]
        elements = [type.element for type in types if isinstance(type.element, Scalar)]
        if elements:
            old = self.draws.pick(elements)
            like = [name for name in ELEMENTS if Scalar(name).is_integer == old.is_integer]
            everywhere(function, element_change(old, Scalar(self.draws.pick(like))))

    def size_everywhere(self, function: Function, op: Op) -> None:
        """Change an extent of the tiles of a function, wherever it is."""
        types = [v.type for v in (*operands(op), *op.results) if isinstance(v.type, Tile)]
        sizes = [size for type in types for size in type.shape]
        if sizes:
            everywhere(function, size_change(self.draws.pick(sizes), self.draws.power(6)))

    # Regions ------------------------------------------------------------------------------------

    def wrap_in_if(self, function: Function, op: Op) -> None:
        """Put a run of ops into a branch that is taken or not."""
        run, handed = self._run(op)
        editor = Editor(function).after(run[-1])
        condition = editor.constant(splat(self.draws.below(2), "i1"))
        branch = editor.if_(condition, results=[value.type for value in handed])
        for region in (branch.thenRegion, branch.elseRegion):
            with region:
                editor.yield_([_stand_in(editor, value.type) for value in handed])
        editor.settle()
        _fill(branch.op, run, handed)

    def wrap_in_for(self, function: Function, op: Op) -> None:
        """Put a run of ops into a loop of a few iterations."""
        run, handed = self._run(op)
        editor = Editor(function).after(run[-1])
        first, last, step = (
            editor.constant(splat(number, "i32")) for number in (0, self.draws.between(1, 3), 1)
        )
        starts = [_stand_in(editor, value.type) for value in handed]
        loop = editor.for_(first, last, step, starts)
        with loop.region:
            editor.continue_([_stand_in(editor, value.type) for value in handed])
        editor.settle()
        _fill(loop.op, run, handed)

    def _run(self, op: Op) -> tuple[list[Op], list[Value]]:
        """Return ops that follow each other, and those of their results that others use."""
        start = op.index
        run = [
            each
            for each in op.parent.ops[start : start + self.draws.between(1, LONGEST_RUN)]
            if not each.spec.terminator
        ]
        if not run:
            raise BuildError("nothing to put into a region")
        inside = {each for one in run for each in one.walk()}
        results = [value for each in run for value in each.results]
        handed = [value for value in results if any(use.op not in inside for use in value.uses)]
        for value in handed:
            if not _has_stand_in(value.type):
                raise BuildError(f"no other value of {value.type}")
        return run, handed

    # Functions ----------------------------------------------------------------------------------

    def clone_function(self, function: Function, op: Op) -> None:
        """Add a copy of a function under another name."""
        if len(self.bytecode.functions) < 3:
            self.bytecode.functions.append(function.clone(self._name(function)))

    def erase_function(self, function: Function, op: Op) -> None:
        """Remove a function, if there are others."""
        if len(self.bytecode.functions) > 1:
            self.bytecode.functions.remove(function)

    def split_function(self, function: Function, op: Op) -> None:
        """Make a function end early, and put the rest into another one, as far as it can be."""
        if len(self.bytecode.functions) > 3 or len(function.ops) < 3:
            return
        rest = function.clone(self._name(function))
        middle = self.draws.between(1, len(function.ops) - 2)
        for each in list(function.ops)[middle:-1][::-1]:
            each.erase()
        for each in list(rest.ops)[:middle][::-1]:
            if not any(value.uses for value in each.results):
                each.erase()
        self.bytecode.functions.append(rest)

    def _name(self, function: Function) -> str:
        taken = {each.name for each in self.bytecode.functions}
        return next(
            name for number in range(9) if (name := f"{function.name}_{number}") not in taken
        )

    def forget_locations(self, function: Function, op: Op) -> None:
        """Drop the location of an op, or all locations of a function."""
        if self.draws.chance(50):
            op.location = None
        else:
            function.location = None
            for each in self.ops:
                each.location = None


def operands(op: Op) -> list[Value]:
    """Return the values that an op uses, without objects that are none."""
    return [value for value in op.operand_list() if isinstance(value, Value)]


def _shape(name: str) -> tuple[object, ...]:
    spec = BY_NAME[name]
    slots = [slot.name for slot in spec.operands]
    return slots, len(spec.results), len(spec.regions), spec.terminator


def _has_stand_in(type: Type) -> bool:
    return isinstance(type, Token) or (isinstance(type, Tile) and isinstance(type.element, Scalar))


def _stand_in(editor: Editor, type: Any) -> Value:
    """Return a new value of a type: a token, or zero."""
    if isinstance(type, Token):
        return editor.make_token()
    return editor.constant(splat(0, type))


def _fill(nested: Op, run: list[Op], handed: list[Value]) -> None:
    """Move a run, which is before an op with regions, into the first of these.

    What it hands over replaces what is handed over there, and is used outside by the results.
    """
    inside = {each for one in run for each in one.walk()}
    for value, result in zip(handed, nested.results, strict=True):
        value.replace_all_uses_with(result, lambda use: use.op not in inside)
    end = nested.regions[0].block.ops[-1]
    anchor = nested.regions[0].block.ops[0]
    for each in reversed(run):
        each.move_before(anchor)
        anchor = each
    end.operands["operands"] = tuple(handed)
