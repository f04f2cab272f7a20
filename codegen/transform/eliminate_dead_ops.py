"""Dead code elimination: erases ops without effects and uses."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.state import State
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op


def eliminate_dead_ops(state: State) -> None:
    """Eliminate ops without side effects whose results have no uses.

    Only ops at the top level of a kernel are considered; ops inside of regions stay.
    """
    for kernel_state in state.kernels:
        kernel_state.dropped = erase_dead_ops(kernel_state.kernel)


def erase_dead_ops(kernel: KernelIR) -> int:
    """Erase the dead ops of the top level, and return how many there were."""
    dead = 0
    for op in reversed(list(kernel.body.block.ops)):
        if _is_dead(op):
            op.erase()
            dead += 1
    if dead:
        kernel.edited()
    return dead


def _is_dead(op: Op) -> bool:
    if op.spec.effects not in SILENT or op.regions:
        return False
    if op.attributes.get("memory_ordering_semantics", "weak") != "weak":
        return False
    return not any(result.uses for result in op.results)
