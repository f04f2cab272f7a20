"""Uses of values: the ops of a kernel that have a value as an operand."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.ir import Op, Value


class Uses(dict[Value, list[Op]]):
    """Maps a value to the ops that use it, in pre-order; an op is listed once for each use."""

    @classmethod
    def of(cls, kernel: KernelIR) -> Uses:
        """Collect the uses of all values of a kernel."""
        uses = cls()
        for op in kernel.walk():
            for value in op.operand_list():
                uses.setdefault(value, []).append(op)
        return uses

    def __missing__(self, value: Value) -> list[Op]:
        return []
