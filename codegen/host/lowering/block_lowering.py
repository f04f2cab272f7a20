"""A kernel as one LLVM function that runs one tile block.

`void <symbol>.block(ptr arguments, i32 x, i32 y, i32 z, i32 size x, i32 size y, i32 size z, ptr
workspace, ptr context)`. The arguments are in a struct with natural alignment, in the order of the
parameters; `running/context.py` describes the context. Tiles of one element are computed at
their op; see `storage` for the others.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.planning.buffers import Storage
from tileir.codegen.host.planning.tiles import is_single, is_tile
from tileir.codegen.kernel import KernelIR
from tileir.codegen.scalar.elementwise import emit
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .ahead import elements
from .block import Lowering
from .chapters.memory import with_deferred
from .chapters.pieces import is_short_slice, keep_slice
from .evaluate import Evaluator
from .position import ZERO, Position
from .rows import is_inline, row_of


class BlockLowering(Lowering):
    """Lowers a whole kernel: each op by its row, or inside the loop that uses its tile."""

    def __init__(self, module: ir.Module, kernel: KernelIR, storage: Storage) -> None:
        super().__init__(module, kernel, storage)
        self._may_stream = module.triple.startswith("x86_64")

    @property
    def may_stream(self) -> bool:
        """Whether the machine can."""
        return self._may_stream and not self.looks_at_elements

    def lower_op(self, op: Op) -> None:
        if not is_inline(op):
            row_of(op).lower(self, op)
        elif is_single(op.result):
            self.singles.pop(id(op.result), None)  # from an earlier inlining of its region
            shape = op.result.type.shape
            at = Evaluator(self, Position(self.builder, shape, [ZERO] * len(shape)))
            self.singles[id(op.result)] = at.element(op.result)
        elif is_tile(op.result) and op.result in self.storage:
            self._keep(op)
        elif id(source := next(op.operand_list(), None)) in self.tensors:  # assume of a view
            self.tensors[id(op.result)] = self.tensors[id(source)]

    def emit(self, op: Op, arguments: list[ir.Value], position: Position) -> ir.Value:
        return emit(self.builder, op, arguments)

    def assumed(self, op: Op, value: ir.Value, position: Position) -> None:
        """Emit nothing: the assumption is taken to be true."""

    def checked(self, op: Op, address: ir.Value, size: int, position: Position) -> ir.Value:
        return address

    def _keep(self, op: Op) -> None:
        """Compute the tile of an inline op into its buffer."""
        if is_short_slice(op):
            with self.writing(self.buffer(op.result)):
                keep_slice(self, op)
            return

        shape, size = op.result.type.shape, memory_bytes(op.result.type.element)

        def loop(*_: object) -> None:
            written = self.writing(self.buffer(op.result))
            with written, elements(self, op, shape, size) as position:
                value = Evaluator(self, position).compute(op)
                self.store_element(op.result, position, value)

        with_deferred(self, op, loop)
