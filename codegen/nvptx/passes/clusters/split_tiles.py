"""Split the tiles of a kernel whose tile block is a cluster of two blocks.

Each block works on one half of the tile block, as if there were twice as many tile blocks along x,
of half the size. The result is Tile IR: tiles of an index `i` become those of `2 * i + rank`, where
`rank` is the number of the block in its cluster. What both blocks need, both load;
`share_copies` has them copy it together later on.

Without an option, attribute or hint for clusters there are some where one block has not enough
registers for a product. Where the tiles cannot be split, or the cluster has another shape, its
first block does all of the work; then a hint for clusters is not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from tileir.codegen.block.make import make
from tileir.codegen.launch_terms import DEFAULTS, Choice
from tileir.codegen.nvptx.launch.contract import CLUSTERS, COMPILER, Contract
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.block_size import words
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of
from tileir.formats.ops import BY_NAME
from tileir.gpus import Target
from tileir.ir import Block, Op, Value
from tileir.ir.constants import Constant, to_constant
from tileir.types import PartitionView, Scalar, Tile

from .split_plan import SplitPlan, split_plan

BLOCKS = (2, 1, 1)
"""The extents of clusters whose blocks work together."""
_NUMBER = Tile(Scalar("i32"))


def split_tiles(state: KernelState, target: Target) -> None:
    """Split the tiles of a kernel between the blocks of its clusters, if they can be."""
    contract = state.contract
    if contract.blocks == 1 and not _wants_clusters(state, target):
        return
    plan = _planned(state, target)
    if isinstance(plan, SplitPlan):
        if contract.blocks == 1:
            choice = Choice(BLOCKS, COMPILER)
            state.contract = Contract({**contract.choices, "cluster_dim": choice})
        state.rank = _Splitting(state, plan).split()
        state.kernel.edited()
        return
    choice = contract.choices.get("cluster_dim")
    if choice is None:
        return
    if choice.by.startswith("hint"):
        alone, why = DEFAULTS["cluster_dim"], f"blocks would not work together: {plan}"
    else:
        alone, why = choice.value, f"only the first block works: {plan}"
    told = Choice(alone, choice.by, choice.value, why)
    state.contract = Contract({**contract.choices, "cluster_dim": told})


def _wants_clusters(state: KernelState, target: Target) -> bool:
    """Whether the sums of a product take all registers of an SM, and nobody says anything about
    clusters."""
    if any(state.contract.by(term) != COMPILER for term in CLUSTERS):
        return False
    products = (op for op in state.kernel.walk() if family_of(op) is Family.PRODUCT)
    return any(words(op.result.type) >= target.registers_per_sm for op in products)


def _planned(state: KernelState, target: Target) -> SplitPlan | Reason:
    contract = state.contract
    asked = "cluster_dim" in contract.choices and contract["cluster_dim"] != BLOCKS
    if asked or contract["blocksareclusters"]:
        return Reason("split_cluster")
    if not target.has("wgmma"):
        return Reason("split_feature")
    return split_plan(state.kernel)


class _Splitting:
    """Splits the tiles of one kernel."""

    def __init__(self, state: KernelState, plan: SplitPlan) -> None:
        self._state, self._plan = state, plan
        self._block: Block = state.kernel.body.block
        self._views: dict[tuple[Op, int], Value] = {}
        """A view's op and the dimension -> the view of halves."""
        self._indices: dict[Value, Value] = {}
        """The index of a tile -> that of the block's half."""

    def split(self) -> Value:
        """Edit the kernel; return the number of a block in its cluster."""
        rank = self._number_blocks()
        for value, dim in self._plan.dims.items():
            value.type = _half(cast(Tile, value.type), dim)
            op = value.owner
            if isinstance(op, Op) and op.name == "constant":
                op.attributes["value"] = Constant(value.type, op.attributes["value"].data)
        for op, dim in self._plan.accesses.items():
            index = list(op.operands["index"])
            index[dim] = self._index(index[dim], rank)
            op.operands["index"] = tuple(index)
            op.operands["view"] = self._view(op.operands["view"], dim)
        return rank

    def _number_blocks(self) -> Value:
        """Have the coordinates of the grid count clusters; return the number of the block."""
        asked = [op for op in self._state.kernel.walk() if op.name in _COORDINATES]
        first = self._block.ops[0]
        one = _constant(1, _NUMBER)
        one.insert_before(first)
        for op in asked:
            along_x = op.results[0]
            operands = {"lhs": along_x, "rhs": one.result}
            uses = list(along_x.uses)
            half = make("shri", operands, {"signedness": "unsigned"}, [_NUMBER], origin=op)
            half.insert_after(op)
            for use in uses:
                use.set(half.result)
        here = Op(BY_NAME["get_tile_block_id"], {}, {})
        here.results = [Value(_NUMBER, here, index) for index in range(len(BLOCKS))]
        here.insert_before(first)
        rank = make("andi", {"lhs": here.results[0], "rhs": one.result}, {}, [_NUMBER])
        rank.insert_before(first)
        return rank.result

    def _index(self, index: Value, rank: Value) -> Value:
        """Return twice an index plus the number of the block, computed where the index is."""
        if index not in self._indices:
            kind, made = index.type, list[Op]()
            number = rank
            if kind != _NUMBER:
                operands = {"from": rank}
                made.append(make("exti", operands, {"signedness": "unsigned"}, [kind]))
                number = made[-1].result
            made.append(_constant(2, kind))
            operands, wraps = {"lhs": index, "rhs": made[-1].result}, {"overflow": "none"}
            made.append(make("muli", operands, wraps, [kind]))
            operands = {"lhs": made[-1].result, "rhs": number}
            made.append(make("addi", operands, wraps, [kind]))
            _insert_behind(index, made)
            self._indices[index] = made[-1].result
        return self._indices[index]

    def _view(self, view: Value, dim: int) -> Value:
        """Return the view of halves along a dimension."""
        op = cast(Op, view.owner)
        if (op, dim) not in self._views:
            made = op.clone({})
            kind = cast(PartitionView, view.type)
            made.result.type = replace(kind, tile=_halved(kind.tile, dim))
            made.insert_after(op)
            self._views[op, dim] = made.result
        return self._views[op, dim]


_COORDINATES = ("get_num_tile_blocks", "get_tile_block_id")


def _insert_behind(value: Value, made: Sequence[Op]) -> None:
    """Insert ops where a value is known first."""
    if isinstance(value.owner, Block):
        first = value.owner.ops[0]
        for op in made:
            op.insert_before(first)
        return
    last = value.owner
    for op in made:
        op.insert_after(last)
        last = op


def _constant(number: int, kind: Tile) -> Op:
    return make("constant", {}, {"value": to_constant(number, kind)}, [kind])


def _halved(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*shape[:dim], shape[dim] // 2, *shape[dim + 1 :])


def _half(tile: Tile, dim: int) -> Tile:
    return Tile(tile.element, _halved(tile.shape, dim))
