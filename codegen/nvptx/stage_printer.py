"""Print the stages for GPUs: the fields of the state, as remarks and annotations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tileir.codegen import stage_printer
from tileir.codegen.analysis.carried_values import carried_arguments
from tileir.codegen.block.dialect import BLOCK
from tileir.codegen.block.legend import LAYOUTS, legend
from tileir.codegen.block.text.aliases import AliasNames
from tileir.codegen.block.text.printing import BlockSpelling
from tileir.codegen.launch_terms import TERMS
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.ops import Family, family_of
from tileir.codegen.pipeline import STAGES
from tileir.codegen.remarks import Remark
from tileir.codegen.stage_printer import Rows
from tileir.ir import Op, Value
from tileir.messages.wording import counted
from tileir.text.printer.structured import TILE_IR_SPELLING
from tileir.text.printer.text import Spelling
from tileir.types import Tile

from .launch.contract import COMPILER
from .reasons import Decision
from .reports import block_remarks
from .reports.loop_schedules import loop_schedules
from .reports.role_schedules import role_schedules
from .schedule.block_size import words
from .schedule.mma_plan import ProductPlan
from .schedule.view_facts import ACCESS_BYTES
from .state import KernelState, State

_NAMES = STAGES["nvptx"]
BLOCK_STAGES = _NAMES[_NAMES.index("to_block_ir") : _NAMES.index("emit_llvm")]
"""The stages whose text is block IR."""
_IN_BLOCK_IR = _NAMES[_NAMES.index("to_block_ir") :]
"""Those behind which kernels are block IR."""


class Printer(stage_printer.StagePrinter[State, KernelState]):
    """Prints the stages of `nvptx`."""

    target_family = "nvptx"
    bodies = ("count_loops", BLOCK_STAGES[-1])
    whole = bodies
    moves = ("convert_layout", "load_shared", "shared_view")
    superseded = ("share_common_ops", "prefer_layouts", "allocate_memory")
    long = {"emit_llvm": "LLVM IR", "optimise": "LLVM IR", "emit_ptx": "PTX"}
    texts: Mapping[str, Callable[[State], str]] = {
        "emit_llvm": lambda state: state.llvm_ir,
        "optimise": lambda state: str(state.optimised),
        "emit_ptx": lambda state: state.ptx,
        "describe_launch": lambda state: json.dumps(state.plans, indent=2) + "\n",
    }

    def __init__(self, mark: stage_printer.Mark | None = None) -> None:
        super().__init__(mark)
        self._layouts = AliasNames()

    def kernels(self, state: State) -> Sequence[KernelState]:
        """See `StagePrinter`: those that are launched unless arguments do not fit."""
        return [each for each in state.kernels if each.twin_of is None]

    def remarks(
        self, name: str, state: State, each: KernelState, named: stage_printer.Named
    ) -> Iterable[Remark]:
        """See `StagePrinter`."""
        if name == "prefer_layouts":
            yield from self._preferences(each)
        for op, what, why in _ROWS.get(name, _no_rows)(state, each):
            yield Remark(name, each.symbol, op, what, why)
        block_rows = block_remarks.ROWS.get(name)
        for op, what, why, facts in block_rows(state, each, named) if block_rows else ():
            yield Remark(name, each.symbol, op, what, why, facts)

    def legend(self, name: str) -> Sequence[str]:
        """See `StagePrinter`: the layouts that annotations have named so far."""
        return () if name in BLOCK_STAGES else self._layouts.definitions

    def notation(self, name: str, state: State) -> Sequence[str]:
        """See `StagePrinter`."""
        if name in BLOCK_STAGES:
            return legend(op for each in self.kernels(state) for op in each.kernel.walk())
        return (LAYOUTS,) if self._layouts.definitions else ()

    def spelling(self, name: str) -> Spelling:
        """See `StagePrinter`."""
        return BlockSpelling(self._layouts) if name in _IN_BLOCK_IR else TILE_IR_SPELLING

    def summary(self, name: str, each: KernelState, named: stage_printer.Named) -> Sequence[str]:
        """See `StagePrinter`: the schedules of loops, above the block IR as it is in the end."""
        if name != BLOCK_STAGES[-1]:
            return ()
        return [*loop_schedules(each, named()), *role_schedules(each, named())]

    def module(self, kernels: Iterable[str], spelling: Spelling) -> str:
        """See `StagePrinter`."""
        text = "".join(kernels)
        return spelling.module(text) if isinstance(spelling, BlockSpelling) else text

    def annotation(self, each: KernelState, op: Op, name_of: stage_printer.NameOf) -> str:
        """Return the layouts that results are defined in, and those that they are converted to.

        In block IR, types say it.
        """
        if each.kernel.dialect is BLOCK:
            return ""
        parts, own = [], ""
        if op in each.assignment.op_layouts:
            operand = next((it for it in op.operand_list() if _is_tile(it)), None)
            layout = each.assignment.op_layouts[op]
            if operand is not None and operand.type.size > 1:
                own = f"in {self._layouts.layout(layout, _shape_of(layout, op.operand_list()))}"
        tiles = [value for value in op.results if self._value(each, value)]
        for value in tiles:
            spelled = self._value(each, value)
            parts.append(f"{name_of(value)} {spelled}" if len(tiles) > 1 else spelled)
        if family_of(op) is Family.LOOP:
            carried = dict.fromkeys(self._value(each, it) for it in carried_arguments(op))
            carried.pop("", None)
            if carried and [*carried] != parts:
                parts.append(f"carried {', '.join(carried)}")
        return "; result ".join(filter(None, [own, ", ".join(parts)]))

    def _value(self, each: KernelState, value: Value) -> str:
        if not _is_tile(value) or value.type.size == 1:
            return ""
        shape, assignment = value.type.shape, each.assignment
        defined = assignment.defined_in(value)
        converted = [it for it in assignment.required_in(value) if it not in defined]
        spelled = " and ".join(self._layouts.layout(it, shape) for it in defined)
        return " -> ".join([spelled, *(self._layouts.layout(it, shape) for it in converted)])

    def _preferences(self, each: KernelState) -> Iterator[Remark]:
        """Return one remark a layout: how many tiles prefer it."""
        counts: dict[str, int] = {}
        for value, layout in each.preferences.items():
            name = self._layouts.layout(layout, value.type.shape)
            counts[name] = counts.get(name, 0) + 1
        if counts:
            shares = ", ".join(f"{count} {name}" for name, count in counts.items())
            what = f"of {counted(sum(counts.values()), 'tile')}, so many prefer each layout"
            yield Remark("prefer_layouts", each.symbol, None, what, shares)


def _no_rows(state: State, each: KernelState) -> Rows:
    return iter(())


def _launch(state: State, each: KernelState) -> Rows:
    if each.kernel.symbol != each.symbol:
        yield None, f"entry named {each.kernel.symbol} in PTX", "the symbol is no PTX identifier"
    for term in TERMS:
        if (by := each.contract.by(term.name)) != COMPILER:
            yield None, f"{term.name} is {each.contract[term.name]}", by


def _split(state: State, each: KernelState) -> Rows:
    if each.rank is not None:
        yield _owner(each.rank), "each block of a cluster has half of the tiles", "they are two"
    choice = each.contract.choices.get("cluster_dim")
    if choice and choice.why:
        yield None, "the blocks of a cluster do not work together", choice.why


def _counted(state: State, each: KernelState) -> Rows:
    for loop in each.counted:
        yield loop, "a `for` instead of a `loop`", "it counts up to a bound"


def _lines(state: State, each: KernelState) -> Rows:
    if state.lines:
        yield None, f"{'line' if state.lines.known else 'no line'} information", "option lineinfo"


def _ptx(state: State, each: KernelState) -> Rows:
    major, minor = state.target.ptx
    what = f"PTX ISA {major}.{minor} for {state.target.ptx_target}"
    yield None, what, "the lowest version that has everything the kernels use"


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
        registers = counted(share, "32-bit register")
        why = f"the largest tile, {largest}, takes {registers} a thread"
    elif why == COMPILER:
        why = "the kernel has no tiles"
    yield None, what, why
    if 1 < each.longest_vector < ACCESS_BYTES:
        why = "with longer ones, some threads would have none of the largest tile"
        yield None, f"vectors of at most {each.longest_vector} elements a thread", why


def _occupancy(state: State, each: KernelState) -> Rows:
    choice = each.contract.choices["minnctapersm"]
    if choice.by != COMPILER:
        asks = f"{choice.by} asks for {choice.asked}; {choice.why}" if choice.why else choice.by
        yield None, f"{counted(choice.value, 'block')} an SM", asks


def _variables(state: State, each: KernelState) -> Rows:
    for op, offset in each.variables.offsets.items():
        yield op, f"allocated in shared memory at byte {offset}", "it fits"
    for op, offset in each.heap.offsets.items():
        why = "it is global, or too large for shared memory"
        yield op, f"allocated on the heap at byte {offset}", why


def _atoms(state: State, each: KernelState) -> Rows:
    for op, plan in each.products.items():
        atom = plan.atom
        what = "fused multiply-adds" if atom.fused else atom.mnemonic
        why = "; ".join(map(str, each.reasons[Decision.NOT_BY_GROUPS].of(op)))
        about = f"operands as {plan.operand_type}, {_divided(plan)}"
        yield op, what, f"{about}; {why}" if why else about
    for (op, slot), (root, conversion, when_read, reason) in each.readings.items():
        when = "when it is read" if when_read else "before it is stored to shared memory"
        what = f"{slot} converted from {root.type.element} to {conversion.operand_type} {when}"
        yield op, what, str(reason)


def _divided(plan: ProductPlan) -> str:
    """Return how warps share a product."""
    by: dict[str, int] = {}
    for coordinate in plan.warps:
        dim = coordinate[0] if coordinate else "copies"
        by[dim] = 2 * by.get(dim, 1)
    shares = " x ".join(f"{count} along {dim}" for dim, count in by.items() if dim != "copies")
    copies = f"each share computed by {by['copies']} warps" if "copies" in by else ""
    return ", ".join(filter(None, [f"warps: {shares}" if shares else "", copies])) or "1 warp"


def _layouts(state: State, each: KernelState) -> Rows:
    assignment = each.assignment
    tiles = [value for value in assignment.required if value.type.size > 1]
    converted = sum(
        any(layout not in assignment.defined_in(value) for layout in assignment.required_in(value))
        for value in tiles
    )
    if tiles:
        what = f"{counted(len(tiles), 'tile')} of several elements, {converted} to be converted"
        yield None, what, "these are needed in a layout in which they are not defined"
    for value, staging in each.assignment.staged.items():
        what = f"{staging.bytes} bytes staged in shared memory"
        yield _owner(value), what, f"matrix products read it from there as {staging.operand_type}"
    for op, split in each.assignment.split.items():
        slots = " and ".join(split.operands)
        what = f"{slots} staged in pieces of {split.length} along k"
        yield op, what, "shared memory cannot hold the whole"


def _twins(state: State, each: KernelState) -> Rows:
    for other in state.kernels:
        if other.twin_of is each:
            why = "for arguments that no tensor map describes"
            yield None, f"entry {other.kernel.symbol}, without tensor maps", why


_ROWS: dict[str, Callable[[State, KernelState], Rows]] = {
    **stage_printer.TRANSFORMS,
    "count_loops": _counted,
    "settle_launch": _launch,
    "split_tiles": _split,
    "number_lines": _lines,
    "choose_ptx": _ptx,
    "choose_threads": _threads,
    "place_variables": _variables,
    "choose_atoms": _atoms,
    "assign_layouts": _layouts,
    "choose_occupancy": _occupancy,
    "add_twins": _twins,
}


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, Tile)


def _owner(value: Value) -> Op | None:
    """Return the op that defines a value; None for a block argument."""
    return value.owner if isinstance(value.owner, Op) else None


def _shape_of(layout: LinearLayout, values: Iterable[Value]) -> tuple[int, ...]:
    """Return the shape of the first tile among values with as many elements as the layout."""
    for value in values:
        if _is_tile(value) and value.type.size == 1 << layout.bits:
            return tuple(value.type.shape)
    return ()
