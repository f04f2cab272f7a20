"""Memory that is not an array: a pointer argument given by address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory passed to a kernel: where it starts, and its size in bytes.

    A launch does not check accesses against the size.
    """

    address: int
    nbytes: int
