"""Tensor maps of a launch, as the CUDA driver encodes them.

The function is called without the bindings' own wrapper, whose tensor maps are Python objects: they
lie at multiples of 16 bytes, and the driver wants 64 (cuda-python, pull request 1692).
"""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_uint32, c_uint64, c_void_p
from functools import cache, lru_cache
from typing import Any

from tileir.codegen.arguments.tensor_maps import TensorMap

from . import driver

_FUNCTION, _SINCE = "cuTensorMapEncodeTiled", 12000
_BYTES, _ALIGNMENT = 128, 64

# Numbers of cuda.h.
DATA_TYPES = {
    "u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8,
    "bf16": 9, "tf32": 11,
}  # fmt: skip
"""Element type, as PTX spells it -> CUtensorMapDataType."""
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
"""Span in bytes -> CUtensorMapSwizzle."""
NO_INTERLEAVE, L2_128B, ZEROS = 0, 2, 0
"""Of CUtensorMapInterleave, CUtensorMapL2promotion and CUtensorMapFloatOOBfill."""


@lru_cache(maxsize=1024)
def encode(tensor_map: TensorMap, device: int) -> bytes:
    """Return a tensor map as kernels on a device take it; launches often repeat their arguments.

    DeviceError if the driver makes no such map.
    """
    room = ctypes.create_string_buffer(_BYTES + _ALIGNMENT)
    start = -ctypes.addressof(room) % _ALIGNMENT
    rank = len(tensor_map.extents)
    status = _encoder()(
        ctypes.addressof(room) + start,
        DATA_TYPES[tensor_map.element],
        rank,
        tensor_map.base,
        (c_uint64 * rank)(*tensor_map.extents),
        (c_uint64 * rank)(*tensor_map.strides),
        (c_uint32 * rank)(*tensor_map.box),
        (c_uint32 * rank)(*[1] * rank),
        NO_INTERLEAVE,
        SWIZZLES[tensor_map.swizzle],
        L2_128B,
        ZEROS,
    )
    driver.check(_FUNCTION, status)
    return room.raw[start : start + _BYTES]


@cache
def _encoder() -> Any:
    kinds = (c_void_p, c_int, c_uint32, *(c_void_p,) * 5, *(c_int,) * 4)
    return ctypes.CFUNCTYPE(c_int, *kinds)(driver.function(_FUNCTION, _SINCE))
