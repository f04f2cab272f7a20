"""How a kernel's warps are divided into roles, or why they are not.

Rings live as long as the kernel then, and a thread has what is left when the producer's warpgroup
has given up its registers. As many blocks are to be resident on an SM as both suffice for. What is
left of the memory of each is for more slots.

Tiles of a ring that products read which depend on one another are *parts* of it: each is waited for
and released by itself, as keys and values of attention are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tileir.codegen.block.areas import ROW_ALIGNMENT, slot_bytes
from tileir.codegen.block.op_rules import WARPGROUP
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.nvptx.launch.contract import COMPILER
from tileir.codegen.nvptx.machine.mma_atoms import BITS, BY_MNEMONIC
from tileir.codegen.nvptx.passes.memory.allocate_memory import memory_needed
from tileir.codegen.nvptx.passes.memory.place_barriers import ROOM
from tileir.codegen.nvptx.passes.products.product_order import readers_in, second_products
from tileir.codegen.nvptx.passes.ring_loads import MOST_STAGES
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.async_loads import LEAST_SLOTS
from tileir.codegen.nvptx.schedule.register_estimate import registers_needed
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Body, Op, Value

from .producer_slice import ProducerSlice, producer_slice

PRODUCER_REGISTERS = 40
"""Registers of a thread of the producer: enough for addresses and indices."""
MOST_REGISTERS = 256
"""The most registers of a thread for setmaxnreg: 255, and one that has no name."""
_BESIDE_SUMS = 26
"""Registers of a thread at launch that ptxas wants beside the sums of a wgmma (its error C7602)."""
_UNIT = 8
"""Registers are handed over by multiples of it."""
_MORE = WARPGROUP << LANE_BITS
"""Threads of the producer's warpgroup, or of any other."""


@dataclass(slots=True, eq=False)
class Part:
    """Tiles of a ring that are filled together, and read by the same products."""

    tiles: tuple[int, ...]
    """Their numbers."""
    rings: tuple[Value, ...] = ()
    full: Value | None = None
    empty: Value | None = None
    """The mbarriers of the slots."""


@dataclass(slots=True, eq=False)
class Ring:
    """A pipelined loop, and the ring that its tensor copies fill; then that of the roles."""

    loop: Op
    alloc: Op
    full: Op
    slots: int
    parts: Sequence[Part]
    before: Ring | None = None
    """One with the same memory, whose loop comes before: it is used again, turn by turn."""
    rings: tuple[Value, ...] = ()

    @property
    def first(self) -> Ring:
        """The first one with this memory."""
        return self if self.before is None else self.before.first

    @property
    def slot_bytes(self) -> int:
        """Bytes of a slot, if it has memory of its own."""
        return 0 if self.before is not None else slot_bytes(self.alloc)

    @property
    def bytes(self) -> int:
        """Bytes with that many slots, if it has memory of its own."""
        if self.before is not None:
            return 0
        return self.slot_bytes * self.slots + 2 * ROW_ALIGNMENT * len(self.parts)


@dataclass(slots=True)
class RolePlan:
    """How a kernel is divided: the producer's slice, the rings, and the registers of a consumer."""

    slice: ProducerSlice
    rings: Sequence[Ring]
    blocks: int
    """Blocks that an SM is to hold."""
    registers: int
    """Those of a consumer's thread."""

    @property
    def own_rings(self) -> list[Ring]:
        """The rings with memory of their own."""
        return [ring for ring in self.rings if ring.before is None]


def planned(state: KernelState, loops: Sequence[Op], target: Target) -> RolePlan | Reason:
    """Return how a kernel is split, or why it is not."""
    contract = state.contract
    if not target.has("setmaxnreg"):
        return Reason("role_feature")
    groups, rest = divmod(state.threads, _MORE)
    if rest or not groups:
        return Reason("role_warps")
    registers = _Registers(state.threads, target, contract["maxnreg"] or MOST_REGISTERS)
    if contract.by("num_warps").startswith(("option", "attribute")):
        return Reason("role_fixed", contract.by("num_warps"))
    if registers.limit % _UNIT:
        return Reason("role_unit", contract.by("maxnreg"))
    found = producer_slice(state.kernel.body, loops)
    if isinstance(found, Reason):
        return found
    rings = list[Ring]()
    for loop in loops:
        rings.append(_ring(loop, rings))
    body, room = state.kernel.body, target.shared_of_each(contract["minnctapersm"])
    others = memory_needed(body, without=[op for it in rings for op in (it.alloc, it.full)])
    while others + sum(ring.bytes for ring in rings) > room:
        largest = max(rings, key=lambda ring: ring.bytes)
        if largest.slots == LEAST_SLOTS:
            return Reason("role_memory")
        largest.slots -= 1
    memory = others + sum(ring.bytes for ring in rings)
    blocks, needed = contract["minnctapersm"], registers_needed(body, target)
    if (wanted := needed(blocks)) > registers.of_consumer(blocks):
        return Reason("role_registers", wanted)
    least = _least_at_launch(body)
    if least > registers.at_launch(blocks):
        return Reason("role_launch", least)
    chosen = contract.by("minnctapersm") == COMPILER
    while chosen and _fits(registers, blocks + 1, memory, needed, least):
        blocks += 1
    _add_slots(rings, target.shared_of_each(blocks) - memory)
    return RolePlan(found, rings, blocks, registers.of_consumer(blocks))


@dataclass(frozen=True, slots=True)
class _Registers:
    """The registers of a thread, if `threads` consume and none has more than a limit."""

    threads: int
    target: Target
    limit: int

    def at_launch(self, blocks: int) -> int:
        """Return those before warps hand over any, with so many blocks on an SM."""
        most = self.target.registers_per_sm // (blocks * (self.threads + _MORE))
        return min(most, self.limit) & -_UNIT

    def of_consumer(self, blocks: int) -> int:
        """Return those of a consumer's thread, if an SM is to hold so many blocks."""
        all_of_them = self.at_launch(blocks) * (self.threads + _MORE)
        left = (all_of_them - PRODUCER_REGISTERS * _MORE) // self.threads & -_UNIT
        return min(left, self.limit)


def _add_slots(rings: Sequence[Ring], room: int) -> None:
    """Add slots to rings, the shortest ones first, as far as so many bytes are enough.

    Some are left, so that what the consumer stores to shared memory needs no barriers more.
    """
    own = [ring for ring in rings if ring.before is None]
    room -= ROOM
    while growing := [it for it in own if it.slots < MOST_STAGES and it.slot_bytes <= room]:
        ring = min(growing, key=lambda ring: ring.slots)
        ring.slots += 1
        room -= ring.slot_bytes


def _fits(
    registers: _Registers, blocks: int, memory: int, needed: Callable[[int], int], least: int
) -> bool:
    """Whether an SM has memory and registers for so many blocks, `least` for a thread at launch."""
    target, threads = registers.target, registers.threads + _MORE
    if blocks * threads > target.threads_per_sm or blocks > target.blocks_per_sm:
        return False
    enough = needed(blocks) <= registers.of_consumer(blocks)
    enough = enough and least <= registers.at_launch(blocks)
    return enough and memory <= target.shared_of_each(blocks)


def _least_at_launch(body: Body) -> int:
    """Return the registers of a thread at launch that ptxas wants for products of warpgroups."""
    atoms = [BY_MNEMONIC[op.attributes["atom"]] for op in body.walk() if op.name == "mma_async"]
    words = [atom.m * atom.n * BITS[atom.acc] // 32 // _MORE for atom in atoms]
    return max(words, default=0) + _BESIDE_SUMS


def wait_of(loop: Op) -> Op | None:
    """Return the op that waits for tensor copies in a pipelined loop, None if it has no ring."""
    found = (op for op in loop.regions[0].block.ops if op.name == "wait_copies")
    return next(found, None)


def _ring(loop: Op, others: Sequence[Ring]) -> Ring:
    """Return the ring of a loop; its memory is that of the last one before it with such tiles."""
    wait = wait_of(loop)
    assert wait is not None
    alloc, full = wait.operands["rings"][0].owner, wait.operands["barriers"].owner
    kinds = [value.type for value in alloc.results]
    parts = _parts(wait)
    same = (
        each
        for each in reversed(others)
        if each.loop.parent is loop.parent
        and [it.type for it in each.alloc.results] == kinds
        and [part.tiles for part in each.parts] == [part.tiles for part in parts]
    )
    return Ring(loop, alloc, full, alloc.results[0].type.slots, parts, next(same, None))


def _parts(wait: Op) -> list[Part]:
    """Return the parts of a ring: by whether the products that come second read a tile, or others.

    Those of the first products come first. A tile whose token orders something is one of those:
    what comes behind its load must not start before the copy is there.
    """
    second, found = {*second_products(wait.parent)}, dict[tuple[bool, bool], list[int]]()
    tokens = wait.parent.arguments[-len(wait.results) :]
    for number, (tile, token) in enumerate(zip(wait.results, tokens, strict=True)):
        readers = [] if token.uses else [*readers_in(tile, wait.parent)]
        late = tuple(any((op in second) is way for op in readers) for way in (False, True))
        found.setdefault((bool(readers) and not late[0], late[1]), []).append(number)
    return [Part(tuple(tiles)) for _, tiles in sorted(found.items())]
