"""The uses of values: which ops of a kernel have a value as an operand."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.ir import Op, Value


class Uses(dict[Value, list[Op]]):
    """The analysis: value -> its users in pre-order; an op that uses it twice is there twice."""

    @classmethod
    def of(cls, kernel: KernelIR) -> Uses:
        """Return the uses of all values of a kernel."""
        uses = cls()
        for op in kernel.walk():
            for value in op.operand_list():
                uses.setdefault(value, []).append(op)
        return uses

    def __missing__(self, value: Value) -> list[Op]:
        return []
