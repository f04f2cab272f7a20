"""Layouts agree: every thread has the elements that an op takes from it."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.accesses import layout_of, worked_on
from tileir.codegen.block.control_edges import edges
from tileir.codegen.block.op_facts import COPIES
from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    coordinate_images,
    dim_bits,
    uniform,
)
from tileir.codegen.layouts.renumber import needed
from tileir.codegen.ops import BY_NAME, Family
from tileir.ir import Body, Op, Value
from tileir.types import Token

_TOGETHER = (Family.ATOMIC, Family.ELEMENT_WISE, Family.POINTER_LOAD, Family.POINTER_STORE)
_RENUMBERING = (Family.JOINING, Family.RENUMBERING)


def layout_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops whose operands and results do not agree in their layouts."""
    threads: int | None = None
    for op in body.walk():
        for value in op.results:
            if isinstance(value.type, Frag):
                layout = value.type.layout
                threads = threads or len(layout.thread)
                yield from ((op, why) for why in _broken(value.type, threads))
        traits = BY_NAME.get(op.name)
        if traits is not None and traits.family in _TOGETHER:
            yield from _same(op)
        elif traits is not None and traits.family in _RENUMBERING:
            yield from _renumbered(op)
        elif op.name in COPIES and "view" not in op.operands:  # through pointers
            yield from _same(op)
        if op.attributes.get("vector", 1) > 1:
            yield from _vectors(op)
        if op.operands.get("index"):
            yield from _positions(op)
        if op.name.startswith("atomic"):
            yield from _once(op)
        if op.attributes.get("owner") and op.results and not isinstance(op.results[0].type, Token):
            yield from _owned(op)
    yield from _handed_on(body)


def _broken(kind: Frag, threads: int) -> Iterator[str]:
    layout = kind.layout
    if 1 << layout.bits != kind.size:
        yield f"a layout of {1 << layout.bits} elements for a tile of {kind.size}"
    elif not layout.is_complete:
        yield "a layout in which no thread has some elements"
    if len(layout.thread) != threads:
        yield f"a layout for {1 << len(layout.thread)} threads in a block of {1 << threads}"


def _same(op: Op) -> Iterator[tuple[Op, str]]:
    layouts = {_layout(value) for value in (*op.operand_list(), *op.results)} - {None}
    if len(layouts) > 1:
        yield op, "operands and results have different layouts"


def _renumbered(op: Op) -> Iterator[tuple[Op, str]]:
    layout = _layout(op.result)
    for value in op.operand_list():
        own = _layout(value)
        if own is None:
            continue
        result = layout or uniform(1 << len(own.thread), len(own.lane))
        if own != needed(op, result):
            yield op, "an operand has not the layout that the result's follows from"


def _vectors(op: Op) -> Iterator[tuple[Op, str]]:
    """Check that one thread has all elements of a vector."""
    layout = layout_of(op)
    if layout is None:
        return
    tile = op.operands["destination"] if "threads" in op.attributes else worked_on(op)
    low, _ = dim_bits(tile.type.shape, op.attributes["along"])
    bits = range(low, low + op.attributes["vector"].bit_length() - 1)
    if any(1 << bit not in layout.register for bit in bits):
        yield op, "a thread has not all elements of a vector"


def _positions(op: Op) -> Iterator[tuple[Op, str]]:
    """Check that a thread has those indices along a sparse dimension that its elements are at."""
    layout, tile = layout_of(op), op.operands["view"].type.tile
    for dim, index in enumerate(op.operands["index"]):
        own = _layout(index)
        if own is None or layout is None:
            continue
        if own != layout.compose(coordinate_images(tile, dim)):
            yield op, f"a thread has not the indices of its elements along dimension {dim}"


def _once(op: Op) -> Iterator[tuple[Op, str]]:
    layout = _layout(worked_on(op))  # None for one element, of which all threads have copies
    if not op.attributes["owner"] and (layout is None or layout.replicas):
        yield op, "threads with copies of an element all update it"


def _owned(op: Op) -> Iterator[tuple[Op, str]]:
    for use in op.results[0].uses:
        if use.op.name != "store_shared":
            yield use.op, "only owners have this tile; it has to be stored for the others"


def _handed_on(body: Body) -> Iterator[tuple[Op, str]]:
    """Check that values keep their types on the way to another block."""
    for edge in edges(body):
        for value, target in edge.pairs:
            if value is not None and value.type != target.type:
                yield edge.source, f"a value of {value.type} becomes one of another type or layout"


def _layout(value: Value) -> LinearLayout | None:
    """Return the layout of a tile of several elements; of others None."""
    return value.type.layout if isinstance(value.type, Frag) else None
