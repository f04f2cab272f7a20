"""Norms: of layers, groups and batches, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.lab.bench.host.kernels import norms
from tests.lab.bench.host.race import Launch, Race, race, random, size
from tests.lab.bench.kernels import source
from tests.lab.bench.workloads import rows

EPS = 1e-5
COUNT, WIDTH = 4096, 2048


def _layer_norm(kernel: Any, grid: int, what: str, *constants: int) -> Race:
    x, weight, bias = random(COUNT, WIDTH), random(WIDTH, seed=2), random(WIDTH, seed=3)
    y = torch.empty_like(x)
    a, w, b = x.numpy(), weight.numpy(), bias.numpy()

    def numpy() -> np.ndarray:
        centred = a - a.mean(1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(1, keepdims=True) + EPS) * w + b

    return Race(
        f"{COUNT} x {WIDTH} f32, {what}",
        [Launch(kernel, (grid,), [x, weight, bias, y, EPS], constants)],
        [y],
        anew={"layer_norm": lambda: functional.layer_norm(x, (WIDTH,), weight, bias, EPS)},
        numpy=numpy,
        moved=size(x, y),
        tolerance=1e-4,
    )


@race
def layer_norm() -> Race:
    return _layer_norm(source.layer_norm, COUNT, "one row a block", WIDTH)


@race
def layer_norm_gather() -> Race:
    return _layer_norm(norms.layer_norm_gather, COUNT, "through gathers", WIDTH)


@race
def layer_norm_persistent() -> Race:
    return _layer_norm(norms.layer_norm_persistent, 32, "32 blocks of 4 rows a time", 4, WIDTH)


@race
def layer_norm_backward() -> Race:
    x, dy = (random(COUNT, WIDTH, dtype=torch.bfloat16, seed=seed) for seed in (1, 2))
    weight = random(WIDTH, seed=3)
    wide = x.float()
    mean, scale = wide.mean(1), (wide.var(1, correction=0) + EPS).rsqrt()
    dx, dweight, dbias = torch.empty_like(x), torch.zeros(WIDTH), torch.zeros(WIDTH)
    bias, columns = torch.zeros_like(weight), (mean[:, None], scale[:, None])
    backward = torch.ops.aten.native_layer_norm_backward

    def native() -> tuple:
        return backward(dy, x, [WIDTH], *columns, weight, bias, [True, True, True])

    def exact() -> tuple:
        made = [each.double() for each in (dy, x, *columns, weight, bias)]
        return backward(*made[:2], [WIDTH], *made[2:], [True, True, True])

    return Race(
        f"{COUNT} x {WIDTH} bf16, gradients of x, weight, bias",
        [
            Launch(
                rows.layer_norm_backward,
                (COUNT,),
                [x, dy, weight, mean, scale, dx, dweight, dbias],
                (WIDTH,),
            )
        ],
        [dx, dweight, dbias],
        anew={"native_layer_norm_backward": native},
        moved=size(x, dy, dx),
        tolerance=3e-2,
        zeroed=[dweight, dbias],
        against=exact,  # torch sums the gradients of weight and bias in bf16
    )


@race
def rms_norm() -> Race:
    x, weight = random(COUNT, WIDTH), random(WIDTH, seed=2)
    y = torch.empty_like(x)
    a, w = x.numpy(), weight.numpy()

    def steps() -> torch.Tensor:
        scale = torch.linalg.vector_norm(x, dim=1, keepdim=True).square_().div_(WIDTH)
        torch.mul(x, scale.add_(EPS).rsqrt_(), out=y)
        return y.mul_(weight)

    return Race(
        f"{COUNT} x {WIDTH} f32, one row a block",
        [Launch(source.rms_norm, (COUNT,), [x, weight, y, EPS], (WIDTH,))],
        [y],
        into={"norm, mul": steps},
        anew={"rms_norm": lambda: functional.rms_norm(x, (WIDTH,), weight, EPS)},
        numpy=lambda: a / np.sqrt((a * a).mean(1, keepdims=True) + EPS) * w,
        moved=size(x, y),
        tolerance=1e-4,
    )


@race
def rms_norm_backward() -> Race:
    x, dy = (random(COUNT, WIDTH, dtype=torch.bfloat16, seed=seed) for seed in (1, 2))
    weight = random(WIDTH, dtype=torch.bfloat16, seed=3)
    scale = (x.float().square().mean(1) + EPS).rsqrt()
    dx, dweight = torch.empty_like(x), torch.zeros(WIDTH)
    leaves = x.clone().requires_grad_(), weight.clone().requires_grad_()
    y = functional.rms_norm(leaves[0], (WIDTH,), leaves[1], EPS)

    def steps() -> tuple:
        wide, factor = x.float(), scale[:, None]
        gradient = dy.float()
        total = torch.mul(gradient, wide).mul_(factor)
        gradient.mul_(weight)
        along = torch.mul(gradient, wide).sum(1, keepdim=True).mul_(factor.square() / WIDTH)
        made = gradient.sub_(wide.mul_(along)).mul_(factor)
        return made.to(torch.bfloat16), total.sum(0)

    return Race(
        f"{COUNT} x {WIDTH} bf16, gradients of x and weight",
        [Launch(norms.rms_norm_backward, (COUNT,), [x, dy, weight, scale, dx, dweight], (WIDTH,))],
        [dx, dweight],
        anew={
            "autograd of rms_norm": lambda: torch.autograd.grad(y, leaves, dy, retain_graph=True),
            "steps in f32": steps,
        },
        moved=size(x, dy, dx),
        tolerance=1.0,
        zeroed=[dweight],
    )


@race
def group_norm() -> Race:
    images, groups, channels, positions = 8, 32, 8, 4096
    x = random(images, groups * channels, positions)
    weight, bias = random(groups * channels, seed=2), random(groups * channels, seed=3)
    y = torch.empty_like(x)
    folded = [each.view(images * groups, channels, positions) for each in (x, y)]
    return Race(
        f"{images} x {groups * channels} x {positions} f32, {groups} groups, in two passes",
        [
            Launch(
                norms.group_norm,
                (images * groups,),
                [folded[0], weight, bias, folded[1], EPS],
                (groups, channels, 256),
            )
        ],
        [folded[1]],
        anew={"group_norm": lambda: functional.group_norm(x, groups, weight, bias, EPS)},
        moved=size(x, y),
        tolerance=1e-4,
    )


@race
def batch_norm() -> Race:
    images, channels, positions = 16, 128, 4096
    x = random(images, channels, positions)
    weight, bias = random(channels, seed=2), random(channels, seed=3)
    y = torch.empty_like(x)
    norm = {"weight": weight, "bias": bias, "training": True, "eps": EPS}
    return Race(
        f"{images} x {channels} x {positions} f32, training, in two passes",
        [Launch(norms.batch_norm, (channels,), [x, weight, bias, y, EPS], (1024,))],
        [y],
        anew={"batch_norm": lambda: functional.batch_norm(x, None, None, **norm)},
        moved=size(x, y),
        tolerance=1e-4,
    )
