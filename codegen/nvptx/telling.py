"""What was decided about kernels for GPUs, in rows and words: the typed fields of a state, told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from tileir.codegen import telling
from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.launch_terms import TERMS
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.ops import Family, family_of
from tileir.codegen.remarks import Remark
from tileir.ir import Op, Value
from tileir.messages.wording import counted
from tileir.types import Tile

from .emit.shared import ORDERED
from .launch.contract import COMPILER
from .layout_names import LayoutNames
from .schedule.block_size import words
from .schedule.mma_plan import Plan
from .schedule.unroll import BYTES_IN_FLIGHT
from .state import KernelState, State

Rows = Iterator[tuple[Op | None, str, str]]
"""What decisions are about, what they are, and why."""


class Teller(telling.Teller):
    """Tells the stages of `nvptx`."""

    family = "nvptx"
    bodies = ("eliminate_dead_ops", "assign_layouts")
    passing = ("prefer_layouts",)
    long = {"emit_llvm": "LLVM IR", "optimise": "LLVM IR"}
    texts = {
        "emit_llvm": lambda state: state.llvm_ir,
        "optimise": lambda state: str(state.optimised),
        "emit_ptx": lambda state: state.ptx,
        "describe_launch": lambda state: json.dumps(state.plans, indent=2) + "\n",
    }

    def __init__(self) -> None:
        self._layouts = LayoutNames()

    def rows(self, name: str, state: State, each: KernelState) -> Iterable[Remark]:
        """See `telling.Teller`."""
        if name == "emit_llvm":
            yield from each.remarks
        if name == "prefer_layouts":
            yield from self._preferences(each)
        for op, what, why in _ROWS.get(name, _silent)(state, each):
            yield Remark(name, each.symbol, op, what, why)

    def spelled(self, row: Remark) -> str:
        """See `telling.Teller`."""
        to = row.facts.get("to")
        if isinstance(to, LinearLayout):
            results = row.op.results if row.op else ()
            name = self._layouts.name(to, _shape_of(to, results))
            return f"{row.what} to {name}: {row.why}"
        return str(row)

    def legend(self) -> Sequence[str]:
        """The layouts that have come up."""
        return self._layouts.definitions

    def word(self, each: KernelState, op: Op, called: Callable[[Value], str]) -> str:
        """The layouts that results come into being in, and those that they are converted to."""
        parts, own = [], ""
        if op in each.assignment.own:
            operand = next((it for it in op.operand_list() if _is_tile(it)), None)
            layout = each.assignment.own[op]
            if operand is not None and operand.type.size > 1:
                own = f"in {self._layouts.name(layout, _shape_of(layout, op.operand_list()))}"
        tiles = [value for value in op.results if self._value(each, value)]
        for value in tiles:
            spelled = self._value(each, value)
            parts.append(f"{called(value)} {spelled}" if len(tiles) > 1 else spelled)
        if family_of(op) is Family.LOOP:
            carried = dict.fromkeys(self._value(each, it) for it in carried_arguments(op))
            carried.pop("", None)
            if carried and [*carried] != parts:
                parts.append(f"carried {', '.join(carried)}")
        return " gives ".join(filter(None, [own, ", ".join(parts)]))

    def _value(self, each: KernelState, value: Value) -> str:
        if not _is_tile(value) or value.type.size == 1:
            return ""
        shape, assignment = value.type.shape, each.assignment
        made = assignment.computed(value)
        moved = [it for it in assignment.of(value) if it not in made]
        spelled = " and ".join(self._layouts.name(it, shape) for it in made)
        return " -> ".join([spelled, *(self._layouts.name(it, shape) for it in moved)])

    def _preferences(self, each: KernelState) -> Iterator[Remark]:
        """One row a layout: how many tiles prefer it."""
        counts: dict[str, int] = {}
        for value, layout in each.preferences.items():
            name = self._layouts.name(layout, value.type.shape)
            counts[name] = counts.get(name, 0) + 1
        for name, count in counts.items():
            tiles = "a tile prefers" if count == 1 else f"{count} tiles prefer"
            yield Remark("prefer_layouts", each.symbol, None, f"{tiles} {name}")


def _silent(state: State, each: KernelState) -> Rows:
    return iter(())


def _dropped(state: State, each: KernelState) -> Rows:
    if each.dropped:
        yield None, f"{each.dropped} ops dropped", "nobody uses their results"


def _launch(state: State, each: KernelState) -> Rows:
    if each.kernel.symbol != each.symbol:
        yield None, f"called {each.kernel.symbol} in PTX", "PTX has fewer names"
    for term in TERMS:
        if (by := each.contract.by(term.name)) != COMPILER:
            yield None, f"{term.name} is {each.contract[term.name]}", by


def _lines(state: State, each: KernelState) -> Rows:
    if state.lines:
        yield None, "positions numbered" if state.lines.known else "no positions", "lineinfo"


def _ptx(state: State, each: KernelState) -> Rows:
    major, minor = state.target.ptx
    what = f"PTX ISA {major}.{minor} for {state.target.ptx_target}"
    yield None, what, "the lowest that has all that is used"


def _threads(state: State, each: KernelState) -> Rows:
    if not each.threads:
        return
    tiles = [value.type for op in each.kernel.walk() for value in op.results if _is_tile(value)]
    warps = each.threads // state.target.warp
    what = f"{each.threads} threads a block, {counted(warps, 'warp')}"
    why = each.contract.by("num_warps")
    if why == COMPILER and tiles:
        largest = max(tiles, key=words)
        share = -(-words(largest) // each.threads)
        registers = "a 32-bit register" if share == 1 else f"{share} 32-bit registers"
        why = f"the largest tile, {largest}, takes {registers} of each"
    yield None, what, why
    blocks = each.contract["minnctapersm"]
    if each.contract.by("minnctapersm") != COMPILER:
        yield None, f"{blocks} blocks an SM", each.contract.by("minnctapersm")
    if each.longest_vector > 1:
        why = "so that each has some of the largest tile"
        yield None, f"at most {each.longest_vector} neighbours in a thread", why


def _variables(state: State, each: KernelState) -> Rows:
    for op, place in each.variables.places.items():
        yield op, f"in shared memory, from byte {place}", "it fits"
    for op, place in each.heap.places.items():
        yield op, f"on the heap, from byte {place}", "it is global, or shared memory cannot hold it"


def _atoms(state: State, each: KernelState) -> Rows:
    for op, plan in each.products.items():
        atom = plan.atom
        what = "fused multiply-adds" if atom.fused else atom.mnemonic
        yield op, what, f"factors are read as {plan.reading}, {_divided(plan)}"


def _divided(plan: Plan) -> str:
    """How warps share a product."""
    by: dict[str, int] = {}
    for coordinate in plan.warps:
        dim = coordinate[0] if coordinate else "copies"
        by[dim] = 2 * by.get(dim, 1)
    shares = " x ".join(f"{count} along {dim}" for dim, count in by.items() if dim != "copies")
    copies = f"{by['copies']} warps do the same" if "copies" in by else ""
    return ", ".join(filter(None, [f"warps: {shares}" if shares else "", copies])) or "one warp"


def _layouts(state: State, each: KernelState) -> Rows:
    for value, staging in each.assignment.staged.items():
        what = f"{staging.bytes} bytes staged in shared memory"
        yield _owner(value), what, f"products read it from there, as {staging.reading}"
    for op, cut in each.assignment.cut.items():
        slots = " and ".join(cut.factors)
        yield op, f"{slots} staged in pieces of {cut.length} along k", "the whole does not fit"


def _rings(state: State, each: KernelState) -> Rows:
    for loop, plan in each.assignment.rings.items():
        beside = f"while {plan.beside.name} runs" if plan.beside else "first of all"
        what = f"ring of {plan.stages} buffers of {plan.size} bytes"
        yield loop, what, f"the next are filled {beside}, by cp.async"
        for fetched in plan.fetched:
            ahead = "an iteration" if plan.stages == 2 else f"{plan.stages - 1} iterations"
            what = f"fetched {ahead} ahead, to byte {fetched.place} of a buffer"
            yield fetched.early.load, what, "only products read it, and nothing writes before it"


def _barriers(state: State, each: KernelState) -> Rows:
    for op in each.kernel.walk():
        if op in each.barriers:
            yield op, "barrier before it", ORDERED
    if each.updates_nibbles:
        yield None, "4-bit elements are loaded by strong loads", "others may update the same byte"


def _ahead(state: State, each: KernelState) -> Rows:
    for loads in each.reads_ahead.values():
        for load in loads:
            what = "loaded a trip ahead, into registers"
            yield load.load, what, "threads meet or write in the loop"


def _memory(state: State, each: KernelState) -> Rows:
    for value, staging in each.assignment.staged.items():
        low, high = staging.range
        yield (
            _owner(value),
            f"bytes {low} to {high - 1} of shared memory",
            "nobody else uses them while it lives",
        )
    if each.kept_bytes:
        yield None, f"{each.kept_bytes} bytes of shared memory kept", "variables and staged tiles"


def _trips(state: State, each: KernelState) -> Rows:
    for loop, trips in each.trips.items():
        why = f"so that up to {BYTES_IN_FLIGHT} bytes are under way"
        yield loop, f"{trips} trips at once", why


def _shared(state: State, each: KernelState) -> Rows:
    yield None, f"{each.shared_bytes} bytes of shared memory in all", ""


_ROWS: dict[str, Callable[[State, KernelState], Rows]] = {
    "eliminate_dead_ops": _dropped,
    "settle_launch": _launch,
    "number_lines": _lines,
    "choose_ptx_version": _ptx,
    "choose_threads": _threads,
    "place_variables": _variables,
    "choose_atoms": _atoms,
    "assign_layouts": _layouts,
    "pipeline_loops": _rings,
    "place_barriers": _barriers,
    "read_ahead": _ahead,
    "allocate_memory": _memory,
    "unroll_loops": _trips,
    "emit_llvm": _shared,
}


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, Tile)


def _owner(value: Value) -> Op | None:
    """The op that defines a value; None for what control flow carries."""
    return value.owner if isinstance(value.owner, Op) else None


def _shape_of(layout: LinearLayout, values: Iterable[Value]) -> tuple[int, ...]:
    """The shape of the first of some tiles that has as many elements as a layout."""
    for value in values:
        if _is_tile(value) and value.type.size == 1 << layout.bits:
            return tuple(value.type.shape)
    return ()
