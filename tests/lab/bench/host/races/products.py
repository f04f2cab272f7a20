"""Products of matrices of all types, in batches, of experts, and as convolutions."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from tests.lab.bench.host.race import Launch, Race, race, random, size, tiles
from tests.lab.bench.kernels import source
from tests.lab.bench.workloads import indexed, products

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def _matmul(name: str, unit: str, tolerance: float, extent: int = 1024) -> Race:
    x, y = (random(extent, extent, dtype=TYPES[name], seed=seed) for seed in (1, 2))
    z = torch.empty_like(x)
    numpy: Any = (lambda: x.numpy() @ y.numpy()) if name == "f32" else None
    grid = (tiles(extent, 128) ** 2,)
    ways = {"mm": lambda: torch.mm(x, y, out=z)}
    if name == "f16":  # of which torch has no fast product on most CPUs
        ways["mm in f32"] = lambda: z.copy_(torch.mm(x.float(), y.float()))
    return Race(
        f"{extent}^3 {name}",
        [Launch(source.matmul, grid, [x, y, z], (128, 128, 64))],
        [z],
        into=ways,
        numpy=numpy,
        work=2 * extent**3,
        unit=unit,
        tolerance=tolerance,
    )


@race
def matmul_f32() -> Race:
    return _matmul("f32", "f32", 1e-3)


@race
def matmul_bf16() -> Race:
    return _matmul("bf16", "bf16", 0.6)


@race
def matmul_f16() -> Race:
    return _matmul("f16", "f32", 0.1, 512)


@race
def matmul_i8() -> Race:
    extent = 1024
    made = torch.Generator().manual_seed(1)
    x, y = (torch.randint(-128, 128, (extent, extent), generator=made).char() for _ in range(2))
    scales, columns = random(extent).abs() / 1e4, random(extent, seed=2).abs() / 1e4
    z = torch.empty(extent, extent, dtype=torch.float16)
    total = torch.empty(extent, extent, dtype=torch.int32)
    factor = scales[:, None] * columns

    def steps() -> torch.Tensor:
        torch._int_mm(x, y, out=total)
        return torch.mul(total, factor, out=z)

    return Race(
        f"{extent}^3 i8, scaled to f16",
        [Launch(products.gemm_int8, (8, 8), [x, y, scales, columns, z], (128, 128, 64))],
        [z],
        into={"_int_mm, mul": steps},
        work=2 * extent**3,
        unit="i8",
        tolerance=2e-3,
    )


@race
def matmul_batched() -> Race:
    batch, extent, depth = 16, 512, 128
    x = random(batch, extent, depth, dtype=torch.bfloat16)
    y = random(batch, depth, extent, dtype=torch.bfloat16, seed=2)
    z = torch.empty(batch, extent, extent, dtype=torch.bfloat16)
    return Race(
        f"{batch} x {extent} x {extent} x {depth} bf16",
        [Launch(products.gemm_batched, (8, 4, batch), [x, y, z], (64, 128, 64))],
        [z],
        into={"bmm": lambda: torch.bmm(x, y, out=z)},
        work=2 * batch * extent * extent * depth,
        unit="bf16",
        tolerance=0.3,
    )


@race
def moe() -> Race:
    experts, each, k, n = 8, 128, 512, 512
    x = random(512, k, dtype=torch.bfloat16)
    weights = random(experts, k, n, dtype=torch.bfloat16, seed=2) / 16
    tokens = torch.randint(0, 512, (experts * each,), generator=torch.Generator().manual_seed(3))
    narrow, chosen = tokens.to(torch.int32), torch.arange(experts, dtype=torch.int32)
    z = torch.empty(experts * each, n, dtype=torch.bfloat16)

    def batched() -> torch.Tensor:
        return torch.bmm(x[tokens].view(experts, each, k), weights, out=z.view(experts, each, n))

    def singly() -> torch.Tensor:
        for number in range(experts):
            part = slice(number * each, number * each + each)
            torch.mm(x[tokens[part]], weights[number], out=z[part])
        return z

    return Race(
        f"{experts} experts of {k} x {n} bf16, {each} tokens each, gathered",
        [
            Launch(
                products.moe_gather,
                (experts, tiles(n, 128)),
                [x, narrow, weights, chosen, z],
                (128, 128, 64),
            )
        ],
        [z],
        into={"index, bmm": batched, "index, mm": singly},
        work=2 * experts * each * k * n,
        unit="bf16",
        tolerance=0.1,
    )


@race
def convolution() -> Race:
    images, extent, channels, outputs = 2, 32, 64, 128
    x = random(images, extent, extent, channels, dtype=torch.bfloat16)
    weights = random(9, channels, outputs, dtype=torch.bfloat16, seed=2) / 16
    z = torch.empty(images * extent * extent, outputs, dtype=torch.bfloat16)
    pixels = x.permute(0, 3, 1, 2)
    taps = weights.permute(2, 1, 0).reshape(outputs, channels, 3, 3)
    last = taps.contiguous(memory_format=torch.channels_last)

    def channels_last() -> torch.Tensor:
        return functional.conv2d(pixels, last, padding=1).permute(0, 2, 3, 1)

    rows, dense = pixels.contiguous(), taps.contiguous()

    def channels_first() -> torch.Tensor:
        return functional.conv2d(rows, dense, padding=1).permute(0, 2, 3, 1)

    return Race(
        f"3 x 3, {images} x {extent} x {extent} x {channels} to {outputs} bf16, gathered",
        [Launch(products.conv3x3, (tiles(len(z), 128), 2), [x, weights, z], (128, 64, 64))],
        [z],
        anew={"conv2d, channels last": channels_last, "conv2d": channels_first},
        work=2 * 9 * len(z) * channels * outputs,
        unit="bf16",
        tolerance=0.1,
    )


@race
def convolution_causal() -> Race:
    batch, count, channels = 4, 1024, 1024
    x = random(batch, count, channels, dtype=torch.bfloat16)
    weights = random(4, channels, dtype=torch.bfloat16, seed=2)
    y = torch.empty_like(x)
    across, taps = x.transpose(1, 2).contiguous(), weights.t()[:, None].contiguous()
    padded = functional.pad(x, (0, 0, 3, 0))

    def whole() -> torch.Tensor:
        made = functional.conv1d(across, taps, padding=3, groups=channels)[..., :count]
        return functional.silu(made).transpose(1, 2)

    def shifted() -> torch.Tensor:
        total = padded[:, :count] * weights[0]
        for tap in (1, 2, 3):
            total.addcmul_(padded[:, tap : tap + count], weights[tap])
        return functional.silu(total, inplace=True)

    return Race(
        f"4 taps, {batch} x {count} x {channels} bf16, then silu, through gathers",
        [
            Launch(
                indexed.causal_conv1d,
                (tiles(count, 32), tiles(channels, 64), batch),
                [x, weights, y],
                (32, 64),
            )
        ],
        [y],
        anew={"conv1d, silu": whole, "addcmul, silu": shifted},
        moved=size(x, y),
        tolerance=0.2,
    )
