"""Loop-invariant code motion: an op whose operands do not change in a loop is moved before it.

A loop may run zero times, so that the op runs where the program would not have run it. Therefore
only ops are moved that have no effect and are total: defined for all values that their operands can
have. Only what every iteration computes is moved, not what stands in an `if` of the loop. The
bodies of reduce and scan are no loops.

A tile that is cheap to make again is not kept across a loop: an op that is moved takes a copy of it
along.
"""

from __future__ import annotations

from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of, is_recomputed, traits_of
from tileir.codegen.state import State
from tileir.formats.ops.spec import NO_MEMORY_EFFECT, PURE
from tileir.ir import Block, Op, Value

from .block_walk import BlockEnd, steps
from .eliminate_dead_ops import erase_dead_ops


def hoist_invariants(state: State) -> None:
    """Hoist ops out of loops that do not change their operands, unless they may be undefined.

    Where run-time checks or traces observe the ops, each stays.
    """
    if state.observed:
        return
    for kernel_state in state.kernels:
        kernel_state.hoisted = hoist_ops(kernel_state.kernel)


def hoist_ops(kernel: KernelIR) -> dict[Op, Op]:
    """Hoist the invariant ops of a kernel; return each with the outermost loop that it left."""
    hoisting = _Hoisting(kernel)
    for step in steps(kernel.body):
        if isinstance(step, Block):
            hoisting.enter(step)
        elif isinstance(step, BlockEnd):
            hoisting.leave()
        else:
            hoisting.consider(step)
    if hoisting.hoisted:
        erase_dead_ops(kernel)
        kernel.edited()
    return hoisting.hoisted


class _Hoisting:
    """One walk over a kernel.

    The depth of a block is the number of blocks around it, that of a value the depth of the
    outermost block in which it could be defined: where its definition has been moved to, or, if it
    is made again wherever it is wanted, where it can be made.
    """

    def __init__(self, kernel: KernelIR) -> None:
        self.hoisted: dict[Op, Op] = {}
        self._kernel = kernel
        self._depths: dict[Value, int] = {}
        self._owners: list[Op | None] = []
        self._limits: list[int] = []
        self._copies: dict[tuple[Value, Op], Value] = {}

    def enter(self, block: Block) -> None:
        """Enter a block; its ops may leave it if it is that of a loop."""
        owner, depth = block.parent_op, len(self._owners)
        is_loop = owner is not None and family_of(owner) is Family.LOOP
        self._limits.append(self._limits[-1] if is_loop else depth)
        self._owners.append(owner)
        self._depths.update(dict.fromkeys(block.arguments, depth))

    def leave(self) -> None:
        """Leave a block."""
        self._owners.pop()
        self._limits.pop()

    def consider(self, op: Op) -> None:
        """Hoist an op as far as it may go."""
        here = len(self._owners) - 1
        depth = max([self._limits[-1], *(self._depths[value] for value in op.operand_list())])
        if depth < here and not self._may_move(op):
            depth = here
        self._depths.update(dict.fromkeys(op.results, depth))
        if depth < here and not is_recomputed(op):
            loop = cast("Op", self._owners[depth + 1])  # only the outermost block has none
            self._move(op, loop)
            self.hoisted[op] = loop

    def _may_move(self, op: Op) -> bool:
        if op.spec.effects not in (PURE, NO_MEMORY_EFFECT) or op.regions:
            return False
        total = traits_of(op).total
        return total is None or total(op, self._kernel.facts(Divisibility))

    def _move(self, op: Op, loop: Op) -> None:
        """Move an op before a loop, with copies of the tiles that are made again there."""
        for value in op.operand_list():
            self._copy(value, loop)
        self._use_copies(op, loop)
        op.move_before(loop)

    def _copy(self, value: Value, loop: Op) -> None:
        """Make copies before a loop of the ops in it that a value is made by."""
        wanted = [value]
        while wanted:
            if not self._is_missing(wanted[-1], loop):
                wanted.pop()
                continue
            made_by = wanted[-1].owner
            missing = [each for each in made_by.operand_list() if self._is_missing(each, loop)]
            wanted += reversed(missing)
            if not missing:
                copy = made_by.clone()
                self._use_copies(copy, loop)
                copy.insert_before(loop)
                self._copies[wanted.pop(), loop] = copy.result

    def _is_missing(self, value: Value, loop: Op) -> bool:
        return (value, loop) not in self._copies and not value.is_visible_to(loop)

    def _use_copies(self, op: Op, loop: Op) -> None:
        def there(value: Value) -> Value:
            return self._copies.get((value, loop), value)

        for slot, operand in op.operands.items():
            if isinstance(operand, tuple):
                op.operands[slot] = tuple(map(there, operand))
            elif operand is not None:
                op.operands[slot] = there(operand)
