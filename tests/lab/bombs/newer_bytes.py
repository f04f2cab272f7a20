"""Bombs of a version that is newer than any known one: very much of them is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from tests.formats.bombs import nested_ifs
from tests.formats.small import RETURN, file, table, varint

from .bomb import Bomb
from .file_parts import SCALAR, TAKES_NONE, TAKES_ONE, TYPES, signature

STATED = (13, 6)
UNKNOWN_OP = b"\x7f"
UNKNOWN_TAG = b"\x63"
NO_HINTS, NO_ATTRIBUTES = b"\x0b\x00", b"\x06\x00"


def entry(
    name: int = 0, signature: int = TAKES_NONE, body: bytes = RETURN, hints=NO_HINTS
) -> bytes:
    """A kernel, as files of 13.5 have them."""
    head = varint(name) + varint(signature) + b"\x02\x00" + hints + NO_ATTRIBUTES
    return head + varint(len(body)) + body


def module(
    functions: list[bytes], texts: list[bytes], types: Sequence[bytes] = (), others: int = 0
) -> bytes:
    """A file of those parts, and so many sections that nobody knows."""
    return file(
        (1, 4, table(texts)),
        (5, 4, table([*TYPES, *types])),
        (2, 8, varint(len(functions)) + b"".join(functions)),
        *[(9 + index % 100, 0, b"") for index in range(others)],
        version=STATED,
    )


def names(n: int) -> list[bytes]:
    return [b"k%d" % i for i in range(n)]


def unknown_ops(n: int) -> bytes:
    """Kernels that begin with an unknown op."""
    return module([entry(i, body=UNKNOWN_OP + RETURN) for i in range(n)], names(n))


def deep_unknown_ops(n: int) -> bytes:
    """Kernels with an unknown op in 40 ifs inside of each other."""
    nest = nested_ifs(40).replace(RETURN, UNKNOWN_OP)
    body = nest[: len(nest) // 2] + UNKNOWN_OP * 20
    return module([entry(i, TAKES_ONE, body) for i in range(n)], names(n))


def too_deep(n: int) -> bytes:
    """One kernel with more regions inside of each other than are read."""
    return module([entry(signature=TAKES_ONE, body=nested_ifs(n))], [b"k"])


def unknown_types(n: int) -> bytes:
    """Types that nobody knows, and a kernel that takes one of each."""
    numbers = range(len(TYPES), len(TYPES) + n)
    types = [UNKNOWN_TAG] * n + [signature(list(numbers))]
    return module([entry(signature=len(TYPES) + n)], [b"k"], types)


def shared_signature(n: int) -> bytes:
    """Kernels that share a signature with an unknown type in it."""
    types = [UNKNOWN_TAG, signature([SCALAR] * 20 + [len(TYPES)])]
    return module([entry(i, len(TYPES) + 1) for i in range(n)], names(n), types)


def references(n: int) -> bytes:
    """Kernels whose first op has a type that is not there."""
    body = b"\x00" + varint(100) + b"\x00" + RETURN
    return module([entry(i, TAKES_ONE, body) for i in range(n)], names(n))


def sections(n: int) -> bytes:
    """Sections that nobody knows."""
    return module([entry()], [b"k"], others=n)


def unknown_hints(n: int) -> bytes:
    """Kernels behind one whose hints are of an unknown kind."""
    functions = [entry(hints=UNKNOWN_TAG), *[entry(i) for i in range(1, n)]]
    return module(functions, names(n))


BOMBS = [
    Bomb("unknown", made.__name__.replace("_", " "), made, size)
    for made, size in (
        (unknown_ops, 3000), (deep_unknown_ops, 120), (too_deep, 2000), (unknown_types, 5000),
        (shared_signature, 1500), (references, 3000), (sections, 5000), (unknown_hints, 4000))
]  # fmt: skip
