"""Print the stages for the host: the fields of the state, as remarks and annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tileir.codegen import stage_printer
from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.ops import Family, family_of
from tileir.codegen.remarks import Remark
from tileir.codegen.stage_printer import Rows
from tileir.ir import Op, Value
from tileir.messages.wording import counted

from .lowering.rows import is_inline
from .machine import cpu
from .planning.fusion import is_folded
from .planning.tiles import is_single, is_tile, tile_bytes
from .state import KernelState, State


class Printer(stage_printer.StagePrinter[State, KernelState]):
    """Prints the stages of `host`."""

    target_family = "host"
    bodies = ("hoist_invariants", "place_buffers")
    whole = ("hoist_invariants",)
    superseded = ("share_common_ops",)
    long = {"emit_llvm": "LLVM IR", "optimise": "LLVM IR", "emit_object": "assembly"}
    texts: Mapping[str, Callable[[State], str]] = {
        "emit_llvm": lambda state: state.llvm_ir,
        "optimise": lambda state: str(state.optimised),
        "emit_object": lambda state: cpu.assembly(state.optimised),
    }

    def kernels(self, state: State) -> Sequence[KernelState]:
        """See `StagePrinter`."""
        return state.kernels

    def remarks(
        self, name: str, state: State, each: KernelState, named: stage_printer.Named
    ) -> Iterable[Remark]:
        """See `StagePrinter`."""
        for op, what, why in _ROWS.get(name, _no_rows)(state, each):
            yield Remark(name, each.symbol, op, what, why)

    def annotation(self, each: KernelState, op: Op, name_of: stage_printer.NameOf) -> str:
        """Return the bytes of the workspace that the op's tiles lie in, or "inline"."""
        tiles = [value for value in op.results if _storage(each, op, value)]
        parts = [
            f"{name_of(value)} {_storage(each, op, value)}"
            if len(tiles) > 1
            else _storage(each, op, value)
            for value in tiles
        ]
        if family_of(op) is Family.LOOP:
            carried = dict.fromkeys(_storage(each, op, value) for value in carried_arguments(op))
            carried.pop("", None)
            if carried and [*carried] != [_storage(each, op, value) for value in tiles]:
                parts.append(f"carried {', '.join(carried)}")
        return ", ".join(parts)


def _storage(each: KernelState, op: Op, value: Value) -> str:
    """Return where a tile of an op is stored, as far as that is decided."""
    if each.fusion is None or not is_tile(value):
        return ""
    if each.storage is not None and value in each.storage:
        start = each.storage.offsets[id(value)]
        return f"bytes {start} to {start + tile_bytes(value) - 1}"
    if is_folded(op, each.fusion):
        return "inline"
    return "" if each.storage else "has a buffer"


def _no_rows(state: State, each: KernelState) -> Rows:
    return iter(())


def _order(state: State, each: KernelState) -> Rows:
    if each.order:
        loops = sum(family_of(op) is Family.LOOP for op in each.order.ops)
        yield None, f"{counted(len(each.order.ops), 'op')} in order, {counted(loops, 'loop')}", ""


def _fusion(state: State, each: KernelState) -> Rows:
    if each.fusion is None:
        return
    inline = [op for op in each.order.ops if op.results and is_tile(op.result) and is_inline(op)]
    count = sum(is_folded(op, each.fusion) for op in inline)
    yield None, f"{counted(count, 'tile')} inline", "the loops that use them compute them"
    for op in inline:
        if id(op) in each.fusion.kept:
            yield op, "stored in a buffer", "it is expensive to compute and used repeatedly"
    for op in each.order.ops:
        for load in each.fusion.deferred_to.get(id(op), ()):
            what = f"fused into the loop of {op.name}"
            yield load, what, "it has no other use, and no store comes between"
        if id(op) in each.fusion.in_place:
            yield op, "read in its tensor", "no store comes before its last use"


def _buffers(state: State, each: KernelState) -> Rows:
    if each.storage is None:
        return
    yield (
        None,
        f"workspace of {each.storage.size} bytes",
        "buffers that are not live at the same time share bytes",
    )
    for op in each.order.ops:
        for number, start in enumerate(each.storage.temporaries.get(id(op), ())):
            yield op, f"temporary {number} at byte {start}", ""
        for move in each.storage.moves.get(id(op), ()):
            if not is_single(move.source):
                way = "through a temporary" if move.staged is not None else "element by element"
                what = f"tile of {tile_bytes(move.source)} bytes copied {way}"
                yield op, what, "control flow carries it"


_ROWS: dict[str, Callable[[State, KernelState], Rows]] = {
    **stage_printer.TRANSFORMS,
    "order": _order,
    "fuse": _fusion,
    "place_buffers": _buffers,
}
