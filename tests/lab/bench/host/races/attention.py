"""Attention: forward, backward, and of one new token."""

from __future__ import annotations

import torch
from torch.nn import functional

from tests.lab.bench.host.kernels import attention as kernels
from tests.lab.bench.host.race import Launch, Race, race, random, size, tiles
from tests.lab.bench.workloads import attention

ATTEND = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
BACKWARD = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


@race
def attention_causal() -> Race:
    heads, count, depth = 8, 1024, 128
    q, k, v = (random(heads, count, depth, dtype=torch.bfloat16, seed=seed) for seed in (1, 2, 3))
    z = torch.empty_like(q)
    whole = [each[None] for each in (q, k, v)]
    mask = torch.ones(count, count).tril().bool()

    def steps() -> torch.Tensor:
        score = torch.bmm(q, k.transpose(1, 2)).mul_(depth**-0.5)
        return torch.bmm(torch.softmax(score.masked_fill_(~mask, -float("inf")), -1), v)

    return Race(
        f"{heads} x {count} x {depth} bf16, causal",
        [
            Launch(
                attention.fmha_causal,
                (tiles(count, 128), heads),
                [q, k, v, z, depth**-0.5],
                (128, 64, depth),
            )
        ],
        [z],
        anew={
            "scaled_dot_product_attention": lambda: functional.scaled_dot_product_attention(
                *whole, is_causal=True
            ),
            "bmm, softmax, bmm": steps,
        },
        work=2 * heads * count * count * depth,
        unit="bf16",
        tolerance=4e-2,
    )


@race
def attention_backward() -> Race:
    heads, count, depth = 4, 1024, 64
    scale = depth**-0.5
    q, k, v, dz = (
        random(heads, count, depth, dtype=torch.bfloat16, seed=seed) for seed in (1, 2, 3, 4)
    )
    z, logarithms = ATTEND(q[None], k[None], v[None])
    z, logarithms = z.contiguous(), logarithms.contiguous()
    flat, sums = z[0], (logarithms[0] * attention.LOG2_E).contiguous()
    deltas = torch.empty(heads, count)
    dq, dk, dv = (torch.empty_like(q) for _ in range(3))
    grid = tiles(count, 64), heads

    def backward() -> tuple:
        given = dz[None], q[None], k[None], v[None], z, logarithms, 0.0, False
        return BACKWARD(*given)

    return Race(
        f"{heads} x {count} x {depth} bf16, gradients of q, k and v, in three launches",
        [
            Launch(kernels.attention_deltas, grid, [flat, dz, deltas], (64, depth)),
            Launch(
                kernels.attention_backward_queries,
                grid,
                [q, k, v, dz, sums, deltas, dq, scale],
                (64, 64, depth),
            ),
            Launch(
                attention.fmha_backward,
                grid,
                [q, k, v, dz, sums, deltas, dk, dv, scale],
                (64, 64, depth),
            ),
        ],
        [dq, dk, dv],
        anew={"flash attention, backward": backward},
        work=10 * heads * count * count * depth,
        unit="bf16",
        tolerance=4e-2,
    )


@race
def attention_decode() -> Race:
    heads, group, count, depth = 16, 16, 2048, 128
    q = random(heads, group, depth, dtype=torch.bfloat16)
    k, v = (random(heads, count, depth, dtype=torch.bfloat16, seed=seed) for seed in (2, 3))
    lengths, z = torch.full((heads,), count, dtype=torch.int32), torch.empty_like(q)
    whole = [each[None] for each in (q, k, v)]

    def steps() -> torch.Tensor:
        score = torch.bmm(q, k.transpose(1, 2)).mul_(depth**-0.5)
        return torch.bmm(torch.softmax(score, -1), v)

    return Race(
        f"{heads} heads of {group} queries, {count} x {depth} bf16",
        [
            Launch(
                attention.gqa_decode,
                (heads,),
                [q, k, v, lengths, z, depth**-0.5],
                (group, 64, depth),
            )
        ],
        [z],
        anew={
            "scaled_dot_product_attention": lambda: functional.scaled_dot_product_attention(*whole),
            "bmm, softmax, bmm": steps,
        },
        moved=size(k, v),
        work=4 * heads * group * count * depth,
        unit="bf16",
        tolerance=4e-2,
    )
