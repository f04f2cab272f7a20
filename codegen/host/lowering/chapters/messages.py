"""print and assert: the kernel reports elements; `running/messages.py` formats the text."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator, fill
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.planning.tiles import tile_bytes
from tileir.codegen.host.running.context import ALIGNMENT
from tileir.codegen.scalar.types import ADDRESS
from tileir.ir import Op, Value
from tileir.types import Pointer


def _offsets(values: tuple[Value, ...]) -> list[int]:
    """Return the offset of each tile in the buffer of a print, and the buffer's size, in bytes."""
    offsets = [0]
    for value in values:
        offsets.append(offsets[-1] - (-tile_bytes(value) // ALIGNMENT) * ALIGNMENT)
    return offsets


def _print_temporaries(op: Op) -> list[int]:
    return [max(1, _offsets(op.operands["args"])[-1])]


def _print(lowering: Lowering, op: Op) -> None:
    start = lowering.temporary(op, 0)
    arguments = []
    for value, offset in zip(op.operands["args"], _offsets(op.operands["args"]), strict=False):
        fill(lowering, value, start + offset)
        arguments.append(
            {"element": _name(value), "shape": list(value.type.shape), "offset": offset}
        )
    traced = lowering.kernel.traces.get(id(op))
    stopped = lowering.kernel.breakpoints.get(id(op))
    if traced:
        site = lowering.new_site("trace", op, name=traced, **arguments[0])
    elif stopped is not None:
        site = lowering.new_site("breakpoint", op, names=list(stopped), arguments=arguments)
    else:
        site = lowering.new_site("print", op, format=op.attributes["str"], arguments=arguments)
    lowering.report(site, ir.Constant(ADDRESS, 0), lowering.address(start))


def _name(value: Value) -> str:
    """Return the element type's name, as handlers expect it."""
    element = value.type.element
    return "pointer" if isinstance(element, Pointer) else element.name


def _assert(lowering: Lowering, op: Op) -> None:
    """Test all elements first, so that one report covers all that are false."""
    builder, condition = lowering.builder, op.operands["condition"]
    bit = ir.IntType(1)
    start = lowering.temporary(op, 0)
    fill(lowering, condition, start)
    holds = lowering.slot(bit)
    builder.store(ir.Constant(bit, 1), holds)
    with nest(builder, condition.type.shape) as position:
        element = Evaluator(lowering, position).element(condition)
        builder.store(builder.and_(builder.load(holds, typ=bit), element), holds)
    site = lowering.new_site(
        "assert", op, message=op.attributes["message"], shape=list(condition.type.shape)
    )
    with builder.if_then(builder.not_(builder.load(holds, typ=bit)), likely=False):
        lowering.report(site, ir.Constant(ADDRESS, 0), lowering.address(start))


ROWS = {
    "assert": Row(_assert, temporaries=lambda op: [op.operands["condition"].type.size]),
    "print_tko": Row(_print, together=False, temporaries=_print_temporaries),
}
