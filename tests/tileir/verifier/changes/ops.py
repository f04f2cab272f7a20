"""Whole ops: doubled, moved, removed, exchanged for others."""

from __future__ import annotations

from tests.tileir.verifier.sites import Site, copied, made, no_hints
from tests.tileir.verifier.variants import zero
from tileir.attributes import DivBy
from tileir.formats.attributes import ATTRIBUTE, ATTRIBUTE_LIST, CONSTANT_INDEX, DICTIONARY
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Each, Op
from tileir.formats.ops.wire import counts_results
from tileir.ir import Block, Region, Value
from tileir.ir.constants import Constant
from tileir.types import Scalar, Tile


def op_duplicated(site: Site) -> str:
    """The op twice in a row; its copy has results of its own."""
    site.block.ops.insert(site.index, copied(site.op))
    return "duplicated"


def op_moved(site: Site) -> str | None:
    """The op elsewhere in its block: before what it uses, or behind what uses it."""
    if len(site.block.ops) < 2:
        return None
    at = site.index
    site.block.ops.pop(at)
    to = site.choice.randrange(len(site.block.ops) + 1)
    site.block.ops.insert(to, site.op)
    return f"moved from {at} to {to} of its block" if to != at else None


def op_removed(site: Site) -> str:
    """The op gone, whatever uses it."""
    site.block.ops.pop(site.index)
    return "removed"


def op_moved_out(site: Site) -> str | None:
    """The op in front of the op that it is nested in."""
    if not site.parents:
        return None
    parent = site.parents[-1]
    around = _block_of(site.function.body.block, parent)
    site.block.ops.pop(site.index)
    around.ops.insert(_position(around, parent), site.op)
    return f"moved out of {parent.name}"


def op_copied_inside(site: Site) -> str | None:
    """A copy of the op at the beginning of a region that comes later in its block."""
    later = [
        (op, block)
        for top in site.block.ops[site.index + 1 :]
        for op in top.walk()
        for region in op.regions
        for block in region.blocks
    ]
    if not later:
        return None
    op, block = site.choice.choice(later)
    to = site.choice.randrange(len(block.ops) + 1)
    block.ops.insert(to, copied(site.op))
    return f"copied into {op.name}, to {to} of its block"


def op_exchanged(site: Site) -> str | None:
    """Another op with the operands of this one, as far as they go."""
    op = site.op
    fits = [spec for spec in OPS if _fits(site, spec)]
    if not fits:
        return None
    spec = site.choice.choice(fits)
    values = dict(zip([slot.name for slot in spec.operands], op.operands.values(), strict=False))
    attributes = {slot.name: _default(site, slot, len(op.operands)) for slot in spec.attributes}
    attributes |= {n: v for n, v in op.attributes.items() if n in attributes}
    old, op.spec, op.operands, op.attributes = op.name, spec, values, attributes
    return f"{old} becomes {spec.mnemonic}"


def _fits(site: Site, spec: Op) -> bool:
    op = site.op
    return (
        spec.in_body
        and spec is not op.spec
        and spec.since <= site.bytecode.version
        and len(spec.regions) == len(op.spec.regions)
        and [slot.arity for slot in spec.operands] == [slot.arity for slot in op.spec.operands]
        and (counts_results(spec) or len(spec.results) == len(op.results))
        and not any(isinstance(slot.default, Each) for slot in spec.attributes)
    )


def _default(site: Site, slot, count: int) -> object:
    """Something legal or nearly so for an attribute."""
    if slot.default is not None or slot.optional:
        return slot.default if slot.node is not None or slot.default is not None else False
    if isinstance(slot.node, EnumValue):
        return slot.allowed[0] if slot.allowed else slot.node.enum.cases[0].name
    if isinstance(slot.node, Bool):
        return False
    if isinstance(slot.node, VarInt):
        return 0
    type = site.op.results[0].type if site.op.results else Tile(Scalar("i32"))
    simple = {
        id(ATTRIBUTE): DivBy(16),
        id(ATTRIBUTE_LIST): (zero(getattr(type, "element", Scalar("i32"))),)
        if isinstance(getattr(type, "element", None), Scalar)
        else (),
        id(DICTIONARY): no_hints(),
        id(CONSTANT_INDEX): Constant(type, bytes(4)),
    }
    return simple.get(id(slot.node), "")


def op_wrapped(site: Site) -> str | None:
    """A copy of the op in a new region: of an if, a loop or a for, which may end with a return."""
    kind = site.choice.choice(("if", "loop", "for", "if_return", "loop_return", "for_return"))
    name, _, ending = kind.partition("_")
    terminator = ending or {"if": "yield"}.get(name, "continue")
    inner = Block(ops=[made(terminator, {}, {})])
    if site.choice.random() < 0.7 and not site.op.spec.terminator:
        inner.ops.insert(0, copied(site.op))
    i32 = Tile(Scalar("i32"))
    if name == "if":
        around = made("if", {"condition": site.value(Tile(Scalar("i1")))}, {})
        around.regions = [Region([inner]), Region()]
    elif name == "loop":
        around = made("loop", {}, {})
        around.regions = [Region([inner])]
    else:
        one = site.value(i32)
        around = made("for", {"lowerBound": one, "upperBound": one, "step": one}, {})
        inner.arguments = [Value(i32, inner, 0, -1)]
        around.regions = [Region([inner])]
    site.block.ops.insert(site.index, around)
    return f"a copy in a {name} that ends with {terminator}"


def op_into_body(site: Site) -> str | None:
    """A copy of the op in the body of a new reduce or scan: effects where none may be."""
    if site.op.spec.terminator:
        return None
    name = site.choice.choice(("reduce", "scan"))
    f32 = Scalar("f32")
    tile = site.value(Tile(f32, (8,)))
    around = made(
        name,
        {"operands": (tile,)},
        {"dim": 0, "identities": (zero(f32),)} | ({"reverse": False} if name == "scan" else {}),
        Tile(f32) if name == "reduce" else Tile(f32, (8,)),
    )
    body = Block()
    body.arguments = [Value(Tile(f32), body, index, -1) for index in range(2)]
    body.ops = [copied(site.op), made("yield", {"operands": tuple(body.arguments[:1])}, {})]
    around.regions = [Region([body])]
    site.block.ops.insert(site.index, around)
    return f"a copy in the body of a {name}"


def _position(block: Block, op) -> int:
    return next(i for i, other in enumerate(block.ops) if other is op)


def _block_of(block: Block, wanted) -> Block:
    """The block that an op lies in."""
    stack = [block]
    while stack:
        current = stack.pop()
        for op in current.ops:
            if op is wanted:
                return current
            stack += [inner for region in op.regions for inner in region.blocks]
    raise LookupError(wanted)


CHANGES = (
    op_duplicated,
    op_moved,
    op_removed,
    op_moved_out,
    op_copied_inside,
    op_exchanged,
    op_wrapped,
    op_into_body,
)
