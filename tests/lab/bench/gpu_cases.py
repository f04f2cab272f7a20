"""What the GPU benchmark runs: each kernel with its tensors, numbers and grid.

Sizes are such that memory or the matrix units are busy for a while; the small ones, which tiles do
not divide evenly where the kernel allows it, are for finding out whether everything works. Extents
are divisible by 16, which the kernels have been told.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "int32": 4}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A row-major argument. `fill` is "normal", "result", or a number: integers below it."""

    shape: tuple[int, ...]
    fill: str | int = "normal"
    dtype: str = "float32"

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * BYTES[self.dtype]

    def to_json(self) -> dict[str, Any]:
        """As the runner reads it."""
        return {"shape": list(self.shape), "fill": self.fill, "dtype": self.dtype}


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel on tensors, of which the last is the result; then come its f32 numbers.

    `tolerance` is absolute and relative, against PyTorch. `flops` counts additions and products of
    a matrix product; 0 where memory is what counts.
    """

    kernel: str
    tensors: tuple[Tensor, ...]
    grid: tuple[int, ...]
    tolerance: float = 0.0
    numbers: tuple[float, ...] = ()
    flops: int = 0

    @property
    def nbytes(self) -> int:
        """What has to be read and written, once."""
        return sum(tensor.nbytes for tensor in self.tensors)


def cases(small: bool = False) -> list[Case]:
    """Every kernel of `kernels/`."""
    size = 3008 if small else 1 << 26
    rows, columns = (48, 192) if small else (8192, 8192)
    flat, result = Tensor((size,)), Tensor((size,), "result")
    matrix, same = Tensor((rows, columns)), Tensor((rows, columns), "result")
    turned = Tensor((columns, rows), "result")
    blocks = -(-size // 1024)
    return [
        Case("vector_add", (flat, flat, result), (blocks,)),
        Case("pointer_add", (flat, flat, result), (blocks,)),
        Case("copy", (matrix, same), (-(-rows // 32), -(-columns // 64))),
        Case("transpose", (matrix, turned), (-(-rows // 64), -(-columns // 64))),
        Case("gather", (flat, Tensor((size,), size, "int32"), result), (blocks,)),
        *_of_rows(small),
        *_matrix_products(small),
    ]


def _of_rows(small: bool) -> list[Case]:
    rows = 16 if small else 16384
    narrow, narrow_result = Tensor((4 * rows, 1024)), Tensor((4 * rows, 1024), "result")
    wide, wide_result = Tensor((rows, 4096)), Tensor((rows, 4096), "result")
    weight = Tensor((4096,))
    short = tuple(Tensor((rows, 4096), fill, "bfloat16") for fill in ("normal", "result"))
    return [
        Case("softmax_1024", (narrow, narrow_result), (4 * rows,), 1e-6),
        Case("softmax", (wide, wide_result), (rows,), 1e-6),
        Case("softmax_bf16", short, (rows,), 5e-5),
        Case("rms_norm", (wide, weight, wide_result), (rows,), 1e-4, (1e-5,)),
        Case("layer_norm", (wide, weight, weight, wide_result), (rows,), 1e-4, (1e-5,)),
        Case("row_sum", (wide, Tensor((rows,), "result")), (rows // 16,), 1e-3),
        Case("cumulative_sum", (narrow, narrow_result), (4 * rows,), 1e-3),
    ]


def _matrix_products(small: bool) -> list[Case]:
    size = 128 if small else 4096
    heads, length, depth = (16, 128, 64) if small else (64, 4096, 64)
    made = []
    for dtype, tolerance in (("float16", 1e-2), ("float32", 1e-2)):
        operand = Tensor((size, size), dtype=dtype)
        tensors = (operand, operand, Tensor((size, size), "result", dtype))
        name = f"matmul_{dtype.replace('float', 'f')}"
        made.append(Case(name, tensors, ((size // 128) ** 2,), tolerance, flops=2 * size**3))
    flops = 4 * heads * length**2 * depth
    for name, dtype in (("attention", "float16"), ("attention_bf16", "bfloat16")):
        head = Tensor((heads, length, depth), dtype=dtype)
        tensors = (head, head, head, Tensor(head.shape, "result", dtype))
        grid = (length // 128, heads)
        made.append(Case(name, tensors, grid, 1e-2, (depth**-0.5,), flops))
    return made
