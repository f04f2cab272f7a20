"""Values on which instructions stumble, arrays with them, and comparison of bits."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np

DTYPES = {
    **{f"{sign}{bits}": np.dtype(f"{'int' if sign == 's' else 'uint'}{bits}")
       for sign in "su" for bits in (8, 16, 32, 64)},
    **{f"b{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}  # fmt: skip


def special(kind: str, more: int = 20) -> np.ndarray:
    """The edges of a type, and some random bits."""
    dtype = DTYPES[kind]
    random = np.random.default_rng(len(kind) + dtype.itemsize)
    bits = random.integers(0, 256, more * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind in "ui":
        info = np.iinfo(dtype)
        edges = [0, 1, 2, 3, 7, 31, info.max, info.max - 1, info.min, info.min + 1, info.bits]
        return np.concatenate([np.array(edges, dtype), np.array([-1, -7]).astype(dtype), bits])
    info = ml_dtypes.finfo(dtype)
    edges = [0.0, 1.0, 1.5, 3.0, 0.1, 2.5, 1 / 3, np.inf, np.nan, 1e-3, 100.0]
    limits = [info.max, info.tiny, info.smallest_subnormal, info.tiny - info.smallest_subnormal]
    numbers = np.array(edges + [float(limit) for limit in limits] + [1 + float(info.eps)], dtype)
    return np.concatenate([numbers, -numbers, bits])


def combined(*kinds: str, most: int = 4096) -> list[np.ndarray]:
    """Arrays with all combinations of special values, or as many as `most` of them."""
    values = [special(kind, 6 if len(kinds) > 2 else 20) for kind in kinds]
    places = np.array(list(product(*(range(len(each)) for each in values))))
    if len(places) > most:
        places = np.random.default_rng(0).permutation(places)[:most]
    return [each[places[:, column]] for column, each in enumerate(values)]


def same_bits(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal bits; any NaN is as good as another."""
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    raw = [each.view(f"u{each.itemsize}") for each in (found, expected)]
    wrong = raw[0] != raw[1]
    if found.dtype.kind not in "uib":
        wrong &= ~(np.isnan(found) & np.isnan(expected))
    assert not wrong.any(), (found[wrong][:5], expected[wrong][:5], np.flatnonzero(wrong)[:5])


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that starts at a multiple of 64 bytes."""
    room = np.zeros(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
