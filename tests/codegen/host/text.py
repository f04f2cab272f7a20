"""Kernels written as text that load and store whole arrays, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tileir
from tileir.codegen import compile

_SPELLED = {
    "bool": "i1", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2",
}  # fmt: skip


def spelled(dtype: np.dtype) -> str:
    """The element type of an array."""
    return _SPELLED.get(dtype.name) or dtype.name.replace("uint", "i").replace("int", "i")


class Kernel:
    """An entry `k` whose parameters are pointers to arrays, known to be aligned if that is said."""

    def __init__(self, aligned: bool = False) -> None:
        self._aligned = aligned
        self.arrays: list[np.ndarray] = []
        self._lines = ["%zero = constant <i32: 0> : tile<i32>"]

    @staticmethod
    def type(shape: Sequence[int], element: str) -> str:
        """The spelling of a tile type."""
        return f"tile<{'x'.join(map(str, (*shape, element)))}>"

    def line(self, text: str) -> None:
        """Append a line of the body."""
        self._lines.append(text)

    def load(self, array: np.ndarray) -> str:
        """The name of a tile with all of an array."""
        name = self._name()
        view, index = self._view(array)
        kind = self.type(array.shape, spelled(array.dtype))
        self.line(f"{name}, {name}_token = load_view_tko weak {name}_view[{index}] : {view} -> "
                  f"{kind}, token")  # fmt: skip
        return name

    def store(self, value: str, array: np.ndarray, shape: Sequence[int] | None = None) -> None:
        """Store a tile to an array; `shape` is that of the tile if it has no dimensions."""
        name, element = self._name(), spelled(array.dtype)
        kind = self.type(array.shape, element)
        if shape is not None and not len(shape):
            self.line(f"{name} = reshape {value} : {self.type((), element)} -> {kind}")
            value = name
        view, index = self._view(array)
        self.line(f"{name}_token = store_view_tko weak {value}, {name}_view[{index}] : {kind}, "
                  f"{view} -> token")  # fmt: skip

    def _name(self) -> str:
        return f"%array{len(self.arrays)}"

    def _view(self, array: np.ndarray) -> tuple[str, str]:
        """Make a view of the array; the types and the indices to access it with."""
        name, element = self._name(), spelled(array.dtype)
        sizes = [str(extent) for extent in array.shape]
        strides = [str(stride // array.itemsize) for stride in array.strides]
        tensor = f"tensor_view<{'x'.join((*sizes, element))}, strides=[{','.join(strides)}]>"
        view = f"partition_view<tile=({'x'.join(sizes)}), {tensor}>"
        base = f"{name}_base"
        if self._aligned:
            self.line(f"{name}_aligned = assume div_by<16>, {base} : tile<ptr<{element}>>")
            base = f"{name}_aligned"
        self.line(f"{name}_tensor = make_tensor_view {base}, shape = [{', '.join(sizes)}], "
                  f"strides = [{', '.join(strides)}] : {tensor}")  # fmt: skip
        self.line(f"{name}_view = make_partition_view {name}_tensor : {view}")
        self.arrays.append(array)
        return f"{view}, tile<i32>", ", ".join(["%zero"] * array.ndim)

    def module(self) -> str:
        """The text of the module."""
        parameters = ", ".join(
            f"%array{number}_base: tile<ptr<{spelled(array.dtype)}>>"
            for number, array in enumerate(self.arrays)
        )
        return "\n".join([f"entry @k({parameters}) {{", *self._lines, "return", "}"])

    def run(self, grid: Any = 1, threads: int | None = None, **options: Any) -> None:
        """Compile, with options, and launch."""
        compiled = compile(tileir.assemble(self.module()), **options)
        compiled["k"].launch(grid, self.arrays, threads)
