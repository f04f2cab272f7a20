"""The reference: Construct's own way through the schema's tree, for reading and for writing.

It is slow and it is what the specialised codec is held against. Records are Containers of named
fields; see `specialised.rows` for the other form.
"""

from __future__ import annotations

from construct import Construct

from .cursor import Cursor, Environment, Path, Writer
from .recursion import deep_recursion


def parse(node: Construct, cursor: Cursor, path: Path):
    """What `node` reads at the cursor."""
    with deep_recursion(cursor.environment.limits):
        return node._parse(cursor, None, path)


def build(node: Construct, record, environment: Environment) -> bytes:
    """The bytes of a record."""
    writer = Writer(environment)
    with deep_recursion(environment.limits):
        node._build(record, writer, None, "record")
    return bytes(writer.data)
