"""Edits of functions that exist: ops made by the builder's methods at any place of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tileir.errors import BuildError
from tileir.formats.attributes import CONSTANT_INDEX
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import Attribute, Operand
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.version import Version
from tileir.ir import Block, Op, Value
from tileir.ir.locations import Location
from tileir.messages.wording import did_you_mean
from tileir.read.function import Function
from tileir.types import Type
from tileir.verifier.rules.control_flow import region_problem
from tileir.write.body import default_of

from .calls import METHODS, bind, python_name
from .kernel import Kernel
from .op_builder import OpBuilder
from .open_block import OpenBlock
from .regions import Nested


class Editor(OpBuilder):
    """Inserts and changes ops of a function, which was read from a file or built.

        editor = Editor(bytecode.functions[0])
        editor.after(op)
        doubled = editor.addf(op.result, op.result)

    An op method inserts its op at the insertion point, which stays behind it; at first that is the
    end of the function, before its terminator. New ops have the
    location of the op beside which they are, unless `at` or the call gives another one. Every call
    checks the op with the verifier's rules, and raises BuildError for what cannot be right.
    """

    called = "an editor"

    def __init__(self, function: Function | Kernel) -> None:
        if not isinstance(function, Function | Kernel):
            raise BuildError(f"expected a function, found {function!r}")
        version: Version = (
            function.version if isinstance(function, Kernel) else function.source.version
        )
        self.function = function
        self._near: Op | None = None
        super().__init__(version, [])
        self.at_end(function.body.block)

    @property
    def function_location(self) -> Location | None:
        """The location of the function."""
        return self.function.location

    @property
    def default_location(self) -> Location | None:
        """The location of the op beside which ops are inserted."""
        return self._near.location if self._near is not None else None

    def define(self, owner: Op | Block, values: list[Value], types: Sequence[Type] = ()) -> None:
        """Make values of the given types; they have no numbers until the module is written."""
        values += [Value(type, owner, index) for index, type in enumerate(types)]

    def leave(self, nested: Nested, failed: bool) -> None:
        """Leave a region; an op that was not finished because of an error is taken out again."""
        try:
            super().leave(nested, failed)
        except BuildError:
            failed = True
            raise
        finally:
            if failed and nested.op.parent is not None:
                self.pending = None
                nested.op.remove()

    # Insertion points ---------------------------------------------------------------------------

    def before(self, op: Op) -> Editor:
        """Insert before an op from now on; returns the editor."""
        return self._place(self._own(op), op, op)

    def after(self, op: Op) -> Editor:
        """Insert after an op from now on; returns the editor. BuildError for a terminator."""
        block = self._own(op)
        if op.spec.terminator:
            raise BuildError(f"nothing comes after {op.name}, which ends its block")
        return self._place(block, None, op, after=op)

    def at_start(self, block: Block) -> Editor:
        """Insert at the start of a block from now on; returns the editor."""
        first = self._own_block(block).ops[:1]
        return self._place(block, first[0] if first else None, first[0] if first else None)

    def at_end(self, block: Block) -> Editor:
        """Insert at the end of a block, before its terminator; returns the editor."""
        last = self._own_block(block).ops[-1:]
        ended = last and last[0].spec.terminator
        return self._place(block, last[0] if ended else None, last[0] if last else None)

    def _own(self, op: object) -> Block:
        if not isinstance(op, Op):
            raise BuildError(f"expected an op, found {op!r}")
        if op.parent is None or op.root is not self.function.body:
            raise BuildError(f"{op.name} is not part of {self.function.name}")
        return op.parent

    def _own_block(self, block: object) -> Block:
        if not isinstance(block, Block):
            raise BuildError(f"expected a block, found {block!r}")
        if block.root is not self.function.body:
            raise BuildError(f"the block is not part of {self.function.name}")
        return block

    def _place(
        self, block: Block, before: Op | None, near: Op | None, after: Op | None = None
    ) -> Editor:
        if self.pending is not None:
            self.settle()
        self._open_blocks = OpenBlock.chain_to(block, before, after)
        self._near = near
        return self

    # Changes of ops -----------------------------------------------------------------------------

    def set(self, op: Op, **slots: object) -> None:
        """Change operands and attributes of an op, by the names of its slots.

        BuildError if the op would break a rule; nothing is changed then.
        """
        self.rename(op, op.name if isinstance(op, Op) else "", **slots)

    def rename(self, op: Op, name: str, /, **slots: object) -> None:
        """Make an op one of another kind, in its place: results, regions and location stay.

        Operands and attributes are kept in slots of the same name; `slots` gives others. BuildError
        if something would be lost, or if the op would break a rule; nothing is changed then.
        """
        block = self._own(op)
        spec = BY_NAME.get(name) if isinstance(name, str) else None
        if spec is None or not spec.in_body:
            raise BuildError(f"there is no op {name!r}{did_you_mean(str(name), METHODS)}")
        if spec.since > self.version:
            raise BuildError(f"{name} needs {spec.since}, writing {self.version}")
        place = self._open_blocks, self._near
        before = op.spec, dict(op.operands), op.attributes
        named = _kept(op, spec, slots) | slots
        self._place(block, op, op)
        try:
            op.spec = spec
            op.operands, op.attributes = bind(spec, (), named)
            self._check_renamed(op)
        except BuildError:
            op.spec, op.operands, op.attributes = before
            raise
        finally:
            self._open_blocks, self._near = place

    def _check_renamed(self, op: Op) -> None:
        if op.spec.terminator != (op is op.parent.ops[-1]):
            where = "the end" if op.spec.terminator else "anywhere but the end"
            raise BuildError(f"{op.name} belongs at {where} of a block")
        self.check_operands(op)
        types = [value.type for value in op.results]
        if any(slot.node is CONSTANT_INDEX for slot in op.spec.attributes):
            self.convert_attributes(op, types[0], None)
        else:
            self.convert_attributes(op, None, types)
        if len(op.regions) != len(op.spec.regions):
            count = len(op.spec.regions)
            raise BuildError(f"{op.name} has {count} regions, found {len(op.regions)}")
        self.check(op)
        if op.regions:
            self.refuse(op, region_problem(op))


def _kept(op: Op, spec: Spec, slots: Mapping[str, object]) -> dict[str, object]:
    """Return what an op has in slots that the new row has as well, by the names of a call."""
    known = {slot.name for slot in (*spec.operands, *spec.attributes)}
    kept: dict[str, object] = {}
    for slot in (*op.spec.operands, *op.spec.attributes):
        value = (op.operands if isinstance(slot, Operand) else op.attributes).get(slot.name)
        name = python_name(slot.name)
        if slot.name in known:
            kept[name] = value
        elif name not in slots and not _is_default(op, slot, value):
            raise BuildError(f"{spec.mnemonic} has no slot {name}, which {op.name} uses")
    return kept


def _is_default(op: Op, slot: Operand | Attribute, value: object) -> bool:
    """Whether an op without the slot would be the same."""
    if value is None or isinstance(slot, Operand):
        return value in (None, ())
    return value is False or value == default_of(slot, op.operands)
