"""What moves elements: transposition, embedding, sorting, counting, routing."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from tests.lab.bench.host.kernels import order
from tests.lab.bench.host.race import Launch, Race, race, random, size, tiles
from tests.lab.bench.kernels import source
from tests.lab.bench.workloads import indexed, rows


@race
def transpose() -> Race:
    extent = 2048
    x = random(extent, extent)
    y = torch.empty_like(x)
    grid = tiles(extent, 64), tiles(extent, 64)
    return Race(
        f"{extent} x {extent} f32",
        [Launch(source.transpose, grid, [x, y], (64, 64))],
        [y],
        into={"copy_ of t": lambda: y.copy_(x.t())},
        anew={"t, contiguous": lambda: x.t().contiguous()},
        numpy=lambda: np.copyto(y.numpy(), x.numpy().T),
        moved=size(x, y),
        tolerance=0,
    )


@race
def embedding() -> Race:
    words, width, count = 8192, 1024, 8192
    table = random(words, width, dtype=torch.bfloat16)
    tokens = torch.randint(0, words, (count,), generator=torch.Generator().manual_seed(2))
    narrow = tokens.to(torch.int32)
    y = torch.empty(count, width, dtype=torch.bfloat16)
    grid = tiles(count, 16), tiles(width, 256)
    return Race(
        f"{count} of {words} rows of {width} bf16",
        [Launch(indexed.embedding, grid, [table, narrow, y], (16, 256))],
        [y],
        into={"index_select": lambda: torch.index_select(table, 0, narrow, out=y)},
        anew={"embedding": lambda: functional.embedding(tokens, table)},
        moved=2 * size(y),
        tolerance=0,
    )


@race
def sort() -> Race:
    count, levels = 4096, 8
    x = random(count, 1 << levels)
    y = torch.empty_like(x)
    indices = torch.empty(x.shape, dtype=torch.int64)

    def whole() -> torch.Tensor:
        torch.sort(x, 1, out=(y, indices))
        return y

    def fields() -> torch.Tensor:
        return torch.msort(columns).t()

    columns = x.t().contiguous()
    return Race(
        f"{count} rows of {1 << levels} f32 by a bitonic network; torch finds indices, too",
        [Launch(order.sort_rows, (tiles(count, 16),), [x, y], (16, levels))],
        [y],
        into={"sort": whole},
        anew={"msort of columns": fields},
        numpy=lambda: np.sort(x.numpy(), 1),
        moved=size(x, y),
        tolerance=0,
    )


@race
def histogram() -> Race:
    count, bins = 1 << 21, 256
    x = torch.randint(0, bins, (count,), generator=torch.Generator().manual_seed(1))
    x = x.to(torch.int32)
    found = torch.zeros(bins, dtype=torch.int32)
    return Race(
        f"2^21 i32 in {bins} bins",
        [Launch(indexed.histogram, (count // 1024,), [x, found], (1024,))],
        [found],
        anew={
            "bincount": lambda: torch.bincount(x, minlength=bins),
            "histc": lambda: torch.histc(x.float(), bins, 0, bins),
        },
        numpy=lambda: np.bincount(x.numpy(), minlength=bins),
        moved=size(x),
        tolerance=0,
        zeroed=[found],
    )


@race
def routing() -> Race:
    count, experts, most = 8192, 128, 8
    x = random(count, experts)
    values = torch.empty(count, most)
    indices = torch.empty(count, most, dtype=torch.int32)
    places = torch.empty(count, most, dtype=torch.int64)

    def chosen() -> tuple:
        torch.topk(x, most, 1, out=(values, places))
        return values, places

    return Race(
        f"the {most} largest of {experts}, {count} rows f32",
        [Launch(rows.top_k, (tiles(count, 16),), [x, values, indices], (most, 16, experts))],
        [values, indices],
        into={"topk": chosen},
        anew={"topk": lambda: torch.topk(x, most, 1)},
        numpy=lambda: np.argpartition(-x.numpy(), most, 1),
        moved=size(x, values, indices),
        tolerance=0,
    )
