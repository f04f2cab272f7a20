"""A random edit script: steps that a tool might take on a module, some of them mistakes.

Each step is one call of the interface for edits, or a change of a dict or list by hand. A step may
raise BuildError, and then has changed nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tileir import BuildError, Bytecode
from tileir.attributes import Hints
from tileir.builder import Editor, splat
from tileir.builder.calls import python_name
from tileir.formats.leaves import EnumValue
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import Attribute
from tileir.ir import Block, Op, Value
from tileir.read.function import Function
from tileir.types import Scalar, Tile, Token

NAMES = [spec.mnemonic for spec in OPS if spec.in_body]
ELEMENTWISE = [
    spec.mnemonic for spec in OPS if spec.in_body and not spec.regions and len(spec.results) == 1
]
JUNK = (None, 3, -1, 1 << 70, 0.5, "x", b"x", (), (1,), ["x"], {}, {"a": 1}, object(), True)


class Script:
    """A script on one module, given by its seed; `log` has a line for each step taken."""

    def __init__(self, bytecode: Bytecode, seed: int, by_hand: bool) -> None:
        self.bytecode = bytecode
        self.random = random.Random(seed)
        self.by_hand = by_hand
        self.log: list[str] = []

    def run(self, steps: int, after_step: Callable[[], None]) -> None:
        """Take random steps, and call a function after each."""
        actions = [*CALLS, *(BY_HAND if self.by_hand else ())]
        for _ in range(steps):
            function = self.random.choice(self.bytecode.functions)
            self.ops = list(function.walk())
            if not self.ops:
                return
            action = self.random.choice(actions)
            try:
                action(self, function, self.random.choice(self.ops))
                self.log.append(action.__name__)
            except BuildError as error:
                self.log.append(f"{action.__name__}: {error}")
            after_step()

    def visible(self, op: Op, like: Value | None = None) -> Iterator[Value]:
        """The values that are visible to an op, of the type of another value."""
        values = [v for other in self.ops for v in other.results]
        blocks = [b for other in self.ops for r in other.regions for b in r.blocks]
        values += [v for block in blocks for v in block.arguments]
        values += op.root.block.arguments
        self.random.shuffle(values)
        for value in values:
            if (like is None or value.type == like.type) and value.is_visible_to(op):
                yield value

    # Calls --------------------------------------------------------------------------------------

    def move(self, function: Function, op: Op) -> None:
        """Move to a random place."""
        anchor = self.random.choice(self.ops)
        self.random.choice((op.move_before, op.move_after))(anchor)

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

    def put_elsewhere(self, function: Function, op: Op) -> None:
        """Take an op out and put it somewhere, or back if that is a mistake."""
        block, index = op.parent, op.index
        op.remove()
        for slot, operand in op.operands.items():
            if block.ops and isinstance(operand, Value) and self.random.random() < 0.3:
                op.operands[slot] = next(self.visible(block.ops[-1], operand), operand)
        try:
            op.insert_before(self.random.choice(self.ops))
        except BuildError:
            block.insert(index, op)
            raise

    def clone(self, function: Function, op: Op) -> None:
        """Insert a copy of an op beside another."""
        copy = op.clone()
        anchor = self.random.choice(self.ops)
        self.random.choice((copy.insert_before, copy.insert_after))(anchor)

    def replace(self, function: Function, op: Op) -> None:
        """Replace an op by other values of its types."""
        op.replace_with(*(next(self.visible(op, each), None) for each in op.results))

    def replace_by_anything(self, function: Function, op: Op) -> None:
        """Replace an op by values of any type."""
        op.replace_with(*(next(self.visible(op), None) for _ in op.results))

    def use_another(self, function: Function, op: Op) -> None:
        """Replace some uses of a value."""
        for value in op.results:
            other = next(self.visible(op, value), None)
            if other is not None:
                value.replace_all_uses_with(other, lambda use: self.random.random() < 0.5)

    def insert(self, function: Function, op: Op) -> None:
        """Insert an element-wise op, which is right as often as its types allow it."""
        spec = BY_NAME[self.random.choice(ELEMENTWISE)]
        editor = Editor(function)
        self.random.choice((editor.before, editor.after))(op)
        first = next(self.visible(op), None)
        named: dict[str, object] = {}
        for slot in spec.operands:
            if slot.arity == "one":
                named[python_name(slot.name)] = next(self.visible(op, first), first)
        for slot in spec.attributes:
            named[python_name(slot.name)] = self.value_of(slot)
        result = first.type if first is not None and self.random.random() < 0.3 else None
        made = editor.op(spec, (), named | {"result": result})
        if isinstance(made, Value) and self.random.random() < 0.5:
            for use in first.uses[-1:]:
                if made.type == first.type and made.is_visible_to(use.op):
                    use.set(made)

    def insert_constant(self, function: Function, op: Op) -> None:
        """Insert a constant, and use it somewhere."""
        types = [v.type for v in operands(op) if isinstance(v.type, Tile)]
        types = [type for type in types if isinstance(type.element, Scalar)]
        if types:
            made = Editor(function).before(op).constant(splat(1, self.random.choice(types)))
            for use in [use for v in operands(op) for use in v.uses if use.op is op][:1]:
                if use.value.type == made.type:
                    use.set(made)

    def insert_branch(self, function: Function, op: Op) -> None:
        """Insert an op with a region."""
        editor = Editor(function).before(op)
        condition = editor.constant(splat(1, "i1"))
        branch = editor.if_(condition)
        with branch.thenRegion:
            if self.random.random() < 0.5:
                editor.constant(splat(2, "4xi32"))
            editor.yield_()
        if self.random.random() < 0.5:
            with branch.elseRegion:
                editor.yield_()
        editor.settle()

    def rename(self, function: Function, op: Op) -> None:
        """Make an op one of another kind."""
        alike = [n for n in NAMES if _shape(n) == _shape(op.name)]
        Editor(function).rename(op, self.random.choice(alike))

    def rename_to_anything(self, function: Function, op: Op) -> None:
        """Make an op one of any kind."""
        Editor(function).rename(op, self.random.choice([*NAMES, "nope", "module"]))

    def set_attribute(self, function: Function, op: Op) -> None:
        """Set an attribute, to something of the right kind or not."""
        if op.spec.attributes:
            slot = self.random.choice(op.spec.attributes)
            junk = self.random.random() < 0.3
            value = self.random.choice(JUNK) if junk else self.value_of(slot)
            Editor(function).set(op, **{python_name(slot.name): value})

    def set_operand(self, function: Function, op: Op) -> None:
        """Set an operand to another value."""
        if op.spec.operands:
            slot = self.random.choice(op.spec.operands)
            old = next(iter(operands(op)), None)
            value = next(self.visible(op, old if self.random.random() < 0.8 else None), None)
            Editor(function).set(op, **{python_name(slot.name): value})

    def arguments(self, function: Function, op: Op) -> None:
        """Add or remove a result or block argument."""
        if self.random.random() < 0.5:
            op.add_result(Token())
            op.remove_result(self.random.randrange(len(op.results)))
        else:
            block = op.parent
            block.add_argument(Tile(Scalar("i32")))
            block.remove_argument(self.random.randrange(len(block.arguments)))

    def clone_function(self, function: Function, op: Op) -> None:
        """Add a copy of a function under another name."""
        if len(self.bytecode.functions) < 3:
            self.bytecode.functions.append(function.clone(f"{function.name}_{len(self.log)}"))

    def rename_function(self, function: Function, op: Op) -> None:
        """Give a function another name."""
        function.name = f"f{self.random.randrange(3)}"

    def forget_locations(self, function: Function, op: Op) -> None:
        """Drop the location of an op, or all locations of a function."""
        if self.random.random() < 0.5:
            op.location = None
        else:
            function.location = None
            for each in self.ops:
                each.location = None

    # By hand ------------------------------------------------------------------------------------

    def hand_attribute(self, function: Function, op: Op) -> None:
        """Put anything into an attribute."""
        slots = [slot.name for slot in op.spec.attributes]
        op.attributes[self.random.choice([*slots, "nope"])] = self.random.choice(JUNK)

    def hand_operand(self, function: Function, op: Op) -> None:
        """Put any value, or anything else, into an operand slot."""
        for slot in op.spec.operands[:1]:
            value = self.random.choice(self.ops).results[:1]
            op.operands[slot.name] = value[0] if value else self.random.choice(JUNK)

    def hand_shared(self, function: Function, op: Op) -> None:
        """Give two ops of a kind the same dict of operands, and change one."""
        for other in self.ops:
            if other is not op and other.spec is op.spec:
                op.operands = other.operands
                return self.hand_operand(function, op)
        return None

    def hand_operands(self, function: Function, op: Op) -> None:
        """Take operands out, or set all of them anew."""
        if op.operands and self.random.random() < 0.5:
            op.operands.pop(self.random.choice(list(op.operands)))
        else:
            op.operands = dict(op.operands)

    def hand_list(self, function: Function, op: Op) -> None:
        """Change the list of a block."""
        ops = op.parent.ops
        index = self.random.randrange(len(ops))
        match self.random.randrange(8):
            case 0:
                del ops[index]
            case 1:
                ops.append(op.clone())
            case 2:
                ops[index] = op.clone()
            case 3:
                ops[index:] = reversed(ops[index:])
            case 4:
                ops.append(self.random.choice(self.ops))
            case 5:
                op.parent.ops = list(ops[:-1])
            case 6:
                ops.pop()
            case _:
                ops.insert(index, op.clone())

    def hand_parts(self, function: Function, op: Op) -> None:
        """Change regions, blocks or results."""
        match self.random.randrange(5):
            case 0:
                op.regions = [region.clone() for region in op.regions][:1]
            case 1 if op.regions:
                op.regions[0].blocks.append(Block())
            case 2 if op.regions:
                op.regions[0].blocks.clear()
            case 3 if op.results:
                op.results.pop()
            case _ if op.results:
                op.result.type = self.random.choice((Tile(Scalar("f32")), Token()))

    def hand_entry(self, function: Function, op: Op) -> None:
        """Put anything into the entry of a function."""
        name = self.random.choice(("name", "hints", "private", "argument_attributes", "location"))
        setattr(function, name, self.random.choice((*JUNK, Hints({}), Hints({"sm_90": 3}))))

    # Values of attributes -----------------------------------------------------------------------

    def value_of(self, slot: Attribute) -> object:
        """A value of the right kind for a slot, or None."""
        if isinstance(slot.node, EnumValue):
            return self.random.choice([None, *(slot.allowed or slot.node.enum.by_name)])
        if slot.node is None:
            return self.random.choice((True, False))
        return None


def operands(op: Op) -> list[Value]:
    """The values that an op uses, without objects that are none."""
    return [value for value in op.operand_list() if isinstance(value, Value)]


def _shape(name: str) -> tuple:
    spec = BY_NAME[name]
    return [s.name for s in spec.operands], len(spec.results), len(spec.regions), spec.terminator


CALLS = [
    Script.move,
    Script.move_a_little,
    Script.erase,
    Script.erase_unused,
    Script.put_elsewhere,
    Script.clone,
    Script.replace,
    Script.replace_by_anything,
    Script.use_another,
    Script.insert,
    Script.insert_constant,
    Script.insert_branch,
    Script.rename,
    Script.rename_to_anything,
    Script.set_attribute,
    Script.set_operand,
    Script.arguments,
    Script.clone_function,
    Script.rename_function,
    Script.forget_locations,
]
"""Steps of the interface for edits."""

BY_HAND = [
    Script.hand_attribute,
    Script.hand_operand,
    Script.hand_operands,
    Script.hand_shared,
    Script.hand_list,
    Script.hand_parts,
    Script.hand_entry,
]
"""Changes of dicts, lists and fields, most of them mistakes."""
