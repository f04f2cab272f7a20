"""Kernels of one loop whose tiles are multiplied, as text."""

from __future__ import annotations

import re

ROWS, DEPTH, COLUMNS = 16, 32, 16
"""A tile is ROWS x DEPTH, what it is multiplied with DEPTH x COLUMNS."""
SUMS = {"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64", "i8": "i32"}
"""Element type -> that of the sum."""
LOAD = "%tile, %loaded = load_view_tko weak %view[%zero, %i] token = %first"


def view_type(
    element: str = "f16", padding: str = "padding_value = zero, ", strides: str = "?,1"
) -> str:
    """The tiles of x: all its rows, and some of its columns."""
    tensor = f"tensor_view<{ROWS}x?x{element}, strides=[{strides}]>"
    return f"partition_view<tile=({ROWS}x{DEPTH}), {padding}{tensor}>"


def load(text: str = LOAD, element: str = "f16", view: str = "") -> str:
    """A load with its types."""
    kind = f"tile<{ROWS}x{DEPTH}x{element}>"
    return f"{text} : {view or view_type(element)}, tile<i32> -> {kind}, token"


def loop_over_tiles(
    body: str = "", *, element: str = "f16", before: str = "", after: str = "",
    padding: str = "padding_value = zero, ", loop: str = "%i in (%low to %high, step %step)",
    carried: str = "", carried_type: str = "", handed_on: str = "", divisor: int = 16,
    strides: str = "%pitch, 1",
) -> str:  # fmt: skip
    """z = the sum of x[:, tile i] @ w for every i. `body` makes %tile; more can be carried along.

    w is row-major, and so is x unless `strides` say otherwise; its rows, of `size` elements, are
    `pitch` elements apart.
    """
    view = view_type(element, padding, re.sub(r"%\w+", "?", strides))
    tensor = view[view.index("tensor_view") : -1]
    body = body or load(element=element, view=view)
    total = SUMS[element]
    pointer, scalar = f"tile<ptr<{element}>>", "tile<i32>"
    tile, weights = f"tile<{ROWS}x{DEPTH}x{element}>", f"tile<{DEPTH}x{COLUMNS}x{element}>"
    sums = f"tile<{ROWS}x{COLUMNS}x{total}>"
    types = sums + carried_type
    multiply = (
        "mmai %tile, %weights, %acc signed signed"
        if total == "i32"
        else ("mmaf %tile, %weights, %acc")
    )
    whole = f"tensor_view<{DEPTH}x{COLUMNS}x{element}, strides=[{COLUMNS},1]>"
    weight_view = f"partition_view<tile=({DEPTH}x{COLUMNS}), {whole}>"
    out = f"tensor_view<{ROWS}x{COLUMNS}x{total}, strides=[{COLUMNS},1]>"
    out_view = f"partition_view<tile=({ROWS}x{COLUMNS}), {out}>"
    zero = "0" if total == "i32" else "0.0"
    return f"""
entry @k(%x: {pointer}, %w: {pointer}, %z: tile<ptr<{total}>>, %n: {scalar}, %apart: {scalar},
         %low: {scalar}, %high: {scalar}, %step: {scalar}) {{
  %first = make_token : token
  %base = assume div_by<{divisor}>, %x : {pointer}
  %pitch = assume div_by<16>, %apart : {scalar}
  %size = assume bounded<0, ?>, %n : {scalar}
  %zero = constant <i32: 0> : {scalar}
  %nothing = constant <{total}: {zero}> : {sums}
  %tensor = make_tensor_view %base, shape = [{ROWS}, %size], strides = [{strides}] : {scalar} -> {tensor}
  %view = make_partition_view %tensor : {view}
  %ws = make_tensor_view %w, shape = [{DEPTH}, {COLUMNS}], strides = [{COLUMNS}, 1] : {whole}
  %wview = make_partition_view %ws : {weight_view}
  %weights, %t1 = load_view_tko weak %wview[%zero, %zero] : {weight_view}, {scalar} -> {weights}, token
  %out = make_tensor_view %z, shape = [{ROWS}, {COLUMNS}], strides = [{COLUMNS}, 1] : {out}
  %outs = make_partition_view %out : {out_view}
  {before}
  {"%sum, %more" if carried else "%sum"} = for {loop} : {scalar} iter_values(%acc = %nothing{carried}) -> ({types}) {{
    {body}
    %next = {multiply} : {tile}, {weights}, {sums}
    continue %next{handed_on} : {types}
  }}
  {after}
  %stored = store_view_tko weak %sum, %outs[%zero, %zero] : {sums}, {out_view}, {scalar} -> token
  return
}}
"""  # noqa: E501
