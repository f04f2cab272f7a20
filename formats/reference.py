"""The reference codec: Construct interprets the schema's tree, for reading and for writing.

It is slow, and the specialised codec is tested against it. Records are Containers of named fields;
see `specialised.rows` for the other form.
"""

from __future__ import annotations

from construct import Construct

from .cursor import ByteWriter, Cursor, Environment, Path
from .recursion import deep_recursion


def parse(node: Construct, cursor: Cursor, path: Path):
    """Parse a node at the cursor."""
    with deep_recursion(cursor.environment.limits):
        return node._parse(cursor, None, path)


def build(node: Construct, record, environment: Environment) -> bytes:
    """Return the bytes of a record."""
    writer = ByteWriter(environment)
    with deep_recursion(environment.limits):
        node._build(record, writer, None, "record")
    return bytes(writer.data)
