"""The bytes of constants as NumPy arrays, and arrays as the bytes of constants, bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tileir.errors import BuildError
from tileir.types import Scalar, Tile

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
"""Low fraction bits of an f32 pattern that the tf32 pattern of the same number leaves out."""

ELEMENTS: dict[np.dtype, str] = {
    dtype: name for name, dtype in DTYPES.items() if name not in ("tf32", "fnv8E5M3FNU")
} | {np.dtype(f"u{size}"): f"i{8 * size}" for size in (1, 2, 4, 8)}
"""NumPy type -> the element type of a constant made from it, where none is stated."""


def unpack(type: Tile, data: memoryview | bytes, is_splat: bool) -> np.ndarray:
    """Return the elements of a constant as an array of the tile's shape.

    `is_splat` says that `data` holds one element for the whole tile.
    """
    stored = _stored(type.element.name, np.frombuffer(data, np.uint8))
    if is_splat:
        return np.full(type.shape, stored[0], DTYPES[type.element.name])
    return stored[: type.size].reshape(type.shape).copy()


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


def pack(value: np.ndarray | np.generic, type: Tile | None) -> tuple[Tile, memoryview | bytes]:
    """Return the type and the bytes of an array as a constant; see `constants.to_constant`."""
    dtype = value.dtype.newbyteorder("=")
    if type is None:
        if dtype not in ELEMENTS:
            raise BuildError(f"no element type is like the array's, {dtype}")
        type = Tile(Scalar(ELEMENTS[dtype]), value.shape)
    name = type.element.name if isinstance(type.element, Scalar) else ""
    unsigned = dtype.kind == "u" and ELEMENTS[dtype] == name
    if DTYPES.get(name) != dtype and not unsigned:
        raise BuildError(f"an array of {dtype} is no constant of {type.element}")
    if value.shape not in ((), type.shape):
        raise BuildError(f"an array of shape {value.shape} is no {type}")
    splat = value.shape == () and type.shape != ()
    return type, _packed(name, value.reshape(-1), type.size if splat else 0)


def _packed(name: str, flat: np.ndarray, splat: int) -> memoryview | bytes:
    """Return elements in the layout of a constant.

    If `splat` is not 0, the one element stands for a tile of `splat` elements.
    """
    if name == "i1" and splat:
        return bytes(((1 << min(splat, 8)) - 1 if flat[0] else 0,))
    if name == "i1":
        return np.packbits(flat, bitorder="little").data
    if name in ("i4", "f4E2M1FN"):
        return (flat.view(np.uint8) & 0x0F).data
    if name == "tf32":
        bits = np.ascontiguousarray(flat, np.dtype("<f4")).view("<u4")
        if (bits & (1 << TF32_FRACTION_CUT) - 1).any():
            raise BuildError("numbers of more than ten fraction bits are no constants of tf32")
        bytes_of = (bits >> TF32_FRACTION_CUT).view(np.uint8).reshape(-1, 4)
        return np.ascontiguousarray(bytes_of[:, :3]).reshape(-1).data
    if flat.dtype.kind in "iuf":
        flat = np.asarray(flat, flat.dtype.newbyteorder("<"))
    return np.ascontiguousarray(flat).view(np.uint8).data
