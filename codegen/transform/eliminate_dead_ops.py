"""Dead code elimination at the top level of a kernel: drops ops without effects and uses.

Ops inside of regions stay; LLVM eliminates what they leave.
"""

from __future__ import annotations

from dataclasses import replace

from tileir.codegen.kernel import KernelIR
from tileir.codegen.state import State
from tileir.formats.ops.spec import SILENT
from tileir.ir import Block, Body, Op


def eliminate_dead_ops(state: State) -> None:
    """Eliminate ops without side effects whose results have no uses.

    Only ops at the top level of a kernel are considered; ops inside of regions stay.
    """
    for kernel_state in state.kernels:
        before = len(kernel_state.kernel.body.block.ops)
        kernel_state.kernel = without_dead_ops(kernel_state.kernel)
        kernel_state.dropped = before - len(kernel_state.kernel.body.block.ops)


def without_dead_ops(kernel: KernelIR) -> KernelIR:
    """Return the kernel without the dead ops of its top level."""
    used: set[int] = set()
    kept: list[Op] = []
    for op in reversed(kernel.body.block.ops):
        if _is_dead(op, used):
            continue
        kept.append(op)
        used.update(id(value) for inner in op.walk() for value in inner.operand_list())
    if len(kept) == len(kernel.body.block.ops):
        return kernel
    block = Block(kernel.body.block.arguments, kept[::-1])
    return replace(kernel, body=Body(kernel.body.type, block))


def _is_dead(op: Op, used: set[int]) -> bool:
    if op.spec.effects not in SILENT or op.regions:
        return False
    if op.attributes.get("memory_ordering_semantics", "weak") != "weak":
        return False
    return not any(id(result) in used for result in op.results)
