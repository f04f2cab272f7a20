"""Kernels of any size as Tile IR text: products by the size of tiles, chains of ops, row sums."""

from __future__ import annotations

from typing import NamedTuple


class Numbers(NamedTuple):
    """What a product computes with: elements in memory, in the product, and of the sum."""

    stored: str
    multiplied: str


TYPES = {
    "f16": Numbers("f16", "f16"),
    "bf16": Numbers("bf16", "bf16"),
    "f32": Numbers("f32", "f32"),
    "tf32": Numbers("f32", "tf32"),
}
"""Name of a type of product -> what it means; all sum up in f32, and f32 itself is exact."""

_ARRAYS = ("x", "y", "z")


def product(kind: str, m: int, n: int, k: int) -> str:
    """A product of tiles of m x k and k x n, one tile of the result a block, as entry `product`."""
    stored, multiplied = TYPES[kind]
    left, right = f"tile<{m}x{k}x{stored}>", f"tile<{k}x{n}x{stored}>"
    total = f"tile<{m}x{n}xf32>"
    tensor = f"tensor_view<?x?x{stored}, strides=[?,1]>"
    views = {
        "x": f"partition_view<tile=({m}x{k}), padding_value = zero, {tensor}>",
        "y": f"partition_view<tile=({k}x{n}), padding_value = zero, {tensor}>",
        "z": f"partition_view<tile=({m}x{n}), {tensor}>",
    }
    lines = []
    for name in _ARRAYS:
        lines.append(f"%{name}_at = assume div_by<16>, %{name} : tile<ptr<{stored}>>")
        for extent in ("rows", "columns", "stride"):
            lines.append(f"%{name}_{extent}_16 = assume div_by<16>, %{name}_{extent} : tile<i32>")
        shape = f"[%{name}_rows_16, %{name}_columns_16]"
        lines += [
            (
                f"%{name}_all = make_tensor_view %{name}_at, shape = {shape},"
                f" strides = [%{name}_stride_16, 1] : tile<i32> -> {tensor}"
            ),
            f"%{name}_tiles = make_partition_view %{name}_all : {views[name]}",
        ]
    body = [
        _load("left", "x", "%i, %step", views["x"], left),
        _load("right", "y", "%step, %j", views["y"], right),
    ]
    factors = ["%left", "%right"]
    kinds = [left, right]
    if multiplied != stored:
        for place, factor in enumerate(("left", "right")):
            kinds[place] = kinds[place].replace(stored, multiplied)
            old = (left, right)[place]
            body.append(f"%{factor}_short = ftof %{factor} : {old} -> {kinds[place]}")
            factors[place] = f"%{factor}_short"
    body += [
        f"%more = mmaf {', '.join(factors)}, %sum : {', '.join(kinds)}, {total}",
        f"continue %more : {total}",
    ]
    result, last = "%total", total
    after = []
    if stored != "f32":
        result, last = "%result", f"tile<{m}x{n}x{stored}>"
        after.append(f"%result = ftof %total : {total} -> {last}")
    after += [
        (
            f"%stored = store_view_tko weak {result}, %z_tiles[%i, %j] token = %before :"
            f" {last}, {views['z']}, tile<i32> -> token"
        ),
        "return",
    ]
    parameters = ", ".join(
        f"%{name}: tile<ptr<{stored}>>, %{name}_rows: tile<i32>, %{name}_columns: tile<i32>,"
        f" %{name}_stride: tile<i32>"
        for name in _ARRAYS
    )
    lines += [
        "%before = make_token : token",
        "%i, %j, %unused = get_tile_block_id : tile<i32>",
        "%zero = constant <i32: 0> : tile<i32>",
        "%one = constant <i32: 1> : tile<i32>",
        f"%nothing = constant <f32: 0.000000e+00> : {total}",
        f"%steps:2 = get_index_space_shape %x_tiles : {views['x']} -> tile<i32>",
        (
            "%total = for %step in (%zero to %steps#1, step %one) : tile<i32>"
            f" iter_values(%sum = %nothing) -> ({total}) {{"
        ),
        *(f"  {line}" for line in body),
        "}",
        *after,
    ]
    return f"entry @product({parameters}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _load(name: str, array: str, index: str, view: str, tile: str) -> str:
    return (
        f"%{name}, %{name}_done = load_view_tko weak %{array}_tiles[{index}] token = %before :"
        f" {view}, tile<i32> -> {tile}, token"
    )


def chain(ops: int, size: int = 1024) -> str:
    """So many additions and products of f32 tiles, each of the one before, as entry `chain`."""
    tile = f"tile<{size}xf32>"
    tensor = "tensor_view<?xf32, strides=[1]>"
    view = f"partition_view<tile=({size}), padding_value = zero, {tensor}>"
    lines = [
        "%before = make_token : token",
        "%i, %j, %unused = get_tile_block_id : tile<i32>",
        f"%all = make_tensor_view %x, shape = [%size], strides = [1] : tile<i32> -> {tensor}",
        f"%tiles = make_partition_view %all : {view}",
        (
            "%v0, %done = load_view_tko weak %tiles[%i] token = %before :"
            f" {view}, tile<i32> -> {tile}, token"
        ),
    ]
    for number in range(ops):
        before = max(number - 1, 0)
        op = "addf" if number % 2 else "mulf"
        lines.append(f"%v{number + 1} = {op} %v{number}, %v{before} : {tile}")
    lines += [
        (
            f"%stored = store_view_tko weak %v{ops}, %tiles[%i] token = %before :"
            f" {tile}, {view}, tile<i32> -> token"
        ),
        "return",
    ]
    body = "".join(f"  {line}\n" for line in lines)
    return f"entry @chain(%x: tile<ptr<f32>>, %size: tile<i32>) {{\n{body}}}\n"


def row_sums(count: int, depth: int = 0) -> str:
    """Add the sums of its rows to a tile, so many times, each in loops nested so deep.

    Threads exchange a tile for each sum. The entry is `row_sums`.
    """
    tile, column = "tile<16x64xf32>", "tile<16x1xf32>"
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    view = f"partition_view<tile=(16x64), padding_value = zero, {tensor}>"
    lines = [
        "%before = make_token : token",
        "%i, %j, %unused = get_tile_block_id : tile<i32>",
        "%zero = constant <i32: 0> : tile<i32>",
        "%one = constant <i32: 1> : tile<i32>",
        f"%all = make_tensor_view %x, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> {tensor}",
        f"%tiles = make_partition_view %all : {view}",
        (
            "%now, %done = load_view_tko weak %tiles[%i, %j] token = %before :"
            f" {view}, tile<i32> -> {tile}, token"
        ),
    ]
    now = "%now"
    for number in range(count):
        for level in range(depth):
            lines.append(
                f"%left{number}_{level} = for %step{number}_{level} in (%zero to %n, step %one) :"
                f" tile<i32> iter_values(%at{number}_{level} = {now}) -> ({tile}) {{"
            )
            now = f"%at{number}_{level}"
        lines += [
            (
                f"%sums{number} = reduce {now} dim=1 identities=[0.0 : f32] : {tile} ->"
                " tile<16xf32> (%a: tile<f32>, %b: tile<f32>) {"
                " %c = addf %a, %b : tile<f32> yield %c : tile<f32> }"
            ),
            f"%column{number} = reshape %sums{number} : tile<16xf32> -> {column}",
            f"%wide{number} = broadcast %column{number} : {column} -> {tile}",
            f"%more{number} = addf {now}, %wide{number} : {tile}",
        ]
        now = f"%more{number}"
        for level in reversed(range(depth)):
            lines += [f"continue {now} : {tile}", "}"]
            now = f"%left{number}_{level}"
    lines += [
        (
            f"%stored = store_view_tko weak {now}, %tiles[%i, %j] token = %done :"
            f" {tile}, {view}, tile<i32> -> token"
        ),
        "return",
    ]
    body = "".join(f"  {line}\n" for line in lines)
    return f"entry @row_sums(%x: tile<ptr<f32>>, %n: tile<i32>) {{\n{body}}}\n"
