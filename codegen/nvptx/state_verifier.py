"""What has to hold of the decisions about a kernel for GPUs, whatever stage has just run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tileir.codegen.block.areas import area_bytes
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.dialect import BLOCK
from tileir.codegen.block.op_facts import ASYNC_PROXY
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.block.verifier import located
from tileir.codegen.block.verifier.execution import execution_problems
from tileir.codegen.layouts.linear_layout import LANE_BITS, LinearLayout, log2
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Tile

from .machine.matrix_stores import matrix_stores
from .machine.mma_atoms import BY_MNEMONIC, stored_as
from .machine.operand_conversions import operand_conversion
from .schedule.group_products import descriptor_of
from .schedule.mma_plan import plan_of
from .schedule.tensor_recipes import TensorRecipe
from .state import KernelState


def state_problem(each: KernelState) -> str | None:
    """Return the first problem of a kernel's layouts or of its memory, None if there is none.

    Every layout of a tile of Tile IR has the tile's number of elements, holds each of them, and is
    for the threads of the block. In block IR, layouts are types; there, operands of matrix products
    are where the instruction takes them from and become its elements, and accesses of shared
    memory are in order as soon as that is allocated.
    """
    return next(_problems(each), None)


def _problems(each: KernelState) -> Iterator[str]:
    if each.kernel.dialect is BLOCK:
        yield from (located(op, why) for op, why in _problems_of_block_ir(each))
        return
    assignment = each.assignment
    for table in (assignment.required, assignment.canonical):
        for value, layouts in table.items():
            for layout in layouts:
                if problem := _layout_problem(value, layout, assignment.threads):
                    yield f"{problem}, of {value.type}"


def _problems_of_block_ir(each: KernelState) -> Iterator[tuple[Op, str]]:
    places = []
    for op in each.kernel.walk():
        if op.name in PRODUCT_NAMES:
            yield from _operands(op, each.threads)
            yield from _conversions(op)
        elif op.name in ("alloca", "shared_alloc"):
            places.append(op)
        elif "tensor_map" in op.attributes:
            yield from _boxes(op, each.tensor_maps)
        elif op.attributes.get("matrices") and not _stored_by_matrices(op):
            yield op, "stmatrix cannot store from that layout to that memory"
    if each.ordered:
        yield from execution_problems(each.kernel.body)
    if all(op.attributes["offset"] is not None for op in places if op.name == "shared_alloc"):
        yield from _beyond(places, each.shared_bytes)


def _operands(op: Op, threads: int) -> Iterator[tuple[Op, str]]:
    """Check that each operand in registers is in the layout in which the instruction takes it."""
    plan = plan_of(op, log2(threads) - LANE_BITS)
    parts = {"lhs": plan.lhs, "rhs": plan.rhs, "acc": plan.acc}
    if op.name == "mma_scaled":
        parts |= {"lhs_scale": plan.lhs_scale, "rhs_scale": plan.rhs_scale}
    for slot, part in parts.items():
        kind = op.operands[slot].type
        described = op.name in ASYNC_PROXY and isinstance(kind, Shared)
        if described and descriptor_of(plan, slot, kind.offsets) is None:
            yield op, f"no descriptor says how {slot} lies in shared memory"
        if isinstance(kind, Frag) and kind.layout != part.layout:
            yield op, f"{slot} is not in the layout in which {op.attributes['atom']} takes it"


def _boxes(op: Op, maps: Sequence[TensorRecipe]) -> Iterator[tuple[Op, str]]:
    """Check that a tensor map describes the boxes of a copy, and how they lie in shared memory."""
    number = op.attributes["tensor_map"]
    if not 0 <= number < len(maps):
        yield op, f"the kernel has {len(maps)} tensor maps, and none with the number {number}"
        return
    recipe = maps[number]
    if (op.attributes["dimensions"], op.attributes["box"]) != (recipe.dimensions, recipe.box):
        yield op, f"its boxes are not those of tensor map {number}"
    slot = "source" if op.name == "store_tensor" else "destination"
    kind = cast(Shared, op.operands[slot].type)
    wanted = [kind.shape[dim] for dim in recipe.dimensions]
    if (halved := op.attributes.get("multicast")) is not None:
        wanted[recipe.dimensions.index(halved)] //= 2
    if (recipe.box[0] * recipe.boxes, *recipe.box[1:]) != (*wanted,):
        yield op, "its boxes do not cover what a block copies of the tile"
    rows = swizzled_rows(kind.shape, recipe.dimensions[0], memory_bytes(kind.element))
    if recipe.swizzle and kind.offsets != rows:
        yield op, f"the memory has not the swizzled rows of {recipe.swizzle} bytes of its boxes"


def _stored_by_matrices(op: Op) -> bool:
    held, memory = op.operands["value"].type, cast(Shared, op.operands["destination"].type)
    return isinstance(held, Frag) and matrix_stores(held.layout, memory) is not None


def _conversions(op: Op) -> Iterator[tuple[Op, str]]:
    """Check that the elements of operands in shared memory become those of the atom."""
    for slot in ("lhs", "rhs"):
        kind, by = op.operands[slot].type, op.attributes.get(f"{slot}_conversion") or ""
        wanted = BY_MNEMONIC[op.attributes["atom"]].operand(slot)
        if not isinstance(kind, Shared) or (kind.element == stored_as(wanted) and not by):
            continue
        if operand_conversion(kind.element.name, wanted, by) is None:
            how = f" by {by}" if by else ""
            yield op, f"{slot} in memory is {kind.element}, not {wanted}{how}"


def _beyond(places: list[Op], size: int) -> Iterator[tuple[Op, str]]:
    for op in places:
        offset = op.attributes["offset"]
        if offset is not None and offset + area_bytes(op) > size:
            yield op, f"it ends beyond the {size} bytes of the block"


def _layout_problem(value: Value, layout: LinearLayout, threads: int) -> str | None:
    if 1 << len(layout.thread) != threads:
        return f"a layout for {1 << len(layout.thread)} threads in a block of {threads}"
    if not isinstance(value.type, Tile) or value.type.size == 1:
        return None
    if 1 << layout.bits != value.type.size:
        return f"a layout of {1 << layout.bits} elements"
    return None if layout.is_complete else "a layout in which no thread holds some elements"
