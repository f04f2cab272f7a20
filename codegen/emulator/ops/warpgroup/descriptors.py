"""Matrix descriptors of `wgmma`: where in shared memory a factor lies.

A factor is a matrix of `rows` (m of A, n of B) by `depth` (k). It consists of pieces of 16 bytes,
of neighbours along k, or, if it is M- or N-major, along its rows. A descriptor tells the first
address and two byte offsets, of the leading dimension and of the stride dimension, which mean
something else for each major-ness and with or without a swizzle (PTX ISA, "Canonical Layouts" in
the shared memory layouts of warpgroups). This module knows no encoder of descriptors.

A swizzle of 32, 64 or 128 bytes exchanges the pieces of a line of so many bytes, by the number of
the 128 bytes that the line is in, in a pattern of 2, 4 or 8 times 128 bytes. A pattern starts at a
multiple of its size, or else the base offset is the number of the 128 bytes where it starts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PIECE = 16
"""Bytes."""
CORE = 8
"""Rows of K-major pieces, or columns of M- or N-major ones, that lie together."""
LINE = 7
"""The address bit above the bytes of a line of 128 bytes."""
SPANS = np.array([PIECE, 128, 64, 32])
"""Bytes of a line that is swizzled, by mode; mode 0 is no swizzle."""
FIELDS = {
    "start": (0, 14),
    "leading": (16, 14),
    "stride": (32, 14),
    "base": (49, 3),
    "mode": (62, 2),
}
"""First bit and number of bits; all others are reserved and zero."""


@dataclass(frozen=True, slots=True)
class Descriptors:
    """The fields of one descriptor for each warpgroup, as arrays; offsets in bytes."""

    start: np.ndarray
    leading: np.ndarray
    stride: np.ndarray
    base: np.ndarray
    mode: np.ndarray

    @staticmethod
    def of(words: np.ndarray) -> Descriptors:
        """Return the fields of descriptors as u64."""
        fields = {
            name: (words >> np.uint64(low) & np.uint64((1 << bits) - 1)).astype(np.int64)
            for name, (low, bits) in FIELDS.items()
        }
        for name in ("start", "leading", "stride"):
            fields[name] *= PIECE
        return Descriptors(**fields)

    def addresses(
        self, first: int, rows: int, depth: int, size: int, transposed: bool
    ) -> np.ndarray:
        """Return the addresses of the pieces of `rows` rows from row `first` on.

        `size` is the bytes of an element, `transposed` M- or N-major. Shape: (warpgroups, rows,
        pieces along k) or, transposed, (warpgroups, depth, pieces along the rows).
        """
        start, leading, stride, base, mode = (
            each[:, None, None]
            for each in (self.start, self.leading, self.stride, self.base, self.mode)
        )
        span = SPANS[mode]
        pieces = span // PIECE
        each = PIECE // size
        if transposed:
            piece = np.arange(first // each, (first + rows) // each)
            column = np.arange(depth)[:, None]
            plain = piece * stride + column % CORE * PIECE + column // CORE * leading
            swizzled = piece % pieces * PIECE + piece // pieces * leading
            swizzled = swizzled + column % CORE * span + column // CORE * stride
        else:
            piece = np.arange(depth // each)
            row = np.arange(first, first + rows)[:, None]
            plain = row % CORE * PIECE + row // CORE * stride + piece * leading
            swizzled = row % CORE * span + row // CORE * stride + piece * PIECE
        address = start + np.where(mode == 0, plain, swizzled)
        line = (address >> LINE) - base
        return address ^ (line & pieces - 1) * PIECE


def mistake(word: int) -> str:
    """Return what is wrong with a descriptor; empty if nothing is."""
    reserved = (1 << 64) - 1
    for low, bits in FIELDS.values():
        reserved &= ~(((1 << bits) - 1) << low)
    if word & reserved:
        return f"reserved bits are set: {word & reserved:#x}"
    if word >> FIELDS["base"][0] & 7 and not word >> FIELDS["mode"][0]:
        return "a base offset without a swizzle"
    return ""
