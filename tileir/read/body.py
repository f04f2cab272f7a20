"""Decoding of a function body: op rows to IR. Value numbers become values, indices become entries.

Parameters have the first numbers, then results in the order of the file. The arguments of a block
are numbered when the block begins, and all its numbers are free again when it ends: sibling regions
reuse numbers, and outer values stay visible inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tileir.errors import BytecodeError
from tileir.formats.cursor import Opaque, Slice
from tileir.formats.nodes import opaque_of
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.wire import variable
from tileir.formats.version import Version
from tileir.ir import Block, Body, Op, Region, Value
from tileir.ir.locations import Location
from tileir.types import FunctionType, Type

from .bad_reference import BadReference
from .op_decoders import decoders_of
from .opaque import Unreadable, opaque_from
from .tables import Tables


class BodyDecoder:
    """Decodes one function body, whose bytes are `code`.

    `locate` returns the location of op number n in pre-order; it is called when a location is first
    asked for. A reference that leads nowhere is a BadReference with its path below the body. In a
    file of a newer version it ends the body, as an op does that is not known: `opaque` is the rest
    of the body then, and `ended` the block behind whose ops it begins. `unlinked` says that it was
    a reference.
    """

    def __init__(
        self,
        version: Version,
        tables: Tables,
        code: Slice,
        locate: Callable[[int], Location | None] | None,
    ) -> None:
        self.decoders = decoders_of(version)
        self.open = version.open
        self.code = code
        self.opaque: Opaque | None = None
        self.unlinked = False
        self.ended: Block | None = None
        self.tables = tables
        self.linked = tables.types.linked
        self.base = code.offset
        self.locate = locate
        self.values: list[Value] = []
        self.position = 0

    def decode(self, rows: Sequence[tuple], type: FunctionType) -> Body:
        """Return the body whose ops are `rows`; parameters get the first numbers."""
        block = Block()
        block.arguments = self.define(type.parameters, block)
        block.ops = self.ops(rows)
        self._note_end(block)
        return Body(type, block)

    def define(self, types: Sequence[Type], owner: Op | Block) -> list[Value]:
        """Return new values with the next numbers."""
        values, number = self.values, len(self.values)
        made = [Value(type, owner, i, number + i) for i, type in enumerate(types)]
        values += made
        return made

    def ops(self, rows: Sequence[tuple]) -> list[Op]:
        """Decode the ops of one block."""
        decoders = self.decoders
        ops: list[Op] = []
        try:
            for row in rows:
                ops.append(decoders[row[0]](self, row))
                if self.opaque is not None:
                    return ops
        except BadReference as bad:
            if not self.open:
                raise bad.inside(len(ops)) from None
            self._stop(bad, row)
        except BytecodeError as error:  # that of a malformed entry of a table
            if not self.open:
                raise
            self._stop(error, row)
        else:
            self.opaque = self.opaque or opaque_of(rows)
        return ops

    def _stop(self, error: Unreadable, row: tuple) -> None:
        """End the body before the op of a row."""
        self.opaque = opaque_from(error, self.code, self.base + row[1])
        self.unlinked = True

    def _note_end(self, block: Block) -> None:
        """Note the innermost block that ends early."""
        if self.opaque is not None and self.ended is None:
            self.ended = block

    def types(self, numbers: Sequence[int]) -> list[Type]:
        """Return the types with those indices."""
        at = self.tables.types.at
        types: list[Type] = []
        try:
            for number in numbers:
                types.append(at(number))
        except BadReference as bad:
            raise bad.inside(len(types)) from None
        return types

    def regions(self, regions: Sequence[Sequence[tuple]]) -> list[Region]:
        """Decode the regions of an op."""
        made: list[Region] = []
        for index, blocks in enumerate(regions):
            region = Region()
            for row in blocks if self.opaque is None else ():
                try:
                    region.blocks.append(self._block(row))
                except BadReference as bad:
                    raise bad.inside("regions", index, len(region.blocks)) from None
                if self.opaque is not None:
                    break
            made.append(region)
        return made

    def _block(self, row: tuple) -> Block:
        arguments, ops = row
        outer = len(self.values)
        block = Block()
        try:
            types = self.types(arguments)
        except BadReference as bad:
            raise bad.inside("arguments") from None
        block.arguments = self.define(types, block)
        try:
            block.ops = self.ops(ops)
        except BadReference as bad:
            raise bad.inside("ops") from None
        self._note_end(block)
        del self.values[outer:]
        return block

    def missing(self, slot: str, numbers: int | Sequence[int]) -> BadReference:
        """Return the error for value numbers of which one is not visible."""
        size = len(self.values)
        if isinstance(numbers, int):
            return BadReference("value", numbers, size).inside(slot)
        index = next(i for i, number in enumerate(numbers) if number >= size)
        return BadReference("value", numbers[index], size).inside(slot, index)

    def divide(self, spec: Spec, numbers: Sequence[int]) -> dict:
        """Divide a list of values among operand slots, of which all but one take one value."""
        values = [self.values[number] for number in numbers]
        fixed = len(spec.operands) - 1
        (slack,) = variable(spec)
        spare = len(values) - fixed
        if spare < 0 or (slack.arity == "optional" and spare > 1):
            most = f" to {fixed + 1}" if slack.arity == "optional" else " or more"
            problem = f"{spec.mnemonic} takes {fixed}{most}"
            raise BadReference("operand count", len(values), 0, path=".count", problem=problem)
        operands: dict[str, Value | tuple[Value, ...] | None] = {}
        for slot in spec.operands:
            if slot.arity == "one":
                operands[slot.name] = values.pop(0)
            elif slot.arity == "many":
                operands[slot.name] = tuple(values[:spare])
                del values[:spare]
            else:
                operands[slot.name] = values.pop(0) if spare else None
        return operands
