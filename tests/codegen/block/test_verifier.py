"""Every rule of the block IR, with a body that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tileir.codegen.block.make import make
from tileir.codegen.block.op_rules import turn_of_its_ring
from tileir.codegen.block.types import Flight, Frag, Shared, Turn
from tileir.codegen.block.verifier import RULES
from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    blocked,
    coordinate_images,
    held_by_each,
)
from tileir.codegen.layouts.warp_conversions import images_without
from tileir.ir import Body, Op, Value
from tileir.ir.constants import to_constant
from tileir.types import GatherScatterView, Pointer, Scalar, Tile

from .bodies import COLUMNS, F16, ROWS, SHAPE, STRAIGHT, THREADS, TOKEN, VIEW, Builder
from .problems import block_problem

IN_ORDER = LinearLayout(10, (1, 2, 32, 64, 128), (4, 8, 16, 256, 512), (0,))
"""A layout of SHAPE in which a scan along rows can work."""


def ring(slots: int = 3, **rest) -> tuple[Builder, Op]:
    b = Builder()
    return b, b.pipelined(slots, **rest)


def ordered_ring(slots: int = 3) -> tuple[Body, Op]:
    """A ring with its barrier."""
    b, loop = ring(slots)
    body = b.finish()
    wait = first(loop, "wait_group")
    wait.parent.ops.insert(wait.index + 1, barrier_op())
    assert block_problem(body, ordered=True) is None
    return body, loop


def barrier_op() -> Op:
    return make("barrier", attributes={"pairs": ()})


def first(op: Op | Body, name: str) -> Op:
    return next(each for each in op.walk() if each.name == name)


def test_a_flight_is_awaited() -> None:
    b, loop = ring()
    wait = first(loop, "wait_group")
    rings = wait.operands["rings"]
    for result, tile in zip(wait.results, rings, strict=True):
        for use in result.uses:
            use.set(tile)
    wait.erase()
    assert "a flight that is made before is not awaited" in _all_problems(b.finish())


def test_a_flight_is_awaited_once() -> None:
    b, loop = ring()
    wait = first(loop, "wait_group")
    wait.parent.insert(wait.index, wait.clone())
    assert "consumed more than once" in block_problem(b.finish())


def test_a_flight_is_not_consumed_in_a_loop_around_which_it_was_made() -> None:
    b, turn, flight, rings = started()
    with b.loop():
        wait(b, rings, turn, flight)
    assert "consumed more than once" in block_problem(b.finish())


@pytest.mark.parametrize("both", [False, True])
def test_a_flight_is_consumed_on_every_path(both: bool) -> None:
    b, turn, flight, rings = started()
    sides = [lambda: wait(b, rings, turn, flight), lambda: None]
    b.branch(*(sides[:1] * 2 if both else sides))
    problem = block_problem(b.finish())
    assert problem is None if both else "not awaited" in problem


def started() -> tuple[Builder, Value, Value, tuple[Value, ...]]:
    b = Builder()
    rings = b.alloc(2, 2)
    turn = b.op("first_turn", {"ring": rings[0]}, [Turn(2)]).result
    _, flight = b.fill(rings, turn, b.true, Flight(tuple(each.type.slot for each in rings)))
    return b, turn, flight, tuple(rings)


def wait(b: Builder, rings: tuple[Value, ...], turn: Value, flight: Value, pending: int = 0) -> Op:
    operands = {"flight": flight, "turn": turn, "rings": rings}
    return b.op("wait_group", operands, flight.type.tiles, pending=pending)


def test_a_turn_is_advanced_once() -> None:
    b, loop = ring()
    end = loop.regions[0].block.ops[-1]
    turn = loop.regions[0].block.arguments[3]
    end.operands["operands"] = (turn, *end.operands["operands"][1:])
    assert "not the next one" in block_problem(b.finish())


def test_a_turn_is_of_rings_with_as_many_slots() -> None:
    b, loop = ring(slots=3)
    wait = first(loop, "wait_group")
    assert turn_of_its_ring(wait) is None
    wait.operands["turn"] = b.op("first_turn", {"ring": b.alloc(2)}, [Turn(2)]).result
    assert turn_of_its_ring(wait) == "turn<2> with a ring of 3 slots"


def test_only_two_ops_make_turns() -> None:
    b = Builder()
    b.op("if", {"condition": b.true}, [Turn(2)], regions=[])
    assert "first_turn and advance only" in block_problem(b.finish())


def test_a_slot_is_read_behind_the_wait_only() -> None:
    b, turn, flight, rings = started()
    slot = first(b.body, "shared_slot").result
    b.load(slot)
    wait(b, rings, turn, flight)
    assert "only a wait gives its tile" in block_problem(b.finish())


def test_a_ring_is_not_read_as_a_whole() -> None:
    b = Builder()
    b.load(b.alloc(2))
    assert "accessed as a whole" in block_problem(b.finish())


def test_a_view_keeps_the_offsets() -> None:
    b = Builder()
    tile = b.alloc(offsets=(*STRAIGHT[:9], 0))
    b.op("shared_view", {"source": tile}, [Shared(F16, SHAPE, STRAIGHT)])
    assert "offsets that its source lacks" in block_problem(b.finish())


def test_the_swizzle_of_the_writer_is_that_of_the_reader() -> None:
    b, loop = ring()
    result = first(loop, "wait_group").results[0]
    result.type = replace(result.type, offsets=STRAIGHT[::-1])
    assert "not the offsets with which it was copied" in block_problem(b.finish())


def test_a_part_is_of_pieces() -> None:
    b = Builder()
    b.store(b.alloc(), part=512)
    assert "part 0x200" in block_problem(b.finish())


def test_elementwise_operands_have_one_layout() -> None:
    b = Builder()
    operands = {"lhs": b.frag(ROWS), "rhs": b.frag(COLUMNS)}
    b.op("addf", operands, [operands["lhs"].type])
    assert "different layouts" in block_problem(b.finish())


@pytest.mark.parametrize(("layout", "right"), [(ROWS, False), (COLUMNS, True)])
def test_a_renumbered_operand_has_the_layout_that_follows(layout, right: bool) -> None:
    b = Builder()
    operands = {"source": b.frag(layout)}
    b.op("permute", operands, [Frag(F16, SHAPE, layout=ROWS)], permutation=(1, 0))
    problem = block_problem(b.finish())
    assert problem is None if right else "follows from" in problem


@pytest.mark.parametrize("layout", [ROWS, COLUMNS])
def test_a_gather_has_the_indices_of_its_elements(layout: LinearLayout) -> None:
    b = Builder()
    view = b.outer.add_argument(GatherScatterView(SHAPE, VIEW.view, 0))
    kind = Frag(Scalar("i32"), SHAPE[:1], layout=ROWS.compose(coordinate_images(SHAPE, 0)))
    rows = b.op("constant", results=[kind], value=to_constant(0, Tile(kind.element, kind.shape)))
    loaded = Frag(F16, SHAPE, layout=layout)
    operands = {"view": view, "index": (rows.result, b.zero)}
    b.op("load_view_tko", operands, [loaded, TOKEN], memory_ordering_semantics="weak", vector=1)
    problem = block_problem(b.finish())
    assert problem is None if layout is ROWS else "indices of its elements along dim" in problem


def test_one_thread_updates_a_single_element() -> None:
    b = Builder()
    pointer = b.outer.add_argument(Tile(Pointer(Scalar("i32"))))
    operands = {"pointers": pointer, "arg": b.zero}
    op = b.op("atomic_rmw_tko", operands, [b.zero.type, TOKEN], owner=False, vector=1)
    b.op("return")
    assert "threads with copies of an element all update it" in block_problem(b.body)
    op.attributes["owner"] = True
    assert block_problem(b.body) is None


def scanned(layout: LinearLayout = IN_ORDER) -> tuple[Builder, Op, Op]:
    """A scan of rows of 32 elements, of which a thread has four and a warp 32."""
    b = Builder()
    value = b.frag(layout)
    own = sum(base for base in layout.register if base < SHAPE[1])
    sums = layout.without(own).compose(images_without(layout.bits, own))
    kinds = [value.type, Frag(F16, (32, 8), layout=sums)]
    within = b.op("scan_warp", {"operands": (value,)}, kinds, dim=1, reverse=False)
    operands = {"operands": tuple(within.results), "warps": ()}
    across = b.op("scan_across", operands, [value.type], dim=1, reverse=False)
    return b, within, across


@pytest.mark.parametrize(
    ("layout", "right"),
    [
        (IN_ORDER, True),
        (replace(IN_ORDER, lane=(*IN_ORDER.lane[1::-1], *IN_ORDER.lane[2:])), False),
        (replace(IN_ORDER, register=(2, 1, *IN_ORDER.register[2:])), False),
    ],
)
def test_a_scan_has_its_dimension_in_order(layout: LinearLayout, right: bool) -> None:
    b, _, _ = scanned(layout)
    problem = block_problem(b.finish())
    assert problem is None if right else "registers, then of lanes, then of warps" in problem


@pytest.mark.parametrize("number", [0, 1])
def test_the_tiles_of_a_scan_have_layouts_that_follow(number: int) -> None:
    b, within, _ = scanned()
    result = within.results[number]
    lane = result.type.layout.lane[::-1]
    result.type = replace(result.type, layout=replace(result.type.layout, lane=lane))
    assert "a tile has another layout than the others" in block_problem(b.finish())


@pytest.mark.parametrize("right", [False, True])
def test_every_thread_has_what_one_element_is_packed_from(right: bool) -> None:
    layout = held_by_each(4, THREADS) if right else blocked(4, 1, THREADS)
    b = Builder()
    source = b.op("iota", results=[Frag(Scalar("i8"), (4,), layout=layout)]).result
    b.op("pack", {"source": source}, [Tile(Scalar("i32"), (1,))])
    problem = block_problem(b.finish())
    assert problem is None if right else "follows from" in problem


def test_a_layout_holds_every_element() -> None:
    b = Builder()
    b.frag(replace(ROWS, warp=(0,)))
    assert "no thread has some elements" in block_problem(b.finish())


def test_carried_values_keep_their_layout() -> None:
    b = Builder()
    start, other = b.frag(ROWS), b.frag(COLUMNS)
    with b.loop(start):
        b.op("continue", {"operands": (other,)})
    assert "another type or layout" in block_problem(b.finish())


# Accesses in order ------------------------------------------------------------------------------


def drop_barrier(loop: Op) -> None:
    first(loop, "barrier").erase()


def swap_slots(loop: Op) -> None:
    """The copies of an iteration go where another one's are."""
    slot = first(loop, "shared_slot")
    slot.operands["turn"] = first(loop, "advance").result


def wrong_pending(loop: Op) -> None:
    first(loop, "wait_group").attributes["pending"] += 1


def late_barrier(loop: Op) -> None:
    barrier, last = first(loop, "barrier"), loop.regions[0].block.ops[-1]
    barrier.move_before(last)


MUTANTS = {
    drop_barrier: "no barrier stands between this and copy_async",
    swap_slots: "not that of the slot that was filled",
    wrong_pending: "may stay under way",
    late_barrier: "no barrier stands between",
}


@pytest.mark.parametrize("mutate", MUTANTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("slots", [2, 3, 4])
def test_mutants_of_a_ring(mutate: Callable[[Op], None], slots: int) -> None:
    body, loop = ordered_ring(slots)
    mutate(loop)
    assert MUTANTS[mutate] in block_problem(body, ordered=True)


def test_allocations_that_live_together_do_not_overlap() -> None:
    b = Builder()
    one, other = b.alloc(), b.alloc()
    b.store(one)
    b.store(other, ROWS)
    b.op("barrier", pairs=())
    b.load(one)
    body = b.finish()
    one.owner.attributes["offset"], other.owner.attributes["offset"] = 0, 2048
    assert block_problem(body, ordered=True) is None
    other.owner.attributes["offset"] = 1024
    assert "no barrier stands between" in block_problem(body, ordered=True)
    b.outer.ops.insert(first(body, "store_shared").index + 1, barrier_op())
    assert "has been overwritten since" in block_problem(body, ordered=True)


def test_a_part_is_written_before_it_is_read() -> None:
    b = Builder()
    tile = b.alloc(offsets=(*STRAIGHT[:9], 0))
    b.store(tile, part=0)
    b.op("barrier", pairs=())
    b.load(tile, part=512)
    assert "was not stored" in block_problem(b.finish(), ordered=True)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        (((0, 0), (16, 16)), None),
        (((0, 0), (16, 0)), "mma: what is read was not stored"),
        (((0, 0), (0, 16)), "mma: what is read was not stored"),
    ],
)
def test_the_pieces_that_are_multiplied_are_there(
    stored: tuple[tuple[int, int], ...], said: str | None
) -> None:
    """Each tile has two pieces along k, its columns or rows, which take turns in memory."""
    b = Builder()
    lhs = b.alloc(offsets=(*STRAIGHT[:4], 0, *STRAIGHT[4:9]))
    rhs = b.alloc(offsets=(*STRAIGHT[:9], 0))
    acc = None
    for k, (column, row) in zip((0, 16), stored, strict=True):
        b.store(lhs, part=column)
        b.store(rhs, part=row * SHAPE[1])
        b.op("barrier", pairs=())
        acc = b.mma(lhs, rhs, acc, first=k, end=k + 16).result
        b.op("barrier", pairs=())
    problem = block_problem(b.finish(), ordered=True)
    assert problem is None if said is None else said in problem


@pytest.mark.parametrize("stored", [False, True])
def test_a_view_without_pieces_has_the_one_that_is_there(stored: bool) -> None:
    b = Builder()
    tile = b.alloc(offsets=(*STRAIGHT[:9], 0))
    if stored:
        b.store(tile, part=512)
        b.op("barrier", pairs=())
    half = Shared(F16, (SHAPE[0] // 2, SHAPE[1]), STRAIGHT[:9])
    view = b.op("shared_view", {"source": tile}, [half]).result
    b.load(view, COLUMNS.compose([1 << bit for bit in range(9)]))
    problem = block_problem(b.finish(), ordered=True)
    assert (problem is None) == stored
    assert stored or "was not stored" in problem


def test_variables_share_bytes_with_nothing() -> None:
    b = Builder()
    pointer = Tile(Pointer(Scalar("f32")))
    b.op("alloca", results=[pointer], num_elem=64, alignment=4, offset=0, **{"global": False})
    tile = b.alloc()
    tile.owner.attributes["offset"] = 128
    b.store(tile)
    assert "those of a variable" in block_problem(b.finish(), ordered=True)


def test_variables_share_bytes_with_no_other_variable() -> None:
    b = Builder()
    pointer = Tile(Pointer(Scalar("f32")))
    one, other = (
        b.op("alloca", results=[pointer], num_elem=8, alignment=4, **{"global": False})
        for _ in range(2)
    )
    body = b.finish()
    one.attributes["offset"] = 0
    for offset, said in ((32, None), (16, "those of a variable"), (40, "no multiple of 16")):
        other.attributes["offset"] = offset
        problem = block_problem(body, ordered=True)
        assert problem is None if said is None else said in problem


def _all_problems(body: Body) -> str:
    return "\n".join(why for rule in RULES for _, why in rule(body))
