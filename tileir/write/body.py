"""Encoding of a function body: IR to records, the inverse of `read.body`, with its value numbers.

Everything gets its shortest encoding; the schema derives flag words and tags. A record is a plain
dict of the fields of its node. What a version cannot express is a BuildError that names the op, the
slot and the version that has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.functions import BODY
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import Attribute, Each, Operand, Result, Row
from tileir.formats.ops.spec import Op as TileRow
from tileir.formats.ops.wire import counts_results, is_segmented, variable
from tileir.formats.recursion import deep_recursion
from tileir.formats.specialised.rows import pack
from tileir.ir import Block, Body, Op, Region, Value
from tileir.messages.other_dialects import not_tile_ir
from tileir.types import Type

from .attributes import Record, encode_inline, listed, truth
from .tables import OutputTables

PARTS = {"operands": dict, "attributes": dict, "results": list, "regions": list}
"""Attribute of an `Op` -> the class that it must have."""


class BodyEncoder:
    """Encodes one function body; afterwards `locations` has that of each op in pre-order."""

    def __init__(self, tables: OutputTables, limits: Limits = DEFAULT) -> None:
        self.tables = tables
        self.limits = limits
        self.locations: list[int] = []
        self.numbers: dict[Value, int] = {}

    def encode(self, body: Body) -> list[Record]:
        """Return the records of the ops; parameters get the first numbers."""
        self._define(body.block.arguments)
        with deep_recursion(self.limits):
            return self._ops(body.block.ops, 0)

    def build(self, records: list[Record]) -> bytes:
        """Return the bytes of a body's records."""
        version, tags = self.tables.version, self.tables.types.tags
        with deep_recursion(self.limits):
            rows = pack(BODY, records, version)
        return codec.build(BODY, rows, version, tags, limits=self.limits)

    def _types(self, values: Sequence[Value]) -> list[int]:
        for value in values:
            if not isinstance(value, Value):
                raise BuildError(f"expected a value, found {value!r}")
        return [self.tables.types.index(value.type) for value in values]

    def _define(self, values: Sequence[Value]) -> None:
        for value in values:
            if value in self.numbers:
                raise BuildError(f"{value} is defined twice")
            self.numbers[value] = len(self.numbers)

    def _ops(self, ops: Sequence[Op], depth: int) -> list[Record]:
        return [self.op(op, depth) for op in ops]

    def op(self, op: Op, depth: int = 0) -> Record:
        """Return the record of one op, with its regions."""
        if not isinstance(op, Op):
            raise BuildError(f"expected an op, found {op!r}")
        spec, version = op.spec, self.tables.version
        if not isinstance(spec, Row):
            raise BuildError(f"expected a row of the table of ops, found {spec!r}")
        if BY_NAME.get(spec.mnemonic) is not spec or not isinstance(spec, TileRow):
            raise BuildError(not_tile_ir(f"this {spec.mnemonic}"))
        if spec.since > version or not spec.in_body:
            why = f"needs {spec.since}, writing {version}" if spec.in_body else "is no op of a body"
            raise BuildError(f"{op.name} {why}")
        for name, kind in PARTS.items():
            if not isinstance(getattr(op, name), kind):
                raise BuildError(f"{op.name}: {name} are no {kind.__name__}")
        record: Record = {"tag": spec.opcode, "variant": spec.mnemonic}
        record["result_types"] = self._result_types(op)
        self._check_names(op)
        self._operands(op, record)
        result = op.results[0].type if op.results else None
        for slot in spec.attributes:
            with _Within(op, slot.name):
                record[slot.name] = self._attribute(slot, op, result)
        with _Within(op, "location"):
            self.locations.append(self.tables.locations.number(op.location))
        if spec.regions:
            record["regions"] = self._regions(op, depth)
        elif op.regions:
            raise BuildError(f"{op.name} has regions, it takes none")
        self._define(op.results)
        return record

    def _check_names(self, op: Op) -> None:
        for kind, given, slots in (
            ("operand", op.operands, op.spec.operands),
            ("attribute", op.attributes, op.spec.attributes),
        ):
            names = {slot.name for slot in slots}
            for name in given:
                if name not in names:
                    raise BuildError(f"{op.name} has no {kind} {name}")

    def _result_types(self, op: Op) -> list[int]:
        spec = op.spec
        live = [slot for slot in spec.results if slot.since <= self.tables.version]
        if not counts_results(spec) and len(op.results) != len(live):
            raise BuildError(f"{op.name} has {len(live)} results, found {len(op.results)}")
        for slot, _ in zip(spec.results, op.results, strict=False):
            if slot.since > self.tables.version:
                raise BuildError(f"{op.name}: {slot.name} {self._too_new(slot)}")
        with _Within(op, "result"):
            return self._types(op.results)

    def _too_new(self, slot: Operand | Attribute | Result) -> str:
        return f"needs {slot.since}, writing {self.tables.version}"

    def _attribute(self, slot: Attribute, op: Op, result: Type | None) -> Any:
        value = op.attributes.get(slot.name)
        if slot.since > self.tables.version:
            if value is not None and value != default_of(slot, op.operands):
                raise BuildError(self._too_new(slot))
            return None
        if slot.node is None:
            return bool(truth(value))
        if value is None and slot.optional:
            return None
        return encode_inline(slot.node, value, self.tables, result)

    def _operands(self, op: Op, record: Record) -> None:
        given: Record = {}
        for slot in op.spec.operands:
            with _Within(op, slot.name):
                given[slot.name] = self._operand(slot, op.operands.get(slot.name))
        if variable(op.spec) and not is_segmented(op.spec):
            flat: list[int] = []
            for value in given.values():
                flat += value if isinstance(value, list) else [] if value is None else [value]
            record["all_operands"] = flat
        else:
            record |= given

    def _operand(self, slot: Operand, value: object) -> object:
        if slot.since > self.tables.version:
            if value not in (None, ()):
                raise BuildError(self._too_new(slot))
            return None
        if slot.arity == "many":
            return [self._value(item) for item in listed(value)]
        if value is None and slot.arity == "optional":
            return None
        return self._value(value)

    def _value(self, value: object) -> int:
        if not isinstance(value, Value):
            raise BuildError(f"expected a value, found {value!r}")
        number = self.numbers.get(value)
        if number is None:
            raise BuildError(f"{value} is not defined before the op, or not visible to it")
        return number

    def _regions(self, op: Op, depth: int) -> list[list[Record]]:
        if len(op.regions) != len(op.spec.regions):
            raise BuildError(f"{op.name} has {len(op.spec.regions)} regions, not {len(op.regions)}")
        if depth >= self.limits.region_depth:
            most = f"more than {self.limits.region_depth} regions inside each other"
            raise BuildError(f"{op.name}: {most}")
        with _Within(op, "regions"):
            blocks = [self._blocks(region) for region in op.regions]
        return [[self._block(block, depth + 1) for block in row] for row in blocks]

    def _blocks(self, region: Region) -> list[Block]:
        if not isinstance(region, Region) or not isinstance(region.blocks, list):
            raise BuildError(f"expected a region with a list of blocks, found {region!r}")
        return region.blocks

    def _block(self, block: Block, depth: int) -> Record:
        outer = len(self.numbers)
        arguments = self._types(parameters(block))
        self._define(block.arguments)
        record = {"arguments": arguments, "ops": self._ops(block.ops, depth)}
        for _ in range(len(self.numbers) - outer):
            self.numbers.popitem()
        return record


def parameters(block: Block) -> Sequence[Value]:
    """Return the arguments of a block. BuildError for what is no block, or has no list of ops."""
    if not isinstance(block, Block) or not isinstance(block.ops, list):
        raise BuildError(f"expected a block with a list of ops, found {block!r}")
    return listed(block.arguments)


def default_of(slot: Attribute, operands: Mapping[str, Any]) -> Any:
    """Return the value of an attribute that an op does not have."""
    if isinstance(slot.default, Each):
        return (slot.default.value,) * len(operands[slot.default.slot])
    return slot.default


class _Within:
    """Puts the op and the slot in front of the message of a BuildError."""

    def __init__(self, op: Op, slot: str) -> None:
        self.op = op
        self.slot = slot

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(error, BuildError):
            raise BuildError(f"{self.op.name}: {self.slot}: {error}") from None
