"""Where two values of any depth differ: records of the codecs, and the IR made of them.

Iterative, because nothing that hostile bytes decide the depth of may be compared by recursion.
Lists, tuples and bytes are sequences alike, as the codecs' records have them.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache

from tileir.formats.cursor import Slice
from tileir.formats.errors import BytecodeError
from tileir.formats.leaves import WideInt
from tileir.formats.table import Layout
from tileir.ir import Block, Body, Op, Region, Value

PARTS = {
    Body: frozenset({"block", "type"}),
    Region: frozenset({"blocks"}),
    Block: frozenset({"arguments", "ops"}),
    Op: frozenset(
        {"attributes", "location", "name", "offset", "operands", "position", "regions", "results"}
    ),
    Value: frozenset({"index", "number", "owner", "type"}),
}
"""What the classes of a body consist of, without what follows from it: parents and uses."""

SEQUENCES = (list, tuple, bytes, bytearray, memoryview)


@cache
def names_of(kind: type) -> frozenset[str]:
    """What objects of a class of the IR or of a table consist of, none for any other class."""
    if kind in PARTS:
        return PARTS[kind]
    return frozenset(field.name for field in fields(kind)) if is_dataclass(kind) else frozenset()


def difference(one: object, other: object, ignored: frozenset[str] = frozenset()) -> str:
    """The first place where the two differ, in words; empty if they are the same.

    Fields and keys named in `ignored` are not looked at. With "width" among them, numbers and
    counts are equal that were written in different numbers of bytes.
    """
    stack: list[tuple[object, object, object]] = [(one, other, ())]
    seen: set[tuple[int, int]] = set()
    while stack:
        a, b, path = stack.pop()
        if a is b or (type(a) is int and type(b) is int and a == b):
            continue
        if isinstance(a, Layout) and isinstance(b, Layout):  # its entries are identities
            a, b = a[:2], b[:2]
        if isinstance(a, Slice) or isinstance(b, Slice):
            wrong = _slices(a, b, ignored)
        elif isinstance(a, SEQUENCES) and isinstance(b, SEQUENCES):
            wrong = _sequences(a, b, path, stack, ignored)
        elif isinstance(a, dict) and isinstance(b, dict):
            wrong = _parts(set(a) - ignored, set(b) - ignored, a.get, b.get, path, stack)
        elif isinstance(a, BytecodeError) and isinstance(b, BytecodeError):
            stack.append((vars(a), vars(b), path))
            wrong = ""
        elif names_of(type(a)) and type(a) is type(b):
            if (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            names = names_of(type(a)) - ignored
            wrong = _parts(names, names, _getter(a), _getter(b), path, stack)
        else:
            wrong = _leaves(a, b, ignored)
        if wrong:
            return f"{_spell(path)}: {wrong}"
    return ""


def _getter(value: object):
    return lambda name: getattr(value, name)


def _slices(a, b, ignored: frozenset[str]) -> str:
    if not isinstance(a, Slice) or not isinstance(b, Slice):
        return f"{type(a).__name__} and {type(b).__name__}"
    if bytes(a.data) != bytes(b.data):
        return "bytes differ"
    if "offset" not in ignored and a.offset != b.offset:
        return f"offset {a.offset} and {b.offset}"
    return _counts(a, b, ignored)


def _sequences(a, b, path, stack: list, ignored: frozenset[str]) -> str:
    if len(a) != len(b):
        return f"length {len(a)} and {len(b)}"
    plain = {int}.issuperset(map(type, a)) and {int}.issuperset(map(type, b))
    if not plain or list(a) != list(b):
        stack.extend((x, y, (path, index)) for index, (x, y) in enumerate(zip(a, b, strict=True)))
    return _counts(a, b, ignored)


def _parts(left: set, right: set, get_left, get_right, path, stack: list) -> str:
    if left != right:
        return f"only one has {sorted(map(str, left ^ right))}"
    stack.extend((get_left(name), get_right(name), (path, name)) for name in left)
    return ""


def _leaves(a: object, b: object, ignored: frozenset[str]) -> str:
    kinds = {bool: int, WideInt: int}
    if kinds.get(type(a), type(a)) is not kinds.get(type(b), type(b)) or a != b:
        return f"{type(a).__name__} {a!r:.80} and {type(b).__name__} {b!r:.80}"
    return _widths(a, b, ignored)


def _counts(a: object, b: object, ignored: frozenset[str]) -> str:
    """A count that was not written in the shortest form is remembered by both or by none."""
    return _widths(getattr(a, "wide_count", None), getattr(b, "wide_count", None), ignored)


def _widths(a: object, b: object, ignored: frozenset[str]) -> str:
    if "width" in ignored or not (isinstance(a, WideInt) or isinstance(b, WideInt)):
        return ""
    one, other = (
        (value.width, value.raw) if isinstance(value, WideInt) else None for value in (a, b)
    )
    return "" if one == other else f"width and raw value {one} and {other}"


def _spell(path) -> str:
    parts = []
    while path:
        path, part = path
        parts.append(str(part))
    text = ".".join(reversed(parts))
    return text if len(text) < 400 else f"{text[:100]}...{text[-200:]}"


def wide_numbers(value: object) -> str:
    """Where the IR holds a number that still remembers how it was written; empty if nowhere."""
    stack, seen = [(value, ())], set()
    while stack:
        part, path = stack.pop()
        if isinstance(part, WideInt):
            return _spell(path)
        if isinstance(part, list | tuple):
            stack.extend((inner, (path, index)) for index, inner in enumerate(part))
        elif isinstance(part, dict):
            stack.extend((inner, (path, name)) for name, inner in part.items())
        elif names_of(type(part)) and id(part) not in seen:
            seen.add(id(part))
            stack.extend(
                (getattr(part, name), (path, name)) for name in sorted(names_of(type(part)))
            )
    return ""
