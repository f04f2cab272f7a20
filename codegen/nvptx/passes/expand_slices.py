"""Replace what moves elements to places that are known at run time only, through shared memory:
extract, insert, and tiles that only owners have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, log2
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Tile

from .choose_copies import PIECE_BYTES, offsets_between


def tile_of(value: Tile, shape: Sequence[int], layout: LinearLayout) -> Tile:
    """Return the type of a tile with the elements of another one, in a layout if it needs one."""
    kind = Tile(value.element, tuple(shape))
    return kind if kind.size == 1 else Frag(kind.element, kind.shape, layout=layout)


def replace_results(op: Op, values: Sequence[Value]) -> None:
    """Have others use these values instead of the results of an op, and erase it.

    A result with a layout of its own is converted to it; one without gets that of the value.
    """
    for result, value in zip(op.results, values, strict=True):
        if result.type == value.type:
            result.replace_all_uses_with(value)
        elif isinstance(result.type, Frag):
            made = make("convert_layout", {"source": value}, None, [result.type], origin=op)
            made.insert_before(op)
            result.replace_all_uses_with(made.result)
        else:
            result.type = value.type
            result.replace_all_uses_with(value)
    op.erase()


def add(
    before: Op,
    name: str,
    operands: dict,
    results: Sequence = (),
    attributes: dict | None = None,
    regions: Sequence = (),
) -> Op:
    """Insert a new op before the one that it comes from."""
    made = make(name, operands, attributes, results, regions, origin=before)
    made.insert_before(before)
    return made


def row_major(kind: Tile) -> tuple[Shared, list[int | None]]:
    """Return memory for a tile in row-major order, and the parts that are there one at a time."""
    bits, size = log2(kind.size), memory_bytes(kind.element) * kind.size
    count = max(size // PIECE_BYTES, 1)
    inside = bits - log2(count)
    offsets = tuple(1 << bit if bit < inside else 0 for bit in range(bits))
    memory = Shared(kind.element, kind.shape, offsets)
    return memory, [None] if count == 1 else [number << inside for number in range(count)]


def stored_parts(op: Op, value: Value) -> Iterator[tuple[Value, int | None]]:
    """Store a tile before an op, part by part; yield the memory with each part in it."""
    memory, parts = row_major(value.type)
    place = add(op, "shared_alloc", {}, [memory]).result
    for part in parts:
        add(op, "store_shared", {"value": value, "destination": place}, (), {"part": part})
        yield place, part


def expand_extract(op: Op) -> None:
    """Replace extract: the source is stored to shared memory, from which the slice is loaded."""
    source, result = op.operands["source"], op.result
    if source.type.size == 1:
        return replace_results(op, [source])
    loaded: Value | None = None
    for place, part in stored_parts(op, source):
        operands = {"source": place, "indices": op.operands["indices"], "rest": loaded}
        loaded = add(op, "load_slice", operands, [result.type], {"part": part}).result
    assert loaded is not None
    return replace_results(op, [loaded])


def expand_insert(op: Op) -> None:
    """Replace insert: the slice is stored to shared memory, and elements in it are loaded."""
    source, value = op.operands["source"], op.operands["destination"]
    if value.type.size == 1:
        return replace_results(op, [source])
    for place, part in stored_parts(op, source):
        operands = {"source": place, "destination": value, "indices": op.operands["indices"]}
        value = add(op, "insert_slice", operands, [value.type], {"part": part}).result
    return replace_results(op, [value])


def exchange(value: Value, origin: Op | None) -> list[Op]:
    """Return ops that bring a tile that only owners have to all threads; the last one has it."""
    kind, offsets = value.type, ()
    if isinstance(kind, Frag):
        offsets = offsets_between(kind.layout, kind.layout, memory_bytes(kind.element))
    memory = Shared(kind.element, kind.shape, offsets)
    place = make("shared_alloc", results=[memory], origin=origin)
    operands = {"value": value, "destination": place.result}
    store = make("store_shared", operands, origin=origin)
    load = make("load_shared", {"source": place.result}, results=[kind], origin=origin)
    return [place, store, load]
