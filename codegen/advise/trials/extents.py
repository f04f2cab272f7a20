"""Trials of tiles: the same kernel with tiles that are longer, or shorter, along a dimension.

All extents of that size in the function are multiplied, in every type; what then breaks a rule of
Tile IR does not compile, and is no advice. The numbers that such a kernel computes may be wrong
where it computes addresses from the extent, but not the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tileir.builder.retyped import retyped, swapped
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.ops.extents import tensor_view_op
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.read.function import Function
from tileir.types import PartitionView, Tile

from .parameters import origin, slice_of
from .trial import Trial

_LONG = 16
"""Shorter tiles than that are not tried."""

Extent = Callable[[Op], int | None]
"""Returns the extent of an op's tile that is to be longer."""


def resized(function: Function, extent: int, size: int) -> None:
    """Give all tiles of a function another size wherever they have this extent."""
    _replace_extents(function, {extent: size})


def _replace_extents(function: Function, sizes: Mapping[int, int]) -> None:
    of = partial(retyped, tile=swapped(sizes))
    for value in function.body.defined():
        value.type = of(value.type)
    for op in function.walk():
        for name, value in op.attributes.items():
            if isinstance(value, Constant) and value.is_splat:
                op.attributes[name] = Constant(of(value.type), value.data)


def longer(extent: Extent, factor: int) -> Trial:
    """Return the trial of a tile that is longer along a dimension."""

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        told: dict[Site, str] = {}
        done: set[tuple[str, int]] = set()
        wanted = [(site, _of(extent, copy, site)) for site in sites]
        for site, size in wanted:
            if size is None or size < 2:
                continue
            assert site.number is not None
            if (site.symbol, size) not in done:
                done.add((site.symbol, size))
                resized(copy.functions[site.number], size, size * factor)
            told[site] = f"let extents of {size} in tiles be {size * factor}"
        return told

    return Trial(edit)


def _across(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Let tiles be as long along their last dimension as they are along their longest one."""
    told: dict[Site, str] = {}
    done: set[tuple[str, int, int]] = set()
    shapes = [(site, _shape(copy, site)) for site in sites]
    for site, shape in shapes:
        long, short = max(shape, default=1), shape[-1] if shape else 1
        if short in (1, long):
            continue
        assert site.number is not None
        if (site.symbol, long, short) not in done:
            done.add((site.symbol, long, short))
            function = copy.functions[site.number]
            _replace_extents(function, {long: short, short: long})
        told[site] = f"let extents of {long} in tiles be {short}, and those of {short} be {long}"
    return told


def _shape(copy: Copy, site: Site) -> tuple[int, ...]:
    """Return the shape of the tile of an access that has not all of its tensor's last dimension."""
    if site.number is None or _has_all(copy.ops[site.number], copy, site.number):
        return ()
    view = copy.ops[site.number].operands.get("view")
    return () if view is None else view.type.tile


def shorter(factor: int) -> Trial:
    """Return the trial of a kernel whose longest tiles are shorter."""

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        told: dict[Site, str] = {}
        for site in sites:
            function = copy.by_symbol[site.symbol]
            kinds = (value.type for value in function.body.defined())
            size = max(max(each.shape, default=1) for each in kinds if isinstance(each, Tile))
            if size >= _LONG * factor:
                resized(function, size, size // factor)
                told[site] = f"let extents of {size} in tiles be {size // factor}"
        return told

    return Trial(edit)


def _of(extent: Extent, copy: Copy, site: Site) -> int | None:
    if site.number is None:
        return None
    op = copy.ops[site.number]
    return None if _has_all(op, copy, site.number) else extent(op)


def _has_all(op: Op, copy: Copy, number: int) -> bool:
    """Whether the tile of an access has all of a tensor's last dimension: there is no more of it.

    The tensor's extent is in its type, or an argument of the launch that is known.
    """
    view = op.operands.get("view")
    made = None if view is None else tensor_view_op(view)
    if view is None or made is None or not isinstance(view.type, PartitionView):
        return False
    kind, dim = made.result.type, view.type.dim_map[-1]
    extent = kind.shape[dim]
    if extent is None:
        dynamic = [n for n, each in enumerate(kind.shape) if each is None]
        given = origin(made.operands["dynamicShape"][dynamic.index(dim)])
        parameters = copy.functions[number].body.block.arguments
        extent = copy.arguments.get(given.index) if given in parameters else None
    return extent is not None and view.type.tile[-1] >= extent


def inner(op: Op) -> int | None:
    """Return the extent of the tile of an access along its last dimension."""
    view = op.operands.get("view")
    if view is not None:
        return view.type.tile[-1]
    kinds = (value.type for value in (*op.results, *op.operand_list()))
    return next((each.shape[-1] for each in kinds if isinstance(each, Tile) and each.shape), None)


def rows(op: Op) -> int | None:
    """Return the rows of a product; None if they are all that there are.

    They are if operand A is loaded at a constant index along them: no block takes other rows.
    """
    if "lhs" not in op.operands:
        return None
    found = op.operands["lhs"].type.shape[-2]
    for made in slice_of(op.operands["lhs"]):
        if made.name == "load_view_tko":
            tile = made.operands["view"].type.tile
            if found in tile:
                at = made.operands["index"][tile.index(found)].owner
                return None if isinstance(at, Op) and at.name == "constant" else found
    return found


def depth(op: Op) -> int | None:
    """Return how many products of elements a product adds up for each of its results."""
    return op.operands["lhs"].type.shape[-1] if "lhs" in op.operands else None


ACROSS = Trial(_across)
"""Tiles are long along their last dimension, and short along the one that was long."""
