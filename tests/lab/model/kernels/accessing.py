"""Kernels about memory: loads, stores and atomics, through pointers and views."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tests.lab.model.elements import PACKED
from tileir.formats.version import LATEST
from tileir.ir import Value
from tileir.ir.constants import to_constant
from tileir.tools.sampler.draws import Draws
from tileir.types import Pointer, Scalar, Tile
from tileir.verifier.rules.atomics import ELEMENTS as ATOMIC_ELEMENTS
from tileir.verifier.rules.atomics import SWAPPED, WORDS

from . import data
from .drafting import SmallPool
from .scene import WEAK, Case, Scene
from .windows import Window, cut, index, window

LARGEST = 128


def _element(draws: Draws, packed: bool = False) -> Scalar:
    names = SmallPool(LATEST, draws, LARGEST).pointees
    return Scalar(draws.pick([name for name in names if packed or name not in PACKED]))


def _shape(draws: Draws) -> tuple[int, ...]:
    return SmallPool(LATEST, draws, LARGEST).shape()


def _ordered(draws: Draws, kind: str) -> dict[str, str]:
    """How strongly an access is ordered, and for whom."""
    order = draws.pick(("weak", "relaxed", kind))
    if order == "weak":
        return WEAK
    scope = draws.pick(("tl_blk", "device", "sys"))
    return {"memory_ordering_semantics": order, "memory_scope": scope}


def _strong(draws: Draws, among_blocks: bool = False) -> dict[str, str]:
    """How an atomic is ordered, and for whom: for more than its own block if others meet it."""
    return {
        "memory_ordering_semantics": draws.pick(("relaxed", "acquire", "release", "acq_rel")),
        "memory_scope": draws.pick(
            ("device", "sys") if among_blocks else ("tl_blk", "device", "sys")
        ),
    }


def _scattered(scene: Scene, base: Value, shape: tuple[int, ...], places: np.ndarray) -> Value:
    """Pointers to those elements of an array."""
    start = scene.give("i32", places.astype(np.int32))
    steps = scene.read(Tile(Scalar("i32"), shape), start)
    return scene.kernel.offset(scene.spread(base, shape), steps)


def _mask(scene: Scene, shape: tuple[int, ...]) -> Value | None:
    return scene.load(Tile(Scalar("i1"), shape)) if scene.draws.chance(60) else None


# Pointers -----------------------------------------------------------------------------------------


def load_pointers(draws: Draws) -> Case:
    """A gather; what is masked out is padded there or afterwards."""
    type = Tile(_element(draws), _shape(draws))
    scene, spare = Scene(draws, [type.element.name, "i1"]), draws.between(0, 9)
    contents = data.anything(scene.random(), type.element, type.size + spare)
    first = scene.give(type.element.name, contents)
    places = first + scene.random().integers(0, contents.size, type.size)
    pointers = _scattered(scene, scene.source(type.element.name), type.shape, places)
    mask, padded = _mask(scene, type.shape), draws.chance(50)
    padding = scene.load(type) if padded else None
    value, _ = scene.kernel.load_ptr_tko(
        pointers, mask, padding, **_ordered(draws, "acquire")
    )  # fmt: skip
    if mask is not None and not padded:
        value = scene.kernel.select(mask, value, scene.load(type))
    scene.keep(value)
    return _done(scene)


def store_pointers(draws: Draws) -> Case:
    """A scatter to places that differ."""
    type = Tile(_element(draws), _shape(draws))
    scene = Scene(draws, [type.element.name, "i1"])
    room = type.size + draws.below(9)
    first = scene.reserve(type.element, room)
    places = first + scene.random().permutation(room)[: type.size]
    pointers = _scattered(scene, scene.target(type.element.name), type.shape, places)
    mask = _mask(scene, type.shape)
    scene.kernel.store_ptr_tko(
        pointers, scene.load(type), mask, **_ordered(draws, "release")
    )  # fmt: skip
    return _done(scene)


# Views --------------------------------------------------------------------------------------------


def load_view(draws: Draws, kind: str) -> Case:
    """A tile from a view; elements that nothing specifies are replaced."""
    element = _element(draws, packed=True)
    scene, view = Scene(draws, [element.name, "i1"]), window(draws, element, kind)
    span = view.span + view.span % 2
    first = scene.give_elements(element, data.anything(scene.random(), element, span))
    base = scene.typed(scene.place(scene.source(element.name), first), element)
    _, cut_view = cut(scene, view, base)
    values, inside = index(scene, view)
    if view.padding is None and not all(inside):
        return load_view(draws, kind)
    promises = [held and draws.chance(50) for held in inside]
    tile, _ = scene.kernel.load_view_tko(
        cut_view, values, inbounds=promises, **_ordered(draws, "acquire")
    )
    scene.keep(tile)
    return _done(scene)


def _written(scene: Scene, view: Window) -> Value:
    """A view of memory that the kernel may write to, all of which is compared."""
    span = view.span + view.span % 2
    first = scene.reserve(view.element, span)
    base = scene.typed(scene.place(scene.target(view.element.name), first), view.element)
    return cut(scene, view, base)[1]


def store_view(draws: Draws, kind: str) -> Case:
    """A tile to a view; what lies outside is dropped."""
    element = _element(draws, packed=True)
    scene, view = Scene(draws, [element.name]), window(draws, element, kind)
    cut_view = _written(scene, view)
    values, inside = index(scene, view)
    promises = [held and draws.chance(50) for held in inside]
    scene.kernel.store_view_tko(
        scene.load(Tile(element, view.tile)), cut_view, values, inbounds=promises,
        **_ordered(draws, "release"),
    )  # fmt: skip
    return _done(scene)


def measure(draws: Draws, what: str) -> Case:
    """The shape of a tensor, or of the index space of a view."""
    element, kind = _element(draws), draws.pick(("partition", "strided"))
    scene, view = Scene(draws, [element.name]), window(draws, element, kind)
    tensor, cut_view = cut(scene, view, scene.source(element.name))
    types = [draws.pick(("i8", "i16", "i32", "i64"))] * len(view.tile)
    if what == "get_tensor_shape":
        sizes = scene.kernel.get_tensor_shape(tensor, results=types)
    else:
        sizes = scene.kernel.get_index_space_shape(cut_view, results=types)
    for size in sizes if isinstance(sizes, tuple) else (sizes,):
        wide = size.type.element.name == "i64"
        if not wide:
            size = scene.kernel.exti(size, signedness="unsigned", result="i64")
        scene.keep(size)
    return _done(scene)


# Atomics ------------------------------------------------------------------------------------------


def _mode(draws: Draws, names: tuple[str, ...]) -> tuple[str, Scalar]:
    mode = draws.pick(names)
    return mode, Scalar(draws.pick(ATOMIC_ELEMENTS.get(mode, WORDS)))


MODES = ("add", "addf", "and", "max", "min", "or", "umax", "umin", "xchg", "xor")
ORDER_MATTERS = ("addf", "xchg")


def modify(draws: Draws) -> Case:
    """A read-modify-write of places that differ; or of the same ones, in several tile blocks, if
    the order of the blocks does not matter, and what was there is not looked at."""
    mode, element = _mode(draws, MODES)
    type, collide = Tile(element, _shape(draws)), mode not in ORDER_MATTERS and draws.chance(40)
    scene = Scene(draws, [element.name, "i1"])
    first = scene.reserve(element, type.size)
    scene.begin_with(element.name, first, data.anything(scene.random(), element, type.size))
    random = scene.random()
    places = random.integers(0, type.size, type.size) if collide else random.permutation(type.size)
    pointers = _scattered(scene, scene.target(element.name), type.shape, first + places)
    mask = _mask(scene, type.shape)
    old, _ = scene.kernel.atomic_rmw_tko(
        pointers, scene.load(type), mask, mode=mode, **_strong(draws, among_blocks=collide)
    )
    if collide:
        scene.grid = (draws.between(1, 4), 2)
    elif mask is None:
        scene.keep(old)
    else:
        scene.keep(scene.kernel.select(mask, old, scene.load(type)))
    return _done(scene)


def swap(draws: Draws) -> Case:
    """A compare-and-swap, which about half of the elements pass."""
    type = Tile(Scalar(draws.pick(SWAPPED)), _shape(draws))
    element = type.element
    scene = Scene(draws, [element.name, "i1"])
    first = scene.reserve(element, type.size)
    there = data.anything(scene.random(), element, type.size)
    expected = np.where(
        scene.random().integers(0, 2, type.size) == 1, there,
        data.anything(scene.random(), element, type.size),
    )  # fmt: skip
    scene.begin_with(element.name, first, there)
    compared = scene.read(type, scene.give(element.name, expected))
    places = scene.random().permutation(type.size)
    pointers = _scattered(scene, scene.target(element.name), type.shape, first + places)
    if draws.chance(50):
        pointers = scene.each(scene.place(scene.target(element.name), first), type)
    old, _ = scene.kernel.atomic_cas_tko(
        pointers, compared, scene.load(type), _mask(scene, type.shape), **_strong(draws)
    )
    scene.keep(old)
    return _done(scene)


def modify_view(draws: Draws) -> Case:
    """A read-modify-write of a tile of a view."""
    mode, element = _mode(draws, tuple(mode for mode in MODES if mode != "xchg"))
    scene = Scene(draws, [element.name])
    view = window(draws, element, draws.pick(("partition", "strided")))
    first = scene.reserve(element, view.span)
    scene.begin_with(element.name, first, data.anything(scene.random(), element, view.span))
    _, cut_view = cut(scene, view, scene.place(scene.target(element.name), first))
    values, inside = index(scene, view)
    scene.kernel.atomic_red_view_tko(
        cut_view, values, scene.load(Tile(element, view.tile)), mode=mode,
        memory_ordering_semantics="relaxed", memory_scope=draws.pick(("tl_blk", "device")),
        inbounds=[held and draws.chance(50) for held in inside],
    )  # fmt: skip
    return _done(scene)


# Other memory -------------------------------------------------------------------------------------


def use_global(draws: Draws) -> Case:
    """A table of the module."""
    element = _element(draws)
    scene, size = Scene(draws, [element.name]), draws.power(6)
    type = Tile(element, (size,))
    table = data.anything(scene.random(), element, size)
    constant = to_constant(table[:1].reshape(()) if draws.chance(20) else table, type)
    scene.module.global_("table", constant, alignment=64, constant=draws.chance(50))
    base = scene.kernel.get_global(name="table", result=Tile(Pointer(element)))
    pointers = _scattered(scene, base, (size,), scene.random().integers(0, size, size))
    scene.keep(scene.kernel.load_ptr_tko(pointers, **WEAK)[0])
    return _done(scene)


def use_alloca(draws: Draws) -> Case:
    """Memory of the tile block: filled, then read in another order."""
    element, size = _element(draws), draws.power(6)
    scene, type = Scene(draws, [element.name]), Tile(element, (size,))
    room = scene.kernel.alloca(
        num_elem=size + draws.below(4), alignment=8 * draws.power(5), result=Tile(Pointer(element)),
        **({"global_": True} if draws.chance(50) else {}),
    )  # fmt: skip
    token = scene.kernel.store_ptr_tko(scene.each(room, type), scene.load(type), **WEAK)
    pointers = _scattered(scene, room, (size,), scene.random().permutation(size))
    scene.keep(scene.kernel.load_ptr_tko(pointers, token=token, **WEAK)[0])
    return _done(scene)


def _done(scene: Scene) -> Case:
    scene.kernel.return_()
    return scene.case()


RECIPES: dict[str, Callable[[Draws], Case]] = {
    "alloca": use_alloca,
    "atomic_cas_tko": swap,
    "atomic_red_view_tko": modify_view,
    "atomic_rmw_tko": modify,
    "get_global": use_global,
    "get_index_space_shape": partial(measure, what="get_index_space_shape"),
    "get_tensor_shape": partial(measure, what="get_tensor_shape"),
    "load_ptr_tko": load_pointers,
    "load_view_tko": partial(load_view, kind="partition"),
    "make_gather_scatter_view": partial(load_view, kind="gather"),
    "make_partition_view": partial(store_view, kind="partition"),
    "make_strided_view": partial(load_view, kind="strided"),
    "make_tensor_view": partial(store_view, kind="gather"),
    "store_ptr_tko": store_pointers,
    "store_view_tko": partial(store_view, kind="strided"),
}
"""Op -> a kernel of it."""
