"""Leaf nodes: the smallest pieces of the format, each a Construct that owns bytes.

Every leaf reports what it read to `Cursor.note`, so that `tileir inspect` can list every byte of a
file. `kind` names the bytes by a word of the specification; `target` of an index names the table or
list that it points into.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from construct import Construct

from .cursor import ByteWriter, Cursor, Path, Slice, spell
from .enums import Enum
from .errors import BuildError
from .version import V13_1, Version

FILL = 0xCB
MASK64 = (1 << 64) - 1


class WideInt(int):
    """A varint that was not written in its shortest form.

    It is an ordinary integer to everything but the writer: `width` is its number of bytes, and
    `raw` all its value bits, which can be 65 or more (a defect of cuTile's f64 attributes).
    """

    width: int
    raw: int

    def __new__(cls, value: int, width: int, raw: int) -> WideInt:
        self = super().__new__(cls, value)
        self.width = width
        self.raw = raw
        return self


def encode_varint(raw: int, width: int = 1) -> bytes:
    """Return the LEB128 bytes of a non-negative number, padded to at least `width` bytes."""
    out = bytearray()
    while raw > 0x7F or len(out) + 1 < width:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    out.append(raw)
    return bytes(out)


def zigzag(value: int) -> int:
    """Return a signed 64-bit number as an unsigned one, small magnitudes first."""
    return (value << 1 ^ value >> 63) & MASK64


def unzigzag(raw: int) -> int:
    """Return the signed number of a zigzag number: the inverse of `zigzag`."""
    return raw >> 1 ^ -(raw & 1)


class Leaf(Construct):
    """A node without parts."""

    kind = "value"

    def _parse(self, cursor: Cursor, context, path: Path):
        start = cursor.position
        value = self.read(cursor, path)
        cursor.note(start, path, self.kind, value, self)
        return value

    def _build(self, value, writer: ByteWriter, context, path: Path):
        try:
            self.emit(value, writer)
        except (TypeError, ValueError, OverflowError, struct.error) as error:
            if isinstance(error, BuildError):
                raise
            raise BuildError(
                f"{spell(path)}: {value!r} is not a valid {self.kind}: {error}"
            ) from None
        return value

    def read(self, cursor: Cursor, path: Path):
        raise NotImplementedError

    def emit(self, value, writer: ByteWriter) -> None:
        raise NotImplementedError


class VarInt(Leaf):
    """Unsigned LEB128 of at most `bits` significant bits; longer forms keep their width."""

    kind = "varint"

    def __init__(self, bits: int = 64) -> None:
        super().__init__()
        self.bits = bits

    def read(self, cursor: Cursor, path: Path) -> int:
        start = cursor.position
        raw, width = cursor.varint(path)
        value = raw & MASK64
        if value >> self.bits:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected=f"a number below 2^{self.bits}",
                found=str(value),
            )
        if raw != value:
            cursor.warn("wide_varint", path, f"{raw:#x} has more than 64 bits", start)
            return WideInt(value, width, raw)
        if width > 1 and raw >> 7 * (width - 1) == 0:
            cursor.warn("overlong_varint", path, f"{raw} takes {width} bytes", start)
            return WideInt(value, width, raw)
        return value

    def emit(self, value: int, writer: ByteWriter) -> None:
        if isinstance(value, WideInt):
            writer.write(encode_varint(value.raw, value.width))
            return
        value = int(value)
        if not 0 <= value < 1 << self.bits:
            raise ValueError(f"outside 0..2^{self.bits}-1")
        writer.write(encode_varint(value))


class SignedVarInt(VarInt):
    """Zigzag LEB128 over 64 bits."""

    kind = "signed varint"

    def read(self, cursor: Cursor, path: Path) -> int:
        raw = super().read(cursor, path)
        value = unzigzag(int(raw))
        return WideInt(value, raw.width, raw.raw) if isinstance(raw, WideInt) else value

    def emit(self, value: int, writer: ByteWriter) -> None:
        if isinstance(value, WideInt):
            super().emit(value, writer)
            return
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueError("outside the signed 64-bit range")
        writer.write(encode_varint(zigzag(value)))


class Index(VarInt):
    """An index in one of the file's tables, or a value number.

    `target` names what it points into: string, type, constant, debug record, debug list, value.
    """

    def __init__(self, target: str) -> None:
        super().__init__(bits=32)
        self.target = target
        self.kind = target


class Fixed(Leaf):
    """A little-endian integer of 1, 2, 4 or 8 bytes; `refused` are values that are not allowed."""

    def __init__(
        self, size: int, signed: bool = False, kind: str = "", refused: tuple[int, ...] = ()
    ) -> None:
        super().__init__()
        self.size = size
        self.signed = signed
        self.kind = kind or f"{'i' if signed else 'u'}{8 * size}"
        self.refused = refused

    @property
    def code(self) -> str:
        """The format character of `struct` for it."""
        letter = {1: "b", 2: "h", 4: "i", 8: "q"}[self.size]
        return letter if self.signed else letter.upper()

    def read(self, cursor: Cursor, path: Path) -> int:
        start = cursor.position
        value = int.from_bytes(cursor.take(self.size, path), "little", signed=self.signed)
        if value in self.refused:
            raise cursor.error(
                "bad_value", path, offset=start, expected="a usable number", found=str(value)
            )
        return value

    def emit(self, value: int, writer: ByteWriter) -> None:
        if value in self.refused:
            raise ValueError("it stands for nothing")
        writer.write(int(value).to_bytes(self.size, "little", signed=self.signed))


class Bool(Leaf):
    """One byte, of which anything but zero is true; the value is the byte itself."""

    kind = "bool"

    def read(self, cursor: Cursor, path: Path) -> int:
        return cursor.take(1, path)[0]

    def emit(self, value: int, writer: ByteWriter) -> None:
        writer.write(bytes((int(value),)))


class EnumValue(Leaf):
    """A varint that must be a case of `enum` that the version has."""

    def __init__(self, enum: Enum) -> None:
        super().__init__()
        self.enum = enum
        self.kind = enum.name
        self.number = VarInt(32)

    def read(self, cursor: Cursor, path: Path) -> int:
        start = cursor.position
        value = self.number.read(cursor, path)
        case = self.enum.by_value.get(value)
        if case is None:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected=f"a case of {self.enum.name}",
                found=str(value),
            )
        if case.since > cursor.version:
            raise cursor.error(
                "not_available",
                path,
                offset=start,
                expected=f"a case of {self.enum.name} in version {cursor.version}",
                found=f"{case.name}, which needs {case.since}",
            )
        return value

    def emit(self, value: int, writer: ByteWriter) -> None:
        case = self.enum.by_value.get(value)
        if case is None:
            raise ValueError(f"no {self.enum.name} has this number")
        if case.since > writer.version:
            raise BuildError(
                f"{self.enum.name} {case.name} needs {case.since}, writing {writer.version}"
            )
        self.number.emit(value, writer)


class FlagWord(Leaf):
    """A set of bits, one for each optional field; bit i belongs to ``names[i]``.

    If `strict`, other bits are an error, as in NVIDIA's current reader; otherwise they are kept,
    with a warning. In a file of a newer version they are an error, as they may announce fields.
    `one_byte` is for words that are a byte instead of a varint. `since` has the versions of bits
    that are newer than the word: versions append bits, and to an older version these are unknown.
    """

    kind = "flags"

    def __init__(
        self,
        *names: str,
        strict: bool = False,
        one_byte: bool = False,
        since: Mapping[str, Version] | None = None,
    ) -> None:
        super().__init__()
        self.names = names
        self.strict = strict
        self.since = dict(since or {})
        self.number = Fixed(1) if one_byte else VarInt()
        versions = [self.since.get(name, V13_1) for name in names]
        if versions != sorted(versions):
            raise ValueError(f"a later bit before an earlier one: {', '.join(names)}")

    def known(self, version: Version) -> int:
        """Return the number of bits that a version knows, which are the lowest ones."""
        return len(self.names) - sum(since > version for since in self.since.values())

    def read(self, cursor: Cursor, path: Path) -> int:
        start = cursor.position
        value = self.number.read(cursor, path)
        known = self.known(cursor.version)
        unknown = int(value) >> known << known
        if unknown and (self.strict or cursor.version.open):
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected=f"only flag bits 0 to {known - 1}" if known else "no flag bits",
                found=f"{int(value):#x}",
            )
        if unknown:
            cursor.warn("unknown_flags", path, f"unknown flag bits {unknown:#x}", start)
        return value

    def emit(self, value: int, writer: ByteWriter) -> None:
        self.number.emit(value, writer)

    def describe(self, value: int) -> str:
        """Return the names of the bits that are set."""
        named = [name for bit, name in enumerate(self.names) if value >> bit & 1]
        return " ".join(named) or "none"


class Padding(Leaf):
    """Padding up to a multiple of `alignment` bytes from the payload's start.

    The value is None for the usual 0xCB bytes, else the bytes themselves.
    """

    kind = "padding"

    def __init__(self, alignment: int) -> None:
        super().__init__()
        self.alignment = alignment

    def read(self, cursor: Cursor, path: Path) -> bytes | None:
        start = cursor.position
        size = -(start - cursor.origin) % self.alignment
        return read_fill(cursor, size, path)

    def emit(self, value: bytes | None, writer: ByteWriter) -> None:
        size = -len(writer.data) % self.alignment
        writer.write(fill(size, value))


def read_fill(cursor: Cursor, size: int, path: Path) -> bytes | None:
    """Read `size` bytes of padding: None if they are 0xCB, otherwise the bytes."""
    start = cursor.position
    data = bytes(cursor.take(size, path))
    if data == bytes((FILL,)) * size:
        return None
    cursor.warn("padding", path, "padding bytes are not 0xCB", start)
    return data


def fill(size: int, value: bytes | None) -> bytes:
    """Return padding of `size` bytes: the value if it has this size, 0xCB bytes otherwise."""
    if value is not None and len(value) == size:
        return value
    return bytes((FILL,)) * size


class Const(Leaf):
    """Bytes that never vary."""

    kind = "magic"

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data

    def read(self, cursor: Cursor, path: Path) -> bytes:
        start = cursor.position
        data = bytes(cursor.take(len(self.data), path))
        if data != self.data:
            raise cursor.error(
                "bad_magic",
                path,
                offset=start,
                expected=self.data.hex(" "),
                found=data.hex(" "),
            )
        return data

    def emit(self, value: bytes, writer: ByteWriter) -> None:
        writer.write(self.data)


class Bytes(Leaf):
    """All bytes up to the end of the window, without a copy."""

    def __init__(self, kind: str = "bytes") -> None:
        super().__init__()
        self.kind = kind

    def read(self, cursor: Cursor, path: Path) -> Slice:
        start = cursor.position
        return Slice(start, cursor.take(cursor.left, path))

    def emit(self, value: Slice, writer: ByteWriter) -> None:
        writer.write(value.data)


class SizedBytes(Leaf):
    """A length and that many bytes, without a copy."""

    kind = "data"

    def __init__(self) -> None:
        super().__init__()
        self.length = VarInt()

    def _parse(self, cursor: Cursor, context, path: Path) -> Slice:
        size = self.length._parse(cursor, context, (path, "length"))
        start = cursor.position
        value = Slice(start, cursor.take(size, path))
        cursor.note(start, path, self.kind, value, self)
        return value if not isinstance(size, WideInt) else WideSlice(*value, size)

    def emit(self, value: Slice, writer: ByteWriter) -> None:
        self.length.emit(kept_count(value, len(value.data)), writer)
        writer.write(value.data)


class WideSlice(Slice):
    """A slice whose length was not written in the shortest form."""

    wide_count: WideInt

    def __new__(cls, offset: int, data, wide_count: WideInt) -> WideSlice:
        self = super().__new__(cls, offset, data)
        self.wide_count = wide_count
        return self


def kept_count(value: Sequence, length: int) -> int:
    """Return the count as it was written, if it is still right; else the length."""
    count = getattr(value, "wide_count", None)
    return length if count is None or count != length else count
