"""Prefetching of the tiles that the next product along K will read.

Loops over K read tiles one behind the other: after this tile of a tensor comes its neighbour along
the dimension that the product sums over. Tiles are narrow and rows far apart, so the CPU's own
prefetchers do not find them; copying a tile that is in no cache takes a third of the time of a
product in f32. A prefetch never faults, so nobody asks whether there is a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.loops import loop
from tileir.codegen.host.lowering.position import INDEX
from tileir.codegen.host.planning.contiguous import memory_of
from tileir.codegen.scalar.types import BYTE, OPAQUE, memory_bytes
from tileir.ir import Op

LINE = 64
"""Bytes of a line of the cache."""

_ALONG = {"lhs": -1, "rhs": -2}
"""Operand -> its dimension K."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a tile in its tensor: `each` in each of `rows`, both powers of two.

    `apart`: rows of tiles to come do not start where those of the last tile end.
    """

    rows: int
    each: int
    apart: bool


def lines_ahead(lowering: Lowering, op: Op, slot: str) -> tuple[Lines, ir.Value, ir.Value] | None:
    """Return the lines of the tile that follows an operand along K, its start and stride in bytes.

    None unless the operand is read from a tensor where the elements of a row are contiguous.
    """
    value = op.operands[slot]
    along = len(value.type.shape) + _ALONG[slot]
    memory = memory_of(lowering, value)
    if memory is None or not memory.is_tensor:
        return None
    shape = value.type.shape
    wide = [d for d, extent in enumerate(shape) if extent > 1]
    inner = [d for d in wide if memory.is_contiguous(d)]
    if len(wide) != 2 or not inner or along not in wide:
        return None
    (outer,) = {*wide} - {*inner}
    builder, count = lowering.builder, ir.Constant(INDEX, shape[along])
    step = builder.mul(memory.bytes_along(builder, along), count)
    start = builder.gep(memory.start, [step], source_etype=BYTE)
    each = max(1, shape[inner[0]] * memory_bytes(memory.element) // LINE)
    lines = Lines(shape[outer], each, inner[0] != along)
    return lines, start, memory.bytes_along(builder, outer)


def prefetch(
    builder: ir.IRBuilder,
    lines: Lines,
    start: ir.Value,
    stride: ir.Value,
    share: ir.Value,
    shares: int,
) -> None:
    """Prefetch one of so many equal shares of the lines; `share` is its number."""
    count = max(1, lines.rows * lines.each // shares)
    first = builder.mul(share, ir.Constant(INDEX, count), flags=("nuw", "nsw"))

    def row_of(line: ir.Value) -> ir.Value:
        row = builder.lshr(line, ir.Constant(INDEX, lines.each.bit_length() - 1))
        row = builder.and_(row, ir.Constant(INDEX, lines.rows - 1))
        return builder.gep(start, [builder.mul(row, stride)], source_etype=BYTE)

    if lines.apart:
        with loop(builder, max(1, count // lines.each)) as number:
            line = builder.add(first, builder.mul(number, ir.Constant(INDEX, lines.each)))
            prefetch_line(builder, row_of(line))
    with loop(builder, count) as number:
        # Rows need not start with a line: what is asked for is the end of each 64 bytes.
        line = builder.add(first, number, flags=("nuw", "nsw"))
        at = builder.and_(line, ir.Constant(INDEX, lines.each - 1))
        offset = builder.mul(at, ir.Constant(INDEX, LINE))
        offset = builder.add(offset, ir.Constant(INDEX, LINE - 1))
        prefetch_line(builder, builder.gep(row_of(line), [offset], source_etype=BYTE))


def prefetch_line(builder: ir.IRBuilder, address: ir.Value, level: int = 2) -> None:
    """Prefetch the line at an address, for reading, into the L2 cache, or that of another level."""
    number = ir.IntType(32)
    name = "llvm.prefetch.p0"
    module = builder.module
    function = module.globals.get(name) or ir.Function(
        module, ir.FunctionType(ir.VoidType(), [OPAQUE, number, number, number]), name
    )
    builder.call(function, [address, *(ir.Constant(number, each) for each in (0, 4 - level, 1))])
