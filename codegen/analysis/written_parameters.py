"""Which pointer parameters a kernel may write through; read-only arrays are refused for these."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import writes_memory
from tileir.ir import Op, Value

from .origins import Origins, addresses_of


def written_parameters(kernel: KernelIR) -> set[int]:
    """Return the numbers of the pointer parameters that a store or an atomic may access."""
    targets = [value for op in kernel.walk() for value in _targets(op)]
    return set(kernel.facts(Origins).behind(targets).parameters)


def _targets(op: Op) -> list[Value]:
    """Return the addresses that an op writes to. Pointers among the stored values do not count."""
    return addresses_of(op) if writes_memory(op) else []
