"""Recipes about memory: loads, stores and atomics, through pointers and views."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tileir.formats.version import V13_3, V13_4
from tileir.ir import Value
from tileir.ir.constants import to_constant
from tileir.tools.sampler.draws import Draws
from tileir.types import Pointer, Scalar, Tile
from tileir.verifier.rules.atomics import ELEMENTS as ATOMIC_ELEMENTS
from tileir.verifier.rules.atomics import SWAPPED, WORDS

from . import data
from .elements import PACKED
from .scene import WEAK, Scene
from .tolerance import EXACT, Tolerance
from .windows import Window, cut, index, window


def _element(scene: Scene, packed: bool = False) -> Scalar:
    names = scene.pool.pointees
    return Scalar(scene.draws.pick([name for name in names if packed or name not in PACKED]))


def _ordered(draws: Draws, kind: str) -> dict[str, Any]:
    """How strongly an access is ordered, and for whom."""
    order = draws.pick(("weak", "relaxed", kind))
    if order == "weak":
        return WEAK
    scope = draws.pick(("tl_blk", "device", "sys"))
    return {"memory_ordering_semantics": order, "memory_scope": scope}


def _strong(draws: Draws, among_blocks: bool = False) -> dict[str, Any]:
    """How an atomic is ordered, and for whom: for more than its own block if others meet it."""
    return {
        "memory_ordering_semantics": draws.pick(("relaxed", "acquire", "release", "acq_rel")),
        "memory_scope": draws.pick(
            ("device", "sys") if among_blocks else ("tl_blk", "device", "sys")
        ),
    }


def _weakly(scene: Scene, kind: str) -> dict[str, Any]:
    """The order of a store, and what it follows where stores are made again and again."""
    return {**_ordered(scene.draws, kind), "token": scene.token}


def _scattered(scene: Scene, base: Value, shape: tuple[int, ...], places: np.ndarray) -> Value:
    """Pointers to those elements of an array."""
    start = scene.give("i32", places.astype(np.int32))
    steps = scene.read(Tile(Scalar("i32"), shape), start)
    return scene.kernel.offset(scene.spread(base, shape), steps)


def _mask(scene: Scene, shape: tuple[int, ...]) -> Value | None:
    return scene.value(Tile(Scalar("i1"), shape)) if scene.draws.chance(60) else None


# Pointers -----------------------------------------------------------------------------------------


def load_pointers(scene: Scene) -> None:
    """A gather; what is masked out is padded there or afterwards."""
    draws = scene.draws
    type = Tile(_element(scene), scene.pool.shape())
    spare = draws.between(0, 9)
    contents = data.anything(scene.random(), type.element, type.size + spare)
    first = scene.give(type.element.name, contents)
    places = first + scene.random().integers(0, contents.size - 1, type.size)
    pointers = _scattered(scene, scene.source(type.element.name), type.shape, places)
    mask, padded = _mask(scene, type.shape), draws.chance(50)
    padding = scene.value(type) if padded else None
    value, _ = scene.kernel.load_ptr_tko(
        pointers, mask, padding, **_ordered(draws, "acquire")
    )  # fmt: skip
    if mask is not None and not padded:
        value = scene.kernel.select(mask, value, scene.value(type))
    scene.result(value)


def store_pointers(scene: Scene) -> None:
    """A scatter to places that differ."""
    type = Tile(_element(scene), scene.pool.shape())
    room = type.size + scene.draws.below(9)
    base = scene.own(type.element, scene.reserve(type.element, room), room)
    places = scene.random().permutation(room)[: type.size]
    pointers = _scattered(scene, base, type.shape, places)
    mask = _mask(scene, type.shape)
    token = scene.kernel.store_ptr_tko(
        pointers, scene.value(type), mask, **_weakly(scene, "release")
    )  # fmt: skip
    scene.follow(token)


# Views --------------------------------------------------------------------------------------------


def load_view(scene: Scene, kind: str) -> None:
    """A tile from a view; what nothing specifies is not looked at."""
    element = _element(scene, packed=True)
    while True:
        view = window(scene.draws, element, _known(scene, kind))
        values, inside = index(scene, view)
        if view.padding is not None or all(inside):
            break
    span = view.span + view.span % 2
    first = scene.give_elements(element, data.anything(scene.random(), element, span))
    base = scene.typed(scene.place(scene.source(element.name), first), element)
    _, cut_view = cut(scene, view, base)
    promises = _promises(scene, inside)
    tile, _ = scene.kernel.load_view_tko(
        cut_view, values, inbounds=promises, **_ordered(scene.draws, "acquire")
    )
    scene.result(tile)


def _written(scene: Scene, view: Window) -> Value:
    """A view of memory that the kernel may write to, all of which is compared."""
    span = view.span + view.span % 2
    return cut(scene, view, scene.own(view.element, scene.reserve(view.element, span), span))[1]


def store_view(scene: Scene, kind: str) -> None:
    """A tile to a view; what lies outside is dropped."""
    draws, element = scene.draws, _element(scene, packed=True)
    view = window(draws, element, _known(scene, kind))
    cut_view = _written(scene, view)
    values, inside = index(scene, view)
    promises = _promises(scene, inside)
    token = scene.kernel.store_view_tko(
        scene.value(Tile(element, view.tile)), cut_view, values, inbounds=promises,
        **_weakly(scene, "release"),
    )  # fmt: skip
    scene.follow(token)


def measure(scene: Scene, what: str) -> None:
    """The shape of a tensor, or of the index space of a view."""
    draws, element = scene.draws, _element(scene)
    view = window(draws, element, draws.pick(_kinds(scene)))
    tensor, cut_view = cut(scene, view, scene.source(element.name))
    names = [
        name for name in ("i8", "i16", "i32", "i64") if max(view.shape) >> Scalar(name).bits == 0
    ]
    types = [draws.pick(names)] * len(view.tile)
    if what == "get_tensor_shape":
        sizes: Any = scene.kernel.get_tensor_shape(tensor, results=types)
    else:
        sizes = scene.kernel.get_index_space_shape(cut_view, results=types)
    for size in sizes if isinstance(sizes, tuple) else (sizes,):
        wide = size.type.element.name == "i64"
        if not wide:
            size = scene.kernel.exti(size, signedness="unsigned", result="i64")
        scene.result(size)


def _promises(scene: Scene, inside: list[bool]) -> list[bool]:
    """Where to promise that the tile is inside, as far as the version has such promises."""
    promises = [held and scene.draws.chance(50) for held in inside]
    return promises if scene.pool.version >= V13_4 else [False] * len(inside)


def _known(scene: Scene, kind: str) -> str:
    """Return the kind of a view, or the only one that the version has."""
    return kind if scene.pool.version >= V13_3 else "partition"


def _kinds(scene: Scene) -> tuple[str, ...]:
    """Kinds of views whose tiles lie next to each other, that the version has."""
    return ("partition", "strided") if scene.pool.version >= V13_3 else ("partition",)


# Atomics ------------------------------------------------------------------------------------------


def _mode(draws: Draws, names: tuple[str, ...]) -> tuple[Any, Scalar]:
    mode = draws.pick(names)
    return mode, Scalar(draws.pick(ATOMIC_ELEMENTS.get(mode, WORDS)))


MODES = ("add", "addf", "and", "max", "min", "or", "umax", "umin", "xchg", "xor")
ORDER_MATTERS = ("addf", "xchg")
FLUSHED = Tolerance(difference=2.0**-125)
"""Of sums in f32: PTX's `atom.add` takes a subnormal number for zero, and gives none."""


def _tolerance(mode: str, element: Scalar) -> Tolerance:
    return FLUSHED if mode == "addf" and element.name == "f32" else EXACT


def modify(scene: Scene) -> None:
    """A read-modify-write of places that differ; or of the same ones, by all tile blocks, if the
    order of these does not matter, and what was there is not looked at."""
    draws = scene.draws
    mode, element = _mode(draws, MODES)
    type, collide = (
        Tile(element, scene.pool.shape()),
        mode not in ORDER_MATTERS and draws.chance(40),
    )
    first = scene.reserve(element, type.size, _tolerance(mode, element), shared=collide)
    begin = data.anything(scene.random(), element, type.size)
    scene.begin_with(element.name, first, begin, shared=collide)
    random = scene.random()
    places = random.permutation(type.size)
    if collide:
        places = first + random.integers(0, type.size - 1, type.size)
    base = scene.target(element.name) if collide else scene.own(element, first, type.size)
    pointers = _scattered(scene, base, type.shape, places)
    mask = _mask(scene, type.shape)
    old, token = scene.kernel.atomic_rmw_tko(
        pointers, scene.value(type), mask, mode=mode, token=scene.token,
        **_strong(draws, among_blocks=collide),
    )  # fmt: skip
    scene.follow(token)
    if collide:
        if scene.alone:
            scene.grid = (draws.between(1, 4), 2)
    elif mask is None:
        scene.result(old)
    else:
        scene.result(scene.kernel.select(mask, old, scene.value(type)))


def swap(scene: Scene) -> None:
    """A compare-and-swap, which about half of the elements pass.

    It tells one NaN from another, so none is stored that an op made.
    """
    draws = scene.draws
    type = Tile(Scalar(draws.pick(SWAPPED)), scene.pool.shape())
    element = type.element
    first = scene.reserve(element, type.size)
    there = data.anything(scene.random(), element, type.size)
    expected = np.where(
        scene.random().integers(0, 1, type.size) == 1, there,
        data.anything(scene.random(), element, type.size),
    )  # fmt: skip
    scene.begin_with(element.name, first, there)
    compared = scene.read(type, scene.give(element.name, expected))
    base = scene.own(element, first, type.size)
    if draws.chance(50):
        pointers = scene.each(base, type)
    else:
        places = scene.random().permutation(type.size)
        pointers = _scattered(scene, base, type.shape, places)
    mask = _mask(scene, type.shape)
    old, token = scene.kernel.atomic_cas_tko(
        pointers, compared, scene.load(type), mask, token=scene.token, **_strong(draws)
    )
    scene.follow(token)
    scene.result(old)


def modify_view(scene: Scene) -> None:
    """A read-modify-write of a tile of a view."""
    draws = scene.draws
    mode, element = _mode(draws, tuple(mode for mode in MODES if mode != "xchg"))
    view = window(draws, element, draws.pick(_kinds(scene)))
    first = scene.reserve(element, view.span, _tolerance(mode, element))
    scene.begin_with(element.name, first, data.anything(scene.random(), element, view.span))
    _, cut_view = cut(scene, view, scene.own(element, first, view.span))
    values, inside = index(scene, view)
    token = scene.kernel.atomic_red_view_tko(
        cut_view, values, scene.value(Tile(element, view.tile)), mode=mode, token=scene.token,
        memory_ordering_semantics="relaxed", memory_scope=draws.pick(("tl_blk", "device")),
        inbounds=_promises(scene, inside),
    )  # fmt: skip
    scene.follow(token)


# Other memory -------------------------------------------------------------------------------------


def use_global(scene: Scene) -> None:
    """A table of the module."""
    draws, element = scene.draws, _element(scene)
    size = draws.power(6)
    type = Tile(element, (size,))
    table = data.anything(scene.random(), element, size)
    constant = to_constant(table[:1].reshape(()) if draws.chance(20) else table, type)
    flags: dict[str, Any] = {"constant": draws.chance(50)} if scene.pool.version >= V13_3 else {}
    name = f"table{len(scene.module.globals)}"
    scene.module.global_(name, constant, alignment=64, **flags)
    base = scene.kernel.get_global(name=name, result=Tile(Pointer(element)))
    pointers = _scattered(scene, base, (size,), scene.random().integers(0, size - 1, size))
    scene.result(scene.kernel.load_ptr_tko(pointers, **WEAK)[0])


def use_alloca(scene: Scene) -> None:
    """Memory of the tile block: filled, then read in another order, perhaps masked."""
    draws, kernel, element = scene.draws, scene.kernel, _element(scene)
    type = Tile(element, (draws.power(6),))
    count, alignment = type.size + draws.below(4), 8 * draws.power(5)
    flags: dict[str, Any] = {"global_": True} if draws.chance(50) else {}
    room = kernel.alloca(
        num_elem=count, alignment=alignment, result=Tile(Pointer(element)), **flags
    )
    token = kernel.store_ptr_tko(scene.each(room, type), scene.value(type), **WEAK)
    if scene.alone:
        pointers = _scattered(scene, room, type.shape, scene.random().permutation(type.size))
    else:
        steps = scene.masked(scene.value(Tile(Scalar("i32"), type.shape)), type.size - 1)
        pointers = kernel.offset(scene.spread(room, type.shape), steps)
    mask = _mask(scene, type.shape)
    padding = scene.value(type) if mask is not None else None
    scene.result(kernel.load_ptr_tko(pointers, mask, padding, token, **WEAK)[0])


RECIPES: dict[str, Callable[[Scene], None]] = {
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
"""Op -> what adds it to a kernel."""
