"""Limits on hostile input, checked before anything is allocated or recursed into.

Sizes and counts need no limits: each is compared with the bytes that are left. Levels of nesting
are counted, so that a file that is too deep does not overflow Python's stack. What many parts of a
file share is counted each time where every use of it takes memory.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

MAX_VARINT_BYTES = 10
"""A 64-bit LEB128 value never needs more."""

MAX_TAG = 255
"""Largest type, attribute or debug tag; NVIDIA's readers silently reduce larger ones modulo 256."""

MAX_TILE_ELEMENTS = 1 << 24
"""Elements of one tile; a rule of Tile IR."""

MAX_REPEATED_ATTRIBUTES = 1 << 18
"""The most attributes that the aliases of a text may add to those that it spells out. Aliases of
aliases can double with each line, and an alias is written out at each use."""

MAX_EXPRESSION = 65536
"""Most parts and characters of names in the expressions of a type: what shares it repeats them."""

MAX_RANK = 256
"""Dimensions of one type. Compilers emit up to five. The text of a type stands wherever something
has that type, so its length is bounded here."""

MAX_OVERLAP = 4
"""How often, on average, strings may share their bytes and still be written separately."""

MAX_OVERLAPPING = 1 << 20
"""Bytes that the strings of a table may have altogether beyond `MAX_OVERLAP` times the table's own.
Strings may lie on top of each other, so a table can promise the square of its size."""

MAX_SHARED_PARAMETERS = 1 << 17
"""Parameters that the functions of a file may have altogether beyond one for each byte of the file.
Functions may share signatures, so a file can promise the square of its size."""

TEXT_ALLOWANCE = 1 << 23
"""Characters that the text of a module may have beyond `Limits.text_growth` times its bytes."""

REGIONS, REGIONS_IN_WASM = 3000, 100
"""Most regions inside regions, unless said otherwise. In WebAssembly there are fewer: objects
inside each other are freed by recursion in C, and the interpreter ends where the engine's stack
does; with Pyodide between 800 and 1,600 regions under node, and between 250 and 300 in a worker of
Chromium."""

DEFERRED_SIZE = 1 << 13
"""Bytes; records of a Type or Debug section of this size or more are read when they are used."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on nesting, in levels, and on the growth of texts; more is a BytecodeError.

    region_depth     regions inside regions. Compilers emit about ten; NVIDIA's reader still reads
                     2,000 and overflows its stack near 3,500.
    attribute_depth  arrays and dictionaries inside each other. Files need two (architecture, then
                     hint).
    type_depth       types inside types. The deepest legal one is a signature with a view of a
                     tensor view of pointers.
    location_depth   debug records inside each other: calls inlined into calls, scopes in scopes.
                     NVIDIA's reader overflows its stack between 10,000 and 20,000 calls.
    text_growth      characters of `disassemble` for each byte of the file, beyond 8 Mi. Compilers'
                     files have about seven, with source locations; but each op that uses a constant
                     prints it, so a file can have the square of its size.
    """

    region_depth: int = REGIONS_IN_WASM if sys.platform in ("emscripten", "wasi") else REGIONS
    attribute_depth: int = 64
    type_depth: int = 64
    location_depth: int = 2000
    text_growth: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            if not isinstance(given, int) or isinstance(given, bool):
                raise TypeError(f"{field.name} must be a whole number, got {given!r}")
            if given < 0:
                raise ValueError(f"{field.name} must be 0 or more, got {given}")

    def depth(self, what: str) -> int:
        """Return the limit on nesting `what`: "region", "attribute", "type" or "location"."""
        return getattr(self, f"{what}_depth")


DEFAULT = Limits()
