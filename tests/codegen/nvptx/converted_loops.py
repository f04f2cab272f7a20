"""Kernels of one loop whose tiles are converted between load and product, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from tests.codegen.emulator.values import aligned

M, N, K = 32, 64, 32
"""Extents of the tiles."""
DTYPES: dict[str, Any] = {
    "f16": np.float16, "f32": np.float32, "i8": np.int8,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip


@dataclass(frozen=True)
class Side:
    """An operand: its elements in memory and in the product, and whether it is transposed there."""

    loaded: str
    multiplied: str
    turned: bool = False
    signedness: str = "signed"

    def text(self, name: str, rows: int, columns: int) -> str:
        """The load of a tile and its way to the product."""
        shape = f"{columns}x{rows}" if self.turned else f"{rows}x{columns}"
        types = f"{self.view(rows, columns)}, tile<i32> -> tile<{shape}x{self.loaded}>, token"
        load = f"load_view_tko weak %v{name}[{self._index(name)}]"
        lines = [f"%{name}0, %t{name} = {load} : {types}"]
        value = f"%{name}0"
        if self.turned:
            lines.append(
                f"%{name}1 = permute {value} [1, 0] : tile<{shape}x{self.loaded}>"
                f" -> tile<{rows}x{columns}x{self.loaded}>"
            )
            value = f"%{name}1"
        before, after = (f"tile<{rows}x{columns}x{it}>" for it in (self.loaded, self.multiplied))
        if self.loaded != self.multiplied:
            how = f"itof {value} {self.signedness}" if self.loaded == "i8" else f"ftof {value}"
            lines.append(f"%{name} = {how} : {before} -> {after}")
        return "\n    ".join(lines)

    def value(self, name: str) -> str:
        """The value that is multiplied."""
        if self.loaded != self.multiplied:
            return f"%{name}"
        return f"%{name}{int(self.turned)}"

    def _index(self, name: str) -> str:
        along_k_last = (name == "x") != self.turned
        return "%zero, %i" if along_k_last else "%i, %zero"

    def view(self, rows: int, columns: int) -> str:
        """The type of the view, of any extents."""
        shape = f"{columns}x{rows}" if self.turned else f"{rows}x{columns}"
        tensor = f"tensor_view<?x?x{self.loaded}, strides=[?,1]>"
        return f"partition_view<tile=({shape}), padding_value = zero, {tensor}>"


def text(x: Side, y: Side, more: str = "") -> str:
    """z = the sum of x[:, tile i] @ y[tile i, :] for every i; `more` is in the loop, too."""
    parameters, before = [], []
    for name, side, rows, columns in (("x", x, M, K), ("y", y, K, N)):
        kind, view = f"tile<ptr<{side.loaded}>>", side.view(rows, columns)
        tensor = view[view.index("tensor_view") : -1]
        parameters += [f"%p{name}: {kind}", *(f"%{name}{it}: tile<i32>" for it in ("r", "c", "s"))]
        sizes = f"shape = [%{name}br, %{name}bc], strides = [%{name}a, 1]"
        before += [
            f"%b{name} = assume div_by<16>, %p{name} : {kind}",
            f"%{name}a = assume div_by<16>, %{name}s : tile<i32>",
            *(f"%{name}b{it} = assume bounded<0, ?>, %{name}{it} : tile<i32>" for it in "rc"),
            f"%m{name} = make_tensor_view %b{name}, {sizes} : tile<i32> -> {tensor}",
            f"%v{name} = make_partition_view %m{name} : {view}",
        ]
    lines = "\n  ".join(before)
    out = f"tensor_view<{M}x{N}xf32, strides=[{N},1]>"
    types = [f"tile<{M}x{K}x{x.multiplied}>", f"tile<{K}x{N}x{y.multiplied}>", f"tile<{M}x{N}xf32>"]
    return f"""
entry @k({", ".join(parameters)}, %pz: tile<ptr<f32>>, %count: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %nothing = constant <f32: 0.0> : tile<{M}x{N}xf32>
  {lines}
  %sum = for %i in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<{M}x{N}xf32>) {{
    {x.text("x", M, K)}
    {y.text("y", K, N)}
    {more}
    %next = mmaf {x.value("x")}, {y.value("y")}, %acc : {", ".join(types)}
    continue %next : tile<{M}x{N}xf32>
  }}
  %mz = make_tensor_view %pz, shape = [{M}, {N}], strides = [{N}, 1] : {out}
  %vz = make_partition_view %mz : partition_view<tile=({M}x{N}), {out}>
  %done = store_view_tko weak %sum, %vz[%zero, %zero] : tile<{M}x{N}xf32>, partition_view<tile=({M}x{N}), {out}>, tile<i32> -> token
  return
}}
"""  # noqa: E501


def launch(x: Side, y: Side, rows: int, depth: int, columns: int) -> tuple[list[Any], np.ndarray]:
    """Arguments with random numbers, and what z becomes: sums that are exact in f32."""
    random = np.random.default_rng(rows + depth)
    args: list[Any] = []
    wide = []
    for side, shape in ((x, (rows, depth)), (y, (depth, columns))):
        kind = DTYPES[side.loaded]
        low, high = (-128, 128) if side.loaded == "i8" else (-3, 4)
        made = random.integers(low, high, shape).astype(kind)
        if side.multiplied == "tf32":
            # Halfway between two numbers of tf32, or a little off; those are small integers.
            off = (
                random.integers(-1, 2, shape) * 2.0**-13 + random.integers(-1, 2, shape) * 2.0**-18
            )
            made = np.where(made == 0, 0, made * (1 + off)).astype(kind)
        stored = np.zeros([-(-extent // 16) * 16 for extent in shape], kind)
        stored[: shape[0], : shape[1]] = made
        stored = aligned(stored.T.copy() if side.turned else stored)
        extents = shape[::-1] if side.turned else shape
        args += [stored, *extents, stored.shape[1]]
        seen = made.view(np.uint8) if side.signedness == "unsigned" else made
        wide.append(to_tf32(made) if side.multiplied == "tf32" else seen.astype(np.float64))
    z = aligned(np.full((M, N), 77, np.float32))
    expected = np.zeros((M, N), np.float64)
    expected[:rows, :columns] = (wide[0] @ wide[1])[:M, :N]
    return [*args, z, -(-depth // K)], expected.astype(np.float32)


def to_tf32(array: np.ndarray) -> np.ndarray:
    """Numbers rounded to eleven bits, ties to even, as f64."""
    fraction, exponent = np.frexp(array.astype(np.float64))
    return np.ldexp(np.rint(np.ldexp(fraction, 11)), exponent - 11)
