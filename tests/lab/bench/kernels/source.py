"""The kernels of the host's benchmark in cuTile: ``python -m tests.lab.bench.kernels.source``.

That writes their Tile IR beside this file, which is what is measured; cuTile itself is not needed
for measuring. Tiles are those that cuTile's users choose for a GPU.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

from tileir import Bytecode, disassemble

HERE = Path(__file__).parent
ConstInt = ct.Constant[int]


@ct.kernel
def vector_add(x, y, z, size: ConstInt):
    """One tile a block."""
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (size,)) + ct.load(y, (i,), (size,)))


@ct.kernel
def softmax(x, y, width: ConstInt):
    """One row a block, computed in f32."""
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, width), padding_mode=ct.PaddingMode.NEG_INF)
    row = ct.astype(row, ct.float32)
    power = ct.exp(row - ct.max(row, 1, keepdims=True))
    ct.store(y, (i, 0), ct.astype(power / ct.sum(power, 1, keepdims=True), y.dtype))


@ct.kernel
def layer_norm(x, weight, bias, y, eps, width: ConstInt):
    """One row a block."""
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, width), padding_mode=ct.PaddingMode.ZERO)
    count = x.shape[1]
    mean = ct.sum(row, 1, keepdims=True) / count
    inside = ct.arange(width, dtype=ct.int32) < count
    centred = ct.where(inside, row - mean, 0.0)
    scale = ct.rsqrt(ct.sum(centred * centred, 1, keepdims=True) / count + eps)
    factor = ct.load(weight, (0,), (width,), padding_mode=ct.PaddingMode.ZERO)
    shift = ct.load(bias, (0,), (width,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (i, 0), centred * scale * factor + shift)


@ct.kernel
def copy(x, y, rows: ConstInt, columns: ConstInt):
    """One tile a block."""
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (i, j), ct.load(x, (i, j), (rows, columns)))


@ct.kernel
def transpose(x, y, rows: ConstInt, columns: ConstInt):
    """One tile a block."""
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (j, i), ct.transpose(ct.load(x, (i, j), (rows, columns))))


@ct.kernel
def rms_norm(x, weight, y, eps, width: ConstInt):
    """One row a block."""
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, width), padding_mode=ct.PaddingMode.ZERO)
    scale = ct.rsqrt(ct.sum(row * row, 1, keepdims=True) / x.shape[1] + eps)
    factor = ct.load(weight, (0,), (width,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (i, 0), row * scale * factor)


@ct.kernel
def gather(x, indices, y, size: ConstInt):
    """The elements of one tile of indices a block."""
    i = ct.bid(0)
    ct.store(y, (i,), ct.gather(x, ct.load(indices, (i,), (size,))))


@ct.kernel
def pointer_add(x, y, z, size: ConstInt):
    """One tile of neighbouring elements a block, by their indices."""
    at = ct.bid(0) * size + ct.arange(size, dtype=ct.int32)
    ct.scatter(z, at, ct.gather(x, at) + ct.gather(y, at))


@ct.kernel
def row_sum(x, y, rows: ConstInt, columns: ConstInt):
    """Some rows a block, a tile of columns at a time."""
    i = ct.bid(0)
    total = ct.zeros((rows, columns), ct.float32)
    for step in range(ct.num_tiles(x, 1, (rows, columns))):
        total += ct.load(x, (i, step), (rows, columns), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (i,), ct.sum(total, 1))


@ct.kernel
def cumulative_sum(x, y, width: ConstInt):
    """One row a block."""
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, width), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (i, 0), ct.cumsum(row, 1))


@ct.kernel
def matmul(x, y, z, m: ConstInt, n: ConstInt, k: ConstInt):
    """One tile of the result a block, in groups of eight rows of tiles."""
    rows, columns = ct.cdiv(x.shape[0], m), ct.cdiv(y.shape[1], n)
    block = ct.bid(0)
    group = block // (8 * columns)
    first = group * 8
    height = min(rows - first, 8)
    i = first + block % height
    j = block % (8 * columns) // height
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(x, 1, (m, k))):
        left = ct.load(x, (i, step), (m, k), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(y, (step, j), (k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(left, right, total)
    ct.store(z, (i, j), ct.astype(total, z.dtype))


@ct.kernel
def attention(q, k, v, z, scale, rows: ConstInt, columns: ConstInt, depth: ConstInt):
    """Some rows of one head a block, softmax on the way (no mask)."""
    i, head = ct.bid(0), ct.bid(1)
    scale = scale * 1.4426950408889634  # exp2 instead of exp
    most = ct.full((rows, 1), -float("inf"), ct.float32)
    sums = ct.zeros((rows, 1), ct.float32)
    total = ct.zeros((rows, depth), ct.float32)
    query = ct.reshape(ct.load(q, (head, i, 0), (1, rows, depth)), (rows, depth))
    for step in range(ct.num_tiles(k, 1, (1, columns, depth))):
        key = ct.load(k, (head, 0, step), (1, depth, columns), order=(0, 2, 1))
        score = ct.zeros((rows, columns), ct.float32)
        score = ct.mma(query, ct.reshape(key, (depth, columns)), score)
        higher = max(most, ct.max(score, 1, keepdims=True) * scale)
        power = ct.exp2(score * scale - higher, flush_to_zero=True)
        shrink = ct.exp2(most - higher, flush_to_zero=True)
        sums = sums * shrink + ct.sum(power, 1, keepdims=True)
        value = ct.load(v, (head, step, 0), (1, columns, depth))
        value = ct.reshape(value, (columns, depth))
        total = ct.mma(ct.astype(power, v.dtype), value, total * shrink)
        most = higher
    result = ct.astype(total / sums, z.dtype)
    ct.store(z, (head, i, 0), ct.reshape(result, (1, rows, depth)))


def _array(kind: Any, rank: int) -> ArrayConstraint:
    """An array as torch makes it: row-major, extents divisible by 16."""
    return ArrayConstraint(
        kind,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1],
        stride_divisible_by=[16] * (rank - 1) + [1],
        shape_divisible_by=16,
        base_addr_divisible_by=16,
    )


def _arrays(count: int, rank: int, kind: Any = ct.float32) -> list[ArrayConstraint]:
    return [_array(kind, rank)] * count


def _constants(*values: int) -> list[ConstantConstraint]:
    return [ConstantConstraint(value) for value in values]


KERNELS = {
    "vector_add": (vector_add, [*_arrays(3, 1), *_constants(1024)]),
    "copy": (copy, [*_arrays(2, 2), *_constants(32, 64)]),
    "transpose": (transpose, [*_arrays(2, 2), *_constants(64, 64)]),
    "softmax_1024": (softmax, [*_arrays(2, 2), *_constants(1024)]),
    "softmax": (softmax, [*_arrays(2, 2), *_constants(4096)]),
    "softmax_bf16": (softmax, [*_arrays(2, 2, ct.bfloat16), *_constants(4096)]),
    "rms_norm": (
        rms_norm,
        [*_arrays(1, 2), *_arrays(1, 1), *_arrays(1, 2), ScalarConstraint(ct.float32),
         *_constants(4096)],
    ),
    "gather": (
        gather, [*_arrays(1, 1), *_arrays(1, 1, ct.int32), *_arrays(1, 1), *_constants(1024)],
    ),
    "pointer_add": (pointer_add, [*_arrays(3, 1), *_constants(1024)]),
    "row_sum": (row_sum, [*_arrays(1, 2), *_arrays(1, 1), *_constants(16, 128)]),
    "cumulative_sum": (cumulative_sum, [*_arrays(2, 2), *_constants(1024)]),
    "layer_norm": (
        layer_norm,
        [
            *_arrays(1, 2), *_arrays(2, 1), *_arrays(1, 2), ScalarConstraint(ct.float32),
            *_constants(4096),
        ],
    ),
    "matmul_f32": (matmul, [*_arrays(3, 2), *_constants(128, 128, 64)]),
    "matmul_f16": (matmul, [*_arrays(3, 2, ct.float16), *_constants(128, 128, 64)]),
    "attention": (
        attention,
        [*_arrays(4, 3, ct.float16), ScalarConstraint(ct.float32), *_constants(128, 128, 64)],
    ),
    "attention_bf16": (
        attention,
        [*_arrays(4, 3, ct.bfloat16), ScalarConstraint(ct.float32), *_constants(128, 128, 64)],
    ),
}  # fmt: skip


def text_of(name: str) -> str:
    """The Tile IR of a kernel."""
    kernel, constraints = KERNELS[name]
    signature = KernelSignature(constraints, CallingConvention.cutile_python_v2(), name)
    out = io.BytesIO()
    export_kernel(
        kernel, [signature], out, gpu_code=None, output_format="tileir_bytecode",
        bytecode_version="13.3",
    )  # fmt: skip
    return disassemble(Bytecode.parse(out.getvalue()))


def main() -> None:
    """Write the text of every kernel."""
    for name in KERNELS:
        (HERE / f"{name}.mlir").write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
