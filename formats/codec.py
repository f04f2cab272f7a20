"""The functions that read and write bytes, for everything outside of this package.

`tileir` reads and writes bytes through these functions only. They use the specialised codec: the
fast decoder, and the traced one if that meets anything unusual or a trace is wanted. With
``reference=True`` they interpret the Construct tree itself; the results are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from construct import Construct, Container

from . import reference as construct_codec
from .attributes import ATTRIBUTE
from .container import FILE, nothing_read
from .cursor import ByteWriter, Cursor, Environment, Oddity, Slice, Span
from .debug import DEBUG_RECORD
from .errors import BytecodeError
from .functions import BODY
from .leaves import Bytes, SizedBytes
from .limits import DEFAULT, DEFERRED_SIZE, Limits
from .ops.wire import OP
from .recursion import deep_recursion
from .sections import BY_NAME
from .specialised.reading import FastDecoder
from .specialised.rows import pack, unpack
from .specialised.runtime import REFUSALS, Reading
from .specialised.tracing import TracedDecoder
from .specialised.writing import Encoder
from .types import TYPE
from .version import LATEST, Version

_VARIANTS = {node.what: node for node in (OP, TYPE, ATTRIBUTE, DEBUG_RECORD)}

_MANY = 1 << 20
"""Bytes of the largest window that is copied to a list, which takes eight times as much."""


class Specialised(NamedTuple):
    """The generated codec of one version; its functions are compiled when first called."""

    fast: FastDecoder
    traced: TracedDecoder
    encoder: Encoder


@cache
def specialised(version: Version) -> Specialised:
    """Return the codec of a version; cached."""
    return Specialised(FastDecoder(version), TracedDecoder(version), Encoder(version))


def parse_file(
    data: memoryview,
    *,
    trace: list[Span] | None = None,
    warnings: list[Oddity] | None = None,
    assumed: Version | None = None,
) -> Container:
    """Parse header and sections; payloads stay slices.

    The version is `assumed`, or else the one that the header states.
    """
    environment = Environment(LATEST, assumed=assumed)
    cursor = Cursor(data, 0, len(data), "header", environment, trace=trace, warnings=warnings)
    try:
        return FILE._parse(cursor, None, "file")
    except BytecodeError as error:
        raise nothing_read(cursor.version, error) from None


def parse_section(
    data: memoryview,
    name: str,
    where: Slice,
    version: Version,
    type_tags: Sequence[int | None] = (),
    *,
    limits: Limits = DEFAULT,
    trace: list[Span] | None = None,
    warnings: list[Oddity] | None = None,
    eager: bool = False,
    deferred: bool = False,
    reference: bool = False,
) -> tuple[Any, int]:
    """Parse a section's payload, and return it with the offset behind it.

    Function bodies stay slices unless `eager`. If `deferred`, the type and debug records of a long
    section are `Deferred`, which also has their warnings.
    """
    node = BY_NAME[name].payload
    environment = Environment(version, type_tags, limits)
    deferred &= len(where.data) >= DEFERRED_SIZE
    if not (reference or eager or deferred or trace is not None):
        result = _fast(node, where, environment)
        if result is not None:
            return result
    end = where.offset + len(where.data)
    cursor = Cursor(
        data, where.offset, end, name, environment, trace=trace, warnings=warnings, eager=eager
    )
    if deferred:
        cursor.deferred = _single(where, environment, reference)
    return _careful(node, cursor, name.lower(), reference), cursor.position


def parse_body(
    data: memoryview,
    where: Slice,
    version: Version,
    type_tags: Sequence[int | None],
    path: str = "body",
    *,
    limits: Limits = DEFAULT,
    warnings: list[Oddity] | None = None,
    reference: bool = False,
) -> Any:
    """Parse the op rows of one function body (see `specialised.rows`)."""
    environment = Environment(version, type_tags, limits)
    result = None if reference else _fast(BODY, where, environment)
    if result is not None:
        return result[0]
    end = where.offset + len(where.data)
    cursor = Cursor(data, where.offset, end, "Func", environment, warnings=warnings)
    return _careful(BODY, cursor, path, reference)


def _fast(node: Construct, where: Slice, environment: Environment) -> tuple[Any, int] | None:
    """Parse with the fast decoder; None if it meets anything unusual."""
    stays = isinstance(getattr(node, "subcon", None), Bytes | SizedBytes)  # data is never copied
    data = where.data if stays else bytes(where.data)
    numbers = data if stays or len(data) > _MANY else list(data)  # a list is indexed faster
    reader = specialised(environment.version).fast.reader(node)
    try:
        value, position = reader(numbers, 0, Reading(where, environment, data))
    except REFUSALS:
        return None
    return (value, where.offset + position) if position <= len(data) else None


def _single(where: Slice, environment: Environment, reference: bool):
    """Return the function that makes the quick reader of a table's entries (see `Deferred`).

    Its offsets count from `base`, an offset in the file. The reference has no quick reader.
    """

    def quick(node: Construct, base: int):
        if reference:
            return lambda begin, end: None
        reader = specialised(environment.version).fast.reader(node)
        data = bytes(where.data[base - where.offset :])

        def read(begin: int, end: int):
            entry = data[begin:end]
            try:
                value, position = reader(entry, 0, Reading(where, environment, entry))
            except REFUSALS:
                return None
            return value if position == len(entry) else None

        return read

    return quick


def _careful(node: Construct, cursor: Cursor, path: str, reference: bool):
    """Parse with traces, warnings and errors; records have the form of the fast decoder."""
    limits, version = cursor.environment.limits, cursor.environment.version
    with deep_recursion(limits):
        if reference:
            return pack(node, construct_codec.parse(node, cursor, path), version)
        return specialised(version).traced.node(node)._parse(cursor, None, path)


def build(
    node: Construct,
    record,
    version: Version,
    type_tags: Sequence[int | None] = (),
    *,
    limits: Limits = DEFAULT,
    reference: bool = False,
) -> bytes:
    """Return the bytes of a record, which has the form that the parsing functions return.

    The bytes are canonical, except that the reference also repeats oddities.
    """
    environment = Environment(version, type_tags, limits)
    with deep_recursion(limits):
        if not reference:
            writer = ByteWriter(environment)
            try:
                specialised(version).encoder.node(node)._build(record, writer, None, "record")
                return bytes(writer.data)
            except REFUSALS:
                pass  # the reference can build it, or reports why not
        return construct_codec.build(node, unpack(node, record, version), environment)


def build_section(
    name: str,
    record,
    version: Version,
    type_tags: Sequence[int | None] = (),
    *,
    limits: Limits = DEFAULT,
    reference: bool = False,
) -> bytes:
    """Return the bytes of a section's payload."""
    payload = BY_NAME[name].payload
    return build(payload, record, version, type_tags, limits=limits, reference=reference)


def parse_named(
    data: memoryview,
    name: str,
    where: Slice,
    version: Version,
    type_tags: Sequence[int | None] = (),
    limits: Limits = DEFAULT,
    *,
    trace: list[Span] | None = None,
) -> tuple[Any, int]:
    """Parse a section's payload, bodies included, as the reference's named records."""
    environment = Environment(version, type_tags, limits)
    end = where.offset + len(where.data)
    cursor = Cursor(data, where.offset, end, name, environment, trace=trace, eager=True)
    return construct_codec.parse(BY_NAME[name].payload, cursor, name.lower()), cursor.position


def build_named(
    name: str,
    record,
    version: Version,
    type_tags: Sequence[int | None] = (),
    limits: Limits = DEFAULT,
) -> bytes:
    """Return the bytes of a section's payload from named records."""
    environment = Environment(version, type_tags, limits)
    return construct_codec.build(BY_NAME[name].payload, record, environment)


def build_file(record: Container) -> bytes:
    """Return the bytes of the file with a header and sections."""
    return construct_codec.build(FILE, record, Environment(record["header"]["version"]))


def name_of(what: str, tag: int) -> str:
    """Return the name of a tag; `what` is the kind of tag, as in a trace."""
    variant = _VARIANTS[what]
    arm = variant.arms.get(tag)
    return arm.name if arm is not None else variant.other
