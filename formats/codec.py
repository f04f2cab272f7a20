"""The seam between the schema and everyone who reads or writes bytes.

These functions are all that `tileir` calls. They run the Construct tree itself, the reference; a
specialised codec generated from the same tree can take their place without a change elsewhere.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from contextlib import contextmanager

from construct import Construct, Container

from .attributes import ATTRIBUTE
from .container import FILE
from .cursor import Cursor, Environment, Oddity, Slice, Span, Writer
from .debug import DEBUG_RECORD
from .functions import BODY
from .limits import MAX_REGION_DEPTH
from .nodes import Items
from .ops.wire import OP
from .sections import BY_NAME
from .types import TYPE
from .version import LATEST, Version

_VARIANTS = {node.what: node for node in (OP, TYPE, ATTRIBUTE, DEBUG_RECORD)}
_FRAMES_PER_REGION = 12
_NEEDED = _FRAMES_PER_REGION * MAX_REGION_DEPTH + 500
_lock = threading.Lock()
_users = 0
_limit_before = 0


@contextmanager
def deep_recursion():
    """Room for the deepest nesting the limits allow, while anybody is inside.

    The tree is parsed by recursion in pure Python, which costs no C stack; what bounds it is the
    depth that the nodes count.
    """
    global _users, _limit_before
    with _lock:
        _users += 1
        if _users == 1:
            _limit_before = sys.getrecursionlimit()
            sys.setrecursionlimit(_limit_before + _NEEDED)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_limit_before)


def parse_file(
    data: memoryview, *, trace: list[Span] | None = None, warnings: list[Oddity] | None = None
) -> Container:
    """Header and sections; payloads stay slices."""
    environment = Environment(LATEST)
    cursor = Cursor(data, 0, len(data), "header", environment, trace=trace, warnings=warnings)
    return FILE._parse(cursor, None, "file")


def parse_section(
    data: memoryview,
    name: str,
    where: Slice,
    version: Version,
    type_tags: Sequence[int | None] = (),
    *,
    trace: list[Span] | None = None,
    warnings: list[Oddity] | None = None,
    eager: bool = False,
) -> tuple[object, int]:
    """A section's payload, and the offset where it stopped reading.

    Function bodies stay slices unless `eager`.
    """
    end = where.offset + len(where.data)
    cursor = Cursor(
        data,
        where.offset,
        end,
        name,
        Environment(version, type_tags),
        trace=trace,
        warnings=warnings,
        eager=eager,
    )
    with deep_recursion():
        return BY_NAME[name].payload._parse(cursor, None, name.lower()), cursor.position


def parse_body(
    data: memoryview,
    where: Slice,
    version: Version,
    type_tags: Sequence[int | None],
    path: str = "body",
    *,
    warnings: list[Oddity] | None = None,
) -> Items:
    """The op records of one function body."""
    end = where.offset + len(where.data)
    environment = Environment(version, type_tags)
    cursor = Cursor(data, where.offset, end, "Func", environment, warnings=warnings)
    with deep_recursion():
        return BODY._parse(cursor, None, path)


def build(node: Construct, record, version: Version, type_tags: Sequence[int | None] = ()) -> bytes:
    """The bytes of a record."""
    writer = Writer(Environment(version, type_tags))
    with deep_recursion():
        node._build(record, writer, None, "record")
    return bytes(writer.data)


def build_section(
    name: str, record, version: Version, type_tags: Sequence[int | None] = ()
) -> bytes:
    """The payload of a section."""
    return build(BY_NAME[name].payload, record, version, type_tags)


def build_file(record: Container) -> bytes:
    """The whole file from its header and sections."""
    return build(FILE, record, record["header"]["version"])


def name_of(what: str, tag: int) -> str:
    """The name that a tag stands for; `what` is the kind of tag, as in a trace."""
    variant = _VARIANTS[what]
    arm = variant.arms.get(tag)
    return arm.name if arm is not None else variant.other
