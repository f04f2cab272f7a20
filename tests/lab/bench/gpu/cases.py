"""What the GPU benchmark runs: each kernel with its tensors, numbers and grids.

Sizes are such that memory or the matrix units are busy for a while; the small ones, which tiles do
not divide evenly where the kernel allows it, are for finding out whether everything works. Extents
are divisible by 16, which the kernels have been told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from tests.lab.bench.workloads.cases import HERE as WORKLOADS

KERNELS = Path(__file__).parents[1] / "kernels"
OWN = Path(__file__).parent / "kernels"
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "int32": 4, "e4m3": 1, "int8": 1}
PROCESSORS = 132
"""Of an H100 SXM and an H200: persistent kernels are launched with one block or two for each."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A row-major argument.

    `fill` is "normal" (times `scale`, plus `offset`), "result", "sum" (a result that kernels add
    to, from zero), or a number: integers below it, of int8 also above its negative.
    """

    shape: tuple[int, ...]
    fill: str | int = "normal"
    dtype: str = "float32"
    scale: float = 1.0
    offset: float = 0.0

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * BYTES[self.dtype]

    def to_json(self) -> dict[str, Any]:
        """As the kit reads it."""
        return {"shape": list(self.shape), "fill": self.fill, "dtype": self.dtype,
                "scale": self.scale, "offset": self.offset}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel on tensors; then come its f32 numbers. The results are those tensors filled so.

    `work` names what is computed, in the kit's tables of answers and rivals. `tolerance` is
    absolute and relative. `flops` counts additions and products of matrix products; 0 where memory
    is what counts.
    """

    name: str
    source: Path
    work: str
    tensors: tuple[Tensor, ...]
    grids: tuple[tuple[int, ...], ...]
    tolerance: float = 0.0
    numbers: tuple[float, ...] = ()
    flops: int = 0
    replaced: tuple[tuple[str, str], ...] = field(default=())
    """What is said otherwise in the text of the kernel."""

    @property
    def entry(self) -> str:
        return self.source.stem

    def text(self) -> str:
        """The Tile IR of the kernel."""
        text = self.source.read_text(encoding="utf-8")
        for old, new in self.replaced:
            assert old in text, old
            text = text.replace(old, new)
        return text

    @property
    def nbytes(self) -> int:
        """What has to be read and written, once."""
        return sum(tensor.nbytes for tensor in self.tensors)


def cases(small: bool = False) -> list[Case]:
    """Every kernel, what matters most first."""
    from . import hopper

    return [*hopper.cases(small), *_of_memory(small), *_of_rows(small), *_of_loops(small)]


def _of_memory(small: bool) -> Iterator[Case]:
    size = 3008 if small else 1 << 26
    rows, columns = (48, 192) if small else (8192, 8192)
    flat, result = Tensor((size,)), Tensor((size,), "result")
    matrix, same = Tensor((rows, columns)), Tensor((rows, columns), "result")
    turned = Tensor((columns, rows), "result")
    blocks = ((-(-size // 1024),),)
    yield _older("copy", (matrix, same), ((-(-rows // 32), -(-columns // 64)),))
    yield _older("vector_add", (flat, flat, result), blocks)
    yield _older("pointer_add", (flat, flat, result), blocks, work="vector_add")
    yield _older("transpose", (matrix, turned), ((-(-rows // 64), -(-columns // 64)),))
    yield _older("gather", (flat, Tensor((size,), size, "int32"), result), blocks)


def _of_rows(small: bool) -> Iterator[Case]:
    rows = 16 if small else 16384
    narrow, narrow_result = Tensor((4 * rows, 1024)), Tensor((4 * rows, 1024), "result")
    wide, wide_result = Tensor((rows, 4096)), Tensor((rows, 4096), "result")
    weight = Tensor((4096,))
    short = tuple(Tensor((rows, 4096), fill, "bfloat16") for fill in ("normal", "result"))
    yield _older("softmax_1024", (narrow, narrow_result), ((4 * rows,),), 1e-6, work="softmax")
    yield _older("softmax", (wide, wide_result), ((rows,),), 1e-6)
    yield _older("softmax_bf16", short, ((rows,),), 5e-5, work="softmax")
    yield _older("rms_norm", (wide, weight, wide_result), ((rows,),), 1e-4, (1e-5,))
    yield _older("layer_norm", (wide, weight, weight, wide_result), ((rows,),), 1e-4, (1e-5,))
    yield _older("row_sum", (wide, Tensor((rows,), "result")), ((rows // 16,),), 1e-3)
    yield _older("cumulative_sum", (narrow, narrow_result), ((4 * rows,),), 1e-3)


def _of_loops(small: bool) -> Iterator[Case]:
    """Those of the older kernels that multiply matrices."""
    size = 128 if small else 4096
    heads, length, depth = (16, 128, 64) if small else (64, 4096, 64)
    for dtype, tolerance in (("float16", 1e-2), ("float32", 1e-2)):
        operand = Tensor((size, size), dtype=dtype)
        tensors = (operand, operand, Tensor((size, size), "result", dtype))
        name = f"matmul_{dtype.replace('float', 'f')}"
        grids = (((size // 128) ** 2,),)
        yield _older(name, tensors, grids, tolerance, work="product", flops=2 * size**3)
    flops = 4 * heads * length**2 * depth
    for name, dtype in (("attention", "float16"), ("attention_bf16", "bfloat16")):
        head = Tensor((heads, length, depth), dtype=dtype)
        tensors = (head, head, head, Tensor(head.shape, "result", dtype))
        grids = ((length // 128, heads),)
        yield _older(name, tensors, grids, 1e-2, (depth**-0.5,), "attention", flops)


def _older(
    name: str,
    tensors: tuple[Tensor, ...],
    grids: tuple[tuple[int, ...], ...],
    tolerance: float = 0.0,
    numbers: tuple[float, ...] = (),
    work: str = "",
    flops: int = 0,
) -> Case:
    source = KERNELS / f"{name}.mlir"
    return Case(name, source, work or name, tensors, grids, tolerance, numbers, flops)


def workload(name: str) -> Path:
    """The text of a workload."""
    return WORKLOADS / f"{name}.mlir"
