"""A function under construction: every op of the table is a method, made from its row.

A call appends the op where the kernel is at and returns its results: None, one Value, or a tuple.
Whatever is wrong with it is a BuildError at that call, and nothing is appended. Ops with regions
return a `Nested`; ``with`` enters a region, and the results are there once its regions are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from construct import Construct

from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    TYPE_INDEX,
)
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.spec import Region as Row
from tileir.formats.version import Version

from .attributes import Hints, IntegerAttribute
from .calls import RESULTS, bind, documentation, python_name, signature
from .constants import Constant
from .encode import BodyEncoder
from .errors import BuildError
from .inference import result_types
from .interning import Interning
from .ir import Block, Body, Op, Region, Value
from .locations import Location
from .structure import infer, operand_problems, operand_slots, problems
from .types import FunctionType, Scalar, Tile, Type
from .typetext import value_type

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
        self._places = [_Place(None, BODY, self.body.block, 0)]
        self._visible: dict[Value, None] = {}
        self._made: set[Value] = set()
        self._at: Location | None = None
        self._nested: Nested | None = None
        self._define(self.body.block, self.body.block.arguments, type.parameters)

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
        if len(self._places) > 1:
            raise BuildError(f"function {self.name}: {place} is still open")
        self._settle()
        place.check_end()

    def op(self, spec: Spec, positional: Sequence, named: dict[str, object]) -> object:
        """Append the op of a row; what its method does."""
        extra = {name: named.pop(name, None) for name in RESULTS}
        if spec.since > self.version:
            raise BuildError(f"{spec.mnemonic} needs {spec.since}, writing {self.version}")
        place = self._places[-1]
        place.check_open(spec)
        self._settle()
        operands, attributes = bind(spec, positional, named)
        op = Op(spec, operands, attributes, position=-1, depth=len(self._places) - 1)
        op.location = extra["location"] or self._at
        self._check_visible(op)
        self._refuse(op, operand_problems(op))
        types = self._attributes(op, extra["result"], extra["results"])
        op.regions = [Region() for _ in spec.regions]
        op.results = [Value(type, op, index, 0) for index, type in enumerate(types)]
        self._refuse(op, problems(op, regions=False))
        self._refuse(op, self._handed_over(op))
        self._check_writable(op)
        place.block.ops.append(op)
        if spec.regions:
            self._nested = Nested(self, op)
            return self._nested
        self._define(op, op.results)
        return (
            None if not op.results else op.results[0] if len(op.results) == 1 else tuple(op.results)
        )

    # Checks -------------------------------------------------------------------------------------

    def _refuse(self, op: Op, found: list[str]) -> None:
        if found:
            raise BuildError(f"{op.name}: {'; '.join(found)}")

    def _check_visible(self, op: Op) -> None:
        for name, values in operand_slots(op).items():
            for value in values:
                if value not in self._visible:
                    why = "not visible here" if value in self._made else "of another function"
                    raise BuildError(f"{op.name}: {name}: {value} is {why}")

    def _check_writable(self, op: Op) -> None:
        """Everything that writing the op will ask, in tables of its own."""
        encoder = BodyEncoder(Interning(self.version))
        encoder.numbers = dict.fromkeys(op.operand_list(), 0)
        regions, op.regions = op.regions, [Region() for _ in op.regions]
        try:
            encoder.build([encoder.op(op)])
        finally:
            op.regions = regions

    def _attributes(self, op: Op, result: object, results: object) -> list[Type]:
        """Bring the attributes into the form of the IR; returns the types of the results."""
        for slot in op.spec.attributes:
            value = op.attributes[slot.name]
            try:
                if slot.node is CONSTANT_INDEX:
                    stated = None if result is None else value_type(result)
                    op.attributes[slot.name] = constant = constant_of(value, stated)
                    result = constant.type
                elif value is not None:
                    op.attributes[slot.name] = coerced(slot.node, value)
            except BuildError as error:
                raise BuildError(f"{op.name}: {slot.name}: {error}") from None
        return result_types(op, result, results, self.version)

    def _handed_over(self, op: Op) -> list[str]:
        """What is wrong with the values a terminator hands to the op it goes to."""
        if not op.spec.terminator:
            return []
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

    def _settle(self) -> None:
        """The results of the last op with regions are values from here on, if all is in place."""
        nested = self._nested
        if nested is not None:
            nested.check_complete()
            self._nested = None
            self._define(nested.op, nested.op.results)

    def enter(self, nested: Nested, index: int) -> list[Value]:
        """Go into a region of the op made last; returns its arguments."""
        op, row = nested.op, nested.op.spec.regions[index]
        if self._nested is not nested:
            raise BuildError(f"{op.name}: {row.name} can no longer be entered")
        if op.regions[index].blocks:
            raise BuildError(f"{op.name}: {row.name} is there already")
        block = Block()
        op.regions[index].blocks.append(block)
        slots = operand_slots(op)
        types = [type for rule in row.takes for type in infer(op, rule, slots)]
        self._places.append(_Place(op, row, block, len(self._visible)))
        self._nested = None
        self._define(block, block.arguments, types)
        return block.arguments

    def leave(self, nested: Nested, failed: bool) -> None:
        """Leave the region entered last, which must end with a terminator."""
        place = self._places[-1]
        if place.op is not nested.op:
            raise BuildError(f"the {place} is to be left before a region of {nested.op.name}")
        if failed:
            next(r for r in nested.op.regions if place.block in r.blocks).blocks.clear()
        else:
            self._settle()
            place.check_end()
        self._places.pop()
        while len(self._visible) > place.visible:
            self._visible.popitem()
        self._nested = nested


class _Place:
    """A block being filled: the region's row, and how many values were visible before it."""

    def __init__(self, op: Op | None, row: Row, block: Block, visible: int) -> None:
        self.op = op
        self.row = row
        self.block = block
        self.visible = visible

    def __str__(self) -> str:
        return f"{self.row.name} of {self.op.name}" if self.op else "body"

    @property
    def end(self) -> Op | None:
        """The terminator, if there is one already."""
        last = self.block.ops[-1] if self.block.ops else None
        return last if last is not None and last.spec.terminator else None

    def check_open(self, spec: Spec) -> None:
        """Refuse an op after the end, or a terminator that does not belong here."""
        if self.end is not None:
            raise BuildError(f"{spec.mnemonic} comes after {self.end.name}, which ends the {self}")
        if spec.terminator and spec.mnemonic not in self.row.terminators:
            ends = " or ".join(self.row.terminators)
            raise BuildError(f"{spec.mnemonic} cannot end the {self}, which ends with {ends}")

    def check_end(self) -> None:
        """Refuse a block that does not end with a terminator."""
        if self.end is None:
            raise BuildError(f"the {self} is not finished: {' or '.join(self.row.terminators)}")


class Nested:
    """An op with regions, by their names: ``with loop.region:``. The op itself enters its first.

    arguments  the block arguments of the region entered last
    results    the op's results, once its regions are finished
    """

    def __init__(self, kernel: Kernel, op: Op) -> None:
        self._kernel = kernel
        self.op = op
        self.arguments: list[Value] = []

    @property
    def results(self) -> tuple[Value, ...]:
        """The op's results."""
        if self._kernel._nested is self:
            self._kernel._settle()
        return tuple(self.op.results)

    @property
    def result(self) -> Value:
        """The first result."""
        return self.results[0]

    def check_complete(self) -> None:
        """Refuse an op with a region that has to be there and is not."""
        for row, region in zip(self.op.spec.regions, self.op.regions, strict=True):
            if not region.blocks and (self.op.results or not row.may_be_empty):
                raise BuildError(f"{self.op.name}: {row.name} is missing")

    def __getattr__(self, name: str) -> _Entry:
        for index, row in enumerate(self.op.spec.regions):
            if row.name == name:
                return _Entry(self, index)
        raise AttributeError(f"{self.op.name} has no region {name}")

    def __enter__(self) -> Nested:
        _Entry(self, 0).__enter__()
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._kernel.leave(self, failed=kind is not None)


class _Entry:
    """One region, to be entered by ``with``."""

    def __init__(self, nested: Nested, index: int) -> None:
        self.nested = nested
        self.index = index

    def __enter__(self) -> list[Value]:
        nested = self.nested
        nested.arguments = nested._kernel.enter(nested, self.index)
        return nested.arguments

    def __exit__(self, kind, error, trace) -> None:
        self.nested._kernel.leave(self.nested, failed=kind is not None)


# Values of attributes ---------------------------------------------------------------------------


def constant_of(value: object, type: Type | None) -> Constant:
    """A constant from a Constant, an array, or numbers and the type they are to have."""
    from .arrays import to_constant

    if not isinstance(value, Constant):
        if type is not None and not isinstance(type, Tile):
            raise BuildError(f"{type} is no type of a constant")
        return to_constant(value, type)
    if type is not None and value.type != type:
        raise BuildError(f"a constant of {value.type} where the type is {type}")
    return value


def attribute_of(value: object) -> object:
    """A tagged attribute from a plain value: an int is an i32, dictionaries and lists nest."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if not -(1 << 31) <= value < 1 << 31:
            raise BuildError(f"{value} is no i32; say number(value, type)")
        return IntegerAttribute(Scalar("i32"), value & 0xFFFFFFFF)
    if isinstance(value, dict):
        return {key: attribute_of(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return tuple(map(attribute_of, value))
    if isinstance(value, float):
        raise BuildError(f"{value} needs a type; say number(value, type)")
    return value


def coerced(node: Construct | None, value: object) -> object:
    """The value of an attribute slot in the form of the IR; wrong ones are refused later."""
    if node is DICTIONARY and isinstance(value, dict):
        return Hints(attribute_of(value))
    if node is ATTRIBUTE or node is ATTRIBUTE_LIST:
        return attribute_of(value)
    if (node is BOOL_LIST or node is INT_LIST) and isinstance(value, list):
        return tuple(value)
    return value_type(value) if node is TYPE_INDEX else value


# Methods ----------------------------------------------------------------------------------------


def _method(spec: Spec) -> Callable:
    def call(self: Kernel, *positional, **named):
        return self.op(spec, positional, named)

    call.__name__ = python_name(spec.mnemonic)
    call.__qualname__ = f"Kernel.{call.__name__}"
    call.__doc__ = documentation(spec)
    call.__signature__ = signature(spec)
    return call


for _spec in OPS:
    if _spec.in_body:
        if hasattr(Kernel, python_name(_spec.mnemonic)):
            raise ValueError(f"{_spec.mnemonic} is not free as a method of Kernel")
        setattr(Kernel, python_name(_spec.mnemonic), _method(_spec))
