"""Weaknesses, each an edit of a kernel: what a careless author, or a change elsewhere, might do.

A plant yields the numbers of the ops that it should be found at; an edit that is not possible in a
kernel yields nothing, and is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tileir.attributes import DivBy, Hints, IntegerAttribute
from tileir.builder import splat
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.advise.trials.extents import resized
from tileir.codegen.advise.trials.parameters import origin, slice_of
from tileir.codegen.advise.trials.strides import set_strides, strides_of
from tileir.codegen.ops.extents import tensor_view_op
from tileir.ir import Op, Value
from tileir.types import Pointer, Scalar, Tile

from .plants_of_work import PLANTS_OF_WORK

Plant = Callable[[Copy], "set[int] | None"]
F32, I64 = Scalar("f32"), Scalar("i64")
ACCESSES = ("load_view_tko", "store_view_tko", "load_ptr_tko", "store_ptr_tko")


def accesses(copy: Copy) -> Iterator[tuple[int, Op]]:
    """Yield the accesses to global memory with their numbers."""
    for number, op in copy.ops.items():
        if op.parent is not None and op.name in ACCESSES:
            yield number, op


def tensors(copy: Copy) -> list[tuple[Op, set[int]]]:
    """Return the views of whole tensors, and the accesses to each."""
    found: dict[Op, set[int]] = {}
    for number, op in accesses(copy):
        if op.operands.get("view") is not None:
            view = tensor_view_op(op.operands["view"])
            if view is not None:
                found.setdefault(view, set()).add(number)
    return list(found.items())


def largest(copy: Copy, rank: int = 1) -> tuple[Op, set[int]] | None:
    """Return the tensor with the largest tiles, of at least this rank; the first of several."""

    def size(row: tuple[Op, set[int]]) -> int:
        return max(Tile(F32, copy.ops[n].operands["view"].type.tile).size for n in row[1])

    rows = [row for row in tensors(copy) if len(row[0].result.type.shape) >= rank]
    return max(rows, key=size, default=None)


def forget(value: Value) -> bool:
    """Drop what is assumed of divisors on the way to a value; whether there was anything."""
    found = False
    while isinstance(value.owner, Op) and value.owner.name == "assume":
        op = value.owner
        value = op.operands["value"]
        if isinstance(op.attributes["predicate"], DivBy):
            op.result.replace_all_uses_with(value)
            op.remove()
            found = True
    return found


def forget_address(copy: Copy) -> set[int] | None:
    """Drop the assumptions about the address of a tensor."""
    found = largest(copy)
    return found[1] if found and forget(found[0].operands["base"]) else None


def forget_strides(copy: Copy) -> set[int] | None:
    """Drop the assumptions about the strides of a tensor."""
    found = largest(copy, 2)
    if found is None:
        return None
    return found[1] if any([*map(forget, found[0].operands["dynamicStrides"])]) else None


def forget_store(copy: Copy) -> set[int] | None:
    """Drop the assumptions about the strides, or else the address, of what is stored."""
    for view, numbers in tensors(copy):
        if any(copy.ops[number].name == "store_view_tko" for number in numbers):
            values = [*view.operands["dynamicStrides"]] or [view.operands["base"]]
            return numbers if any([*map(forget, values)]) else None
    return None


def forget_pointers(copy: Copy) -> set[int] | None:
    """Drop the assumptions about an address of which pointers are made."""
    for _, op in accesses(copy):
        pointers = next(
            (op.operands[s] for s in ("source", "destination") if op.operands.get(s)), None
        )
        if pointers is None:
            continue
        bases = [each for each in slice_of(pointers) if each.name == "assume"]
        bases = [each for each in bases if isinstance(each.result.type.element, Pointer)]
        root = origin(bases[0].operands["value"]) if bases else None
        if root is not None and forget(bases[0].result):
            return {n for n, each in accesses(copy) if _uses(each, root)}
    return None


def _uses(op: Op, root: Value) -> bool:
    """Whether an access is made through pointers that a value is part of."""
    for slot in ("source", "destination"):
        value = op.operands.get(slot)
        if value is None:
            continue
        if value is root or any(root in [*each.operand_list()] for each in slice_of(value)):
            return True
    return False


def forget_unit(copy: Copy) -> set[int] | None:
    """Let the unit stride of a tensor be a number that is only known when it runs."""
    found = largest(copy)
    if found is None:
        return None
    view, numbers = found
    strides = strides_of(view)
    sizes = (*view.operands["dynamicShape"], *view.operands["dynamicStrides"])
    if 1 not in strides or not sizes:
        return None
    strides[strides.index(1)] = origin(sizes[-1])
    set_strides(view, strides)
    return numbers


def transpose(copy: Copy) -> set[int] | None:
    """Let another dimension of a tensor be the contiguous one."""
    found = largest(copy, 2)
    if found is None:
        return None
    view, numbers = found
    strides = strides_of(view)
    if strides[-1] != 1:
        return None
    strides[-1], strides[-2] = strides[-2], strides[-1]
    set_strides(view, strides)
    return numbers


def misalign(copy: Copy) -> set[int] | None:
    """Let a tensor begin one element behind its address."""
    found = largest(copy)
    if found is None:
        return None
    view, numbers = found
    editor = copy.editor(min(numbers)).before(view)
    one = editor.constant(splat(1, Tile(Scalar("i32"))))
    view.operands["base"] = editor.offset(view.operands["base"], one)
    return numbers


def compute_base(copy: Copy) -> set[int] | None:
    """Let a tensor begin where its block begins, which the kernel computes."""
    for view, numbers in tensors(copy):
        if not any(use.op.name == "mmaf" for n in numbers for use in copy.ops[n].results[0].uses):
            continue
        editor = copy.editor(min(numbers)).before(view)
        x = editor.get_tile_block_id()[0]
        many = editor.constant(splat(64, x.type))
        view.operands["base"] = editor.offset(view.operands["base"], editor.muli(x, many))
        return numbers
    return None


def widen_product(copy: Copy) -> set[int] | None:
    """Convert the operands of products to f32 before they are multiplied."""
    found = set()
    for number, op in copy.ops.items():
        if op.name != "mmaf" or op.operands["acc"].type.element != F32:
            continue
        kinds = {op.operands[slot].type.element.name for slot in ("lhs", "rhs")}
        if kinds & {"f32", "f64", "tf32"}:
            continue
        editor = copy.editor(number).before(op)
        for slot in ("lhs", "rhs"):
            value = op.operands[slot]
            op.operands[slot] = editor.ftof(value, result=replace(value.type, element=F32))
        found.add(number)
    return found or None


def keep_f32(copy: Copy) -> set[int] | None:
    """Multiply f32 as it is, where it was rounded to tf32."""
    found = set()
    for number, op in copy.ops.items():
        if op.name == "mmaf" and op.operands["lhs"].type.element.name == "tf32":
            for slot in ("lhs", "rhs"):
                owner = op.operands[slot].owner
                if not isinstance(owner, Op) or owner.name != "ftof":
                    return None
                op.operands[slot] = owner.operands["from"]
            found.add(number)
    return found or None


def long_strides(copy: Copy) -> set[int] | None:
    """Take i64 for the strides and extents that offsets are computed from."""
    found: set[int] = set()
    for number, op in list(copy.ops.items()):
        if op.name != "offset" or not op.result.type.shape:
            continue
        for each in list(slice_of(op.operands["offset"])):
            if each.name == "exti" and each.parent is not None and not each.result.type.shape:
                root = origin(each.operands["from"])
                if not isinstance(root.owner, Op) and root.type.element.bits == 32:
                    _lengthen(copy, number, root)
                    found.add(number)
    return found or None


def long_start(copy: Copy) -> set[int] | None:
    """Add an i64 to the offsets of a tile of pointers, of which nothing is known."""
    for number, op in copy.ops.items():
        if op.name != "offset" or not op.result.type.shape:
            continue
        function, shape = copy.functions[number], op.result.type.shape
        start = function.body.block.add_argument(Tile(I64))
        parameters = (*function.type.parameters, Tile(I64))
        function.type = replace(function.type, parameters=parameters)
        editor = copy.editor(number).before(op)
        offset = op.operands["offset"]
        if offset.type.element != I64:
            offset = editor.exti(offset, "signed", result=Tile(I64, shape))
        ones = editor.reshape(start, result=Tile(I64, (1,) * len(shape)))
        more = editor.broadcast(ones, result=Tile(I64, shape))
        op.operands["offset"] = editor.addi(offset, more)
        after = {n for n, each in accesses(copy) if _uses(each, op.result)}
        return {number, *after}
    return None


def _lengthen(copy: Copy, number: int, parameter: Value) -> None:
    """Make an i32 parameter an i64; whoever needs it as i32 gets it narrowed."""
    function = copy.functions[number]
    types = list(function.type.parameters)
    types[parameter.index] = Tile(I64)
    function.type = replace(function.type, parameters=tuple(types))
    waiting = [parameter]
    while waiting:
        value = waiting.pop()
        short, value.type = value.type, Tile(I64)
        for use in list(value.uses):
            if use.op.name == "assume":
                waiting.append(use.op.result)
            elif use.op.name == "exti":
                use.op.result.replace_all_uses_with(value)
                use.op.remove()
            else:
                use.set(copy.editor(number).before(use.op).trunci(value, result=short))


def _shrink(copy: Copy, extent: int, least: int) -> bool:
    if extent <= least:
        return False
    for function in copy.module.functions:
        resized(function, extent, least)
    return True


def shrink_rows(copy: Copy) -> set[int] | None:
    """Let products have 16 rows."""
    found = {n: op for n, op in copy.ops.items() if op.name == "mmaf"}
    if not found:
        return None
    extent = max(op.operands["lhs"].type.shape[-2] for op in found.values())
    return {*found} if _shrink(copy, extent, 16) else None


def shrink_columns(copy: Copy) -> set[int] | None:
    """Let tiles be two elements long along their last dimension."""
    found = largest(copy)
    if found is None or any(op.name.startswith("mma") for op in copy.ops.values()):
        return None
    numbers = found[1]
    extent = max(copy.ops[number].operands["view"].type.tile[-1] for number in numbers)
    return numbers if _shrink(copy, extent, 2) else None


def shrink_pointers(copy: Copy) -> set[int] | None:
    """Let tiles of pointers be two elements long along their last dimension."""
    found = {
        n: op for n, op in accesses(copy) if op.name == "load_ptr_tko" and op.results[0].type.shape
    }
    if not found or tensors(copy):
        return None
    extent = max(op.results[0].type.shape[-1] for op in found.values())
    return {*found} if _shrink(copy, extent, 2) else None


def pad(copy: Copy) -> set[int] | None:
    """Pad the operands of products with another value than zero."""
    found = set()
    for _, op in accesses(copy):
        view = op.operands.get("view")
        if view is None or getattr(view.type, "padding", None) != "zero":
            continue
        if any(use.op.name == "mmaf" for use in op.results[0].uses):
            view.type = replace(view.type, padding="neg_inf")
            found |= {n for n, other in accesses(copy) if other.operands.get("view") is view}
    return found or None


def order(copy: Copy) -> set[int] | None:
    """Order a load of a product's operand between blocks."""
    for number, op in accesses(copy):
        products = any(use.op.name == "mmaf" for result in op.results for use in result.uses)
        if op.name == "load_view_tko" and products:
            copy.editor(number).set(op, memory_ordering_semantics="relaxed", memory_scope="device")
            return {number}
    return None


def print_in_loop(copy: Copy) -> set[int] | None:
    """Print in the loop of a product."""
    for number, op in copy.ops.items():
        if op.name == "mmaf" and op.parent.parent_op is not None:
            copy.editor(number).after(op).print_tko(str="here\n", args=())
            loops = {n for n, each in copy.ops.items() if each.name in ("for", "loop")}
            return {number, *loops, -1}
    return None


def _hinted(name: str, value: int, *only: str) -> Plant:
    def plant(copy: Copy) -> set[int] | None:
        if only and not any(op.name in only for op in copy.ops.values()):
            return None
        for function in copy.module.functions:
            function.hints = Hints({"default": {name: IntegerAttribute(Scalar("i32"), value)}})
        loops = {n for n, op in copy.ops.items() if op.name in ("for", "loop", *only)}
        return {-1, *loops}

    return plant


PLANTS: dict[str, Plant] = {
    "drop an assume: address": forget_address,
    "drop an assume: strides": forget_strides,
    "drop an assume: stored": forget_store,
    "drop an assume: pointers": forget_pointers,
    "unit stride unknown": forget_unit,
    "transpose strides": transpose,
    "break alignment": misalign,
    "compute the base": compute_base,
    "f16 to f32": widen_product,
    "tf32 to f32": keep_f32,
    "index to i64: strides": long_strides,
    "index to i64: start": long_start,
    "shrink: rows": shrink_rows,
    "shrink: columns": shrink_columns,
    "shrink: pointers": shrink_pointers,
    "padding": pad,
    "ordered load": order,
    "print in a loop": print_in_loop,
    "hint: one warp": _hinted("num_worker_warps_per_cta", 1, "mmaf"),
    "hint: many blocks": _hinted("occupancy", 8, "mmaf"),
    **PLANTS_OF_WORK,
}
"""What is planted -> how. The number -1 stands for the kernel as a whole."""

OF_REGISTERS = frozenset(
    {"index to i64: strides", "index to i64: start", "hint: one warp", "hint: many blocks"}
)
"""Those for which ptxas is asked, as they may only show in registers."""
