"""Kernels in Triton of the same work, with the tiles that suit a Hopper GPU; no tuning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

Run = Callable[[], Any]


@triton.jit
def _product(
    x, y, z, m, n, k, x_row, x_column, y_row, y_column, z_row,
    rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr, group: tl.constexpr,
    short: tl.constexpr,
):  # fmt: skip
    number = tl.program_id(0)
    down, across = tl.cdiv(m, rows), tl.cdiv(n, columns)
    first = number // (group * across) * group
    high = min(down - first, group)
    i = first + number % (group * across) % high
    j = number % (group * across) // high
    row = i * rows + tl.arange(0, rows)
    column = j * columns + tl.arange(0, columns)
    inner = tl.arange(0, depth)
    left = x + row[:, None] * x_row + inner[None, :] * x_column
    right = y + inner[:, None] * y_row + column[None, :] * y_column
    total = tl.zeros((rows, columns), tl.float32)
    for step in range(0, k, depth):
        a = tl.load(left, mask=(row[:, None] < m) & (step + inner[None, :] < k), other=0.0)
        b = tl.load(right, mask=(step + inner[:, None] < k) & (column[None, :] < n), other=0.0)
        total = tl.dot(a, b, total, max_num_imprecise_acc=short)
        left += depth * x_column
        right += depth * y_row
    place = z + row[:, None] * z_row + column[None, :]
    tl.store(place, total.to(z.dtype.element_ty), mask=(row[:, None] < m) & (column[None, :] < n))


def product(x: Any, y: Any, z: Any, fast: bool = False) -> Run:
    """A product of matrices, `fast` with short sums of 8-bit floats."""
    (m, k), n = x.shape, y.shape[1]
    narrow = x.element_size() == 1
    columns, depth = 256 if m > 4096 else 128, 128 if narrow else 64
    short = 1 << 30 if fast or not narrow else 0
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, columns),)
    arguments = (x, y, z, m, n, k, *x.stride(), *y.stride(), z.stride(0), 128, columns, depth, 8,
                 short)  # fmt: skip

    def run() -> Any:
        _product[grid](*arguments, num_warps=8, num_stages=3)
        return z

    return run


@triton.jit
def _attention(
    q, k, v, z, scale, length, head_size, group: tl.constexpr, rows: tl.constexpr,
    columns: tl.constexpr, depth: tl.constexpr, causal: tl.constexpr,
):  # fmt: skip
    i, head = tl.program_id(0), tl.program_id(1)
    row, inner = i * rows + tl.arange(0, rows), tl.arange(0, depth)
    own = head.to(tl.int64) * head_size
    shared = (head // group).to(tl.int64) * head_size
    inside = row[:, None] < length
    place = row[:, None] * depth + inner[None, :]
    query = tl.load(q + own + place, mask=inside, other=0.0)
    most = tl.full((rows,), float("-inf"), tl.float32)
    sums = tl.zeros((rows,), tl.float32)
    total = tl.zeros((rows, depth), tl.float32)
    scale = scale * 1.4426950408889634
    end = min(length, (i + 1) * rows) if causal else length
    for start in range(0, end, columns):
        column = start + tl.arange(0, columns)
        known = column < length
        there = shared + column[:, None] * depth + inner[None, :]
        key = tl.load(k + there, mask=known[:, None], other=0.0)
        score = tl.dot(query, key.T) * scale
        seen = known[None, :] & (row[:, None] >= column[None, :]) if causal else known[None, :]
        score = tl.where(seen, score, float("-inf"))
        higher = tl.maximum(most, tl.max(score, 1))
        power = tl.exp2(score - higher[:, None])
        shrink = tl.exp2(most - higher)
        sums = sums * shrink + tl.sum(power, 1)
        value = tl.load(v + there, mask=known[:, None], other=0.0)
        total = tl.dot(power.to(value.dtype), value, total * shrink[:, None])
        most = higher
    tl.store(z + own + place, (total / sums[:, None]).to(z.dtype.element_ty), mask=inside)


def attention(q: Any, k: Any, v: Any, z: Any, scale: float, causal: bool) -> Run:
    """Attention, whose heads may share keys and values."""
    heads, length, depth = q.shape
    rows = 128
    arguments = (q, k, v, z, scale, length, length * depth, heads // len(k), rows,
                 64 if depth == 128 else 128, depth, causal)  # fmt: skip

    def run() -> Any:
        _attention[(triton.cdiv(length, rows), heads)](*arguments, num_warps=8, num_stages=3)
        return z

    return run


@triton.jit
def _softmax(x, z, columns, width: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    place = tl.arange(0, width)
    known = place < columns
    values = tl.load(x + row + place, mask=known, other=float("-inf")).to(tl.float32)
    power = tl.exp(values - tl.max(values, 0))
    tl.store(z + row + place, (power / tl.sum(power, 0)).to(z.dtype.element_ty), mask=known)


def softmax(x: Any, z: Any) -> Run:
    """A softmax of each row."""
    rows, columns = x.shape

    def run() -> Any:
        _softmax[(rows,)](x, z, columns, triton.next_power_of_2(columns), num_warps=8)
        return z

    return run


@triton.jit
def _copy(x, z, size, width: tl.constexpr):
    place = tl.program_id(0) * width + tl.arange(0, width)
    tl.store(z + place, tl.load(x + place, mask=place < size), mask=place < size)


def copy(x: Any, z: Any) -> Run:
    """A copy."""

    def run() -> Any:
        _copy[(triton.cdiv(x.numel(), 4096),)](x, z, x.numel(), 4096, num_warps=8)
        return z

    return run
