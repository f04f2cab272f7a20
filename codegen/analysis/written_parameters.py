"""Which pointer parameters a kernel may write through; read-only arrays are refused for these."""

from __future__ import annotations

from tileir.codegen.kernel import Kernel
from tileir.formats.ops.spec import READS_WRITES, WRITES
from tileir.ir import Op, Value

from .origins import OriginFinder, addresses_of


def written_parameters(kernel: Kernel) -> set[int]:
    """Return the numbers of the pointer parameters that a store or an atomic may access."""
    targets = [value for op in kernel.walk() for value in _targets(op)]
    return set(OriginFinder(kernel).of(targets).parameters)


def _targets(op: Op) -> list[Value]:
    """Return the addresses that an op writes to. Pointers among the stored values do not count."""
    if op.spec.effects not in (WRITES, READS_WRITES):
        return []
    return addresses_of(op)
