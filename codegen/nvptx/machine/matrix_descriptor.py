"""Descriptors of matrices in shared memory for tensor cores (PTX ISA, "Matrix descriptor").

A descriptor is for the part of an operand that one instruction multiplies: m or n by k elements. It
says in how wide swizzled rows the part lies (see `layouts.swizzled_rows`), and two distances. Rows
go along k, or, of elements of two bytes, along m or n: then the instruction transposes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir.codegen.layouts.swizzled_rows import SPANS, swizzled

_GROUP = 3
"""Log2 of the rows that a swizzle moves chunks in."""
_MODES = {128: 1, 64: 2, 32: 3}
"""Width of a row, in bytes -> the number of its swizzle in a descriptor of `wgmma`."""
UNIT_BITS = 4
"""Log2 of the bytes that descriptors count in."""
_LEADING_AT, _STRIDE_AT, _MODE_AT = 16, 32, 62
_IGNORED = 1 << UNIT_BITS
"""A distance that says nothing: of only one step, or one that the mode does without."""


@dataclass(frozen=True, slots=True)
class MatrixDescriptor:
    """How one operand lies in shared memory; distances are in bytes.

    `leading` is that of the next rows along m or n, where rows go along it, and `stride` that from
    eight rows to the next eight.
    """

    span: int
    """The width of a row, in bytes."""
    transposed: bool
    """Whether rows go along m or n."""
    leading: int
    stride: int

    @classmethod
    def of(cls, across: Sequence[int], along: Sequence[int], size: int) -> MatrixDescriptor | None:
        """Return the descriptor of a part, None if there is none.

        `across` has, for each bit of m or n, the byte where the element with that number lies;
        `along` the same for k. Elements have `size` bytes.
        """
        for span in SPANS:
            in_row = (span // size).bit_length() - 1
            row = [size << bit for bit in range(in_row)]
            lines = [swizzled(span << bit, span) for bit in range(_GROUP)]
            if list(along) == row[: len(along)] and list(across[:_GROUP]) == lines:
                stride = _distance(across[_GROUP:], span)
                if stride is not None:
                    return cls(span, False, _IGNORED, stride)
            if size == 2 and list(across[:in_row]) == row and list(along[:_GROUP]) == lines:
                leading, stride = _distance(across[in_row:], span), _distance(along[_GROUP:], span)
                if leading is not None and stride is not None:
                    return cls(span, True, leading, stride)
        return None

    @property
    def bits(self) -> int:
        """The descriptor of an operand at address 0."""
        return (
            self.leading >> UNIT_BITS << _LEADING_AT
            | self.stride >> UNIT_BITS << _STRIDE_AT
            | _MODES[self.span] << _MODE_AT
        )


def _distance(places: Sequence[int], span: int) -> int | None:
    """Return the byte of the first step, if all steps are as long, beyond what is swizzled."""
    if not places:
        return _IGNORED
    first = places[0]
    whole = first % (span << _GROUP) == 0
    return first if whole and list(places) == [first << bit for bit in range(len(places))] else None
