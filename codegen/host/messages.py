"""print and assert: the kernel hands over the elements, and what they say is written from here."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from tileir import floats
from tileir.errors import KernelAssertionError
from tileir.ir import Op, Value
from tileir.types import Pointer, Scalar

from ..printf import Conversion, Number, pieces, write_tile
from ..scalar.types import ADDRESS, memory_bytes
from .evaluate import Evaluator
from .loops import nest
from .rows import Row
from .storage import ALIGNMENT, tile_bytes

if TYPE_CHECKING:
    from .lower import BlockLowering
    from .reports import Handler, Report


def _offsets(values: tuple[Value, ...]) -> list[int]:
    """Where each tile lies in the buffer of a print, and the size of the buffer."""
    offsets = [0]
    for value in values:
        offsets.append(offsets[-1] - (-tile_bytes(value) // ALIGNMENT) * ALIGNMENT)
    return offsets


def _print_temporaries(op: Op) -> list[int]:
    return [max(1, _offsets(op.operands["args"])[-1])]


def _print(lowering: BlockLowering, op: Op) -> None:
    start = lowering.temporary(op, 0)
    arguments = []
    for value, offset in zip(op.operands["args"], _offsets(op.operands["args"]), strict=False):
        lowering.fill(value, start + offset)
        arguments.append({
            "element": _name(value), "shape": list(value.type.shape), "offset": offset,
        })  # fmt: skip
    site = lowering.new_site("print", op, format=op.attributes["str"], arguments=arguments)
    lowering.report(site, ir.Constant(ADDRESS, 0), lowering.address(start))


def _name(value: Value) -> str:
    """The element type, as handlers know it."""
    element = value.type.element
    return "pointer" if isinstance(element, Pointer) else element.name


def _assert(lowering: BlockLowering, op: Op) -> None:
    """Ask all elements before anything is said, so that one report says it all."""
    builder, condition = lowering.builder, op.operands["condition"]
    bit = ir.IntType(1)
    start = lowering.temporary(op, 0)
    lowering.fill(condition, start)
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


def _printed(site: Mapping[str, Any]) -> Handler:
    """Writes a print in one piece."""
    parts = list(pieces(site["format"]))

    def handle(report: Report) -> None:
        arguments = iter(site["arguments"])
        texts = [
            _tile(part, report.data, next(arguments)) if isinstance(part, Conversion) else part
            for part in parts
        ]
        say("".join(texts))

    return handle


def _tile(conversion: Conversion, data: int, argument: Mapping[str, Any]) -> str:
    elements = read(data + argument["offset"], argument["element"], prod(argument["shape"]))
    return write_tile(conversion, argument["shape"], elements)


def read(address: int, name: str, count: int) -> list[tuple[Number, int]]:
    """Elements of a buffer, each as a number and how many bits it has."""
    if name == "pointer":
        return [(pattern, 64) for pattern in _patterns(address, 8, count)]
    element = Scalar(name)
    patterns = _patterns(address, memory_bytes(element), count)
    if element.is_integer:
        return [(pattern, element.bits) for pattern in patterns]
    shift = 13 if name == "tf32" else 0
    numbers = (floats.value_of(name, pattern >> shift) for pattern in patterns)
    return [(number, 64) for number in numbers]


def _patterns(address: int, width: int, count: int) -> list[int]:
    data = ctypes.string_at(address, width * count)
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def _asserted(site: Mapping[str, Any]) -> Handler:
    """Names every element that is false, and raises."""

    def handle(report: Report) -> None:
        shape = site["shape"]
        data = ctypes.string_at(report.data, prod(shape))
        false = [index for index, byte in enumerate(data) if not byte]
        problem = KernelAssertionError(
            f"assertion failed{': ' if site['message'] else ''}{site['message']}",
            op=site["op"], kernel=site["kernel"], location=site["location"], block=report.block,
            indices=[unravel(index, shape) for index in false],
        )  # fmt: skip
        say(f"{problem}\n")
        raise problem

    return handle


def unravel(index: int, shape: list[int]) -> tuple[int, ...]:
    """The indices of an element by its row-major number."""
    indices = []
    for extent in reversed(shape):
        index, rest = divmod(index, extent)
        indices.append(rest)
    return tuple(reversed(indices))


def say(text: str) -> None:
    """Write to standard output at once, whatever its encoding can hold."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


ROWS = {
    "assert": Row(_assert, temporaries=lambda op: [op.operands["condition"].type.size]),
    "print_tko": Row(_print, together=False, temporaries=_print_temporaries),
}

HANDLERS = {"assert": _asserted, "print": _printed}
