"""What ops cost, roughly, for each element: enough to tell which ways to a value are worth trying.

The figures of findings are those of compiled kernels; these numbers only choose what is compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tileir.codegen.advise.instructions import LOOP
from tileir.codegen.advise.trials.loops import loops_around
from tileir.codegen.ops.powers import cost_of_short_power
from tileir.formats.ops.spec import READS, SILENT
from tileir.ir import Op, Value
from tileir.read.function import Function
from tileir.types import Tile

PLAIN = 1.0
LOOKED_AT = 400_000
"""Ops that are looked at in all, to find out what only serves one of them."""
COSTS = {
    "assume": 0, "broadcast": 0, "constant": 0, "get_tile_block_id": 0, "iota": 0, "reshape": 0.1,
    "atan2": 40, "cos": 20, "cosh": 20, "divf": 10, "divi": 20, "exp": 6, "exp2": 5, "fma": 1,
    "fpowf": 60, "fpowi": 30, "log": 6, "log2": 5, "remf": 40, "remi": 20, "rsqrt": 5, "sin": 20,
    "sinh": 20, "sqrt": 8, "tan": 30, "tanh": 15, "load_ptr_tko": 16, "load_view_tko": 16,
    "permute": 4, "cat": 4, "extract": 4, "insert": 4, "reduce": 3, "scan": 8, "mmaf": 4, "mmai": 4,
    "atomic_rmw_tko": 16,
}  # fmt: skip
"""Op -> issue slots of an element of its largest tile; others take one.

Powers with short exponents take what the compiler says of them."""


def cost_of(op: Op) -> float:
    """Return what an op costs, each time that a loop around is gone through, too."""
    kinds = [value.type for value in (*op.operand_list(), *op.results)]
    sizes = [kind.size for kind in kinds if isinstance(kind, Tile)]
    if op.name in ("mmaf", "mmai"):
        sizes = [op.result.type.size]
    short = cost_of_short_power(op)
    slots = COSTS.get(op.name, PLAIN) if short is None else short
    return slots * max(sizes, default=0) * weight_of(op)


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
    return op.spec.effects in SILENT or op.spec.effects == READS
