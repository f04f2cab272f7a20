"""Which parameters a kernel writes through, so that read-only arrays are refused for those only."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import writes_memory
from tileir.ir import Op, Value

from .origins import Origins, addresses_of


def written_parameters(kernel: KernelIR) -> set[int]:
    """Numbers of the pointer parameters that a store or an atomic may reach."""
    targets = [value for op in kernel.walk() for value in _targets(op)]
    return set(kernel.facts(Origins).behind(targets).parameters)


def _targets(op: Op) -> list[Value]:
    """The addresses that an op writes to. A tile of pointers may also be what is written."""
    return addresses_of(op) if writes_memory(op) else []
