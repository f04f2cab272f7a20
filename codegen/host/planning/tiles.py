"""How the host classifies tiles, by one element or several, and how large their buffers are."""

from __future__ import annotations

from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Value
from tileir.types import Tile


def is_single(value: Value) -> bool:
    """Whether the value is a tile of one element."""
    return isinstance(value.type, Tile) and value.type.size == 1


def is_tile(value: Value) -> bool:
    """Whether the value is a tile of several elements."""
    return isinstance(value.type, Tile) and value.type.size > 1


def tile_bytes(value: Value) -> int:
    """Return the bytes of a tile's buffer."""
    return value.type.size * memory_bytes(value.type.element)
