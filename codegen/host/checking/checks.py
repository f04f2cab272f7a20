"""A lowering that adds run-time checks: wrong operations are reported before they are executed.

What comes of a right one, a NaN or an infinity, is reported after it. The lowering overrides the
hooks of the plain one, so code compiled without checks has no trace of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.host.lowering.block_lowering import BlockLowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.lowering.views import index_space, unsigned_index
from tileir.codegen.host.planning.buffers import Storage
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.bits import bits_of
from tileir.ir import Op, Value
from tileir.types import Pointer
from tileir.verifier.strides import only_strides, strides_of

from . import assumptions, not_finite, undefined, unspecified
from .accesses import Accesses


class CheckedLowering(BlockLowering):
    """Checks some of these: accesses to memory stay in bounds (`memory`), results are defined
    (`undefined`), and no op makes a NaN or an infinity (`nan`).
    """

    looks_at_elements = True

    def __init__(
        self, module: ir.Module, kernel: KernelIR, storage: Storage, checks: Iterable[str]
    ) -> None:
        super().__init__(module, kernel, storage)
        self._undefined, self._nan = "undefined" in checks, "nan" in checks
        self._unspecified = unspecified.Unspecified(self)
        self._accesses = Accesses(self) if "memory" in checks else None

    def lower_op(self, op: Op) -> None:
        if "view" in op.operands:
            self._check_indices(op)
        if self._undefined:
            self._check_scalars(op)
            for wrong, position in self._unspecified.uses(op):
                self._report_if(wrong, op, unspecified.PROBLEM, position, [])
        if self._nan and op.name in not_finite.OF_TILES:
            self._lower_tiles(op)
        else:
            super().lower_op(op)

    def _lower_tiles(self, op: Op) -> None:
        """Lower an op, and check what it makes of its operands as wholes."""
        builder, bit = self.builder, ir.IntType(1)
        before = [self.slot(bit), self.slot(bit)]
        for flag in before:
            builder.store(ir.Constant(bit, 0), flag)
        for value in filter(not_finite.is_float, op.operand_list()):
            with nest(builder, value.type.shape) as position:
                self._nan = False  # what makes the operand is checked where it is used
                element = Evaluator(self, position).element(value)
                self._nan = True
                states = not_finite.state_of(builder, [not_finite.double(builder, value, element)])
                for flag, state in zip(before, states, strict=True):
                    builder.store(builder.or_(builder.load(flag, typ=bit), state), flag)
        super().lower_op(op)
        for result in filter(not_finite.is_float, op.results):
            with nest(builder, result.type.shape) as position:
                element = Evaluator(self, position).element(result)
                number = not_finite.double(builder, result, element)
                had = [builder.load(flag, typ=bit) for flag in before]
                for problem, wrong in not_finite.made(builder, number, *had):
                    self._report_if(wrong, op, problem, position, [])

    def emit(self, op: Op, arguments: list[ir.Value], position: Position) -> ir.Value:
        if self._undefined:
            for problem, wrong in undefined.findings(self.builder, op, arguments):
                values = list(zip(_slots(op), op.operand_list(), arguments, strict=True))
                self._report_if(wrong, op, problem, position, values)
        result = super().emit(op, arguments, position)
        if self._nan:
            for problem, wrong in not_finite.findings(self.builder, op, result, arguments):
                values = list(zip(_slots(op), op.operand_list(), arguments, strict=True))
                self._report_if(wrong, op, problem, position, values)
        return result

    def assumed(self, op: Op, value: ir.Value, position: Position) -> None:
        if self._undefined and only_strides(op.result) is None:
            self._check_assumption(op, value, position)

    def _check_assumption(
        self, op: Op, value: ir.Value, position: Position, matters: ir.Value | None = None
    ) -> None:
        problem = f"{op.attributes['predicate']} is assumed"
        for wrong in assumptions.violations(self, op, value, position):
            values = [("value", op.operands["value"], value)]
            if matters is not None:
                wrong = self.builder.and_(wrong, matters)
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
        elif op.name == "make_tensor_view":
            self._check_strides(op)

    def _check_strides(self, op: Op) -> None:
        """Check what is assumed of values that are only strides, where an index multiplies them."""
        at = Position(self.builder, (), ())
        for stride in strides_of(op):
            assumed, extent = stride.value.owner, stride.extent
            if isinstance(extent, int):
                extent = ir.Constant(INDEX, extent)
            else:
                extent = unsigned_index(self.builder, self.single(extent))
            while isinstance(assumed, Op) and assumed.name == "assume":
                source = assumed.operands["value"]
                if only_strides(assumed.result) is not None:
                    matters = self.builder.icmp_unsigned(">", extent, ir.Constant(INDEX, 1))
                    self._check_assumption(assumed, self.single(source), at, matters)
                assumed = source.owner

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

        A tile outside is an access outside of an array, although nothing is read or written there,
        and its result is undefined. The first tile of a tensor without elements may be asked for,
        as cuTile's own tests do. Sparse indices are not checked: those outside the tensor are
        defined to be skipped.
        """
        builder, view = self.builder, op.operands["view"]
        if not (self._undefined or self._accesses):
            return
        tensor, kind = self.tensors[id(view)], view.type
        inbounds = op.attributes.get("inbounds") or (False,) * len(op.operands["index"])
        rows = zip(op.operands["index"], index_space(builder, tensor, kind), inbounds, strict=True)
        for d, (index, count, promised) in enumerate(rows):
            if index.type.shape:
                continue
            number = unsigned_index(builder, self.single(index))
            outside = builder.icmp_unsigned(">=", number, count)
            outside = builder.and_(outside, builder.icmp_unsigned("!=", number, ZERO))
            problem = f"index {{index}} along dimension {d} is outside the view"
            problem += ", which has {of:tile} there"
            if isinstance(index.owner, Op) and index.owner.name == "get_tile_block_id":
                problem += "; is the grid too large?"
            given = [_described(op, "index", index), _COUNT]
            self._report_numbers(outside, op, problem, given, [self.single(index), count])
            if promised and self._undefined:
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
        described = [_described(op, name, value) for name, value, _ in values]
        numbers = [number for _, _, number in values]
        self._report_numbers(wrong, op, problem, described, numbers, position)

    def _report_numbers(
        self,
        wrong: ir.Value,
        op: Op,
        problem: str,
        described: list[dict[str, Any]],
        numbers: list[ir.Value],
        position: Position | None = None,
    ) -> None:
        position = position or Position(self.builder, (), ())
        number = Position(self.builder, position.shape, position.indices).linear
        with self.builder.if_then(wrong, likely=False):
            site = self.new_site(
                "finding", op, problem=problem, shape=list(position.shape), values=described
            )
            data = self.pass_on([bits_of(self.builder, value) for value in numbers])
            self.report(site, number, data)


_COUNT = {"name": "of", "element": "i64", "signed": False}
"""How a handler is to read the number of indices that there are."""


def _slots(op: Op) -> list[str]:
    return [name for name, value in op.operands.items() if value is not None]


def _described(op: Op, name: str, value: Value) -> dict[str, Any]:
    """Return how a handler is to read a value; operands of unsigned ops are unsigned."""
    element = value.type.element
    if isinstance(element, Pointer):
        return {"name": name, "element": "pointer", "signed": False}
    signed = op.attributes.get("signedness", "signed") == "signed"
    return {"name": name, "element": element.name, "signed": signed}
