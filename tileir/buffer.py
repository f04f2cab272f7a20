"""Memory that is not an array: a pointer argument given by address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory passed to a kernel: where it starts, and how many bytes of it may be used."""

    address: int
    nbytes: int
