"""What was decided about kernels for the host, in rows and words: the typed fields of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tileir.codegen import telling
from tileir.codegen.remarks import Remark
from tileir.ir import Op, Value

from .lowering.rows import is_inline
from .machine import cpu
from .planning.fusion import is_folded
from .planning.tiles import carried_arguments, is_single, is_tile, tile_bytes
from .state import KernelState, State

Rows = Iterator[tuple[Op | None, str, str]]
"""What decisions are about, what they are, and why."""


class Teller(telling.Teller):
    """Tells the stages of `host`."""

    family = "host"
    bodies = ("eliminate_dead_ops", "place_buffers")
    long = {"emit_llvm": "LLVM IR", "optimise": "LLVM IR", "emit_object": "assembly"}
    texts = {
        "emit_llvm": lambda state: state.llvm_ir,
        "optimise": lambda state: str(state.optimised),
        "emit_object": lambda state: cpu.assembly(state.optimised),
    }

    def rows(self, name: str, state: State, each: KernelState) -> Iterable[Remark]:
        """See `telling.Teller`."""
        if name == "emit_llvm":
            yield from each.remarks
        for op, what, why in _ROWS.get(name, _silent)(state, each):
            yield Remark(name, each.symbol, op, what, why)

    def word(self, each: KernelState, op: Op, called: Callable[[Value], str]) -> str:
        """Where the tiles of an op lie, or in whose loop they are computed."""
        tiles = [value for value in op.results if _place(each, op, value)]
        parts = [
            f"{called(value)} {_place(each, op, value)}"
            if len(tiles) > 1
            else _place(each, op, value)
            for value in tiles
        ]
        if op.name in ("for", "loop"):
            carried = dict.fromkeys(_place(each, op, value) for value in carried_arguments(op))
            carried.pop("", None)
            if carried and [*carried] != [_place(each, op, value) for value in tiles]:
                parts.append(f"carried {', '.join(carried)}")
        return ", ".join(parts)


def _place(each: KernelState, op: Op, value: Value) -> str:
    """Where a tile of an op lies, as far as that is decided."""
    if each.fusion is None or not is_tile(value):
        return ""
    if each.storage is not None and value in each.storage:
        start = each.storage.offsets[id(value)]
        return f"bytes {start} to {start + tile_bytes(value) - 1}"
    if is_folded(op, each.fusion):
        return "inline"
    return "" if each.storage else "has a buffer"


def _silent(state: State, each: KernelState) -> Rows:
    return iter(())


def _dropped(state: State, each: KernelState) -> Rows:
    if each.dropped:
        yield None, f"{each.dropped} ops dropped", "nobody uses their results"


def _order(state: State, each: KernelState) -> Rows:
    if each.order:
        loops = sum(op.name in ("for", "loop") for op in each.order.ops)
        yield None, f"{len(each.order.ops)} ops in order, {loops} loops", ""


def _fusion(state: State, each: KernelState) -> Rows:
    if each.fusion is None:
        return
    inline = [op for op in each.order.ops if op.results and is_tile(op.result) and is_inline(op)]
    count = sum(is_folded(op, each.fusion) for op in inline)
    yield None, f"{count} tiles inline", "they are computed in the loops that want them"
    for op in inline:
        if id(op) in each.fusion.kept:
            yield op, "kept in a buffer", "it is dear, and wanted again and again"
    for op in each.order.ops:
        for load in each.fusion.deferred_to.get(id(op), ()):
            what = f"left to the loop of {op.name}"
            yield load, what, "nobody else reads it, nothing stores between"


def _buffers(state: State, each: KernelState) -> Rows:
    if each.storage is None:
        return
    yield None, f"workspace of {each.storage.size} bytes", "buffers share it where they can"
    for op in each.order.ops:
        for number, start in enumerate(each.storage.temporaries.get(id(op), ())):
            yield op, f"temporary {number} from byte {start}", ""
        for move in each.storage.moves.get(id(op), ()):
            if not is_single(move.source):
                way = "through a temporary" if move.staged is not None else "element by element"
                yield op, f"a tile of {tile_bytes(move.source)} bytes is written {way}", "handed on"


_ROWS: dict[str, Callable[[State, KernelState], Rows]] = {
    "eliminate_dead_ops": _dropped,
    "order": _order,
    "fuse": _fusion,
    "place_buffers": _buffers,
}
