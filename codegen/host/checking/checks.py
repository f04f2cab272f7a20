"""A lowering that adds run-time checks: wrong operations are reported before they are executed.

It overrides the hooks of the plain lowering, so code compiled without checks has no trace of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.host.lowering.block_lowering import BlockLowering
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.host.lowering.views import index_space, unsigned_index
from tileir.codegen.host.planning.buffers import Storage
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.bits import bits_of
from tileir.ir import Op, Value
from tileir.types import Pointer

from . import assumptions, undefined
from .accesses import Accesses


class CheckedLowering(BlockLowering):
    """Checks accesses to memory (`memory`), or that results are defined (`undefined`), or both."""

    looks_at_elements = True

    def __init__(
        self, module: ir.Module, kernel: KernelIR, storage: Storage, checks: Iterable[str]
    ) -> None:
        super().__init__(module, kernel, storage)
        self._undefined = "undefined" in checks
        self._accesses = Accesses(self) if "memory" in checks else None

    def lower_op(self, op: Op) -> None:
        if self._undefined:
            self._check_scalars(op)
        super().lower_op(op)

    def emit(self, op: Op, arguments: list[ir.Value], position: Position) -> ir.Value:
        if self._undefined:
            for problem, wrong in undefined.findings(self.builder, op, arguments):
                values = list(zip(_slots(op), op.operand_list(), arguments, strict=True))
                self._report_if(wrong, op, problem, position, values)
        return super().emit(op, arguments, position)

    def assumed(self, op: Op, value: ir.Value, position: Position) -> None:
        if self._undefined:
            problem = f"{op.attributes['predicate']} is assumed"
            for wrong in assumptions.violations(self, op, value, position):
                values = [("value", op.operands["value"], value)]
                self._report_if(wrong, op, problem, position, values)

    def checked(self, op: Op, address: ir.Value, size: int, position: Position) -> ir.Value:
        if self._accesses is None:
            return address
        return self._accesses.checked(op, address, size, position)

    def _check_scalars(self, op: Op) -> None:
        """Check the conditions on an op as a whole; `emit` checks those on elements."""
        if family_of(op) is Family.SLICE:
            self._check_slices(op)
        elif op.name == "for":
            step = self.single(op.operands["step"])
            compare = (
                self.builder.icmp_unsigned
                if op.attributes["unsignedCmp"]
                else self.builder.icmp_signed
            )
            wrong = compare("<=", step, ir.Constant(step.type, 0))
            self._report_scalar(wrong, op, "the step is not positive", "step", op.operands["step"])
        elif op.name == "assume" and id(op.operands["value"]) in self.tensors:
            base = self.tensors[id(op.operands["value"])].base
            predicate = op.attributes["predicate"]
            wrong = assumptions.indivisible(self.builder, base, predicate.divisor)
            self._report_if(wrong, op, f"{predicate} is assumed of the base address", None, [])
        elif "view" in op.operands:
            self._check_indices(op)

    def _check_slices(self, op: Op) -> None:
        if op.name == "extract":
            whole, part = op.operands["source"].type, op.result.type
        else:
            whole, part = op.result.type, op.operands["source"].type
        for d, index in enumerate(op.operands["indices"]):
            count = whole.shape[d] // part.shape[d]
            number = self.single(index)
            wrong = self.builder.icmp_unsigned(">=", number, ir.Constant(number.type, count))
            problem = f"index {d} of a slice is not below {count}"
            self._report_scalar(wrong, op, problem, "index", index)

    def _check_indices(self, op: Op) -> None:
        """Check that tiles start inside the tensor, and end there if the op promises it.

        Sparse indices are not checked: those outside the tensor are defined to be skipped.
        """
        builder, view = self.builder, op.operands["view"]
        tensor, kind = self.tensors[id(view)], view.type
        inbounds = op.attributes.get("inbounds") or (False,) * len(op.operands["index"])
        rows = zip(op.operands["index"], index_space(builder, tensor, kind), inbounds, strict=True)
        for d, (index, count, promised) in enumerate(rows):
            if index.type.shape:
                continue
            number = unsigned_index(builder, self.single(index))
            outside = builder.icmp_unsigned(">=", number, count)
            problem = f"index {d} is outside the view's index space"
            self._report_scalar(outside, op, problem, "index", index)
            if promised:
                start = builder.mul(number, ir.Constant(INDEX, steps(kind)[d]))
                left = builder.sub(tensor.shape[dimensions(kind)[d]], start)
                across = builder.icmp_signed("<", left, ir.Constant(INDEX, kind.tile[d]))
                problem = f"inbounds is promised for index {d}"
                self._report_scalar(across, op, problem, "index", index)

    def _report_scalar(
        self, wrong: ir.Value, op: Op, problem: str, name: str, value: Value
    ) -> None:
        self._report_if(wrong, op, problem, None, [(name, value, self.single(value))])

    def _report_if(
        self,
        wrong: ir.Value,
        op: Op,
        problem: str,
        position: Position | None,
        values: Sequence[tuple[str, Value, ir.Value]],
    ) -> None:
        """Report a problem, if `wrong`, with the element at a position (None: with the op)."""
        position = position or Position(self.builder, (), ())
        number = Position(self.builder, position.shape, position.indices).linear
        with self.builder.if_then(wrong, likely=False):
            site = self.new_site(
                "finding",
                op,
                problem=problem,
                shape=list(position.shape),
                values=[_described(op, name, value) for name, value, _ in values],
            )
            self.report(
                site, number, self.pass_on([bits_of(self.builder, value) for _, _, value in values])
            )


def _slots(op: Op) -> list[str]:
    return [name for name, value in op.operands.items() if value is not None]


def _described(op: Op, name: str, value: Value) -> dict[str, Any]:
    """Return how a handler is to read a value; operands of unsigned ops are unsigned."""
    element = value.type.element
    if isinstance(element, Pointer):
        return {"name": name, "element": "pointer", "signed": False}
    signed = op.attributes.get("signedness", "signed") == "signed"
    return {"name": name, "element": element.name, "signed": signed}
