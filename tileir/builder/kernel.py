"""A function under construction: every op of the table is a method, made from its row.

A call appends the op where the kernel is at and returns its results: None, one Value, or a tuple.
Whatever is wrong with it is a BuildError at that call, and nothing is appended. Ops with regions
return a `Nested`; ``with`` enters a region, and the results are there once its regions are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from tileir.attributes import Hints
from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.attributes import CONSTANT_INDEX
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.specialised.rows import pack
from tileir.formats.version import Version
from tileir.ir import Block, Body, Op, Region, Value
from tileir.ir.locations import Location
from tileir.ir.slot_types import infer, operand_slots
from tileir.messages.texts import display
from tileir.messages.wording import did_you_mean
from tileir.types import FunctionType, Type
from tileir.verifier.constraints import Found, operand_problem
from tileir.verifier.single import op_problem
from tileir.write.attributes import encode_inline
from tileir.write.body import BodyEncoder
from tileir.write.location_table import misplaced
from tileir.write.tables import Interning

from .calls import RESULTS, bind, check_case, documentation, python_name, signature
from .coercion import coerced, constant_of, filled
from .regions import Nested, Place
from .result_types import result_types

BODY = BY_NAME["entry"].regions[0]
"""The row of a kernel's own region."""


class Kernel:
    """A kernel under construction; `tileir.builder.Module.function` makes one.

    parameters  the values of its parameters
    body        the IR so far
    """

    def __init__(self, version: Version, name: str, type: FunctionType) -> None:
        self.version = version
        self.name = name
        self.type = type
        self.hints = Hints({})
        self.argument_attributes: object = ()
        self.private = False
        self.location: Location | None = None
        self.body = Body(type, Block())
        self._places = [Place(None, BODY, self.body.block, 0)]
        self._visible: dict[Value, None] = {}
        self._made: set[Value] = set()
        self._at: Location | None = None
        self.pending: Nested | None = None
        self._define(self.body.block, self.body.block.arguments, type.parameters)

    def __getattr__(self, name: str) -> NoReturn:
        """There is nothing of that name; it may have been meant as an op."""
        meant = did_you_mean(name, METHODS)
        raise AttributeError(f"a kernel has no op {name!r}{meant}", name=name, obj=self)

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The values of the parameters."""
        return tuple(self.body.block.arguments)

    @contextmanager
    def at(self, location: Location | None) -> Iterator[None]:
        """Ops made inside come from that place in source, unless they say otherwise."""
        before, self._at = self._at, location
        try:
            yield
        finally:
            self._at = before

    def finish(self) -> None:
        """Raise BuildError if the body, or a region in it, does not end as it should."""
        place = self._places[-1]
        try:
            if len(self._places) > 1:
                raise BuildError(f"the {place} is still open")
            self.settle()
            place.check_end()
        except BuildError as error:
            raise BuildError(f"function {display(self.name)}: {error}") from None

    def op(self, spec: Spec, positional: Sequence, named: dict[str, object]) -> object:
        """Append the op of a row; what its method does."""
        extra = {name: named.pop(name, None) for name in RESULTS}
        if spec.since > self.version:
            raise BuildError(f"{spec.mnemonic} needs {spec.since}, writing {self.version}")
        place = self._places[-1]
        place.check_open(spec)
        self.settle()
        operands, attributes = bind(spec, positional, named)
        op = Op(spec, operands, attributes, position=-1, depth=len(self._places) - 1)
        op.location = self._at if extra["location"] is None else extra["location"]
        self._check_visible(op)
        self._refuse(op, operand_problem(op))
        types = self._attributes(op, extra["result"], extra["results"])
        op.regions = [Region() for _ in spec.regions]
        op.results = [Value(type, op, index, 0) for index, type in enumerate(types)]
        self._refuse(op, op_problem(op))
        self._check_handed_over(op)
        self._check_writable(op)
        place.block.ops.append(op)
        if spec.regions:
            self.pending = Nested(self, op)
            return self.pending
        self._define(op, op.results)
        if len(op.results) > 1:
            return tuple(op.results)
        return op.results[0] if op.results else None

    # Checks -------------------------------------------------------------------------------------

    def _refuse(self, op: Op, found: Found) -> None:
        """Raise what the verifier finds, with its hint: there the slot is named."""
        if found:
            _, text, hint = found
            raise BuildError(f"{op.name}: {text} ({hint})" if hint else f"{op.name}: {text}")

    def _check_visible(self, op: Op) -> None:
        for name, values in operand_slots(op).items():
            for value in values:
                if value not in self._visible:
                    why = "not visible here" if value in self._made else "of another function"
                    raise BuildError(f"{op.name}: {name}: {value} is {why}")

    def _check_writable(self, op: Op) -> None:
        """Everything else that writing the op will ask, in tables of its own."""
        encoder = BodyEncoder(Interning(self.version))
        encoder.numbers = dict.fromkeys(op.operand_list(), 0)
        encoder.op(op, op.depth)
        for wrong in misplaced(op.location, self.location):
            raise BuildError(f"{op.name}: {wrong}")

    def _attributes(self, op: Op, result: object, results: object) -> list[Type]:
        """Bring the attributes into the form of the IR; returns the types of the results."""
        tables = Interning(self.version)
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

    def _check_handed_over(self, op: Op) -> None:
        """Refuse wrong values that a terminator hands to the op it goes to."""
        if op.spec.terminator:
            for wrong in self._handed_over(op):
                raise BuildError(f"{op.name}: {wrong}")

    def _handed_over(self, op: Op) -> list[str]:
        """What is wrong with the values a terminator hands to the op it goes to."""
        found = [value.type for value in op.operand_list()]
        for place in reversed(self._places):
            rules = dict(place.row.gives)
            if op.name in rules:
                slots = operand_slots(place.op)
                for slot in place.op.spec.results[:1]:
                    slots[slot.name] = place.op.results
                wanted = infer(place.op, rules[op.name], slots)
                if found != wanted:
                    spelled = [", ".join(map(str, types)) or "nothing" for types in (wanted, found)]
                    return [f"{place.op.name} is to get {spelled[0]}, found {spelled[1]}"]
                return []
            if op.name not in place.row.terminators:
                return [f"it cannot leave the {place}"]
        return ["a kernel returns nothing"] if found else []

    # Places -------------------------------------------------------------------------------------

    def _define(self, owner: Op | Block, values: list[Value], types: Sequence[Type] = ()) -> None:
        values += [Value(type, owner, index, 0) for index, type in enumerate(types)]
        for value in values:
            value.number = len(self._visible)
            self._visible[value] = None
            self._made.add(value)

    def settle(self) -> None:
        """The results of the last op with regions are values from here on, if all is in place."""
        nested = self.pending
        if nested is not None:
            nested.check_complete()
            self.pending = None
            self._define(nested.op, nested.op.results)

    def enter(self, nested: Nested, index: int) -> list[Value]:
        """Go into a region of the op made last; returns its arguments."""
        op, row = nested.op, nested.op.spec.regions[index]
        if self.pending is not nested:
            raise BuildError(f"{op.name}: {row.name} can no longer be entered")
        if op.regions[index].blocks:
            raise BuildError(f"{op.name}: {row.name} is there already")
        block = Block()
        op.regions[index].blocks.append(block)
        slots = operand_slots(op)
        types = [type for rule in row.takes for type in infer(op, rule, slots)]
        self._places.append(Place(op, row, block, len(self._visible)))
        self.pending = None
        self._define(block, block.arguments, types)
        return block.arguments

    def leave(self, nested: Nested, failed: bool) -> None:
        """Leave the region entered last, which must end with a terminator."""
        place = self._places[-1]
        if place.op is not nested.op:
            raise BuildError(f"the {place} is to be left before a region of {nested.op.name}")
        try:
            if not failed:
                self.settle()
                place.check_end()
        except BuildError:
            failed = True
            raise
        finally:
            if failed:
                next(r for r in nested.op.regions if place.block in r.blocks).blocks.clear()
            self._places.pop()
            while len(self._visible) > place.visible:
                self._visible.popitem()
            self.pending = nested


# Methods ----------------------------------------------------------------------------------------


def _method(spec: Spec) -> Callable:
    def call(self: Kernel, *positional, **named):
        return self.op(spec, positional, named)

    call.__name__ = python_name(spec.mnemonic)
    call.__qualname__ = f"Kernel.{call.__name__}"
    call.__doc__ = documentation(spec)
    call.__signature__ = signature(spec)
    return call


METHODS = [python_name(spec.mnemonic) for spec in OPS if spec.in_body]
"""What ops are called as methods."""

for _spec in OPS:
    if _spec.in_body:
        if hasattr(Kernel, python_name(_spec.mnemonic)):
            raise ValueError(f"{_spec.mnemonic} is not free as a method of Kernel")
        setattr(Kernel, python_name(_spec.mnemonic), _method(_spec))
