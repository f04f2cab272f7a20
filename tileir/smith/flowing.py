"""Recipes about control flow, reductions, tile blocks, tokens, and what kernels say."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tileir.attributes import Bounded, DivBy, SameElements
from tileir.formats.version import V13_2, V13_4
from tileir.ir import Value
from tileir.types import Scalar, Tile, Token

from . import combining, data
from .scene import WEAK, Scene


def _scalar(scene: Scene, number: int, name: str = "i32") -> Value:
    """A number that the compiler does not know."""
    return scene.load(Tile(Scalar(name)), data.between(number, number))


def _mixed(scene: Scene, tile: Value, number: Value) -> Value:
    """Another tile that depends on a tile of i32 and a scalar."""
    kernel = scene.kernel
    factor = scene.spread(scene.number(5), tile.type.shape)
    return kernel.addi(kernel.muli(tile, factor), scene.spread(number, tile.type.shape))


def _is_reached(scene: Scene, number: Value, limit: Value) -> Value:
    return scene.kernel.cmpi(
        number, limit, comparison_predicate="greater_than_or_equal", signedness="signed"
    )


# Loops --------------------------------------------------------------------------------------------


def count(scene: Scene) -> None:
    """A for loop, signed or not, that carries tiles and a token; it may run never."""
    draws, kernel = scene.draws, scene.kernel
    unsigned = scene.pool.version >= V13_2 and draws.chance(40)
    name = draws.pick(("i8", "i16", "i32", *(() if unsigned else ("i64",))))
    first, step = draws.between(0 if unsigned else -9, 9), draws.between(1, 4)
    if unsigned and draws.chance(80):
        first += (1 << Scalar(name).bits - 1) - 9  # bounds of two signs, if they had any
    last = first + draws.below(20) - (0 if unsigned else 3)
    bounds = [_scalar(scene, value, name) for value in (first, last, step)]
    tile = scene.value(Tile(Scalar("i32"), scene.pool.shape()))
    token = kernel.make_token()
    flag: dict[str, Any] = {"unsignedCmp": True} if unsigned else {}
    with kernel.for_(bounds[0], bounds[1], bounds[2], [tile, token], **flag) as loop:
        at, tile, token = loop.arguments
        if name != "i32":
            change = kernel.trunci if name == "i64" else partial(kernel.exti, signedness="signed")
            at = change(at, result="i32")
        tile = _mixed(scene, tile, at)
        if draws.chance(50):
            branch = kernel.if_(_odd(scene, at))
            with branch.thenRegion:
                kernel.continue_([_mixed(scene, tile, at), token])
        kernel.continue_([tile, token])
    scene.result(loop.results[0])


def _odd(scene: Scene, number: Value) -> Value:
    return scene.kernel.trunci(number, result="i1")


def repeat(scene: Scene) -> None:
    """A loop that is left by a break from inside an if, or by one at its end."""
    draws, kernel = scene.draws, scene.kernel
    type = Tile(Scalar("i32"), scene.pool.shape())
    limit = _scalar(scene, draws.below(9))
    loop = kernel.loop([scene.number(0), scene.value(type)], results=[type, "i32"])
    with loop:
        at, tile = loop.arguments
        tile = _mixed(scene, tile, at)
        following = kernel.addi(at, scene.number(1))
        branch = kernel.if_(_is_reached(scene, at, limit))
        with branch.thenRegion:
            kernel.break_([tile, at])
        if draws.chance(50):
            branch = kernel.if_(_odd(scene, at))
            with branch.thenRegion:
                kernel.continue_([following, _mixed(scene, tile, following)])
            if draws.chance(50):
                with branch.elseRegion:
                    kernel.yield_()
        if draws.chance(20):
            kernel.break_([tile, following])
        else:
            kernel.continue_([following, tile])
    for result in loop.results:
        scene.result(result)


def choose(scene: Scene) -> None:
    """An if with results, in an if."""
    kernel, shape = scene.kernel, scene.pool.shape()
    outer, inner = (scene.value(Tile(Scalar("i1"))) for _ in range(2))
    tile, other = (scene.value(Tile(Scalar("i32"), shape)) for _ in range(2))
    number = scene.value(Tile(Scalar("f32")))
    branch = kernel.if_(outer, results=[tile.type, number.type, Token()])
    with branch.thenRegion:
        kernel.yield_([_mixed(scene, tile, scene.number(1)), number, kernel.make_token()])
    with branch.elseRegion:
        nested = kernel.if_(inner, results=[tile.type])
        with nested.thenRegion:
            kernel.yield_([other])
        with nested.elseRegion:
            kernel.yield_([tile])
        kernel.yield_([nested.result, kernel.negf(number), kernel.make_token()])
    for result in branch.results[:2]:
        scene.result(result)


def leave_early(scene: Scene) -> None:
    """Some tile blocks return before they store, from inside an if, which may be in a loop."""
    draws, kernel = scene.draws, scene.kernel
    scene.grid = (draws.between(2, 6),)
    x, _, _ = kernel.get_tile_block_id()
    condition, in_loop = _odd(scene, x), draws.chance(50)
    if in_loop:
        loop = kernel.loop([scene.number(0)])
        loop.__enter__()
    branch = kernel.if_(condition)
    with branch.thenRegion:
        kernel.return_()
    if in_loop:
        kernel.break_()
        loop.__exit__(None, None, None)
    start = scene.reserve(Scalar("i32"), scene.grid[0])
    place = kernel.offset(scene.place(scene.target("i32"), start), x)
    kernel.store_ptr_tko(place, kernel.addi(x, scene.number(7)), **WEAK)


# Combining ----------------------------------------------------------------------------------------


def combine(scene: Scene, scan: bool) -> None:
    """A reduction or a scan of one or several tiles, along any dimension."""
    draws = scene.draws
    body = combining.together(draws, combining.ORDERED if scan else combining.COMMUTATIVE)
    shape = scene.pool.shape(least=1)
    values = combining.operands(scene, body, shape)
    dim, reverse = draws.below(len(shape)), draws.chance(50) if scan else None
    for result in combining.combined(scene, body, values, dim, reverse):
        scene.result(result)


# Tile blocks --------------------------------------------------------------------------------------


def place(scene: Scene, what: str) -> None:
    """Each tile block writes where it is, or how many there are."""
    draws = scene.draws
    if not scene.alone:
        positions = getattr(scene.kernel, what)()
    else:
        grid = tuple(draws.between(1, 4) for _ in range(draws.between(1, 3)))
        found = scene.spread_out(grid)
        positions = found[:3] if what == "get_tile_block_id" else found[3:]
    for value in positions:
        scene.result(value)


def order(scene: Scene) -> None:
    """Tokens in all ways; a store that a load must see, and one that it must not."""
    kernel, type = scene.kernel, Tile(Scalar("i32"), scene.pool.shape())
    start = scene.reserve(type.element, type.size)
    values = data.anything(scene.random(), type.element, type.size)
    scene.begin_with("i32", start, values)
    pointers = scene.each(scene.own(type.element, start, type.size), type)
    first = kernel.make_token() if scene.token is None else scene.token
    before, token = kernel.load_ptr_tko(pointers, token=first, **WEAK)
    token = kernel.join_tokens([token, kernel.make_token()])
    for fence in FENCES if scene.pool.version >= V13_4 else ():
        token = getattr(kernel, fence)(token)
    token = kernel.store_ptr_tko(pointers, scene.value(type), token=token, **WEAK)
    after, token = kernel.load_ptr_tko(pointers, token=token, **WEAK)
    scene.follow(token)
    scene.result(before)
    scene.result(after)


FENCES = ("gdc_wait_tko", "gdc_launch_dependents_tko", "memory_fence_alias_tko")

# What kernels say and promise ---------------------------------------------------------------------


def say(scene: Scene) -> None:
    """A print, which changes nothing."""
    tile = scene.value(Tile(Scalar("i32"), (scene.draws.power(2),)))
    number = scene.value(Tile(Scalar("f32")))
    scene.kernel.print_tko([tile, number], str="%d and %f\n")
    scene.result(tile)


def check(scene: Scene) -> None:
    """An assert that holds."""
    tile = scene.load(Tile(Scalar("i1"), scene.pool.shape()), data.between(1, 1))
    scene.kernel.assert_(tile, message="never said")  # noqa: PT009
    scene.result(tile)


def promise(scene: Scene) -> None:
    """Assumptions that hold."""
    draws, shape = scene.draws, scene.pool.shape()
    type = Tile(Scalar(draws.pick(("i16", "i32", "i64"))), shape)
    kernel, steps = scene.kernel, draws.power(4)
    small = scene.load(type, data.between(-50, 50))
    factor = scene.spread(scene.number(steps, type.element.name), shape)
    groups = tuple(draws.power(size.bit_length() - 1) for size in shape)
    alike = scene.load(type, data.between(3, 3))
    scene.result(kernel.assume(kernel.muli(small, factor), predicate=DivBy(steps)))
    scene.result(kernel.assume(small, predicate=Bounded(-50, draws.pick((50, None)))))
    scene.result(kernel.assume(alike, predicate=SameElements(groups)))


RECIPES: dict[str, Callable[[Scene], None]] = {
    "assert": check,
    "assume": promise,
    "break": repeat,
    "continue": count,
    "for": count,
    "gdc_launch_dependents_tko": order,
    "gdc_wait_tko": order,
    "get_num_tile_blocks": partial(place, what="get_num_tile_blocks"),
    "get_tile_block_id": partial(place, what="get_tile_block_id"),
    "if": choose,
    "join_tokens": order,
    "loop": repeat,
    "make_token": order,
    "memory_fence_alias_tko": order,
    "print_tko": say,
    "reduce": partial(combine, scan=False),
    "return": leave_early,
    "scan": partial(combine, scan=True),
    "yield": choose,
}
"""Op -> what adds it to a kernel."""
