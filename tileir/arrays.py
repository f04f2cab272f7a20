"""Constants as NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np

if TYPE_CHECKING:
    from .constants import Constant

DTYPES: dict[str, np.dtype] = {
    name: np.dtype(kind)
    for name, kind in {
        "i1": np.bool_,
        "i4": ml_dtypes.int4,
        "i8": np.int8,
        "i16": np.int16,
        "i32": np.int32,
        "i64": np.int64,
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f32": np.float32,
        "tf32": np.float32,
        "f64": np.float64,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
        "f4E2M1FN": ml_dtypes.float4_e2m1fn,
        "fnv8E5M3FNU": np.uint8,
    }.items()
}
"""Element type -> the NumPy type that holds its values."""

TF32_FRACTION_CUT = 13
"""Bits by which a tf32 pattern is shorter than the f32 pattern of the same number."""


def from_constant(constant: Constant) -> np.ndarray:
    """The elements of a constant, in an array of the tile's shape."""
    name, shape = constant.type.element.name, constant.type.shape
    stored = _stored(name, np.frombuffer(constant.data, np.uint8))
    if constant.is_splat:
        return np.full(shape, stored[0], DTYPES[name])
    return stored[: constant.type.size].reshape(shape).copy()


def _stored(name: str, data: np.ndarray) -> np.ndarray:
    if name == "i1":
        return np.unpackbits(data, bitorder="little").astype(np.bool_)
    if name == "tf32":
        padded = np.zeros((data.size // 3, 4), np.uint8)
        padded[:, :3] = data.reshape(-1, 3)
        return (padded.view("<u4")[:, 0] << TF32_FRACTION_CUT).astype(np.uint32).view(np.float32)
    if name in ("i4", "f4E2M1FN"):
        data = data & 0x0F
    return data.view(DTYPES[name].newbyteorder("<") if DTYPES[name].kind in "if" else DTYPES[name])
