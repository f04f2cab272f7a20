"""The ops to choose from: those of a version, by where they are allowed, and what makes a type."""

from __future__ import annotations

from functools import cache

from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import NO_MEMORY_EFFECT, PURE, RECURSIVE, Op
from tileir.formats.version import Version

MAKERS = {
    "number": ("constant", "result"),
    "ptr": ("int_to_ptr", "result"),
    "i4": ("trunci", "to"),
    "token": ("make_token", "result"),
    "tensor_view": ("make_tensor_view", "result"),
    "partition_view": ("make_partition_view", "result"),
    "strided_view": ("make_strided_view", "result"),
    "gather_scatter_view": ("make_gather_scatter_view", "result"),
}
"""Kind of type -> the op, and its result, that can make a value of each such type."""


class Rows:
    """The rows of a version, by where they are allowed."""

    def __init__(self, version: Version) -> None:
        known = [op for op in OPS if op.in_body and op.since <= version]
        self.plain = [op for op in known if not op.terminator]
        self.makers = {
            kind: (BY_NAME[name], result)
            for kind, (name, result) in MAKERS.items()
            if BY_NAME[name] in known
        }

    def choices(self, effect_free: bool, regions: bool, globals: bool) -> list[Op]:
        """Return the ops that may come next; in the body of a reduce or scan, without effects."""
        free = (PURE, NO_MEMORY_EFFECT, RECURSIVE)
        return [
            op
            for op in self.plain
            if (not effect_free or (op.effects in free and _hands_out(op)))
            and (regions or not op.regions)
            and (globals or op.mnemonic != "get_global")
        ]


def _hands_out(op: Op) -> bool:
    """Whether all regions can end with `yield`; `continue` and `break` count as effects."""
    return all("yield" in row.terminators for row in op.regions)


rows = cache(Rows)
"""Return the rows of a version; cached."""
