"""A random edit script: steps that a tool might take on a module, some of them mistakes.

Each step is one call of the interface for edits, or a change of a dict or list by hand. A step may
raise BuildError, and then has changed nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tileir import BuildError, Bytecode
from tileir.attributes import Hints
from tileir.builder import Editor
from tileir.builder.calls import python_name
from tileir.ir import Block, Op, Value
from tileir.mutation.steps import NAMES, Steps
from tileir.read.function import Function
from tileir.tools.sampler.draws import Draws
from tileir.types import Scalar, Tile, Token

JUNK = (None, 3, -1, 1 << 70, 0.5, "x", b"x", (), (1,), ["x"], {}, {"a": 1}, object(), True)


class Script(Steps):
    """A script on one module, given by its seed; `log` has a line for each step taken."""

    def __init__(self, bytecode: Bytecode, seed: int, by_hand: bool) -> None:
        super().__init__(bytecode, Draws(seed))
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

    # Calls --------------------------------------------------------------------------------------

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

    def replace_by_anything(self, function: Function, op: Op) -> None:
        """Replace an op by values of any type."""
        op.replace_with(*(next(self.visible(op), None) for _ in op.results))

    def rename_to_anything(self, function: Function, op: Op) -> None:
        """Make an op one of any kind."""
        Editor(function).rename(op, self.random.choice([*NAMES, "nope", "module"]))

    def set_attribute_to_anything(self, function: Function, op: Op) -> None:
        """Set an attribute to something of any kind."""
        if op.spec.attributes:
            slot = self.random.choice(op.spec.attributes)
            Editor(function).set(op, **{python_name(slot.name): self.random.choice(JUNK)})

    def set_operand_to_anything(self, function: Function, op: Op) -> None:
        """Set an operand to another value, of any type."""
        if op.spec.operands:
            slot = self.random.choice(op.spec.operands)
            value = next(self.visible(op), None)
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

    def rename_function(self, function: Function, op: Op) -> None:
        """Give a function another name."""
        function.name = f"f{self.random.randrange(3)}"

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


CALLS = [
    Script.move,
    Script.move_a_little,
    Script.erase,
    Script.erase_unused,
    Script.put_elsewhere,
    Script.clone,
    Script.duplicate,
    Script.replace,
    Script.replace_by_anything,
    Script.use_another,
    Script.insert,
    Script.insert_constant,
    Script.insert_branch,
    Script.wrap_in_if,
    Script.wrap_in_for,
    Script.rename,
    Script.rename_to_anything,
    Script.set_attribute,
    Script.set_attribute_to_anything,
    Script.set_operand,
    Script.set_operand_to_anything,
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
