"""The form of images: what stands in for a cubin between cuTile's compiler and its driver."""

from __future__ import annotations

import ctypes

from tileir.errors import LaunchError

MAGIC = b"tileir\r\n"
_SIZE = 8
"""Bytes of the header's second field, the size of what is after it."""


def pack(content: bytes) -> bytes:
    """Return an image. Its header has the size, which the driver is not given."""
    return MAGIC + len(content).to_bytes(_SIZE, "little") + content


def is_packed(address: int) -> bool:
    """Whether there is an image at an address, rather than code for a GPU."""
    return ctypes.string_at(address, len(MAGIC)) == MAGIC


def unpack(address: int) -> bytes:
    """Return the content of the image at an address; LaunchError for a kernel made for a GPU."""
    if not is_packed(address):
        raise LaunchError("this kernel was compiled for a GPU, not for the CPU")
    start = address + len(MAGIC) + _SIZE
    size = int.from_bytes(ctypes.string_at(address + len(MAGIC), _SIZE), "little")
    return ctypes.string_at(start, size)
