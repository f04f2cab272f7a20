"""Views of random kinds, with tensors of random layout under them, and indices that they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir.ir import Value
from tileir.tools.sampler.draws import Draws
from tileir.types import GatherScatterView, PartitionView, Scalar, StridedView, TensorView, Tile

from . import data
from .elements import PACKED
from .scene import Scene

LARGEST = 128
"""Elements of a tile."""

KINDS = ("partition", "strided", "gather")
PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
LACKING = ("f4E2M1FN", "f8E8M0FNU", "f8E4M3FN", "fnv8E5M3FNU")
"""Floats that do not have all of them."""


@dataclass
class Window:
    """A view and where an access goes, all of it still to be built. Lists are in the order of the
    tile's dimensions, but those of the tensor in its own."""

    kind: str
    element: Scalar
    tile: tuple[int, ...]
    order: tuple[int, ...]
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str | None
    sparse: int = 0

    @property
    def span(self) -> int:
        """Elements from the first of the tensor to the last."""
        reach = zip(self.shape, self.strides, strict=True)
        return 1 + sum((extent - 1) * stride for extent, stride in reach)

    def index_space(self) -> list[int]:
        """How many indices there are along each dimension."""
        pairs = zip(self.order, self.steps, strict=True)
        return [-(-self.shape[dim] // step) for dim, step in pairs]


def window(draws: Draws, element: Scalar, kind: str) -> Window:
    """A view of that kind; its padding may be anything that the element type has."""
    rank = draws.between(1, 4) if draws.chance(80) else draws.between(5, 8)
    packed = element.name in PACKED
    tile, left = [], LARGEST
    for _ in range(rank):
        size = min(draws.power(3), left)
        left //= size
        tile.append(size)
    order = draws.shuffled(range(rank)) if kind != "gather" and draws.chance(50) else range(rank)
    order, sparse = tuple(order), draws.below(rank)
    if packed:
        kind = "partition" if rank == 1 and kind == "gather" else kind
        tile[0] = max(tile[0], 2)
        sparse = max(sparse, 1)
    steps = tuple(tile)
    if kind == "strided":
        steps = tuple(draws.between(1, 2 * size) for size in tile)
        steps = (2 * steps[0], *steps[1:]) if packed else steps
    elif kind == "gather":
        steps = (2 if packed else 1, *[1] * (rank - 1))
    shape = [0] * rank
    for at, dim in enumerate(order):
        shape[dim] = draws.between(1, (3 if rank < 5 else 2) * tile[at])
    if rank < 3 and steps[0] <= 4 and draws.chance(60):
        shape[order[0]] += 130 * steps[0]  # so that an index of i8 is negative when read as signed
    packing = order[0]
    layout = draws.shuffled(range(rank))
    if packed:
        shape[packing] += shape[packing] % 2
        layout = [packing, *(dim for dim in layout if dim != packing)]
    strides, room = [0] * rank, 1
    for dim in layout:
        strides[dim] = room if packed or draws.chance(80) else 2 * room
        room = strides[dim] * shape[dim] + (2 if packed else 1) * draws.below(2)
    every = element.is_float and element.name not in LACKING
    padding = draws.pick((None, *(PADDINGS if every else PADDINGS[:1])))
    if element.name == "f8E8M0FNU":
        padding = None
    return Window(
        kind, element, tuple(tile), order, steps, tuple(shape), tuple(strides), padding, sparse
    )


def cut(scene: Scene, window: Window, base: Value) -> tuple[Value, Value]:
    """The tensor view at a pointer, and the view of it. Some sizes and strides are dynamic."""
    draws, kernel = scene.draws, scene.kernel
    name = draws.pick(("i32", "i64"))

    def split(sizes: tuple[int, ...]) -> tuple[list, list]:
        static, dynamic = [], []
        for size in sizes:
            if draws.chance(60) or (window.element.name in PACKED and size == 1):
                static.append(size)
            else:
                static.append(None)
                dynamic.append(scene.load(Tile(Scalar(name)), data.between(size, size)))
        return static, dynamic

    shape, sizes = split(window.shape)
    strides, steps = split(window.strides)
    tensor = TensorView(window.element, tuple(shape), tuple(strides))
    whole = kernel.make_tensor_view(base, sizes, steps, result=tensor)
    if window.kind == "gather":
        type = GatherScatterView(window.tile, tensor, window.sparse, window.padding)
        return whole, kernel.make_gather_scatter_view(whole, result=type)
    if window.kind == "strided":
        type = StridedView(window.tile, window.steps, tensor, window.order, window.padding)
        return whole, kernel.make_strided_view(whole, result=type)
    type = PartitionView(window.tile, tensor, window.order, window.padding)
    return whole, kernel.make_partition_view(whole, result=type)


def index(scene: Scene, window: Window) -> tuple[list[Value], list[bool]]:
    """An index into the view, and for each dimension whether all of the tile is inside along it."""
    draws = scene.draws
    space = window.index_space()
    name = "i8" if max(space) > 127 else draws.pick(("i8", "i16", "i32", "i64"))
    values, promises = [], []
    for at, tile in enumerate(window.tile):
        extent = window.shape[window.order[at]]
        if window.kind == "gather" and at == window.sparse:
            drawn = scene.random().permutation(extent + tile)[:tile]
            start = scene.give("i32", drawn.astype(np.int32))
            values.append(scene.read(Tile(Scalar("i32"), (tile,)), start))
            promises.append(bool((drawn < extent).all()))
            continue
        step = window.steps[at]
        scale = step if window.kind == "gather" else 1  # elements of 4 bits: whole bytes
        edge = max(space[at] - 2, 0) if draws.chance(60) else 0
        number = draws.between(edge, space[at] - 1) // scale * scale
        values.append(scene.load(Tile(Scalar(name)), data.between(number, number)))
        first = number if window.kind == "gather" else number * step
        promises.append(first + tile <= extent)
    return values, promises
