"""What ops cost, roughly, for each element: enough to tell which ways to a value are worth trying.

The figures of findings are those of compiled kernels; these numbers only choose what is compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tileir.codegen import ops
from tileir.codegen.advise.instructions import LOOP
from tileir.codegen.advise.trials.loops import loops_around
from tileir.codegen.ops import Family, family_of
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op, Value
from tileir.read.function import Function
from tileir.types import Tile

LOOKED_AT = 400_000
"""Ops that are looked at in all, to find out what only serves one of them."""
SLOTS = {
    "reshape": 0.1, "permute": 4, "cat": 4, "extract": 4, "insert": 4, "pack": 1, "unpack": 1,
    "reduce": 3, "scan": 8, "mmaf": 4, "mmaf_scaled": 4, "mmai": 4,
    "load_ptr_tko": 16, "load_view_tko": 16, "multimem_load_reduce_view_tko": 16,
    "store_ptr_tko": 1, "store_view_tko": 1, "atomic_rmw_tko": 16,
}  # fmt: skip
"""Op that moves or combines elements -> issue slots of an element of its largest tile.

What others take is the cost of their rows in `codegen.ops`."""


def slots_of(name: str) -> float:
    """Return the issue slots of an element of an op's largest tile."""
    return SLOTS.get(name, ops.BY_NAME[name].cost)


def cost_of(op: Op) -> float:
    """Return what an op costs, each time that a loop around is gone through, too."""
    kinds = [value.type for value in (*op.operand_list(), *op.results)]
    if family_of(op) is Family.PRODUCT:
        kinds = [op.result.type]
    sizes = [kind.size for kind in kinds if isinstance(kind, Tile)]
    return SLOTS.get(op.name, ops.cost_of(op)) * max(sizes, default=0) * weight_of(op)


def weight_of(op: Op) -> float:
    """Return how often an op counts, as it may be in loops."""
    return float(LOOP ** loops_around(op))


class Needs:
    """What the ops of a function cost, and who uses what.

    Both are asked once, as values may have many users.
    """

    def __init__(self, function: Function) -> None:
        self.costs = {op: cost_of(op) for op in function.walk()}
        self._users: dict[Op, dict[Op, None]] = {op: {} for op in self.costs}
        for op in self.costs:
            for value in op.operand_list():
                if isinstance(value.owner, Op):
                    self._users[value.owner][op] = None
        self._most = min(max(LOOKED_AT // max(len(self.costs), 1), 8), 200)

    def needed_by(self, op: Op, kept: Collection[Value] = ()) -> list[Op]:
        """Return an op, and what nothing but it needs: what is gone if its result is not used.

        What the values `kept` are computed by stays, as they are used in another way. Of many ops,
        these are some.
        """
        found, waiting = {op: None}, [op]
        while waiting and len(found) < self._most:
            for value in waiting.pop().operand_list():
                owner = value.owner
                if not isinstance(owner, Op) or owner in found or not _goes(owner):
                    continue
                if any(each in kept for each in owner.results):
                    continue
                if all(each in found for each in self._users[owner]):
                    found[owner] = None
                    waiting.append(owner)
        return list(found)

    def cost(self, ops: Iterable[Op]) -> float:
        """Return what ops cost together."""
        return sum(self.costs[op] for op in ops)


def _goes(op: Op) -> bool:
    """Whether an op is gone when nothing uses its results."""
    if op.regions:
        return op.name in ("reduce", "scan")
    return op.spec.effects in SILENT
