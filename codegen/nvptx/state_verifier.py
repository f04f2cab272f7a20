"""What has to hold of the decisions about a kernel for GPUs, whatever stage has just run."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.areas import area_bytes
from tileir.codegen.block.dialect import BLOCK
from tileir.codegen.block.types import Shared
from tileir.codegen.block.verifier.execution import execution_problems
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.ir import Op, Value
from tileir.types import Tile

from .machine.mma_atoms import BY_MNEMONIC, stored_as
from .machine.operand_conversions import operand_conversion
from .state import KernelState


def state_problem(each: KernelState) -> str | None:
    """Return the first problem of a kernel's layouts or of its memory, None if there is none.

    Every layout of a tile of Tile IR has the tile's number of elements, holds each of them, and is
    for the threads of the block. In block IR, layouts are types; there, operands of products can be
    converted to the elements of the atom, and accesses of shared memory
    are in order as soon as that is allocated.
    """
    return next(_problems(each), None)


def _problems(each: KernelState) -> Iterator[str]:
    if each.kernel.dialect is BLOCK:
        yield from _conversions(each)
        places = [op for op in each.kernel.walk() if op.name == "shared_alloc"]
        if all(op.attributes["offset"] is not None for op in places):
            yield from (f"{op.name}: {why}" for op, why in execution_problems(each.kernel.body))
            yield from _beyond(places, each.shared_bytes)
        return
    assignment = each.assignment
    for table in (assignment.required, assignment.canonical):
        for value, layouts in table.items():
            for layout in layouts:
                if problem := _layout_problem(value, layout, assignment.threads):
                    yield f"{problem}, of {value.type}"


def _conversions(each: KernelState) -> Iterator[str]:
    """Yield operands in shared memory whose elements do not become those of the atom."""
    for op in each.kernel.walk():
        if op.name not in ("mma", "mma_scaled"):
            continue
        for slot in ("lhs", "rhs"):
            kind, by = op.operands[slot].type, op.attributes[f"{slot}_conversion"] or ""
            wanted = BY_MNEMONIC[op.attributes["atom"]].operand(slot)
            if not isinstance(kind, Shared) or (kind.element == stored_as(wanted) and not by):
                continue
            if operand_conversion(kind.element.name, wanted, by) is None:
                how = f" by {by}" if by else ""
                yield f"{op.name}: {slot} in memory is {kind.element}, not {wanted}{how}"


def _beyond(places: list[Op], size: int) -> Iterator[str]:
    for op in places:
        if op.attributes["offset"] + area_bytes(op) > size:
            yield f"{op.name}: it ends beyond the {size} bytes of the block"


def _layout_problem(value: Value, layout: LinearLayout, threads: int) -> str | None:
    if 1 << len(layout.thread) != threads:
        return f"a layout for {1 << len(layout.thread)} threads in a block of {threads}"
    if not isinstance(value.type, Tile) or value.type.size == 1:
        return None
    if 1 << layout.bits != value.type.size:
        return f"a layout of {1 << layout.bits} elements"
    return None if layout.is_complete else "a layout in which no thread holds some elements"
