"""Small problems for the kernels: what each executes per element, counted on the emulator."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import ml_dtypes  # noqa: F401  (teaches NumPy the names of its types)
import numpy as np

from tileir.codegen import emulator


class Problem(NamedTuple):
    """Shapes of the arrays, in the order of the parameters; the last one is the result."""

    grid: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    scalars: tuple[float, ...] = ()
    kinds: tuple[str, ...] = ()
    """The types of the arrays: float32 where nothing is said."""

    @property
    def elements(self) -> int:
        """Of the largest array."""
        return max(prod(shape) for shape in self.shapes)

    def arrays(self) -> list[np.ndarray]:
        """Random numbers; indices are those of elements of the first array."""
        choice = np.random.default_rng(1)
        kinds = self.kinds or ("float32",) * len(self.shapes)
        last = prod(self.shapes[0]) - 1
        return [
            (choice.random(shape) * (last if kind == "int32" else 1)).astype(kind)
            for shape, kind in zip(self.shapes, kinds, strict=True)
        ]


PROBLEMS = {
    "vector_add": Problem((4,), ((4096,),) * 3),
    "copy": Problem((4, 2), ((128, 128),) * 2),
    "transpose": Problem((2, 2), ((128, 128),) * 2),
    "softmax_1024": Problem((4,), ((4, 1024),) * 2),
    "softmax": Problem((4,), ((4, 4096),) * 2),
    "softmax_bf16": Problem((4,), ((4, 4096),) * 2, kinds=("bfloat16",) * 2),
    "layer_norm": Problem((4,), ((4, 4096), (4096,), (4096,), (4, 4096)), (1e-5,)),
    "rms_norm": Problem((4,), ((4, 4096), (4096,), (4, 4096)), (1e-5,)),
    "gather": Problem((4,), ((4096,),) * 3, kinds=("float32", "int32", "float32")),
    "pointer_add": Problem((4,), ((4096,),) * 3),
    "row_sum": Problem((2,), ((32, 1024), (32,))),
    "cumulative_sum": Problem((4,), ((4, 1024),) * 2),
}
"""By the name of the kernel."""


def executed(name: str, compilation: Any) -> float:
    """PTX instructions that threads execute per element of the largest array."""
    problem, arguments = PROBLEMS[name], []
    for array in problem.arrays():
        arguments += [array, *array.shape, *(step // array.itemsize for step in array.strides)]
    result = emulator.launch(
        compilation.ptx, compilation.plan[name], problem.grid, [*arguments, *problem.scalars],
        races=False,
    )  # fmt: skip
    return result.thread_instructions.total() / problem.elements
