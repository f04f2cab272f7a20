"""The elements of a constant: one number for all, nested lists, or hexadecimal bytes."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Literal

from tileir.ir.constants import Constant, element_size
from tileir.text.assembler.diagnostics import Refused
from tileir.text.assembler.lexer import LITERAL, NUMBER, SKIP, STRING, Reader, phrase
from tileir.types import Scalar, Tile

from .numbers import BadNumber, bits_of
from .types import TypeReader

PIECE = re.compile(rf"(?:([\[\],])|(true\b|false\b|{NUMBER})){SKIP}", re.ASCII)
ROW = re.compile(r"[^\[\]/\"]++(?=\])")
"""The contents of a list without lists and comments in it."""

WHOLE = re.compile(rf"true|false|{NUMBER}", re.ASCII)
HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]*+")
DEEPEST = 64
"""The most nested brackets; in a tile of more dimensions most would have one element."""


class Elements:
    """Elements that were read: bit patterns in order, and the shape of their lists.

    `shape` is None for one pattern for all elements, and False for bytes, which are in `data`.
    """

    __slots__ = ("at", "data", "patterns", "shape")

    def __init__(
        self,
        at: int,
        shape: tuple[int, ...] | Literal[False] | None,
        patterns: Sequence[int] = (),
        data: bytes = b"",
    ) -> None:
        self.at = at
        self.shape: tuple[int, ...] | Literal[False] | None = shape
        self.patterns = patterns
        self.data = data


def typed_elements(reader: Reader, types: TypeReader) -> tuple[Scalar, Elements]:
    """Read ``<f32: 1.0>``, and return the element type and the elements."""
    at = reader.at
    if not reader.accept(phrase("<")) or LITERAL.match(reader.text, reader.at):
        raise reader.refused("numbers are written with their type, as <f32: 1.0> is", at)
    element = types.scalar()
    reader.expect(phrase(":"))
    elements = read_elements(reader, element)
    reader.expect(phrase(">"))
    return element, elements


def read_elements(reader: Reader, element: Scalar) -> Elements:
    """Read elements of a type."""
    at = reader.at
    if reader.text.startswith('"', at):
        literal = reader.take(STRING, "bytes")[1:-1]
        if not HEXADECIMAL.fullmatch(literal) or len(literal) % 2:
            raise reader.refused('expected bytes such as "0x00FF"', at)
        return Elements(at, False, data=bytes.fromhex(literal[2:]))
    if reader.text.startswith("[", at):
        return _nested(reader, element, at)
    return Elements(at, None, (_number(reader, element),))


def _number(reader: Reader, element: Scalar) -> int:
    at = reader.at
    literal = reader.literal()
    try:
        return bits_of(element, literal)
    except BadNumber as wrong:
        raise Refused(str(wrong), at, len(literal)) from None


def _nested(reader: Reader, element: Scalar, start: int) -> Elements:
    """Read nested lists; all lists of one depth must have the same length."""
    text, patterns, known = reader.text, [], {}
    counts: list[int] = []
    shape: dict[int, int] = {}
    leaves = None
    after_item = False
    while True:
        match = PIECE.match(text, reader.at)
        if match is None:
            reader.check_finite()
            raise reader.expected("a number, ',' or ']'" if counts else "'['")
        mark, literal = match[1], match[2]
        if (mark in ("]", ",")) != after_item and not (mark == "]" and counts[-1:] == [0]):
            raise reader.expected("',' or ']'" if after_item else "a number or '['")
        if mark == "[":
            if len(counts) >= DEEPEST:
                raise reader.refused(f"lists nested more than {DEEPEST} deep")
            counts.append(0)
            row = ROW.match(text, match.end())
            numbers = None if row is None else _row(element, row[0], known)
            if row and numbers is not None and leaves in (None, len(counts)):
                leaves = len(counts)
                counts[-1] = len(numbers)
                patterns += numbers
                after_item = True
                reader.at = row.end()
                continue
        elif mark == ",":
            after_item = False
        elif mark == "]":
            depth, count = len(counts), counts.pop()
            if shape.setdefault(depth, count) != count:
                raise reader.refused(f"{count} elements, where there were {shape[depth]} before")
            after_item = True
        else:
            if leaves is None:
                leaves = len(counts)
            if len(counts) != leaves:
                raise reader.refused("numbers at different depths of the lists")
            pattern = known.get(literal)
            if pattern is None:
                pattern = known[literal] = _number(reader, element)
            patterns.append(pattern)
            after_item = True
        reader.at = match.end()
        if after_item:
            if not counts:
                break
            counts[-1] += 1
    return Elements(start, tuple(shape[depth] for depth in sorted(shape)), patterns)


def _row(element: Scalar, row: str, known: dict[str, int]) -> list[int] | None:
    """Return the numbers of a whole list; None if one is wrong.

    They are then read one by one, to report that one.
    """
    literals = [literal.strip(" \t\r\n") for literal in row.split(",")]
    try:
        for literal in set(literals).difference(known):
            if not WHOLE.fullmatch(literal):
                return None
            known[literal] = bits_of(element, literal)
    except BadNumber:
        return None
    return [known[literal] for literal in literals]


def constant_of(reader: Reader, elements: Elements, type: Tile) -> Constant:
    """Return the constant of elements and a tile type."""
    if elements.shape is False:
        return Constant(type, _from_bytes(reader, elements, type))
    patterns = elements.patterns
    if elements.shape is not None and elements.shape != type.shape:
        extents = "x".join(map(str, elements.shape))
        raise reader.refused(f"lists of {extents} elements for {type}", elements.at)
    if not patterns:
        raise reader.refused("a constant without elements", elements.at)
    if elements.shape is None or (len(patterns) > 1 and len(set(patterns)) == 1):
        return Constant(type, _splat(type, patterns[0]))
    return Constant(type, pack(type.element, patterns))


def _splat(type: Tile, pattern: int) -> bytes:
    """Return the bytes of one element for a whole tile, as cuTile writes them."""
    if type.element.name == "i1":
        return bytes((((1 << min(type.size, 8)) - 1) * pattern,))
    return pack(type.element, (pattern,))


def pack(element: Scalar, patterns: Sequence[int]) -> bytes:
    """Return bit patterns as the bytes of a constant."""
    if element.name == "i1":
        number = 0
        data = bytearray((len(patterns) + 7) // 8)
        for number, pattern in enumerate(patterns):
            data[number >> 3] |= pattern << (number & 7)
        return bytes(data)
    size = element_size(element)
    if size == 1:
        return bytes(patterns)
    code = {2: "H", 4: "I", 8: "Q"}.get(size)
    if code is not None:
        return struct.pack(f"<{len(patterns)}{code}", *patterns)
    return b"".join([pattern.to_bytes(size, "little") for pattern in patterns])


def _from_bytes(reader: Reader, elements: Elements, type: Tile) -> bytes:
    """Return the bytes of a constant from those in the text, where an i1 is a byte."""
    element, data = type.element, elements.data
    size = element_size(element)
    if len(data) not in (size, size * type.size):
        wanted = size * type.size
        raise reader.refused(f"{type} takes {wanted} bytes, found {len(data)}", elements.at)
    if element.name == "i1":
        bits = [int(byte != 0) for byte in data]
        return _splat(type, bits[0]) if len(bits) == 1 else pack(element, bits)
    unused = 8 * size - element.bits
    if unused and any(byte >> (8 - unused) for byte in data[size - 1 :: size]):
        raise reader.refused(f"bits that {element} does not have", elements.at)
    return data
