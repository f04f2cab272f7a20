"""Common subexpression elimination: of equal ops, the first one computes for all that it dominates.

An op may be replaced by an equal one that comes before it in its block, or in a block around it;
ops of sibling regions share nothing. Nothing is moved, so an op that may be undefined is shared,
too: where the second one runs, the first one has run. Loads are not shared, because memory changes.

The bodies of reduce and scan share nothing with what is around them: they are run on elements, not
where they stand.
"""

from __future__ import annotations

from collections.abc import Mapping

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of, is_recomputed
from tileir.codegen.state import State
from tileir.formats.ops.spec import READS, SILENT
from tileir.ir import Block, Op, Value

from .block_walk import BlockEnd, steps
from .eliminate_dead_ops import erase_dead_ops
from .equal_ops import Key, Numbering


def share_common_ops(state: State) -> None:
    """Share the results of equal ops: the first one computes for all that it dominates.

    Where run-time checks or traces observe the ops, each stays.
    """
    if state.observed:
        return
    for kernel_state in state.kernels:
        kernel_state.shared = replace_equal_ops(kernel_state.kernel)


def replace_equal_ops(kernel: KernelIR) -> dict[Op, int]:
    """Replace ops by equal ones; return those that stay, each with the number of ops replaced."""
    shared: dict[Op, int] = {}
    replaced: dict[Value, Value] = {}
    gone: list[Op] = []
    numbering, scopes = Numbering(), _Scopes()
    for step in steps(kernel.body):
        if isinstance(step, Block):
            scopes.enter(step)
        elif isinstance(step, BlockEnd):
            scopes.leave()
        elif _may_share(step) and (key := numbering.key(step)) is not None:
            first = scopes.first(key, step)
            if first is step:
                continue
            numbering.identify(step, first)
            if not is_recomputed(step):
                replaced.update(zip(step.results, first.results, strict=True))
                gone.append(step)
                shared[first] = shared.get(first, 0) + 1
    if shared:
        _use_others(kernel, replaced)
        for op in reversed(gone):
            op.erase()
        erase_dead_ops(kernel)
        kernel.edited()
    return shared


def _use_others(kernel: KernelIR, replaced: Mapping[Value, Value]) -> None:
    """Replace values; each slot is set once, as it may have thousands of values."""
    for op in kernel.walk():
        for slot, operand in list(op.operands.items()):
            if isinstance(operand, tuple):
                if not replaced.keys().isdisjoint(operand):
                    op.operands[slot] = tuple([replaced.get(value, value) for value in operand])
            elif operand in replaced:
                op.operands[slot] = replaced[operand]


def _may_share(op: Op) -> bool:
    return bool(op.results) and op.spec.effects in SILENT - {READS} and not op.regions


class _Scopes:
    """The first op of each kind of equal ones that dominates what comes next."""

    def __init__(self) -> None:
        self._first: dict[Key, Op] = {}
        self._entered: list[list[Key]] = []
        self._around: list[dict[Key, Op]] = []

    def enter(self, block: Block) -> None:
        """Enter a block: what was seen before can be seen there, except in the body of a fold."""
        around = block.parent_op
        self._around.append(self._first)
        self._entered.append([])
        if around is not None and family_of(around) is Family.FOLD:
            self._first = {}

    def leave(self) -> None:
        """Leave a block, and forget its ops."""
        for key in self._entered.pop():
            del self._first[key]
        self._first = self._around.pop()

    def first(self, key: Key, op: Op) -> Op:
        """Return the first op with a key; the op itself if there was none."""
        first = self._first.setdefault(key, op)
        if first is op:
            self._entered[-1].append(key)
        return first
