"""Changes that keep an op consistent: several slots at once, so that deeper rules are reached.

One operand of another type mostly breaks the rule that types agree, and hides the rules behind it.
"""

from __future__ import annotations

import dataclasses

from tests.tileir.verifier.sites import Site
from tests.tileir.verifier.variants import (
    ADDRESSES,
    PADDINGS,
    SOME_TENSOR,
    SOME_VIEW,
    other,
    other_scalar,
)
from tileir.ir import Block, Value
from tileir.mutation.retyping import Change, element_change, fit_constant, size_change
from tileir.types import (
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
    View,
)

from .attributes import attribute_value

I32 = Tile(Scalar("i32"))


def _here(site: Site, change: Change) -> bool:
    """Change the types of the op's own operands and results; False if that cannot be done."""
    op = site.op
    if op.regions or op.spec.terminator:
        return False
    made: dict[Value, Value | None] = {}
    for value in op.operand_list():
        type = change(value.type)
        made[value] = value if type == value.type else site.value(type)
    if any(value is None for value in made.values()):
        return False
    for name, value in op.operands.items():
        if isinstance(value, tuple):
            op.operands[name] = tuple(made[item] for item in value)
        elif value is not None:
            op.operands[name] = made[value]
    for value in op.results:
        value.type = change(value.type)
    fit_constant(op)
    return True


def _types(site: Site) -> list[Type]:
    return [value.type for value in (*site.op.operand_list(), *site.op.results)]


def element_here(site: Site) -> str | None:
    """An element type becomes another one in all that the op takes and gives."""
    found = [getattr(getattr(type, "view", type), "element", None) for type in _types(site)]
    found = [item.pointee if isinstance(item, Pointer) else item for item in found]
    found = [item for item in found if isinstance(item, Scalar)]
    if not found:
        return None
    old = site.choice.choice(found)
    new = other_scalar(site.choice, old)
    return f"{old} becomes {new} here" if _here(site, element_change(old, new)) else None


def element_and_attribute(site: Site) -> str | None:
    """The same, and an attribute: rules that tie one to the other."""
    first = element_here(site)
    second = first and attribute_value(site)
    return f"{first}; {second}" if second else None


def size_here(site: Site) -> str | None:
    """An extent becomes another one in all that the op takes and gives."""
    shapes = [type.shape for type in _types(site) if isinstance(type, Tile)]
    shapes += [type.tile for type in _types(site) if isinstance(type, View)]
    sizes = [size for shape in shapes for size in shape]
    if not sizes:
        return None
    old = site.choice.choice(sizes)
    new = site.choice.choice((2 * old, 4 * old, max(old // 2, 1), max(old // 4, 1), 1))
    if new == old or not _here(site, size_change(old, new)):
        return None
    return f"extents of {old} become {new} here"


def rank_here(site: Site) -> str | None:
    """All tiles get a dimension more in front, or lose one."""
    more = site.choice.random() < 0.5

    def change(type: Type) -> Type:
        if not isinstance(type, Tile):
            return type
        return Tile(type.element, (2, *type.shape) if more else type.shape[1:])

    if not any(isinstance(type, Tile) for type in _types(site)) or not _here(site, change):
        return None
    return f"a dimension {'more' if more else 'less'} in all tiles"


def pointer_here(site: Site) -> str | None:
    """Pointers and memory get another kind of address."""
    kind = site.choice.choice(ADDRESSES)

    def change(type: Type) -> Type:
        match type:
            case Tile(element=Pointer()):
                return Tile(dataclasses.replace(type.element, attribute=kind), type.shape)
            case TensorView():
                return dataclasses.replace(type, attribute=kind)
            case PartitionView() | StridedView() | GatherScatterView():
                return dataclasses.replace(type, view=change(type.view))
        return type

    if [change(type) for type in _types(site)] == _types(site) or not _here(site, change):
        return None
    return f"addresses become {kind}"


def view_refitted(site: Site) -> str | None:
    """An access through another view, whose indices and tile are right for it."""
    op, choice = site.op, site.choice
    old = op.operands.get("view")
    if old is None or not isinstance(old.type, View):
        return None
    view = _other_view(site, old.type)
    made = site.value(view)
    if made is None:
        return None
    op.operands["view"] = made
    sparse = getattr(view, "sparse_dim", None)
    indices = []
    for dim, size in enumerate(view.tile):
        index = Tile(I32.element, (size,)) if dim == sparse else I32
        indices.append(site.value(other(choice, index) if choice.random() < 0.06 else index))
    if None in indices:
        return None
    op.operands["index"] = tuple(indices)
    if "inbounds" in op.attributes:
        op.attributes["inbounds"] = (choice.random() < 0.2,) * len(indices)
    tile = Tile(view.view.element, view.tile)
    for name in ("tile", "value"):
        if name in op.operands:
            op.operands[name] = site.value(tile)
    if op.results and isinstance(op.results[0].type, Tile):
        op.results[0].type = tile
    return f"through {view}"


def _other_view(site: Site, type: View) -> View:
    """A view whose tensor, family and cut are drawn anew."""
    choice = site.choice
    tensor, tile = type.view, type.tile
    if choice.random() < 0.4:
        tensor = dataclasses.replace(tensor, element=other_scalar(choice, tensor.element))
    if choice.random() < 0.15:
        tensor = dataclasses.replace(tensor, element=Scalar("f4E2M1FN"))
    if choice.random() < 0.3:
        tensor = dataclasses.replace(tensor, attribute=choice.choice(ADDRESSES))
    if choice.random() < 0.4:
        strides = [choice.choice((1, 1, 1, 2, 64, None)) for _ in tensor.strides]
        tensor = dataclasses.replace(tensor, strides=tuple(strides))
    if choice.random() < 0.3:
        tile = tuple(choice.choice((1, 2, 4, 16)) for _ in tile)
    rank = len(tile)
    dims = list(range(rank))
    choice.shuffle(dims)
    padding = choice.choice(PADDINGS) if choice.random() < 0.3 else None
    families = [PartitionView(tile, tensor, tuple(dims), padding)] * 2
    if site.bytecode.version >= (13, 3):
        strides = tuple(choice.choice((1, 3, 8)) for _ in tile)
        families.append(StridedView(tile, strides, tensor, tuple(dims), padding))
        families.append(GatherScatterView(tile, tensor, choice.randrange(max(rank, 1)), padding))
    return choice.choice(families)


def carried_more(site: Site) -> str | None:
    """One more value carried by a loop or handed out by an if, of any type."""
    op, choice = site.op, site.choice
    if op.name not in ("for", "loop", "if") or not all(r.blocks for r in op.regions):
        return None
    types = (I32, Token(), SOME_TENSOR, SOME_VIEW, Tile(Pointer(Scalar("f32"))))
    type = choice.choice((*types, other(choice, I32)))
    if op.name == "if":
        for region in op.regions:
            if not _hand_out(site, region.block, type):
                return None
        op.results.append(Value(type, op, len(op.results), -1))
        return f"an if that gives {type}"
    first = site.value(type)
    if first is None:
        return None
    block = op.regions[0].block
    op.operands["initValues"] = (*op.operands["initValues"], first)
    value = Value(type, block, len(block.arguments), -1)
    block.arguments.append(value)
    last = block.ops[-1] if block.ops else None
    if last is not None and last.name == "continue":
        last.operands["operands"] = (*last.operands["operands"], value)
    if op.name == "for":
        op.results.append(Value(type, op, len(op.results), -1))
    return f"a {op.name} that carries {type}"


def _hand_out(site: Site, block: Block, type: Type) -> bool:
    """Let the yield at the end of a block give one value more."""
    if not block.ops or block.ops[-1].name != "yield":
        return False
    last = block.ops[-1]
    made = Site(site.choice, site.bytecode, site.function, last, block).value(type)
    if made is not None:
        last.operands["operands"] = (*last.operands["operands"], made)
    return made is not None


CHANGES = (
    element_here,
    element_and_attribute,
    size_here,
    rank_here,
    pointer_here,
    view_refitted,
    carried_more,
)
