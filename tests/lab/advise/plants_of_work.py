"""Weaknesses of what is computed and moved, each an edit of a kernel; see `plants.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tileir.builder import splat
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.advise.trials.extents import resized
from tileir.codegen.advise.trials.parameters import slice_of
from tileir.codegen.advise.trials.strides import loads_across, set_strides, strides_of
from tileir.codegen.ops.extents import tensor_view_op
from tileir.ir import Op
from tileir.types import Scalar, Tile

F32, F64, I32 = Scalar("f32"), Scalar("f64"), Scalar("i32")
SHORT = 16
LOADS = ("load_view_tko", "load_ptr_tko")
ARITHMETIC = ("addf", "subf", "mulf", "divf")
FUNCTIONS = ("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "divf", "tanh")


def _large(op: Op) -> bool:
    return isinstance(op.results[0].type, Tile) and op.results[0].type.size > 1


def _outside(copy: Copy) -> Iterator[tuple[int, Op]]:
    """Yield the ops that are in a kernel's own block."""
    for number, op in copy.ops.items():
        if op.parent is not None and op.parent.parent_op is None:
            yield number, op


def load_in_loop(copy: Copy) -> set[int] | None:
    """Load in each iteration what was loaded before the loop."""
    for number, op in _outside(copy):
        if op.name not in LOADS or not _large(op) or op.results[1].uses:
            continue
        moved = [op]
        while len(uses := moved[-1].results[0].uses) == 1 and uses[0].op.parent is op.parent:
            moved.append(uses[0].op)
        users = [use.op for use in moved[-1].results[0].uses]
        around = {id(user.parent): user.parent for user in users}
        if len(around) != 1 or any(each.regions for each in moved):
            continue
        (block,) = around.values()
        if block.parent_op is None or block.parent_op.name != "for":
            continue
        first = next(each for each in block.ops if each in users)
        for each in reversed(moved):
            each.move_before(first)
            first = each
        return {number}
    return None


def load_again(copy: Copy) -> set[int] | None:
    """Load a tile a second time where it is used a second time."""
    for op in copy.ops.values():
        if op.name not in LOADS or op.parent is None or not _large(op):
            continue
        users = [use for use in op.results[0].uses if use.op.parent is op.parent]
        if len(users) > 1:
            last = max(users, key=lambda use: use.op.index)
            again = op.clone()
            again.location = last.op.location
            again.insert_before(last.op)
            last.set(again.results[0])
            return {n for n, each in copy.ops.items() if each is last.op}
    return None


def load_stored(copy: Copy) -> set[int] | None:
    """Load what has just been stored, where it is used once more."""
    for op in copy.ops.values():
        if op.name != "store_view_tko" or op.parent is None:
            continue
        tile = op.operands["tile"]
        later = [
            use for use in tile.uses
            if use.op.parent is op.parent and op.is_before(use.op) and use.op is not op
        ]  # fmt: skip
        if later and _large(op.operands["tile"].owner):
            (number,) = (n for n, each in copy.ops.items() if each is later[0].op)
            editor = copy.editor(number).before(later[0].op)
            made = editor.load_view_tko(
                op.operands["view"], op.operands["index"], token=op.results[0],
                result=(tile.type, op.results[0].type),
            )  # fmt: skip
            later[0].set(made[0])
            return {number}
    return None


def reduce_in_loop(copy: Copy) -> set[int] | None:
    """Reduce what a loop adds up in each iteration, and add up the results."""
    for number, op in _outside(copy):
        if op.name != "reduce" or len(op.results) != 1:
            continue
        (tile,) = op.operands["operands"]
        loop = tile.owner
        if not isinstance(loop, Op) or loop.name != "for" or len(tile.uses) != 1:
            continue
        end = loop.regions[0].block.ops[-1]
        added = end.operands["operands"][tile.index].owner
        carried = loop.regions[0].block.arguments[tile.index + 1]
        if added.name not in ("addf", "addi") or len(carried.uses) != 1:
            continue
        (more,) = (each for each in added.operand_list() if each is not carried)
        kind = op.results[0].type
        editor = copy.editor(number).before(loop)
        start = editor.constant(splat(op.attributes["identities"][0].value, kind))
        given = list(loop.operands["initValues"])
        given[tile.index] = start
        loop.operands["initValues"] = tuple(given)
        op.remove()
        op.operands["operands"] = (more,)
        op.insert_before(added)
        carried.type = tile.type = added.result.type = kind
        added.operands["lhs"], added.operands["rhs"] = carried, op.results[0]
        op.results[0].replace_all_uses_with(tile, where=lambda use, a=added: use.op is not a)
        return {number}
    return None


def compute_in_double(copy: Copy) -> set[int] | None:
    """Let two operations behind each other be f64, as a constant of Python's may make them."""
    for number, op in copy.ops.items():
        if op.parent is None or op.name not in ARITHMETIC or not _large(op):
            continue
        uses = op.result.uses
        if len(uses) != 1 or uses[0].op.name not in ARITHMETIC or op.result.type.element != F32:
            continue
        second, wide = uses[0].op, replace(op.result.type, element=F64)
        if second.parent.parent_op is not None and second.parent.parent_op.name == "reduce":
            continue
        for each in (op, second):
            editor = copy.editor(number).before(each)
            for slot, value in each.operands.items():
                if value is not None and value is not op.result:
                    each.operands[slot] = editor.ftof(value, result=wide)
        result, uses = second.result, list(second.result.uses)
        narrow, op.result.type, result.type = result.type, wide, wide
        made = copy.editor(number).after(second).ftof(result, result=narrow)
        for use in uses:
            use.set(made)
        return {n for n, each in copy.ops.items() if each in (op, second)}
    return None


def divide_each(copy: Copy) -> set[int] | None:
    """Take row and column of each element of a line apart, by a parameter, and add them again."""
    for number, op in copy.ops.items():
        if op.parent is None or op.name != "iota" or op.result.type.element != I32:
            continue
        users = list(op.result.uses)
        body = copy.functions[number].body.block
        many = next((v for v in reversed(body.arguments) if v.type == Tile(I32)), None)
        if many is None:
            continue
        editor = copy.editor(number).after(op)
        one = editor.reshape(many, result=Tile(I32, (1,)))
        each = editor.broadcast(one, result=op.result.type)
        rows = editor.divi(op.result, each, signedness="signed")
        columns = editor.remi(op.result, each, signedness="signed")
        made = editor.addi(editor.muli(rows, each), columns)
        for use in users:
            use.set(made)
        return {number}
    return None


def function_behind_broadcast(copy: Copy) -> set[int] | None:
    """Compute a function of a broadcast instead of broadcasting its result."""
    for number, op in copy.ops.items():
        if op.parent is None or op.name not in FUNCTIONS or len(op.result.uses) != 1:
            continue
        (use,) = op.result.uses
        if use.op.name != "broadcast":
            continue
        kind, editor = use.op.result.type, copy.editor(number).before(use.op)
        made = op.clone()
        for slot, operand in op.operands.items():
            if operand is not None:
                made.operands[slot] = editor.broadcast(operand, result=kind)
        made.result.type = kind
        made.location = op.location
        made.insert_before(use.op)
        use.op.result.replace_all_uses_with(made.result)
        return {number}
    return None


def exponential_by_power(copy: Copy) -> set[int] | None:
    """Raise two to a power instead of computing an exponential."""
    for number, op in copy.ops.items():
        if op.parent is not None and op.name == "exp2" and _large(op):
            editor = copy.editor(number).before(op)
            two = editor.constant(splat(2.0, op.result.type))
            op.result.replace_all_uses_with(editor.fpowf(two, op.operands["source"]))
            return {number}
    return None


def order_atomics(copy: Copy) -> set[int] | None:
    """Let atomic updates release what was written before, and acquire."""
    for number, op in copy.ops.items():
        if op.name.startswith("atomic_r"):
            copy.editor(number).set(op, memory_ordering_semantics="acq_rel")
            return {number}
    return None


def store_in_loop(copy: Copy) -> set[int] | None:
    """Store a sum in each iteration of the loop that adds it up, not only behind it."""
    for number, op in _outside(copy):
        if op.name != "store_view_tko":
            continue
        loop = op.operands["tile"].owner
        if not isinstance(loop, Op) or loop.name != "for":
            continue
        end = loop.regions[0].block.ops[-1]
        inner = end.operands["operands"][op.operands["tile"].index]
        slots = [op.operands["view"], *op.operands["index"]]
        for value in slots:
            if not value.is_visible_to(loop) and isinstance(value.owner, Op):
                if not all(each.is_visible_to(loop) for each in value.owner.operand_list()):
                    return None
                value.owner.move_before(loop)
        if op.results[0].uses or not isinstance(inner.owner, Op):
            return None
        op.remove()
        op.operands["tile"] = inner
        token = op.operands.get("token")
        if token is not None and not token.is_visible_to(loop):
            op.operands["token"] = copy.editor(number).before(loop).make_token()
        op.insert_before(end)
        return {number}
    return None


def shrink_depth(copy: Copy) -> set[int] | None:
    """Let products add up 16 elements in an iteration."""
    found = {n: op for n, op in copy.ops.items() if op.name == "mmaf"}
    sizes = {op.operands["lhs"].type.shape[-1] for op in found.values()}
    others = {e for op in found.values() for e in op.results[0].type.shape}
    if len(sizes) != 1 or sizes & others or min(sizes) <= SHORT:
        return None
    for function in copy.module.functions:
        resized(function, *sizes, SHORT)
    return {*found}


def turn_operand(copy: Copy) -> set[int] | None:
    """Store an operand of 8 bits across K."""
    for op in copy.ops.values():
        if op.name not in ("mmaf", "mmai") or op.operands["lhs"].type.element.bits != 8:
            continue
        for number, load in _loads(copy):
            if load.name == "load_ptr_tko" or not _reaches(load, op):
                continue
            view = tensor_view_op(load.operands["view"])
            strides = strides_of(view) if view is not None else []
            if view is not None and strides[-1] == 1 and load not in loads_across(op):
                strides[-1], strides[-2] = strides[-2], strides[-1]
                set_strides(view, strides)
                return {number}
    return None


def _reaches(load: Op, product: Op) -> bool:
    return any(load in slice_of(product.operands[slot]) for slot in ("lhs", "rhs"))


def _loads(copy: Copy) -> Iterator[tuple[int, Op]]:
    """Yield the loads of a copy, with their numbers."""
    return ((n, op) for n, op in copy.ops.items() if op.name in LOADS and op.parent is not None)


PLANTS_OF_WORK = {
    "load in a loop": load_in_loop,
    "load again": load_again,
    "load what was stored": load_stored,
    "reduce in a loop": reduce_in_loop,
    "f32 to f64": compute_in_double,
    "divide each index": divide_each,
    "function of a broadcast": function_behind_broadcast,
    "exp2 by a power": exponential_by_power,
    "ordered atomics": order_atomics,
    "store in a loop": store_in_loop,
    "shrink: depth": shrink_depth,
    "transpose an operand": turn_operand,
}
"""What is planted -> how."""
