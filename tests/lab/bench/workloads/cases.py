"""Small launches of the workloads, which no tile divides evenly, with what NumPy gives for them.

Only rows are a multiple of 16 long, as the kernels have been told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

HERE = Path(__file__).parent
BF16 = np.dtype(ml_dtypes.bfloat16)
E2M1, E8M0 = np.dtype(ml_dtypes.float4_e2m1fn), np.dtype(ml_dtypes.float8_e8m0fnu)
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
F16 = np.dtype(np.float16)
F32 = np.dtype(np.float32)
LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Case:
    """A launch: arrays and numbers in the order of the parameters, and what some arrays become."""

    grid: tuple[int, ...]
    given: Mapping[str, Any]
    expected: Mapping[str, np.ndarray]
    tolerance: float = 2e-2
    """Relative and absolute."""
    copies: dict[str, np.ndarray] = field(default_factory=dict)

    def arguments(self) -> list[Any]:
        """What the kernel is given: new arrays, each with its extents and strides in elements."""
        made: list[Any] = []
        for name, value in self.given.items():
            if isinstance(value, np.ndarray):
                array = self.copies[name] = value.copy()
                made += [array, *array.shape, *(step // array.itemsize for step in array.strides)]
            else:
                made.append(value)
        return made

    def check(self) -> None:
        """AssertionError unless the arrays made last are now as they ought to be."""
        for name, expected in self.expected.items():
            found = self.copies[name].astype(np.float64)
            given = {"rtol": self.tolerance, "atol": self.tolerance, "err_msg": name}
            np.testing.assert_allclose(found, np.asarray(expected, np.float64), **given)


CASES: dict[str, Callable[[], Case]] = {}
"""By the name of the kernel."""


def _case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES[make.__name__] = make
    return make


def _random(seed: int, *shape: int, dtype: np.dtype = F32, scale: float = 1.0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)


def _integers(seed: int, low: int, high: int, *shape: int, dtype: Any = np.int32) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def _wide(*arrays: np.ndarray) -> list[np.ndarray]:
    return [array.astype(np.float64) for array in arrays]


def _zeros(*shape: int, dtype: Any = F32) -> np.ndarray:
    return np.zeros(shape, dtype)


def _tiles(extent: int, tile: int) -> int:
    return -(-extent // tile)


# Products -----------------------------------------------------------------------------------


def _product(dtype: np.dtype, m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two factors, and their product."""
    x, y = _random(1, m, k, dtype=dtype, scale=0.3), _random(2, k, n, dtype=dtype, scale=0.3)
    return x, y, np.matmul(*_wide(x, y))


@_case
def gemm_bias_gelu() -> Case:
    x, y, z = _product(F16, 139, 160, 80)
    bias = _random(3, 160, dtype=F16)
    z += bias
    z = 0.5 * z * (1 + np.tanh(0.7978845608028654 * (z + 0.044715 * z**3)))
    return Case((2, 2), {"x": x, "y": y, "bias": bias, "z": _zeros(139, 160, dtype=F16)}, {"z": z})


@_case
def gemm_persistent() -> Case:
    x, y, z = _product(BF16, 139, 272, 80)
    return Case((4,), {"x": x, "y": y, "z": _zeros(139, 272, dtype=BF16)}, {"z": z})


@_case
def gemm_while() -> Case:
    x, y, z = _product(F16, 139, 160, 144)
    return Case((2, 2), {"x": x, "y": y, "z": _zeros(139, 160, dtype=F16)}, {"z": z})


@_case
def gemm_split_k() -> Case:
    x, y, z = _product(F16, 139, 80, 400)
    return Case((2, 1, 4), {"x": x, "y": y, "z": _zeros(139, 80)}, {"z": z})


@_case
def gemm_batched() -> Case:
    x = _random(1, 2, 75, 96, dtype=F16, scale=0.3)
    y = _random(2, 2, 96, 144, dtype=F16, scale=0.3)
    z = np.matmul(*_wide(x, y))
    return Case((2, 2, 2), {"x": x, "y": y, "z": _zeros(2, 75, 144, dtype=F16)}, {"z": z})


@_case
def gemm_tf32() -> Case:
    x, y, z = _product(F32, 139, 80, 80)
    return Case((2, 2), {"x": x, "y": y.T.copy(), "z": _zeros(139, 80)}, {"z": z})


@_case
def gemm_fp8() -> Case:
    x, y, z = _product(E4M3, 139, 160, 144)
    given = {"x": x, "y": y.T.copy(), "z": _zeros(139, 160, dtype=F16)}
    return Case((2, 2), given, {"z": z})


def _scaled(element: Any, scale: Any, k: int, run: int) -> Case:
    """Elements, and a scale for each run of them along k; all rows are as long as they were told
    to be."""
    wide, given = [], {}
    for seed, (name, rows) in enumerate((("x", 139), ("y", 160))):
        values = _random(seed, rows, k, dtype=element, scale=2.0)
        powers = _integers(seed + 2, -4, 1, rows, k // run)
        scales = (np.ldexp(1.0, powers) * (1.75 if scale is E4M3 else 1)).astype(scale)
        wide.append(values.astype(np.float64) * scales.astype(np.float64).repeat(run, 1))
        if element is E2M1:
            low, high = (values.view(np.uint8)[:, part::2] for part in (0, 1))
            values = low | high << 4
        given |= {name: values, f"{name}_scale": scales}
    z = wide[0] @ wide[1].T
    return Case((2, 2), given | {"z": _zeros(139, 160, dtype=F16)}, {"z": z}, 2e-3)


@_case
def gemm_nvfp4() -> Case:
    return _scaled(E2M1, E4M3, 256, 16)


@_case
def gemm_mxfp4() -> Case:
    return _scaled(E2M1, E8M0, 512, 32)


@_case
def gemm_mxfp8() -> Case:
    return _scaled(E4M3, E8M0, 512, 32)


@_case
def gemm_grouped() -> Case:
    x = _random(1, 128 + 43, 80, dtype=BF16, scale=0.3)
    weights = _random(2, 5, 80, 144, dtype=BF16, scale=0.3)
    experts = np.array([3, 0, 4], np.int32)
    z = np.concatenate([
        np.matmul(*_wide(x[64 * i : 64 * i + 64], weights[experts[i]])) for i in range(3)
    ])  # fmt: skip
    given = {"x": x, "weights": weights, "experts": experts, "z": _zeros(171, 144, dtype=BF16)}
    return Case((3, 2), given, {"z": z})


@_case
def moe_gather() -> Case:
    x = _random(1, 91, 144, dtype=BF16, scale=0.3)
    weights = _random(2, 5, 144, 176, dtype=BF16, scale=0.3)
    experts, tokens = np.array([3, 0], np.int32), _integers(3, 0, 91, 128 + 43)
    z = np.concatenate([
        np.matmul(*_wide(x[tokens[128 * i : 128 * i + 128]], weights[experts[i]])) for i in range(2)
    ])  # fmt: skip
    given = {"x": x, "tokens": tokens, "weights": weights, "experts": experts}
    return Case((2, 2), given | {"z": _zeros(171, 176, dtype=BF16)}, {"z": z})


@_case
def gemm_int8() -> Case:
    x = _integers(1, -128, 128, 139, 80, dtype=np.int8)
    y = _integers(2, -128, 128, 80, 160, dtype=np.int8)
    rows, columns = abs(_random(3, 144, scale=1e-2)), abs(_random(4, 160, scale=1e-2))
    z = np.matmul(*_wide(x, y)) * rows[:139, None] * columns
    given = {"x": x, "y": y, "rows": rows, "columns": columns, "z": _zeros(139, 160, dtype=F16)}
    return Case((2, 2), given, {"z": z}, 2e-3)


@_case
def gemm_int8_weights() -> Case:
    x = _random(1, 75, 80, dtype=F16)
    y = _integers(2, -128, 128, 80, 144, dtype=np.int8)
    columns = abs(_random(4, 144, scale=1e-2))
    z = np.matmul(*_wide(x, y)) * columns
    given = {"x": x, "y": y, "columns": columns, "z": _zeros(75, 144, dtype=F16)}
    return Case((2, 2), given, {"z": z})


@_case
def gemv() -> Case:
    x, y = _random(1, 48, 1040, dtype=BF16), _random(2, 1040, dtype=BF16)
    z = np.matmul(*_wide(x, y))
    return Case((3,), {"x": x, "y": y, "z": _zeros(48, dtype=BF16)}, {"z": z})


@_case
def conv3x3() -> Case:
    x = _random(1, 2, 9, 11, 48, dtype=F16, scale=0.3)
    weights = _random(2, 9, 48, 80, dtype=F16, scale=0.3)
    wide, taps = _wide(x, weights)
    padded = np.pad(wide, ((0, 0), (1, 1), (1, 1), (0, 0)))
    z = sum(
        padded[:, tap // 3 : tap // 3 + 9, tap % 3 : tap % 3 + 11] @ taps[tap] for tap in range(9)
    )
    given = {"x": x, "weights": weights, "z": _zeros(198, 80, dtype=F16)}
    return Case((2, 2), given, {"z": z.reshape(198, 80)})


# Attention ----------------------------------------------------------------------------------


def _softmax(score: np.ndarray) -> np.ndarray:
    power = np.exp(score - score.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


@_case
def fmha_causal() -> Case:
    q, k, v = (_random(seed, 2, 203, 128, dtype=F16) for seed in (1, 2, 3))
    wide_q, wide_k, wide_v = _wide(q, k, v)
    score = wide_q @ wide_k.transpose(0, 2, 1) * 128**-0.5
    score = np.where(np.tri(203, dtype=bool), score, -np.inf)
    given = {"q": q, "k": k, "v": v, "z": np.zeros_like(q), "scale": 128**-0.5}
    return Case((2, 2), given, {"z": _softmax(score) @ wide_v})


@_case
def gqa_decode(sharpness: float = 1.0) -> Case:
    """Every other row of q is multiplied by the sharpness."""
    q = _random(1, 2, 16, 128, dtype=BF16)
    q[:, ::2] *= BF16.type(sharpness)
    k, v = (_random(seed, 2, 141, 128, dtype=BF16) for seed in (2, 3))
    lengths = np.array([77, 131], np.int32)
    z = np.zeros(q.shape)
    for head, length in enumerate(lengths):
        keys, values = _wide(k[head, :length], v[head, :length])
        z[head] = _softmax(q[head].astype(np.float64) @ keys.T * 128**-0.5) @ values
    given = {"q": q, "k": k, "v": v, "lengths": lengths, "z": np.zeros_like(q)}
    return Case((2,), given | {"scale": 128**-0.5}, {"z": z})


@_case
def fmha_backward(rows: int = 80) -> Case:
    scale = 64**-0.5
    q, k, v, dz = (_random(seed, 2, rows, 64, dtype=F16) for seed in (1, 2, 3, 4))
    wide_q, wide_k, wide_v, wide_dz = _wide(q, k, v, dz)
    score = wide_q @ wide_k.transpose(0, 2, 1) * scale
    power = _softmax(score)
    sums = np.log2(np.exp(score).sum(-1)).astype(np.float32)
    deltas = (power @ wide_v * wide_dz).sum(-1)
    dpower = wide_dz @ wide_v.transpose(0, 2, 1)
    dscore = power * (dpower - deltas[..., None]) * scale
    given = {
        "q": q, "k": k, "v": v, "dz": dz, "sums": sums, "deltas": deltas.astype(np.float32),
        "dk": np.zeros_like(q), "dv": np.zeros_like(q), "scale": scale,
    }  # fmt: skip
    expected = {"dk": dscore.transpose(0, 2, 1) @ wide_q, "dv": power.transpose(0, 2, 1) @ wide_dz}
    return Case((_tiles(rows, 64), 2), given, expected)


# Rows ---------------------------------------------------------------------------------------


@_case
def layer_norm_backward() -> Case:
    x, dy = (_random(seed, 16, 1040, dtype=BF16) for seed in (1, 2))
    weight = _random(3, 1040, dtype=BF16)
    wide_x, wide_dy, wide_weight = _wide(x, dy, weight)
    mean, scale = wide_x.mean(1), 1 / np.sqrt(wide_x.var(1) + 1e-5)
    centred = (wide_x - mean[:, None]) * scale[:, None]
    weighted = wide_dy * wide_weight
    along = (centred * weighted).mean(1, keepdims=True)
    dx = (weighted - centred * along - weighted.mean(1, keepdims=True)) * scale[:, None]
    given = {
        "x": x, "dy": dy, "weight": weight, "mean": mean.astype(F32), "scale": scale.astype(F32),
        "dx": np.zeros_like(x), "dweight": _zeros(1040), "dbias": _zeros(1040),
    }  # fmt: skip
    expected = {"dx": dx, "dweight": (wide_dy * centred).sum(0), "dbias": wide_dy.sum(0)}
    return Case((16,), given, expected)


@_case
def rms_norm_residual() -> Case:
    x, residual = (_random(seed, 16, 1040, dtype=BF16) for seed in (1, 2))
    weight = _random(3, 1040, dtype=BF16)
    row = np.add(*_wide(x, residual))
    y = row / np.sqrt((row**2).mean(1, keepdims=True) + 1e-5) * weight.astype(np.float64)
    given = {"x": x, "residual": residual, "weight": weight, "y": np.zeros_like(x)}
    return Case((16,), given | {"z": np.zeros_like(x), "eps": 1e-5}, {"y": y, "z": row})


@_case
def rope() -> Case:
    x = _random(1, 16, 32, 128, dtype=F16)
    angles = _random(2, 16, 64)
    cosines, sines = np.cos(angles), np.sin(angles)
    first, second = _wide(x[..., :64], x[..., 64:])
    cosine, sine = cosines[:, None], sines[:, None]
    y = np.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)
    given = {"x": x, "cosines": cosines, "sines": sines, "y": np.zeros_like(x)}
    return Case((16, 2), given, {"y": y}, 2e-3)


@_case
def cross_entropy() -> Case:
    x, labels = _random(1, 16, 5008, dtype=BF16)[:7], _integers(2, 0, 5008, 7)
    (wide,) = _wide(x)
    losses = np.zeros(16)
    losses[:7] = np.log(np.exp(wide).sum(1)) - wide[np.arange(7), labels]
    return Case((7,), {"x": x, "labels": labels, "losses": _zeros(16)}, {"losses": losses}, 1e-3)


@_case
def log_softmax() -> Case:
    x = _random(1, 16, 3008)
    (wide,) = _wide(x)
    y = wide - np.log(np.exp(wide).sum(1, keepdims=True))
    return Case((16,), {"x": x, "y": np.zeros_like(x)}, {"y": y}, 1e-4)


@_case
def softmax_backward() -> Case:
    y, dy = abs(_random(1, 16, 1040, dtype=BF16, scale=0.1)), _random(2, 16, 1040, dtype=BF16)
    row, gradient = _wide(y, dy)
    dx = row * (gradient - (row * gradient).sum(1, keepdims=True))
    return Case((16,), {"y": y, "dy": dy, "dx": np.zeros_like(y)}, {"dx": dx})


@_case
def top_k() -> Case:
    x = _random(1, 48, 96)
    indices = np.argsort(-x, 1)[:, :8]
    values = np.take_along_axis(x, indices, 1)
    given = {"x": x, "values": _zeros(48, 16), "indices": _zeros(48, 16, dtype=np.int32)}
    rest = np.zeros((48, 8))
    expected = {"values": np.hstack([values, rest]), "indices": np.hstack([indices, rest])}
    return Case((3,), given, expected, 0)


@_case
def cumsum_long() -> Case:
    x = _random(1, 16, 2608)
    return Case((16,), {"x": x, "y": np.zeros_like(x)}, {"y": x.astype(np.float64).cumsum(1)}, 1e-3)


@_case
def swiglu() -> Case:
    x, y = (_random(seed, 16, 1520, dtype=BF16) for seed in (1, 2))
    gate, up = _wide(x, y)
    given = {"x": x, "y": y, "z": np.zeros_like(x)}
    return Case((4, 2), given, {"z": gate / (1 + np.exp(-gate)) * up})


@_case
def quantise_rows() -> Case:
    x = _random(1, 16, 3008, dtype=BF16)
    row = x.astype(F32)
    scales = abs(row).max(1) / F32.type(127)
    y = np.floor(row / scales[:, None] + F32.type(0.5))
    given = {"x": x, "y": _zeros(16, 3008, dtype=np.int8), "scales": _zeros(16)}
    return Case((16,), given, {"y": y, "scales": scales}, 1e-6)


@_case
def adamw() -> Case:
    p, m = _random(1, 1520), _random(2, 1520)
    g, v = _random(3, 1520, dtype=BF16), abs(_random(4, 1520))
    rate, beta, gamma, eps, decay = 1e-2, 0.9, 0.99, 1e-8, 0.1
    weight, gradient, first, second = _wide(p, g, m, v)
    first = beta * first + (1 - beta) * gradient
    second = gamma * second + (1 - gamma) * gradient**2
    weight = weight - rate * (first / (np.sqrt(second) + eps) + decay * weight)
    given = {"p": p, "g": g, "m": m, "v": v}
    given |= {"rate": rate, "beta": beta, "gamma": gamma, "eps": eps, "decay": decay}
    return Case((2,), given, {"p": weight, "m": first, "v": second}, 1e-5)


# Indexed ------------------------------------------------------------------------------------


@_case
def histogram() -> Case:
    x = _integers(1, 0, 48, 2507)
    bins = np.bincount(x, minlength=48)
    return Case((3,), {"x": x, "bins": _zeros(48, dtype=np.int32)}, {"bins": bins}, 0)


@_case
def transpose_batched() -> Case:
    x = _random(1, 3, 80, 144, dtype=F16)
    y = x.transpose(0, 2, 1)
    return Case((2, 3, 3), {"x": x, "y": np.zeros(y.shape, F16)}, {"y": y}, 0)


@_case
def transpose_heads() -> Case:
    x = _random(1, 2, 43, 6, 64, dtype=BF16)
    y = x.transpose(0, 2, 1, 3)
    return Case((2, 2, 2), {"x": x, "y": np.zeros(y.shape, BF16)}, {"y": y}, 0)


@_case
def stencil() -> Case:
    x = _random(1, 43, 208)
    wide = np.pad(x.astype(np.float64), 1)
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    y = 0.5 * wide[1:-1, 1:-1] + 0.125 * around
    return Case((3, 2), {"x": x, "y": np.zeros_like(x)}, {"y": y}, 1e-5)


@_case
def causal_conv1d() -> Case:
    x, weights = _random(1, 2, 43, 80, dtype=BF16), _random(2, 4, 80, dtype=BF16)
    wide, taps = _wide(x, weights)
    padded = np.pad(wide, ((0, 0), (3, 0), (0, 0)))
    total = sum(padded[:, tap : tap + 43] * taps[tap] for tap in range(4))
    given = {"x": x, "weights": weights, "y": np.zeros_like(x)}
    return Case((2, 2, 2), given, {"y": total / (1 + np.exp(-total))})


@_case
def embedding() -> Case:
    table, tokens = _random(1, 91, 272, dtype=F16), _integers(2, 0, 91, 43)
    given = {"table": table, "tokens": tokens, "y": _zeros(43, 272, dtype=F16)}
    return Case((3, 2), given, {"y": table[tokens]}, 0)
