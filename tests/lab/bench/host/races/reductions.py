"""What goes through rows: softmax, losses with their gradients, sums, quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.lab.bench.host.kernels import losses
from tests.lab.bench.host.kernels import softmax as kernels
from tests.lab.bench.host.race import Launch, Race, race, random, size
from tests.lab.bench.kernels import source
from tests.lab.bench.workloads import rows

COUNT, WIDTH = 4096, 2048


def _softmax(kernel: Any, grid: int, what: str, constant: int) -> Race:
    x = random(COUNT, WIDTH)
    y = torch.empty_like(x)
    a = x.numpy()

    def numpy() -> np.ndarray:
        power = np.exp(a - a.max(1, keepdims=True))
        power /= power.sum(1, keepdims=True)
        return power

    return Race(
        f"{COUNT} x {WIDTH} f32, {what}",
        [Launch(kernel, (grid,), [x, y], (constant,))],
        [y],
        into={"softmax": lambda: torch.softmax(x, 1, out=y)},
        anew={"softmax": lambda: torch.softmax(x, 1)},
        numpy=numpy,
        moved=size(x, y),
    )


@race
def softmax() -> Race:
    return _softmax(source.softmax, COUNT, "one row a block", WIDTH)


@race
def softmax_gather() -> Race:
    return _softmax(kernels.softmax_gather, 64, "64 blocks, through gathers", WIDTH)


@race
def softmax_online() -> Race:
    return _softmax(kernels.softmax_online, COUNT, "two passes over parts of a row", 512)


@race
def cross_entropy() -> Race:
    count, width = 512, 16000
    x = random(count, width, dtype=torch.bfloat16)
    labels = torch.randint(0, width, (count,), generator=torch.Generator().manual_seed(2))
    narrow = labels.to(torch.int32)
    found, dx = torch.empty(count), torch.empty_like(x)
    leaf = x.clone().requires_grad_()

    def autograd() -> tuple:
        each = functional.cross_entropy(leaf, labels, reduction="none")
        return each, torch.autograd.grad(each.mean(), leaf)[0]

    def steps() -> tuple:
        logarithms = torch.log_softmax(x, 1, dtype=torch.float32)
        each = -logarithms.gather(1, labels[:, None])[:, 0]
        power = logarithms.exp_()
        power[torch.arange(count), labels] -= 1
        return each, power.div_(count).to(torch.bfloat16)

    return Race(
        f"{count} x {width} bf16, losses and gradient",
        [Launch(losses.cross_entropy_backward, (count,), [x, narrow, found, dx], (2048,))],
        [found, dx],
        anew={"autograd of cross_entropy": autograd, "log_softmax, exp": steps},
        moved=size(x, dx),
        tolerance=4e-2,
    )


@race
def mse() -> Race:
    count = 1 << 22
    x, y = random(count), random(count, seed=2)
    loss, dx = torch.zeros(1), torch.empty_like(x)
    leaf = x.clone().requires_grad_()

    def autograd() -> tuple:
        made = functional.mse_loss(leaf, y)
        return made, torch.autograd.grad(made, leaf)[0]

    def steps() -> tuple:
        torch.sub(x, y, out=dx)
        return torch.dot(dx, dx) / count, dx.mul_(2 / count)

    return Race(
        "2^22 f32, loss and gradient",
        [Launch(losses.mse_backward, (count // 1024,), [x, y, loss, dx], (1024,))],
        [loss, dx],
        into={"sub, dot, mul": steps},
        anew={"autograd of mse_loss": autograd},
        moved=size(x, y, dx),
        tolerance=1e-4,
        zeroed=[loss],
    )


@race
def kl() -> Race:
    x = torch.log_softmax(random(COUNT, WIDTH // 2), 1)
    y = torch.softmax(random(COUNT, WIDTH // 2, seed=2), 1)
    found, dx = torch.empty(COUNT), torch.empty_like(x)
    leaf = x.clone().requires_grad_()

    def autograd() -> tuple:
        each = functional.kl_div(leaf, y, reduction="none").sum(1)
        return each, torch.autograd.grad(each.mean(), leaf)[0]

    def steps() -> tuple:
        each = torch.xlogy(y, y, out=dx).addcmul_(y, x, value=-1).sum(1)
        return each, torch.mul(y, -1 / COUNT, out=dx)

    return Race(
        f"{COUNT} x {WIDTH // 2} f32, losses and gradient",
        [Launch(losses.kl_backward, (COUNT,), [x, y, found, dx], (WIDTH // 2,))],
        [found, dx],
        into={"xlogy, addcmul": steps},
        anew={"autograd of kl_div": autograd},
        moved=size(x, y, dx),
        tolerance=1e-4,
    )


@race
def cumulative_sum() -> Race:
    x = random(COUNT, WIDTH)
    y = torch.empty_like(x)
    return Race(
        f"{COUNT} x {WIDTH} f32, along rows",
        [Launch(rows.cumsum_long, (COUNT,), [x, y], (1024,))],
        [y],
        into={"cumsum": lambda: torch.cumsum(x, 1, out=y)},
        numpy=lambda: np.cumsum(x.numpy(), 1, out=y.numpy()),
        moved=size(x, y),
        tolerance=1e-3,
    )


@race
def quantise() -> Race:
    x = random(COUNT, WIDTH, dtype=torch.bfloat16)
    y, scales = torch.empty(COUNT, WIDTH, dtype=torch.int8), torch.empty(COUNT)
    wide = torch.empty(COUNT, WIDTH)

    def steps() -> tuple:
        wide.copy_(x)
        scale = torch.linalg.vector_norm(wide, float("inf"), 1, keepdim=True).div_(127)
        y.copy_(wide.div_(scale).add_(0.5).floor_())
        return y, scale

    return Race(
        f"{COUNT} x {WIDTH} bf16 to i8, with the scales of rows",
        [Launch(rows.quantise_rows, (COUNT,), [x, y, scales], (WIDTH,))],
        [y, scales],
        into={"norm, div, floor": steps},
        moved=size(x, y),
        tolerance=1e-6,
    )
