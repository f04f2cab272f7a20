"""`Buffer`: memory that is not an array, passed to a kernel by its address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory passed to a kernel: its start address, and its size in bytes.

    A launch does not check accesses against the size.
    """

    address: int
    nbytes: int
