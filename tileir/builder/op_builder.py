"""Building ops one by one: each call is checked, and inserts an op where the builder is.

A call returns the results of the op: None, one Value, or a tuple. If anything is wrong with it, it
raises BuildError and inserts nothing; the error begins with the op's location, if it has one. Ops
with regions return a `Nested`; ``with`` enters a region, and the results exist once all regions are
filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.attributes import CONSTANT_INDEX
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.specialised.rows import pack
from tileir.formats.version import Version
from tileir.ir import Block, Op, Region, Value
from tileir.ir.locations import CallSite, Location, SourceLocation
from tileir.ir.slot_types import infer, operand_slots
from tileir.messages.wording import did_you_mean
from tileir.types import Type
from tileir.verifier.constraints import Problem, operand_problem
from tileir.verifier.malformed import malformed
from tileir.verifier.rules.control_flow import Frame, placement_problem
from tileir.verifier.single import op_problem
from tileir.write.attributes import encode_inline
from tileir.write.body import BodyEncoder
from tileir.write.location_table import misplaced
from tileir.write.tables import OutputTables

from .calls import METHODS, RESULTS, bind, check_case
from .coercion import coerced, constant_of, filled
from .op_methods import OpMethods
from .open_block import OpenBlock
from .regions import Nested
from .result_types import result_types, unsaid

Made = Value | tuple[Value, ...] | Nested | None
"""What the call of an op returns."""


@contextmanager
def placed(location: Location | None) -> Iterator[None]:
    """Let a BuildError raised inside begin with a location, as other tools' messages do."""
    try:
        yield
    except BuildError as error:
        if not isinstance(location, SourceLocation | CallSite):
            raise
        raise BuildError(f"{location}: {error}") from None


class OpBuilder(OpMethods):
    """What `Kernel` and `Editor` have in common: the op methods, at the end of the open blocks.

    version    bytecode version of the module
    """

    called = "a builder"
    """What messages call it."""

    def __init__(self, version: Version, open_blocks: list[OpenBlock]) -> None:
        self.version = version
        self.pending: Nested | None = None
        self._open_blocks = open_blocks
        self._at: Location | None = None
        self._count = 0
        self._counts: list[int] = []

    if not TYPE_CHECKING:  # for a checker, a class with this method has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError, with a suggestion if an op has a similar name."""
            meant = did_you_mean(name, METHODS)
            raise AttributeError(f"{self.called} has no op {name!r}{meant}", name=name, obj=self)

    @property
    def function_location(self) -> Location | None:
        """The location of the function, in whose scope those of its ops are."""
        raise NotImplementedError

    @property
    def default_location(self) -> Location | None:
        """The location of ops for which neither the call nor `at` gives one."""
        return None

    @contextmanager
    def at(self, location: Location | None) -> Iterator[None]:
        """Give this location to the ops made inside, unless their call states another one."""
        before, self._at = self._at, location
        try:
            yield
        finally:
            self._at = before

    def op(self, spec: Spec, positional: Sequence, named: dict[str, Any]) -> Made:
        """Insert the op of a row and return its results; every op's method calls this."""
        stated = (named.get("location"), self._at, self.default_location)
        location = next((each for each in stated if each is not None), None)
        with placed(location):
            if spec.since > self.version:
                raise BuildError(f"{spec.mnemonic} needs {spec.since}, writing {self.version}")
            self._open_blocks[-1].check_open(spec)
        self.settle()
        with placed(location):
            return self._insert(spec, positional, named, location)

    def _insert(
        self, spec: Spec, positional: Sequence, named: dict[str, Any], location: Location | None
    ) -> Made:
        extra = {name: named.pop(name, None) for name in RESULTS}
        operands, attributes = bind(spec, positional, named)
        op = Op(spec, operands, attributes, position=-1)
        op.location = location
        if op.unread_location:  # a function would be called where the location is asked for
            raise BuildError(f"{op.name}: location: found a function")
        self.check_operands(op)
        types = self.convert_attributes(op, extra["result"], extra["results"])
        op.regions = [Region() for _ in spec.regions]
        op.results = [Value(type, op, index) for index, type in enumerate(types)]
        self.check(op)
        self._open_blocks[-1].insert(op)
        if spec.regions:
            self.pending = Nested(self, op)
            return self.pending
        self.define(op, op.results)
        if len(op.results) > 1:
            return tuple(op.results)
        return op.results[0] if op.results else None

    # Checks -------------------------------------------------------------------------------------

    def refuse(self, op: Op, problem: Problem | None) -> None:
        """Raise a problem that the verifier found, with its hint, which names the slot."""
        if problem:
            _, text, hint = problem
            raise BuildError(f"{op.name}: {text} ({hint})" if hint else f"{op.name}: {text}")

    def check_operands(self, op: Op) -> None:
        """Raise BuildError for operands that are not visible, or not of the row's types."""
        for name, values in operand_slots(op).items():
            for value in values:
                if not self._open_blocks[-1].sees(value):
                    why = self._open_blocks[-1].why_hidden(value)
                    raise BuildError(f"{op.name}: {name}: {value} is {why}")
        self.refuse(op, operand_problem(op))

    def check(self, op: Op) -> None:
        """Raise BuildError for a rule that an op breaks by itself, or as a terminator."""
        problem = malformed(op) or op_problem(op)
        if problem and unsaid(op):
            rule, text, hint = problem
            problem = rule, text, hint or "results=[...] says their types"
        self.refuse(op, problem)
        combining = self._open_blocks[-1].combining
        if combining is not None and not op.spec.terminator:
            frame = Frame(combining, combining=combining.name)
            self.refuse(op, placement_problem(op, frame, False, ""))
        self._check_terminator_operands(op)
        self._check_writable(op)

    def _check_writable(self, op: Op) -> None:
        """Encode the op into new tables, which raises every BuildError that writing it would."""
        regions = [Region() for _ in op.spec.regions]
        op = Op(op.spec, op.operands, op.attributes, op.results, regions, location=op.location)
        encoder = BodyEncoder(OutputTables(self.version))
        encoder.numbers = dict.fromkeys(op.operand_list(), 0)
        encoder.op(op, len(self._open_blocks) - 1)
        for wrong in misplaced(op.location, self.function_location):
            raise BuildError(f"{op.name}: {wrong}")

    def convert_attributes(self, op: Op, result: Any, results: Any) -> list[Type]:
        """Convert the attributes to the form of the IR; returns the types of the results."""
        tables = OutputTables(self.version)
        for slot in op.spec.attributes:
            value = op.attributes[slot.name]
            try:
                if slot.node is CONSTANT_INDEX:
                    value = constant_of(value, None if result is None else filled(result, value))
                    result = value.type
                elif value is not None:
                    value = coerced(slot.node, value)
                    check_case(slot, value)
                op.attributes[slot.name] = value
                if slot.node is not None and value is not None and slot.since <= self.version:
                    stated = result if slot.node is CONSTANT_INDEX else None
                    record = encode_inline(slot.node, value, tables, stated)
                    row = pack(slot.node, record, self.version)
                    codec.build(slot.node, row, self.version, tables.types.tags)
            except BuildError as error:
                raise BuildError(f"{op.name}: {slot.name}: {error}") from None
        return result_types(op, result, results, self.version)

    def _check_terminator_operands(self, op: Op) -> None:
        """Raise BuildError for wrong values that a terminator passes to its target op."""
        if op.spec.terminator:
            problem = self._terminator_problem(op)
            if problem:
                raise BuildError(f"{op.name}: {problem}")

    def _terminator_problem(self, op: Op) -> str:
        """Return what is wrong with the values that a terminator passes to its target op."""
        types = [value.type for value in op.operand_list()]
        for block in reversed(self._open_blocks):
            rules, receiver = dict(block.row.gives), block.op
            rule = rules.get(op.name)
            if rule is not None and receiver is not None:
                slots = operand_slots(receiver)
                for slot in receiver.spec.results[:1]:
                    slots[slot.name] = receiver.results
                wanted = infer(receiver, rule, slots) or []
                if types != wanted:
                    spelled = [", ".join(map(str, each)) or "nothing" for each in (wanted, types)]
                    hint = f"; {receiver.name} takes results=[...]" if unsaid(receiver) else ""
                    return f"{receiver.name} is to get {spelled[0]}, found {spelled[1]}{hint}"
                return ""
            if op.name not in block.row.terminators:
                return f"it cannot leave the {block}"
        return "a kernel returns nothing" if types else ""

    # Regions ------------------------------------------------------------------------------------

    def define(self, owner: Op | Block, values: list[Value], types: Sequence[Type] = ()) -> None:
        """Number new values of an op or block, and make those of the given types."""
        values += [Value(type, owner, index) for index, type in enumerate(types)]
        for value in values:
            value.number = self._count
            self._count += 1

    def settle(self) -> None:
        """Define the results of the last op with regions; BuildError if a region is missing."""
        nested = self.pending
        if nested is not None:
            with placed(nested.op.location):
                nested.check_complete()
            self.pending = None
            self.define(nested.op, nested.op.results)

    def enter(self, nested: Nested, index: int) -> list[Value]:
        """Enter a region of the op made last; returns its block arguments."""
        op, row = nested.op, nested.op.spec.regions[index]
        if self.pending is not nested:
            raise BuildError(f"{op.name}: {row.name} can no longer be entered")
        if op.regions[index].blocks:
            raise BuildError(f"{op.name}: {row.name} is there already")
        block = Block()
        op.regions[index].blocks.append(block)
        slots = operand_slots(op)
        types = [type for rule in row.takes for type in infer(op, rule, slots) or ()]
        self._open_blocks.append(OpenBlock(op, row, block, around=self._open_blocks[-1]))
        self._counts.append(self._count)
        self.pending = None
        self.define(block, block.arguments, types)
        return block.arguments

    def leave(self, nested: Nested, failed: bool) -> None:
        """Leave the region entered last, which must end with a terminator."""
        open_block = self._open_blocks[-1]
        if open_block.op is not nested.op:
            raise BuildError(f"the {open_block} is to be left before a region of {nested.op.name}")
        try:
            if not failed:
                self.settle()
                with placed(nested.op.location):
                    open_block.check_end()
        except BuildError:
            failed = True
            raise
        finally:
            if failed:
                regions = (r for r in nested.op.regions if open_block.block in r.blocks)
                next(regions).blocks.clear()
            self._open_blocks.pop()
            self._count = self._counts.pop()
            self.pending = nested
