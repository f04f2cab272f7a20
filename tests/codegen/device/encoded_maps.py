"""Tensor maps of the stand-in for the driver: its checks are those that the driver documents.

The text is that of cuTensorMapEncodeTiled in the CUDA driver API, for maps without interleave. Real
maps are opaque; these have their numbers one behind the other.
"""

from __future__ import annotations

import struct
from ctypes import c_uint32, c_uint64
from typing import NamedTuple

from tileir.codegen.emulator.memory.tensor_map import TensorMap

BYTES, ALIGNMENT = 128, 64
TYPES = {
    **dict(enumerate(("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16"))),
    11: "tf32",
}
"""Elements by their number in CUtensorMapDataType; the rest is not used."""
SPANS = (0, 32, 64, 128)
"""Bytes by their number in CUtensorMapSwizzle."""
L2_PROMOTIONS = range(4)
SIZES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u32": 4, "s32": 4, "f32": 4, "tf32": 4}
"""Bytes of elements; of others 8."""
_FORMAT = struct.Struct("<4I10Q5I")


class Asked(NamedTuple):
    """The arguments of cuTensorMapEncodeTiled, in their order; arrays are addresses."""

    map: int
    type: int
    rank: int
    base: int
    extents: int
    strides: int
    box: int
    steps: int
    interleave: int
    swizzle: int
    promotion: int
    fill: int


def encode(asked: Asked) -> bytes | None:
    """The bytes of a map, or None where the driver refuses to make one."""
    if not 1 <= asked.rank <= 5 or asked.type not in TYPES or asked.map % ALIGNMENT:
        return None
    if asked.interleave or asked.swizzle >= len(SPANS) or asked.promotion not in L2_PROMOTIONS:
        return None
    extents = list((c_uint64 * asked.rank).from_address(asked.extents))
    strides = list((c_uint64 * (asked.rank - 1)).from_address(asked.strides or asked.extents))
    box = list((c_uint32 * asked.rank).from_address(asked.box))
    steps = list((c_uint32 * asked.rank).from_address(asked.steps))
    row, span = box[0] * SIZES.get(TYPES[asked.type], 8), SPANS[asked.swizzle]
    rules = (
        asked.base and asked.base % 16 == 0,
        all(1 <= extent <= 1 << 32 for extent in extents),
        all(stride % 16 == 0 and stride < 1 << 40 for stride in strides),
        all(1 <= extent <= 256 for extent in box),
        all(1 <= step <= 8 for step in steps),
        row % 16 == 0,
        not span or row <= span,
        asked.fill == 0,
        steps == [1] * asked.rank,  # the stand-in has no others
    )
    if not all(rules):
        return None
    numbers = [asked.base, *_padded(extents, 5), *_padded(strides, 4)]
    head = (asked.type, asked.rank, span, asked.promotion)
    return _FORMAT.pack(*head, *numbers, *_padded(box, 5)).ljust(BYTES, b"\0")


def _padded(numbers: list[int], count: int) -> list[int]:
    return numbers + [0] * (count - len(numbers))


def decode(data: bytes) -> TensorMap:
    """The map in the bytes that a kernel was given."""
    kind, rank, span, _, base, *rest = _FORMAT.unpack_from(data)
    extents, strides, box = rest[:rank], rest[5 : 5 + rank - 1], rest[9 : 9 + rank]
    return TensorMap(TYPES[kind], base, extents, strides, box, swizzle=span)
