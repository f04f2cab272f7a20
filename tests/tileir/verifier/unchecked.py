"""Modules written without a question: types, bodies and entries that break any rule.

`Bytecode.build` refuses what it can tell is wrong; a mutant has to reach a file nevertheless. What
the layout of the file has no room for is still a BuildError.
"""

from __future__ import annotations

from tileir import BuildError, Bytecode
from tileir.bytecode import Global
from tileir.formats import codec
from tileir.formats.attributes import CONSTANT_INDEX
from tileir.formats.enums import SYMBOL_VISIBILITY
from tileir.formats.ops.spec import Attribute
from tileir.formats.types import TYPE
from tileir.formats.version import V13_3, Version
from tileir.ir import Body, Op, Value
from tileir.types import Type
from tileir.write.attributes import Record
from tileir.write.body import BodyEncoder
from tileir.write.sections import Writer
from tileir.write.type_table import OutputTypes


def write(bytecode: Bytecode) -> bytes:
    """The bytes of a module, every function and table made anew, whatever is wrong with it.

    BuildError for what the layout cannot hold: an op that the version does not have, a list where
    one value goes.
    """
    writer = _Writer(bytecode.version)
    if bytecode.producer is not None:
        writer.replace("Producer", {"producer": writer.tables.string(bytecode.producer)})
    writer.replace("Func", [writer.function(function) for function in bytecode.functions])
    if bytecode.globals:
        writer.replace("Global", [writer.variable(variable) for variable in bytecode.globals])
    return writer.file()


class _Types(OutputTypes):
    """Takes types that break the rules of types."""

    def _add(self, type: Type) -> int:
        record = self._record(type)
        codec.build(TYPE, record, self.version)
        self.tags.append(TYPE.by_name[record["variant"]].tag)
        self.added.append(record)
        return len(self.tags) - 1

    def _link(self, record: dict, type: Type, name: str, *kinds: type) -> None:
        record[name] = self.index(getattr(type, name))


class _Encoder(BodyEncoder):
    """A value that is not visible is written as the number that it had, or will have."""

    def _value(self, value: object) -> int:
        found = self.numbers.get(value)
        if found is None:
            return value.number if value.number >= 0 else len(self.numbers)
        return found

    def _attribute(self, slot: Attribute, op: Op, result: Type | None) -> object:
        if slot.node is CONSTANT_INDEX:
            return self.tables.constants.index(op.attributes[slot.name].data)
        return super()._attribute(slot, op, result)


class _Writer(Writer):
    """Asks nothing about names, signatures and constants."""

    def __init__(self, version: Version) -> None:
        super().__init__(version)
        self.tables.types = _Types(version)

    def encoder(self) -> BodyEncoder:
        return _Encoder(self.tables)

    def body(self, encoder: BodyEncoder, name: str, type: Type, body: Body) -> list[Record]:
        if not all(isinstance(value, Value) for value in body.block.arguments):
            raise BuildError("parameters must be values")
        return encoder.encode(body)

    def variable(self, variable: Global) -> Record:
        if self.version < V13_3 and (variable.private or variable.constant):
            raise BuildError("no room for flags of globals")
        visibility = "private" if variable.private else "public"
        return {
            "name": self.tables.string(variable.name),
            "type": self.tables.types.index(variable.type),
            "value": self.tables.constants.index(variable.value.data),
            "alignment": variable.alignment,
            "visibility": SYMBOL_VISIBILITY.by_name[visibility].value,
            "constant": int(variable.constant),
        }
