"""Keep products of an iteration under way while the next iteration starts its own.

A product of warpgroups whose sum is carried by its loop need not be awaited in its iteration:
tensor cores go on with the next one at once if that is started before. So the loop carries the
*flight* of the accumulator. In each iteration a `wait_mma_reads` behind its products says that
those of the iteration before have read their operands; only behind it are their slots of the ring
filled again. Behind the loop, one `wait_mma` makes a tile of the flight.

Where tensor copies fill the ring, the slot that is filled is that of the iteration before. Copies
of threads need a barrier before the products as well: either the ring has a slot more, so that it
orders the reads of products that have been awaited, too (`widen_rings`), or there is a second one.
Where another role fills the ring, a slot is released an iteration later, and that of the last one
behind the loop. What threads copy for products has slots of its own, which take turns
(`rotate_copies`).

Where a product of an iteration depends on another one, it is delayed (`delay_products`), and the
warpgroups take turns to start theirs (`products.order_groups`).

If a kernel calls a function anywhere, ptxas awaits each wgmma before the next instruction (it says
so, C7510), so nothing is gained there, and products are awaited in their iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import carried, continues
from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import COMMITS, COPIES
from tileir.codegen.block.types import Flight, Frag, Shared
from tileir.codegen.nvptx.launch.contract import registers_of
from tileir.codegen.nvptx.needs import calling_op
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.schedule.register_estimate import MORE
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.ir.constants import to_constant
from tileir.types import Scalar, Tile

from .delay_products import delay_products
from .memory.rotate_copies import UNDER_WAY
from .products.order_groups import order_groups
from .products.product_order import words_of
from .products.widen_rings import threads_fill, widen_ring

_TRUTH = Tile(Scalar("i1"))
_FILLS = (*COPIES, *COMMITS)
"""Ops of an iteration that fill a slot of a ring."""


def overlap_products(state: KernelState, target: Target) -> None:
    """Carry flights in the loops of a kernel, as far as that is possible."""
    edited, calling = False, calling_op(state.kernel.body)
    for loop in [op for op in state.kernel.walk() if op.name in ("for", "pipelined_for")]:
        products = [op for op in loop.regions[0].block.ops if op.name == "mma_async"]
        if not products:
            continue
        if calling is not None:
            state.reasons[Decision.OVERLAP].add(loop, Reason("calls", calling))
            continue
        made = _delayed(loop)
        if isinstance(made, Op):
            state.reasons[Decision.RING_SLOTS].hand_on(loop, made, ())
            state.reasons[Decision.OVERLAP].add(made, Reason("delayed"))
            if order_groups(made):
                state.reasons[Decision.OVERLAP].add(made, Reason("ordered_groups"))
            edited = True
            continue
        sums = list(_sums(loop))
        problem = made or _problem(loop, products, sums) or _crowded(state, loop, sums, target)
        state.reasons[Decision.OVERLAP].add(loop, problem or Reason("under_way"))
        if problem is None:
            _add_slot(state, loop, target)
            _overlap(loop, products, sums)
            edited = True
    if edited:
        state.kernel.edited()


def _delayed(loop: Op) -> Op | Reason | None:
    """Delay the second products of a loop in a role, see `delay_products`."""
    role = loop.parent.parent_op
    while role is not None and role.name != "role":
        role = role.parent.parent_op
    return delay_products(loop, role.attributes["registers"]) if role is not None else None


def _crowded(state: KernelState, loop: Op, sums: Sequence[_Sum], target: Target) -> Reason | None:
    """Return why registers are too few for sums under way where threads copy; None if they are not.

    ptxas has a sum twice then where the loop may make no trips, and moves it from one to the other.
    """
    if threads_fill(loop) is None:
        return None
    words = 2 * sum(words_of(each.argument) for each in sums) + MORE
    registers = registers_of(target, state.contract, state.threads)
    return Reason("delayed_registers", words) if words > registers else None


def _add_slot(state: KernelState, loop: Op, target: Target) -> None:
    """Add a slot to a ring that threads fill, if memory has room; note which way it is."""
    if threads_fill(loop) is None:
        return
    if widen_ring(state, loop, target):
        state.reasons[Decision.RING_SLOTS].add(loop, Reason("ring_read"))
    else:
        state.reasons[Decision.OVERLAP].add(loop, Reason("second_barrier"))


@dataclass(frozen=True, slots=True)
class _Sum:
    """An accumulator that only products of a loop add to."""

    number: int
    """That of the carried value."""
    argument: Value
    chain: Sequence[Op]
    """The products that add to it, and the waits for them, in turn."""

    @property
    def products(self) -> Sequence[Op]:
        return self.chain[::2]

    @property
    def waits(self) -> Sequence[Op]:
        return self.chain[1::2]


def _sums(loop: Op) -> Iterator[_Sum]:
    """Yield the accumulators that an iteration takes, adds to, and hands on."""
    block = loop.regions[0].block
    for number, argument in enumerate(carried(loop)):
        value, chain = argument, list[Op]()
        while (user := _only_user(value, block)) and user.name in ("mma_async", "wait_mma"):
            if user.name == "mma_async" and user.operands["acc"] is not value:
                break
            chain.append(user)
            value = user.result
        handed = block.ops[-1].operands["operands"][number] is value
        if chain and len(chain) % 2 == 0 and handed and len(value.uses) == 1:
            yield _Sum(number, argument, chain)


def _only_user(value: Value, block: Block) -> Op | None:
    """Return the op of a block that uses a value, None if there is another use."""
    uses = value.uses
    return uses[0].op if len(uses) == 1 and uses[0].op.parent is block else None


def _problem(loop: Op, products: Sequence[Op], sums: Sequence[_Sum]) -> Reason | None:
    """Return why the products of an iteration are awaited in it; None if they need not be."""
    block = loop.regions[0].block
    if list(continues(block)) != [block.ops[-1]]:
        return Reason("several_ends")
    adding = {op for each in sums for op in each.products}
    if not adding.issuperset(products):
        return Reason("sum_used")
    stored = {behind(op.operands["destination"])[0] for op in loop.walk() if _stores(op)}
    for value in _operands(products):
        if not isinstance(value.type, Shared):
            return Reason("registers_read")
        area, turn = behind(value)
        if area in stored and (turn is None or cast(Shared, area.type).slots < UNDER_WAY):
            return Reason("stored_anew")
    return None


def _stores(op: Op) -> bool:
    """Whether an op stores a tile to shared memory, and is no copy under way."""
    kind = op.operands.get("destination")
    return op.name not in COPIES and kind is not None and isinstance(kind.type, Shared)


def _operands(products: Sequence[Op]) -> list[Value]:
    return [op.operands[slot] for op in products for slot in ("lhs", "rhs")]


def _overlap(loop: Op, products: Sequence[Op], sums: Sequence[_Sum]) -> None:
    """Carry the flights of accumulators through a loop, and await them behind it."""
    block = loop.regions[0].block
    areas = list(dict.fromkeys(behind(value)[0] for value in _operands(products)))
    slots = [op for op in block.ops if op.name == "shared_slot" and op.operands["ring"] in areas]
    stored = [slot for slot in slots if any(_stores(use.op) for use in slot.result.uses)]
    freed = [slot for slot in slots if slot not in stored]
    for slot in freed:
        if not slot.is_before(products[0]):  # as where an op with regions is between
            slot.move_before(products[0])
    filler = threads_fill(loop)
    if filler is not None:
        freed = _slots_before(filler, products[0])
    freed += [_read_before(slot, products[0]) for slot in stored]
    operands = {"memory": tuple(slot.result for slot in freed)}
    wait = make("wait_mma_reads", operands, {"pending": len(products)}, origin=products[-1])
    wait.insert_after(products[-1])
    place = wait
    for fill in [op for op in block.ops if op.name in _FILLS and op.is_before(wait)]:
        fill.move_after(place)
        place = fill
    awaited = [_carry_flight(loop, each, areas) for each in reversed(sums)]
    for release in [op for op in block.ops if op.name == "release_slot"]:
        if not {*release.operands["rings"]}.isdisjoint(areas):  # others have been copied already
            _release_later(loop, release, wait, awaited[0])


def _read_before(slot: Op, place: Op) -> Op:
    """Insert, before an op, the slot that the iteration before has stored to; return it.

    It is the last one whose turn comes.
    """
    ring, turn = slot.operands["ring"], slot.operands["turn"]
    for _ in range(ring.type.slots - 1):
        advance = make("advance", {"ring": ring, "turn": turn}, results=[turn.type], origin=slot)
        advance.insert_before(place)
        turn = advance.result
    before = slot.clone({slot.operands["turn"]: turn})
    before.insert_before(place)
    return before


def _slots_before(filled: Op, place: Op) -> list[Op]:
    """Return the slots of the turn before that of a wait, which an op is inserted for."""
    turn = filled.operands["turn"].owner.operands["turn"]
    made = []
    for ring in filled.operands["rings"]:
        slot = {"ring": ring, "turn": turn}
        made.append(make("shared_slot", slot, results=[ring.type.slot], origin=filled))
        made[-1].insert_before(place)
    return made


def _carry_flight(loop: Op, each: _Sum, areas: Sequence[Value]) -> Op:
    """Make a carried accumulator the flight of it; return the wait for it, behind the loop."""
    tile, flight = cast(Frag, each.argument.type), loop.results[each.number]
    awaited = make("wait_mma", {}, {"pending": 0}, [tile], origin=each.products[-1])
    awaited.insert_after(loop)
    flight.replace_all_uses_with(awaited.result)
    awaited.operands = {"flight": flight, "memory": tuple(areas)}
    kind = Flight((tile,))
    inits = [*loop.operands["initValues"]]
    start = make("mma_init", {"acc": inits[each.number]}, results=[kind], origin=loop)
    start.insert_before(loop)
    inits[each.number] = start.result
    loop.operands["initValues"] = tuple(inits)
    each.argument.type = flight.type = kind
    for product, wait in zip(each.products, each.waits, strict=True):
        wait.result.type = kind
        wait.replace_with(product.result)
    return awaited


def _release_later(loop: Op, release: Op, wait: Op, awaited: Op) -> None:
    """Release a slot in the iteration behind its own; that of the last one behind the loop.

    The loop carries the turn of the slot that is still read, and whether there is one.
    """
    turn = release.operands["turn"]
    first = loop.operands["initValues"][turn.index - 1]
    held, exists = _carry(loop, first, turn), _carry(loop, _truth(loop, 0), _truth(loop, 1))
    last = release.clone({turn: loop.results[held]})
    arguments = carried(loop)
    release.operands["turn"], release.operands["predicate"] = arguments[held], arguments[exists]
    release.move_after(wait)
    last.operands["predicate"] = loop.results[exists]
    last.insert_after(awaited)


def _carry(loop: Op, first: Value, following: Value) -> int:
    """Carry one value more through a loop; return its number."""
    loop.operands["initValues"] = (*loop.operands["initValues"], first)
    loop.regions[0].block.add_argument(first.type)
    end = loop.regions[0].block.ops[-1]
    end.operands["operands"] = (*end.operands["operands"], following)
    loop.add_result(first.type)
    return len(loop.results) - 1


def _truth(loop: Op, value: int) -> Value:
    attributes = {"value": to_constant(value, _TRUTH)}
    made = make("constant", attributes=attributes, results=[_TRUTH], origin=loop)
    made.insert_before(loop)
    return made.result
