"""Dead code elimination: erases ops without effects and uses."""

from __future__ import annotations

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.codegen.state import State
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op


def eliminate_dead_ops(state: State) -> None:
    """Eliminate ops without side effects whose results have no uses.

    Loops and branches stay. Where run-time checks observe the ops, reductions, scans and all ops
    inside of regions do, too.
    """
    for kernel_state in state.kernels:
        kernel = kernel_state.kernel
        kernel_state.dropped = erase_dead_ops(kernel, nested=not state.observed)


def erase_dead_ops(kernel: KernelIR, nested: bool = True) -> int:
    """Erase the dead ops, and return how many there were; without `nested`, of the top level."""
    dead = 0
    for op in reversed(list(kernel.walk() if nested else kernel.body.block.ops)):
        if _is_dead(op) and (nested or not op.regions):
            op.erase()
            dead += 1
    if dead:
        kernel.edited()
    return dead


def dead_ops(kernel: KernelIR) -> list[Op]:
    """Return the ops that `erase_dead_ops` erases, and leave them where they are."""
    dead: dict[Op, None] = {}
    for op in reversed(list(kernel.walk())):
        if _may_go(op) and all(use.op in dead for result in op.results for use in result.uses):
            dead[op] = None
    return list(dead)


def _is_dead(op: Op) -> bool:
    return _may_go(op) and not any(result.uses for result in op.results)


def _may_go(op: Op) -> bool:
    if op.regions:
        inside = op.regions[0].block.ops[:-1]
        return family_of(op) is Family.FOLD and all(map(_may_go, inside))
    if op.spec.effects not in SILENT:
        return False
    return op.attributes.get("memory_ordering_semantics", "weak") == "weak"
