"""Why a defect at some site changes nothing that a kernel does.

Each rule here is about ops around a site, whatever kernel it is in; it returns a reason, or "". The
reason counts only where nobody notices the defect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.block.accesses import worked_on
from tileir.codegen.block.areas import behind, slot_layout
from tileir.codegen.block.control_edges import LOOPS, continues
from tileir.codegen.block.op_facts import COPIES
from tileir.codegen.block.types import Frag
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import dim_bits
from tileir.codegen.nvptx.passes.memory.allocate_memory import areas_of
from tileir.codegen.nvptx.passes.memory.barrier_pairs import BarrierPairs
from tileir.codegen.nvptx.passes.memory.barrier_walk import Access, Accesses, Open
from tileir.codegen.nvptx.passes.memory.shared_accesses import SharedAccess
from tileir.ir import Block, Body, Op, Value
from tileir.types import Token

AROUND = " of the iteration before,"

# Barriers ---------------------------------------------------------------------------------------


def atomics_of_one_warp(body: Body, first: set[str], second: set[str]) -> str:
    """Say if a barrier orders nothing but atomics that one warp does."""
    names = first | second
    if all(name.startswith("atomic") for name in names) and not any(
        _is_of_several_warps(op) for op in body.walk() if op.name in names
    ):
        return "atomics do not race, and the emulator runs the lanes of a warp together"
    return ""


def _is_of_several_warps(access: Op) -> bool:
    """Whether not all owners of the elements that an op accesses are in the first warp."""
    kind = worked_on(access).type
    return isinstance(kind, Frag) and any(kind.layout.warp)


def iterations_apart(body: Body, barrier: Op) -> str:
    """Say if a barrier orders stores of different iterations, which go to different elements.

    An offset from the one pointer is a multiple of some number, plus the number of the iteration,
    which is smaller.
    """
    loop = barrier.parent.parent_op
    pairs = barrier.attributes["pairs"]
    if loop is None or loop.name != "for" or not all(AROUND in pair for pair in pairs):
        return ""
    tokens = [value for value in barrier.operands["memory"] if isinstance(value.type, Token)]
    stores = [use.op for token in tokens for use in token.uses if use.op.name != "barrier"]
    facts = KernelIR("k", None, body).facts(Divisibility)
    if stores and all(
        op.name == "store_ptr_tko" and _only_itself(op, loop) and _elements_apart(op, loop, facts)
        for op in stores
    ):
        return "the stores of all iterations are to different elements"
    return ""


def _only_itself(store: Op, loop: Op) -> bool:
    """Whether the token of a store is the one that it gave in the iteration before."""
    inside, token = loop.regions[0].block, store.operands["token"]
    if token.owner is not inside:
        return False
    return all(
        list(end.operand_list())[token.index - 1] is store.result for end in continues(inside)
    )


def _elements_apart(store: Op, loop: Op, facts: Divisibility) -> bool:
    pointers = store.operands["destination"].owner
    if not isinstance(pointers, Op) or pointers.name != "offset":
        return False
    base, total = _repeated(pointers.operands["ptr"]), pointers.operands["offset"].owner
    if base.type.size > 1 or _is_inside(base, loop):
        return False
    if not isinstance(total, Op) or total.name != "addi":
        return False
    for row, column in (("lhs", "rhs"), ("rhs", "lhs")):
        first, second = total.operands[row], total.operands[column]
        known = facts[second]
        if _counts(second, loop, facts) and known.lower is not None and known.upper is not None:
            return known.upper - known.lower < facts[first].divisor
    return False


def _counts(value: Value, loop: Op, facts: Divisibility) -> bool:
    """Whether a value is the index of a loop, or a multiple of it."""
    value = _repeated(value)
    while isinstance(value.owner, Op):
        op = value.owner
        if op.name != "muli" or not facts[op.operands["rhs"]].constant:
            return False
        value = _repeated(op.operands["lhs"])
    return value is loop.regions[0].block.arguments[0]


def _repeated(value: Value) -> Value:
    """Return the number or pointer that a tile has everywhere, as far as ops repeat one."""
    while isinstance(value.owner, Op) and value.owner.name in ("broadcast", "exti", "reshape"):
        (value,) = value.owner.operand_list()
    return value


def _is_inside(value: Value, loop: Op) -> bool:
    block = value.owner.parent if isinstance(value.owner, Op) else value.owner
    while block is not loop.regions[0].block:
        if block.parent_op is None:
            return False
        block = block.parent_op.parent
    return True


def between_iterations(barrier: Op, beyond: Op, first: set[str]) -> str:
    """Say if a barrier that iterations need of each other stands between them behind an op, too."""
    loop = barrier.parent.parent_op
    if loop is None or loop.name not in LOOPS or barrier.parent is not loop.regions[0].block:
        return ""
    rest = barrier.parent.ops[beyond.index + 1 :]
    later = any(inner.name in first for op in rest for inner in op.walk())
    around = all(AROUND in pair for pair in barrier.attributes["pairs"])
    if around and not later and list(continues(barrier.parent)) == [barrier.parent.ops[-1]]:
        return "it still stands between the accesses of one iteration and those of the next"
    return ""


def another_barrier(wait: Op, barrier: Op) -> str:
    """Say if what was awaited is not read before the next barrier but one."""
    block = barrier.parent
    later = [op for op in block.ops[barrier.index + 1 :] if op.name == "barrier"]
    if later and all(_ancestor(op, block).index > later[0].index for op in _readers(wait.results)):
        return "another barrier stands between the wait and what reads its tiles"
    return ""


def _readers(tiles: Iterable[Value]) -> Iterator[Op]:
    for tile in tiles:
        for use in tile.uses:
            if use.op.name == "shared_view":
                yield from _readers(use.op.results)
            else:
                yield use.op


def _ancestor(op: Op, block: Block) -> Op:
    """Return the op of a block that an op is, or is in."""
    while op.parent is not block:
        op = op.parent.parent_op
    return op


# Memory -----------------------------------------------------------------------------------------


def elements_alike(body: Body, tile: Value) -> str:
    """Say if all elements of a tile in shared memory are the same."""
    area = behind(tile)[0]
    writers = [op for op in body.walk() if op.name in ("store_shared", *COPIES)]
    writers = [op for op in writers if behind(op.operands["destination"])[0] is area]
    if all(op.name == "store_shared" and _is_constant(op.operands["value"]) for op in writers):
        return "all elements of the tile are the same"
    return ""


def _is_constant(value: Value) -> bool:
    return isinstance(value.owner, Op) and value.owner.name == "constant"


def folded_together(body: Body, op: Op, tile: Value, bits: Sequence[int]) -> str:
    """Say if all that is made of a tile is a fold over some bits that takes them in any order."""
    readers = [op]
    if op.name == "store_shared":
        area = behind(tile)[0]
        reads = (each for each in body.walk() if each.operands.get("source") is not None)
        readers = [each for each in reads if behind(each.operands["source"])[0] is area]
    if readers and all(
        read.name == "load_shared"
        and read.operands["source"].type == tile.type
        and read.result.uses
        and all(_folds(use.op, read.result, bits) for use in read.result.uses)
        for read in readers
    ):
        return "a fold that takes elements in any order combines them"
    return ""


def _folds(op: Op, tile: Value, bits: Sequence[int]) -> bool:
    if op.name != "fold" or op.attributes["ordered"] or not commutes(op):
        return False
    low, _ = dim_bits(tile.type.shape, op.attributes["dim"])
    return {low + bit for bit in op.attributes["over"]}.issuperset(bits)


def areas_apart(body: Body, one: Op, other: Op, offset: int) -> str:
    """Say if an area that begins at an offset shares no bytes with tiles that another one needs."""
    areas = {area.op: area for area in areas_of(body)}
    if areas[one].lives_with(areas[other]):
        return ""
    near = _Near(body)
    tiles = [(first, second) for first in one.results for second in other.results]
    for first, second in tiles:
        if {(first, second), (second, first)} & near.unordered_tiles:
            ranges = _ranges(first, one.attributes["offset"]), _ranges(second, offset)
            if any(a < d and c < b for a, b in ranges[0] for c, d in ranges[1]):
                return ""
    return "they are not live at the same time, and a barrier is between"


class _Near(BarrierPairs):
    """A walk that finds the tiles of different areas that are accessed with no barrier between."""

    def __init__(self, body: Body) -> None:
        self.unordered_tiles: set[tuple[Value, Value]] = set()
        super().__init__(body, Accesses(body, Divisibility()))

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        super().meet(op, accesses, open_)
        for second in accesses:
            for first, since in open_:
                both = isinstance(first, SharedAccess) and isinstance(second, SharedAccess)
                if both and since is None and (first.writes or second.writes):
                    self.unordered_tiles.add((first.tile, second.tile))


def _ranges(tile: Value, start: int) -> list[tuple[int, int]]:
    """Return where a tile lies in each slot of its area, if that begins at a byte."""
    begins, size = slot_layout(tile.owner)
    first = start + begins[tile.index]
    return [
        (first + slot * size, first + slot * size + tile.type.bytes)
        for slot in range(tile.type.slots)
    ]
