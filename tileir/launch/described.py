"""A launch as a file describes it: entry, grid, what is in each array, and what is a result.

`tileir smith` writes such a description beside each module, and `tileir run --launch` runs it. It
is JSON: an object with

    schema     1
    entry      the name of the kernel
    grid       its tile blocks: one to three numbers
    arguments  for each parameter {"dtype", "count", "data"}: an array of so many elements, whose
               bytes, in little-endian order, are "data" in base64, or all the same if "data" is the
               number of a byte; or {"dtype", "value"}: a number
    results    {"argument", "start", "count", "dtype", "steps", "difference", "flushed"}: which
               elements of which argument the kernel computes. Their bits are determined if steps
               and difference are 0 and they are not flushed, but any NaN is as good as another.
               Otherwise two right results are at most so many steps between neighbouring numbers
               apart, or that difference; with "flushed", numbers below 2**-126 may also be zero

and anything else, which says where it comes from. Element types are those of memory: two elements
of 4 bits are one i8, and tf32 is an f32 whose low bits are zero.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tileir.errors import LaunchError
from tileir.formats.forks import not_forking
from tileir.ir.type_kinds import SCALARS

from .stored_values import Form, conforms

if TYPE_CHECKING:
    import numpy as np

SCHEMA = 1


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) < 1 << 64


def _is_argument(value: object) -> bool:
    dtype: Form = lambda each: each in SCALARS  # noqa: E731
    array: Form = {"dtype": dtype, "count": int, "data": _is_data}
    return conforms(value, array) or conforms(value, {"dtype": dtype, "value": _is_number})


def _is_data(value: object) -> bool:
    return isinstance(value, str) or (type(value) is int and 0 <= value < 256)


RESULT: Form = {
    "argument": int,
    "start": int,
    "count": int,
    "dtype": lambda each: each in SCALARS,
    "steps": int,
    "difference": _is_number,
    "flushed": bool,
}
FORM: dict[str, Form] = {
    "schema": lambda each: each == SCHEMA and type(each) is int,
    "entry": str,
    "grid": lambda each: isinstance(each, list) and conforms(each, [int]) and 0 < len(each) <= 3,
    "arguments": lambda each: isinstance(each, list) and all(map(_is_argument, each)),
    "results": [RESULT],
}


@dataclass(frozen=True)
class DescribedLaunch:
    """A launch that a file describes."""

    entry: str
    grid: tuple[int, ...]
    arguments: list[dict[str, Any]]
    results: list[dict[str, Any]]

    def values(self) -> list[Any]:
        """Return a new array or a number for each parameter. LaunchError for data that is none."""
        return [self._value(number, row) for number, row in enumerate(self.arguments)]

    def _value(self, number: int, row: dict[str, Any]) -> Any:
        with not_forking:
            import numpy as np

            from tileir.ir.arrays import DTYPES

        if "value" in row:
            return row["value"]
        kind, data, count = DTYPES[row["dtype"]], row["data"], row["count"]
        if isinstance(data, int):
            try:
                return np.full(count * kind.itemsize, data, np.uint8).view(kind)
            except (MemoryError, ValueError):
                raise LaunchError(f"argument {number}: no memory for {count} elements") from None
        try:
            given = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise LaunchError(f"argument {number}: its data is not base64") from None
        if len(given) != count * kind.itemsize:
            text = f"{len(given)} bytes of data for {count} elements of {row['dtype']}"
            raise LaunchError(f"argument {number}: {text}")
        return np.frombuffer(bytearray(given), kind)

    def checksum(self, values: list[Any]) -> int:
        """Return a CRC-32 over those results whose bits are determined, in order.

        All NaNs count as one. LaunchError for results that are outside of their arrays.
        """
        with not_forking:
            import numpy as np

        found = 0
        for row in self.results:
            part = self._part(row, values)
            if row["steps"] or row["difference"] or row["flushed"]:
                continue
            plain = np.ascontiguousarray(part)
            if row["dtype"] not in _WITHOUT_NAN:
                missing = np.isnan(plain.astype(np.float64))
                plain = np.where(missing, np.zeros(1, plain.dtype), plain)
                found = zlib.crc32(missing.tobytes(), found)
            found = zlib.crc32(plain.tobytes(), found)
        return found

    def _part(self, row: dict[str, Any], values: list[Any]) -> np.ndarray:
        with not_forking:
            from tileir.ir.arrays import DTYPES

        number, first, last = row["argument"], row["start"], row["start"] + row["count"]
        array = values[number] if number < len(values) else None
        if array is None or not hasattr(array, "dtype") or last > array.size:
            raise LaunchError(f"results: argument {number} has no elements {first} to {last - 1}")
        kind = DTYPES[row["dtype"]]
        if kind.itemsize != array.dtype.itemsize:
            raise LaunchError(f"results: argument {number} has no elements of {row['dtype']}")
        return array[first:last].view(kind)


_WITHOUT_NAN = {"i1", "i4", "i8", "i16", "i32", "i64", "f4E2M1FN", "fnv8E5M3FNU"}
"""Types whose patterns are compared as they are."""


def read_description(data: bytes) -> DescribedLaunch:
    """Return the launch that the bytes of a file describe. LaunchError if they describe none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise LaunchError("it is not JSON") from None
    if not isinstance(found, dict):
        raise LaunchError("it is no JSON object")
    for name, form in FORM.items():
        if name not in found:
            raise LaunchError(f"{name} is missing")
        if not conforms(found[name], form):
            raise LaunchError(f"{name} is not what describes a launch")
    return DescribedLaunch(
        found["entry"], tuple(found["grid"]), found["arguments"], found["results"]
    )


def described_array(dtype: str, array: np.ndarray) -> dict[str, Any]:
    """Return an array as one of the arguments of a description."""
    data = array.tobytes()
    same = len(data) > 0 and data == data[:1] * len(data)
    text: object = data[0] if same else base64.b64encode(data).decode()
    return {"dtype": dtype, "count": array.size, "data": text}
