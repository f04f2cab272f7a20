"""Estimate how many registers a thread needs so that none are spilled, without asking ptxas.

Where ptxas may order instructions as it likes, few registers are enough: it computes a tile piece
by piece. What counts are the places where a whole tile has to be there: matrix products, folds,
stores to shared memory, beginnings and ends of loops and branches, and divisions and roots, for
which ptxas calls functions. There, tiles that live are counted, and the operands of one slice of a
product. Besides, loads of neighbours, as in a stencil, have sums in their addresses in common, and
those are kept from one load to the next.

`MORE`, `MORE_FOR_LOOP` and `ADDRESSES_FOR_SUM` were found with ptxas: for the kernels of
`tests/lab/bench` they are what suffices, so an estimate is usually too high. A test asks ptxas
whether hints that it lets through spill registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import cast

from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.op_facts import ENDS
from tileir.codegen.block.types import Frag, registers_of
from tileir.codegen.layouts.linear_layout import log2
from tileir.codegen.ops import Family, cost_of, family_of
from tileir.codegen.ops.spec import DIVISION, FUNCTION
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Block, Body, Op, Value
from tileir.types import Scalar, Tile

from .async_loads import LEAST_SLOTS
from .mma_plan import plan_of

MORE = 40
"""Registers for addresses, indices and whatever else is not a tile."""
MORE_FOR_LOOP = 40
"""The same for each loop around the one that has matrix products: as of a persistent kernel."""
ADDRESSES_FOR_SUM = 2
"""Of so many addresses that a block computes from offsets of 64 bits, one sum is kept."""
_WORD_BITS = 32
_CONDITION = Scalar("i1")
_WHOLE = {*PRODUCT_NAMES, *ENDS, "fold", "store_shared"}
"""Block IR at which tiles that live are whole, besides ops with regions."""


def registers_needed(body: Body, target: Target) -> Callable[[int], int]:
    """Return the estimate for a body in block IR, as a function of the blocks that an SM holds.

    They share its memory: where that has no room for rings, what those would hold is loaded into
    registers.
    """
    stored = [
        op.operands["destination"].type.bytes
        for op in body.walk()
        if op.name == "store_shared" and _is_loaded(op.operands["value"])
    ]

    @cache
    def estimate(copied: bool) -> int:
        return _Estimate(copied).peak(body.block, frozenset(), 0) + MORE

    def needed(blocks: int) -> int:
        fits = LEAST_SLOTS * sum(stored) <= target.shared_of_each(blocks)
        return estimate(target.has("cp.async") and fits)

    return needed


@dataclass(frozen=True, slots=True)
class _Estimate:
    """A walk backwards through a body; `copied`: copies from global to shared memory take none."""

    copied: bool

    def peak(self, block: Block, after: frozenset[Value], loops: int) -> int:
        """Return the most registers of tiles anywhere in a block that is in so many loops.

        `after` is what lives behind the block.
        """
        live = set(after)
        most = 2 * (sum(map(_long_addresses, block.ops)) // ADDRESSES_FOR_SUM)
        for op in reversed(block.ops):
            results = {value for value in op.results if self._words(value)}
            behind = live | results
            live -= results
            if op.regions:
                live |= self._used_inside(op)
                inner = loops + (family_of(op) is Family.LOOP)
                for region in op.regions:
                    for each in region.blocks:
                        most = max(most, self.peak(each, frozenset(live), inner))
            live |= self._operands(op)
            if not (op.regions or op.name in _WHOLE or _calls(op)):
                continue
            extra = 0
            if op.name in PRODUCT_NAMES:
                extra = _slice_words(op) + MORE_FOR_LOOP * max(loops - 1, 0)
            most = max(most, self._total(behind) + extra, self._total(live) + extra)
        return most

    def _operands(self, op: Op) -> set[Value]:
        """Return the tiles in registers that an op uses."""
        return {root for root in map(_root, op.operand_list()) if self._words(root)}

    def _used_inside(self, op: Op) -> set[Value]:
        """Return the tiles from around an op that its regions use."""
        used: set[Value] = set()
        for each in list(op.walk())[1:]:
            used |= self._operands(each)
        return {value for value in used if value.is_visible_to(op)}

    def _words(self, value: Value) -> int:
        """Return the registers that a tile takes in a thread; a single element takes none."""
        kind = registers_of(value.type)
        if not isinstance(kind, Frag) or _takes_none(value):
            return 0
        if self.copied and _is_loaded(value):
            return 0
        bits = 1 if kind.element == _CONDITION else 8 * memory_bytes(kind.element)
        return -(-(bits << len(kind.layout.register)) // _WORD_BITS)

    def _total(self, values: Iterable[Value]) -> int:
        return sum(map(self._words, values))


def _calls(op: Op) -> bool:
    """Whether ptxas may have to call a function for each element."""
    return family_of(op) is Family.ELEMENT_WISE and DIVISION <= cost_of(op) < FUNCTION


def _long_addresses(op: Op) -> int:
    """Return how many addresses a thread has for a load, from offsets of 64 bits; 0 for others."""
    if family_of(op) is not Family.POINTER_LOAD or not isinstance(op.result.type, Frag):
        return 0
    made = _root(op.operands["source"]).owner
    if not isinstance(made, Op) or made.name != "offset" or made.attributes["narrow"]:
        return 0
    return (1 << len(op.result.type.layout.register)) // op.attributes["vector"]


def _root(value: Value) -> Value:
    """Return the tile that has the registers of a value."""
    while isinstance(value.owner, Op) and family_of(value.owner) is Family.RENUMBERING:
        value = next(value.owner.operand_list())
    return value


def _is_loaded(value: Value) -> bool:
    """Whether a tile is loaded from global memory for shared memory alone."""
    if not isinstance(value.owner, Op) or family_of(value.owner) is not Family.VIEW_LOAD:
        return False
    return all(use.op.name == "store_shared" for use in value.uses)


def _takes_none(value: Value) -> bool:
    """Whether a value is no tile of its own: a constant, or a tile that is converted in pieces,
    which take each other's place."""
    if not isinstance(value.owner, Op):
        return False
    if value.owner.name == "load_shared":
        return all(use.slot == "rest" for use in value.uses)
    return family_of(value.owner) is Family.GENERATOR


def _slice_words(op: Op) -> int:
    """Return the registers of the operands of one slice of a product."""
    plan, words = plan_of(op), 0
    if plan.atom.of_warpgroup:  # it reads memory, or the registers of a tile
        return 0
    for slot, dim in (("lhs", "m"), ("rhs", "n")):
        registers = len(plan.part(slot).own()) << len(plan.along[dim])
        registers <<= log2(plan.slice // plan.atom.k or 1)  # k may be less than the atom's
        bits = 8 * memory_bytes(cast(Tile, op.operands[slot].type).element)
        words += -(-registers * bits // _WORD_BITS)
    return words
