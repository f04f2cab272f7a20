"""Who uses a value: the ops of a kernel that have it as an operand."""

from __future__ import annotations

from tileir.ir import Op, Value

from .kernel import Kernel


class Uses(dict[Value, list[Op]]):
    """The analysis: value -> the ops that use it, in pre-order, one as often as it does."""

    @classmethod
    def of(cls, kernel: Kernel) -> Uses:
        """The uses of all values of a kernel."""
        uses = cls()
        for op in kernel.walk():
            for value in op.operand_list():
                uses.setdefault(value, []).append(op)
        return uses

    def __missing__(self, value: Value) -> list[Op]:
        return []
