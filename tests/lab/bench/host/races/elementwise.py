"""What goes through memory once: sums, activations, gates, rotations, dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.lab.bench.host.kernels import activations
from tests.lab.bench.host.race import Launch, Race, race, random, size, tiles
from tests.lab.bench.kernels import source
from tests.lab.bench.workloads import rows

SIZE = 1 << 23


@race
def vector_add() -> Race:
    x, y = random(SIZE), random(SIZE, seed=2)
    z = torch.empty_like(x)
    return Race(
        "2^23 f32",
        [Launch(source.vector_add, (SIZE // 1024,), [x, y, z], (1024,))],
        [z],
        into={"add": lambda: torch.add(x, y, out=z)},
        numpy=lambda: np.add(x.numpy(), y.numpy(), out=z.numpy()),
        moved=size(x, y, z),
        tolerance=0,
    )


@race
def relu() -> Race:
    x = random(SIZE)
    y = torch.empty_like(x)
    return Race(
        "2^23 f32",
        [Launch(activations.relu, (SIZE // 1024,), [x, y], (1024,))],
        [y],
        into={
            "clamp_min": lambda: torch.clamp_min(x, 0, out=y),
            "threshold": lambda: torch.ops.aten.threshold.out(x, 0, 0, out=y),
        },
        anew={"relu": lambda: torch.relu(x)},
        numpy=lambda: np.maximum(x.numpy(), 0, out=y.numpy()),
        moved=size(x, y),
        tolerance=0,
    )


@race
def gelu() -> Race:
    x = random(SIZE)
    y = torch.empty_like(x)
    return Race(
        "2^23 f32, by tanh",
        [Launch(activations.gelu, (SIZE // 1024,), [x, y], (1024,))],
        [y],
        into={"gelu": lambda: torch.ops.aten.gelu.out(x, approximate="tanh", out=y)},
        moved=size(x, y),
        tolerance=1e-5,
    )


def _gated(
    kernel: Any,
    dtype: torch.dtype,
    what: str,
    gate: Callable,
    gate_into: Callable,
    tolerance: float,
) -> Race:
    count, width = 2048, 4096
    x, y = (random(count, width, dtype=dtype, seed=seed) for seed in (1, 2))
    z = torch.empty_like(x)
    return Race(
        f"{count} x {width} {what}",
        [Launch(kernel, (tiles(count, 4), tiles(width, 1024)), [x, y, z], (4, 1024))],
        [z],
        into={"gate, mul": lambda: gate_into(x, z).mul_(y)},
        anew={"gate * y": lambda: gate(x) * y},
        moved=size(x, y, z),
        tolerance=tolerance,
    )


@race
def swiglu() -> Race:
    def into(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.silu.out(x, out=out)

    return _gated(rows.swiglu, torch.bfloat16, "bf16", functional.silu, into, 3e-2)


@race
def geglu() -> Race:
    def gate(x: torch.Tensor) -> torch.Tensor:
        return functional.gelu(x, approximate="tanh")

    def into(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.gelu.out(x, approximate="tanh", out=out)

    return _gated(activations.geglu, torch.float32, "f32, by tanh", gate, into, 1e-5)


def _rope(dtype: torch.dtype, what: str, tolerance: float) -> Race:
    tokens, heads, half = 2048, 32, 64
    x = random(tokens, heads, 2 * half, dtype=dtype)
    angles = random(tokens, half, seed=2)
    cosines, sines = angles.cos().to(dtype), angles.sin().to(dtype)
    y = torch.empty_like(x)
    cosine, sine = cosines[:, None], sines[:, None]
    whole_cosine, whole_sine = (torch.cat([each, each], -1) for each in (cosine, sine))

    def halves() -> torch.Tensor:
        torch.mul(x[..., :half], cosine, out=y[..., :half])
        y[..., :half].addcmul_(x[..., half:], sine, value=-1)
        torch.mul(x[..., half:], cosine, out=y[..., half:])
        y[..., half:].addcmul_(x[..., :half], sine)
        return y

    def rotated() -> torch.Tensor:
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * whole_cosine + turned * whole_sine

    return Race(
        f"{tokens} x {heads} x {2 * half} {what}",
        [Launch(rows.rope, (tokens, heads // 16), [x, cosines, sines, y], (16, half))],
        [y],
        into={"halves": halves},
        anew={"rotated": rotated},
        moved=size(x, y),
        tolerance=tolerance,
    )


@race
def rope_f32() -> Race:
    return _rope(torch.float32, "f32", 1e-5)


@race
def rope_bf16() -> Race:
    return _rope(torch.bfloat16, "bf16", 4e-2)


@race
def dropout() -> Race:
    x, share, seed = random(SIZE), 0.25, 12345
    y = torch.empty_like(x)

    def numpy() -> np.ndarray:
        bits = np.arange(SIZE, dtype=np.uint32) + np.uint32(seed)
        bits = (bits ^ (bits >> 16)) * np.uint32(0x7FEB352D)
        bits = (bits ^ (bits >> 15)) * np.uint32(0x846CA68B)
        bits = bits ^ (bits >> 16)
        drawn = (bits >> 8).astype(np.float32) * np.float32(1 / (1 << 24))
        return np.where(drawn >= np.float32(share), x.numpy() / np.float32(1 - share), 0)

    def drawn() -> torch.Tensor:
        return y.bernoulli_(1 - share).mul_(1 / (1 - share)).mul_(x)

    return Race(
        "2^23 f32, a quarter dropped; ours by a hash, torch by its generator",
        [Launch(activations.dropout, (SIZE // 1024,), [x, y, share, seed], (1024,))],
        [y],
        into={"bernoulli_, mul": drawn},
        anew={"dropout": lambda: functional.dropout(x, share)},
        numpy=numpy,
        moved=size(x, y),
        against=numpy,
    )
