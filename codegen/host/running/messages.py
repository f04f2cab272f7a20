"""Formats the text of print and assert ops from the elements that a running kernel reports."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from math import prod
from typing import Any, cast

from tileir.codegen.printf import Conversion, Number, pieces, write_tile
from tileir.codegen.scalar.types import memory_bytes
from tileir.errors import KernelAssertionError
from tileir.ir import floats
from tileir.types import Scalar

from .report import Handler, Report


def _print_handler(site: Mapping[str, Any]) -> Handler:
    """Make a handler that writes the text of a print op at once."""
    parts = list(pieces(site["format"]))

    def handle(report: Report) -> None:
        arguments = iter(site["arguments"])
        texts = [
            _tile(part, report.data, next(arguments)) if isinstance(part, Conversion) else part
            for part in parts
        ]
        write_stdout("".join(texts))

    return handle


def _tile(conversion: Conversion, data: int, argument: Mapping[str, Any]) -> str:
    elements = read(data + argument["offset"], argument["element"], prod(argument["shape"]))
    return write_tile(conversion, argument["shape"], elements)


def read(address: int, name: str, count: int) -> list[tuple[Number, int]]:
    """Read elements of a buffer, each as a number and its width in bits."""
    width = 8 if name == "pointer" else memory_bytes(Scalar(name))
    return [number_of(pattern, name) for pattern in patterns(address, count, width)]


def number_of(pattern: int, name: str) -> tuple[Number, int]:
    """Return an element's number, unsigned if an integer, and its width in bits."""
    if name == "pointer":
        return pattern, 64
    element = Scalar(name)
    if element.is_integer:
        return pattern, element.bits
    number = floats.value_of(name, pattern >> (13 if name == "tf32" else 0))
    return cast(float, number), 64


def patterns(address: int, count: int, width: int = 8) -> list[int]:
    """Read elements of a buffer, each of `width` bytes, as unsigned integers."""
    data = ctypes.string_at(address, width * count)
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def raise_handler(site: Mapping[str, Any]) -> Handler:
    """Make a handler that raises a failed assertion and names every element that is false."""

    def handle(report: Report) -> None:
        shape = site["shape"]
        data = ctypes.string_at(report.data, prod(shape))
        false = [index for index, byte in enumerate(data) if not byte]
        raise KernelAssertionError(
            f"assertion failed{': ' if site['message'] else ''}{site['message']}",
            op=site["op"],
            kernel=site["kernel"],
            function=site["function"],
            location=site["location"],
            block=report.block,
            indices=[unravel(index, shape) for index in false],
        )

    return handle


def _assert_handler(site: Mapping[str, Any]) -> Handler:
    """Make a handler that prints a failed assertion, as a GPU does, and raises it."""
    raise_it = raise_handler(site)

    def handle(report: Report) -> None:
        try:
            raise_it(report)
        except KernelAssertionError as problem:
            write_stdout(f"{problem}\n")
            raise

    return handle


def unravel(index: int, shape: list[int]) -> tuple[int, ...]:
    """Return the indices of the element with a row-major number."""
    indices = []
    for extent in reversed(shape):
        index, rest = divmod(index, extent)
        indices.append(rest)
    return tuple(reversed(indices))


def write_stdout(text: str) -> None:
    """Write to standard output and flush; characters that its encoding lacks are escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


HANDLERS = {"assert": _assert_handler, "print": _print_handler}
