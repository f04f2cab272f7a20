"""Kernels for defects, as text; with integers that every format holds exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SIDE = 32
WIDE = 8 * SIDE
HALF, SUM, COUNT = (
    f"tile<{SIDE}x{SIDE}xf16>",
    f"tile<{SIDE}x{SIDE}xf32>",
    "tile<i32>",
)
OUT = f"tensor_view<{SIDE}x{SIDE}xf32, strides=[{SIDE},1]>"
OUTS = f"partition_view<tile=({SIDE}x{SIDE}), {OUT}>"


def _tensor(rows: str | int, columns: str | int, element: str) -> str:
    pitch = columns if columns == "?" else WIDE if columns == WIDE else SIDE
    return f"tensor_view<{rows}x{columns}x{element}, strides=[{pitch},1]>"


def _view(rows: str | int, columns: str | int) -> str:
    tensor = _tensor(rows, columns, "f16")
    return f"partition_view<tile=({SIDE}x{SIDE}), padding_value = zero, {tensor}>"


def _opened(name: str, rows: str, columns: str) -> str:
    """A view of a row-major tensor; extents that are numbers are static."""
    pitch = WIDE if columns == str(WIDE) else SIDE
    shape = ", ".join(f"%{each}" if each.isalpha() else each for each in (rows, columns))
    types = tuple("?" if each.isalpha() else int(each) for each in (rows, columns))
    dynamic = f"{COUNT} -> " if "?" in types else ""
    return f"""
  %{name}t = make_tensor_view %{name}, shape = [{shape}], strides = [{pitch}, 1]
    : {dynamic}{_tensor(*types, "f16")}
  %{name}v = make_partition_view %{name}t : {_view(*types)}"""


_START = f"""
  %free = make_token : token
  %n = assume bounded<0, ?>, %count : {COUNT}
  %zero = constant <i32: 0> : {COUNT}
  %one = constant <i32: 1> : {COUNT}
  %none = constant <f32: 0.0> : {SUM}
  %outt = make_tensor_view %out, shape = [{SIDE}, {SIDE}], strides = [{SIDE}, 1] : {OUT}
  %outs = make_partition_view %outt : {OUTS}"""
_END = f"""
  %stored = store_view_tko weak %sum, %outs[%zero, %zero] token = %free
    : {SUM}, {OUTS}, {COUNT} -> token
  return
}}
"""

_COLUMNS, _ROWS, _WHOLE = (_view(SIDE, WIDE), _view("?", SIDE), _view(SIDE, SIDE))
_SIZE = str(SIDE)

TWO_TILES = f"""
entry @k(%x0: tile<ptr<f16>>, %y0: tile<ptr<f16>>, %out: tile<ptr<f32>>, %count: {COUNT},
         %tiles: {COUNT}) {{
  %x = assume div_by<16>, %x0 : tile<ptr<f16>>
  %y = assume div_by<16>, %y0 : tile<ptr<f16>>{_START}{_opened("x", _SIZE, str(WIDE))}
  {_opened("y", "n", _SIZE)}
  %sum = for %i in (%zero to %tiles, step %one) : {COUNT} iter_values(%acc = %none) -> ({SUM}) {{
    %a, %ta = load_view_tko weak %xv[%zero, %i] token = %free
      : {_COLUMNS}, {COUNT} -> {HALF}, token
    %b, %tb = load_view_tko weak %yv[%i, %zero] token = %free
      : {_ROWS}, {COUNT} -> {HALF}, token
    %next = mmaf %a, %b, %acc : {HALF}, {HALF}, {SUM}
    continue %next : {SUM}
  }}{_END}"""
"""out = x y, where x has eight tiles in a row, and y in a column, as far as `count` reaches."""

ATTENTION = f"""
entry @k(%x0: tile<ptr<f16>>, %y0: tile<ptr<f16>>, %z0: tile<ptr<f16>>, %out: tile<ptr<f32>>,
         %count: {COUNT}, %tiles: {COUNT}) {{
  %x = assume div_by<16>, %x0 : tile<ptr<f16>>
  %y = assume div_by<16>, %y0 : tile<ptr<f16>>
  %z = assume div_by<16>, %z0 : tile<ptr<f16>>{_START}{_opened("x", _SIZE, _SIZE)}
  {_opened("y", "n", _SIZE)}{_opened("z", "n", _SIZE)}
  %q, %tq = load_view_tko weak %xv[%zero, %zero] token = %free
    : {_WHOLE}, {COUNT} -> {HALF}, token
  %sum = for %i in (%zero to %tiles, step %one) : {COUNT} iter_values(%acc = %none) -> ({SUM}) {{
    %k, %tk = load_view_tko weak %yv[%i, %zero] token = %free
      : {_ROWS}, {COUNT} -> {HALF}, token
    %turned = permute %k [1, 0] : {HALF} -> {HALF}
    %scores = mmaf %q, %turned, %none : {HALF}, {HALF}, {SUM}
    %p = ftof %scores : {SUM} -> {HALF}
    %v, %tv = load_view_tko weak %zv[%i, %zero] token = %free
      : {_ROWS}, {COUNT} -> {HALF}, token
    %next = mmaf %p, %v, %acc : {HALF}, {HALF}, {SUM}
    continue %next : {SUM}
  }}{_END}"""
"""out = (x y') z, tile by tile of y and z."""

_LINE = "tensor_view<4x256xi32, strides=[256,1]>"
_LINES = f"partition_view<tile=(4x256), {_LINE}>"
_NUMBERS = "tile<4x256xi32>"
_LOADED = f"""
  %free = make_token : token
  %zero = constant <i32: 0> : {COUNT}
  %xt = make_tensor_view %x, shape = [4, 256], strides = [256, 1] : {_LINE}
  %xv = make_partition_view %xt : {_LINES}
  %yt = make_tensor_view %y, shape = [4, 256], strides = [256, 1] : {_LINE}
  %yv = make_partition_view %yt : {_LINES}
  %a, %ta = load_view_tko weak %xv[%zero, %zero] token = %free : {_LINES}, {COUNT} -> {_NUMBERS}, token
  %b, %tb = load_view_tko weak %yv[%zero, %zero] token = %free : {_LINES}, {COUNT} -> {_NUMBERS}, token
"""  # noqa: E501
_AFFINE = """
    (%a1: tile<i32>, %a2: tile<i32>, %b1: tile<i32>, %b2: tile<i32>) {
      %both = muli %a2, %a1 : tile<i32>
      %moved = muli %a2, %b1 : tile<i32>
      %shift = addi %moved, %b2 : tile<i32>
      yield %both, %shift : tile<i32>, tile<i32>
    }"""

SCAN = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{{_LOADED}
  %r:2 = scan %a, %b dim=1 reverse=false identities=[1 : i32, 0 : i32]
    : {_NUMBERS}, {_NUMBERS} -> {_NUMBERS}, {_NUMBERS}{_AFFINE}
  %t1 = store_view_tko weak %r#0, %xv[%zero, %zero] token = %ta : {_NUMBERS}, {_LINES}, {COUNT} -> token
  %t2 = store_view_tko weak %r#1, %yv[%zero, %zero] token = %tb : {_NUMBERS}, {_LINES}, {COUNT} -> token
  return
}}
"""  # noqa: E501
"""Affine maps, one after the other: they do not commute."""

FOLD = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{{_LOADED}
  %r:2 = reduce %a, %b dim=1 identities=[1 : i32, 0 : i32]
    : {_NUMBERS}, {_NUMBERS} -> tile<4xi32>, tile<4xi32>{_AFFINE}
  %r0 = reshape %r#0 : tile<4xi32> -> tile<4x1xi32>
  %r1 = reshape %r#1 : tile<4xi32> -> tile<4x1xi32>
  %w0 = broadcast %r0 : tile<4x1xi32> -> {_NUMBERS}
  %w1 = broadcast %r1 : tile<4x1xi32> -> {_NUMBERS}
  %t1 = store_view_tko weak %w0, %xv[%zero, %zero] token = %ta : {_NUMBERS}, {_LINES}, {COUNT} -> token
  %t2 = store_view_tko weak %w1, %yv[%zero, %zero] token = %tb : {_NUMBERS}, {_LINES}, {COUNT} -> token
  return
}}
"""  # noqa: E501

SLICES = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{{_LOADED}
  %one = constant <i32: 1> : {COUNT}
  %two = constant <i32: 2> : {COUNT}
  %s = extract %a[%one, %two] : {_NUMBERS} -> tile<2x64xi32>
  %r = insert %s, %b[%zero, %one] : tile<2x64xi32>, {_NUMBERS}
  %t = store_view_tko weak %r, %yv[%zero, %zero] token = %tb : {_NUMBERS}, {_LINES}, {COUNT} -> token
  return
}}
"""  # noqa: E501
"""A slice of x replaces another one of y."""

COUNTS = f"""
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {{
  %free = make_token : token
  %zero = constant <i32: 0> : {COUNT}
  %xt = make_tensor_view %x, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
  %xv = make_partition_view %xt : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
  %i, %t = load_view_tko weak %xv[%zero] token = %free
    : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, {COUNT} -> tile<16xi32>, token
  %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ys = broadcast %y1 : tile<1xptr<i32>> -> tile<16xptr<i32>>
  %at = offset %ys, %i : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
  %ones = constant <i32: 1> : tile<16xi32>
  %old, %t2 = atomic_rmw_tko relaxed device %at, add, %ones token = %free
    : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
  %old2, %t3 = atomic_rmw_tko relaxed device %at, max, %old token = %t2
    : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
  return
}}
"""
"""y counts the numbers of x; what atomics give has to be in all threads that go on with it."""


def _halves(seed: int, rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, (rows, columns)).astype(np.float16)


def _inside(array: np.ndarray, count: int) -> np.ndarray:
    return np.where(np.arange(len(array))[:, None] < count, array, 0).astype(np.float32)


def two_tiles(count: int, tiles: int) -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the arrays become."""
    x, y, out = _halves(1, SIDE, WIDE), _halves(2, WIDE, SIDE), np.zeros((SIDE, SIDE), np.float32)
    last = min(tiles * SIDE, WIDE)
    wanted = x[:, :last].astype(np.float32) @ _inside(y, count)[:last]
    return [x, y, out, count, tiles], [x.copy(), y.copy(), wanted]


def attention(count: int, tiles: int) -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the arrays become."""
    x, y, z = _halves(1, SIDE, SIDE), _halves(2, WIDE, SIDE), _halves(3, WIDE, SIDE)
    out, last = np.zeros((SIDE, SIDE), np.float32), min(tiles * SIDE, WIDE)
    scores = x.astype(np.float32) @ _inside(y, count)[:last].T
    wanted = scores @ _inside(z, count)[:last]
    return [x, y, z, out, count, tiles], [x.copy(), y.copy(), z.copy(), wanted]


def _numbers() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    x, y = (random.integers(-(2**31), 2**31, (4, 256)).astype(np.int32) for _ in range(2))
    return x | 1, y


def _scanned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = x.copy(), y.copy()
    with np.errstate(over="ignore"):
        for column in range(1, a.shape[1]):
            b[:, column] += a[:, column] * b[:, column - 1]
            a[:, column] *= a[:, column - 1]
    return a, b


def scan() -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the arrays become."""
    x, y = _numbers()
    return [x, y], list(_scanned(x, y))


def fold() -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the arrays become: the later element is the first operand."""
    x, y = _numbers()
    turned = _scanned(x[:, ::-1], y[:, ::-1])
    return [x, y], [np.repeat(each[:, -1:], 256, 1) for each in turned]


def slices() -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the arrays become."""
    x, y = _numbers()
    wanted = y.copy()
    wanted[0:2, 64:128] = x[2:4, 128:192]
    return [x, y], [x.copy(), wanted]


def counts() -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the arrays become."""
    x = np.random.default_rng(6).integers(0, 8, 16).astype(np.int32)
    return [x, np.zeros(8, np.int32)], [x.copy(), np.bincount(x, minlength=8).astype(np.int32)]


TEXTS: dict[str, tuple[str, tuple[Callable[[], tuple[list[Any], list[np.ndarray]]], ...]]] = {
    "two_tiles": (TWO_TILES, (lambda: two_tiles(WIDE, 8), lambda: two_tiles(200, 7))),
    "attention": (ATTENTION, (lambda: attention(WIDE, 8), lambda: attention(200, 7))),
    "scan": (SCAN, (scan,)),
    "fold": (FOLD, (fold,)),
    "slices": (SLICES, (slices,)),
    "counts": (COUNTS, (counts,)),
}
"""Name -> text, and launches."""
