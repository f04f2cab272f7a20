"""Trials of atomic updates: once behind a loop, once for several elements, or as plain stores."""

from __future__ import annotations

from tileir.builder import Editor, splat
from tileir.codegen.ops import is_load, writes_memory
from tileir.ir import Op
from tileir.types import Scalar, Token

from .again import array_of
from .hoisting import hoist, is_fixed
from .loops import counted_loop
from .trial import at_ops

COMBINED = {
    "add": ("addi", {}, 0), "addf": ("addf", {}, 0), "or": ("ori", {}, 0), "xor": ("xori", {}, 0),
    "and": ("andi", {}, -1), "max": ("maxi", {"signedness": "signed"}, None),
    "min": ("mini", {"signedness": "signed"}, None),
}  # fmt: skip
"""Mode of an atomic update -> the op that combines, its attributes, the number without effect."""


def neutral(start: int | None, name: str, element: Scalar) -> int:
    """Return the number of a type that changes nothing; `start` if it is one for all types."""
    if start is not None:
        return start
    bits = element.bits - 1
    return -(1 << bits) if name == "maxi" else (1 << bits) - 1


def repeated(op: Op) -> Op | None:
    """Return the loop each of whose iterations updates the same places, if nobody wants the old
    values; None if there is none. An update may be in branches of the loop."""
    if op.name != "atomic_rmw_tko" or op.results[0].uses or op.attributes["mode"] not in COMBINED:
        return None
    outermost = op
    while (around := _branch_around(outermost)) is not None:
        outermost = around
    loop = counted_loop(outermost)
    if loop is None:
        return None
    others = (value for slot in ("pointers", "mask") if (value := op.operands[slot]) is not None)
    if not all(is_fixed(value, loop) for value in others):
        return None
    return None if any(_interferes(other, op) for other in loop.walk()) else loop


def _interferes(other: Op, update: Op) -> bool:
    """Whether an op reads the array that an update is of, or changes it in another way."""
    if not (is_load(other) or writes_memory(other)) or array_of(other) is not array_of(update):
        return False
    alike = other.attributes.get("mode") == update.attributes["mode"]
    return not alike or bool(other.results[0].uses)


def _branch_around(op: Op) -> Op | None:
    """Return the `if` with two sides that an op is in, not in something else there."""
    around = op.parent.parent_op if op.parent is not None else None
    if around is None or around.name != "if":
        return None
    ends = [region.block.ops[-1] for region in around.regions if region.blocks]
    return around if [end.name for end in ends] == ["yield", "yield"] else None


def _behind(op: Op, editor: Editor) -> str | None:
    """Combine in a loop, and update memory once."""
    loop = repeated(op)
    if loop is None:
        return None
    name, more, start = COMBINED[op.attributes["mode"]]
    arg = op.operands["arg"]
    start = neutral(start, name, arg.type.element)
    block = loop.regions[0].block
    first = editor.before(loop).constant(splat(start, arg.type))
    token = editor.make_token()
    carried, total = block.add_argument(arg.type), loop.add_result(arg.type)
    loop.operands["initValues"] = (*loop.operands["initValues"], first)
    combined = getattr(editor.before(op), name)(carried, arg, **more)
    op.results[1].replace_all_uses_with(token)
    place = op
    while (branch := _branch_around(place)) is not None:
        for region in branch.regions:
            end, taken = region.block.ops[-1], region.block is place.parent
            given = combined if taken else carried
            end.operands["operands"] = (*end.operands["operands"], given)
        combined = branch.add_result(arg.type)
        place = branch
    end = block.ops[-1]
    end.operands["operands"] = (*end.operands["operands"], combined)
    for slot in ("pointers", "mask"):
        if op.operands[slot] is not None:
            hoist(op.operands[slot], loop)
    op.remove()
    op.operands["arg"] = total
    given = op.operands.get("token")
    if given is not None and isinstance(given.type, Token):
        op.operands["token"] = token
    op.insert_after(loop)
    return "combine in the loop, and update memory once, behind it"


def _stored(op: Op, editor: Editor) -> str | None:
    """Store what is exchanged for a value that nobody wants."""
    if not exchanged(op):
        return None
    made = editor.store_ptr_tko(
        op.operands["pointers"], op.operands["arg"], mask=op.operands["mask"],
        token=op.operands["token"], memory_ordering_semantics="weak",
    )  # fmt: skip
    op.results[1].replace_all_uses_with(made)
    op.remove()
    return "store it: nobody wants the old values"


def exchanged(op: Op) -> bool:
    """Whether an op exchanges what is in memory, and nobody wants the old values."""
    return (
        op.name == "atomic_rmw_tko" and op.attributes["mode"] == "xchg" and not op.results[0].uses
    )


BEHIND = at_ops(_behind, alone=True)
"""Updates of a loop are made behind it."""
STORED = at_ops(_stored, alone=True)
"""Exchanges whose results nobody wants are stores."""
