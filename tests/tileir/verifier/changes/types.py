"""Types of results and block arguments, of one value or of all values of a function."""

from __future__ import annotations

import dataclasses

from tests.tileir.verifier.sites import Site
from tests.tileir.verifier.variants import other, other_scalar
from tileir.formats.ops.wire import counts_results
from tileir.ir import Block, Value
from tileir.mutation.retyping import (
    element_change,
    everywhere,
    fit_constant,
    size_change,
)
from tileir.types import Pointer, Scalar, TensorView, Tile, Type, View


def _blocks(site: Site) -> list[Block]:
    return [block for region in site.op.regions for block in region.blocks]


def _types(site: Site) -> list[Type]:
    return [value.type for value in (*site.op.operand_list(), *site.op.results)]


def result_type(site: Site) -> str | None:
    """A result of another type; a constant keeps its bytes every second time."""
    if not site.op.results:
        return None
    value = site.choice.choice(site.op.results)
    old, value.type = value.type, other(site.choice, value.type)
    if site.choice.random() < 0.5:
        fit_constant(site.op)
    return f"result {value.index}: {old} becomes {value.type}"


def result_number(site: Site) -> str | None:
    """One result more or fewer, where they are counted; nothing uses the ones beyond."""
    op = site.op
    if not counts_results(op.spec):
        return None
    if op.results and site.choice.random() < 0.5:
        gone = op.results.pop()
        return f"result of {gone.type} dropped"
    if op.results and site.choice.random() < 0.6:
        type = op.results[-1].type
    else:
        type = other(site.choice, Tile(Scalar("i32")))
    op.results.append(Value(type, op, len(op.results), -1))
    return f"a result more, {type}"


def argument_type(site: Site) -> str | None:
    """A block argument of another type."""
    blocks = [block for block in _blocks(site) if block.arguments]
    if not blocks:
        return None
    value = site.choice.choice(site.choice.choice(blocks).arguments)
    old, value.type = value.type, other(site.choice, value.type)
    return f"block argument {value.index}: {old} becomes {value.type}"


def argument_number(site: Site) -> str | None:
    """A block argument more, or the last one less."""
    blocks = _blocks(site)
    if not blocks:
        return None
    block = site.choice.choice(blocks)
    if block.arguments and site.choice.random() < 0.5:
        return f"block argument dropped, {block.arguments.pop().type}"
    type = block.arguments[-1].type if block.arguments else Tile(Scalar("i32"))
    block.arguments.append(Value(type, block, len(block.arguments), -1))
    return f"a block argument more, {type}"


def element_everywhere(site: Site) -> str | None:
    """An element type becomes another one in the whole function."""
    found = []
    for type in _types(site):
        element = getattr(getattr(type, "view", type), "element", None)
        element = element.pointee if isinstance(element, Pointer) else element
        if isinstance(element, Scalar):
            found.append(element)
    if not found:
        return None
    old = site.choice.choice(found)
    new = other_scalar(site.choice, old)
    everywhere(site.function, element_change(old, new))
    return f"{old} becomes {new} everywhere"


def size_everywhere(site: Site) -> str | None:
    """An extent of tiles becomes another one in the whole function."""
    shapes = [type.shape for type in _types(site) if isinstance(type, Tile)]
    shapes += [type.tile for type in _types(site) if isinstance(type, View)]
    found = [size for shape in shapes for size in shape]
    if not found:
        return None
    old = site.choice.choice(found)
    new = site.choice.choice((2 * old, 4 * old, max(old // 2, 1), 1))
    if new == old:
        return None
    everywhere(site.function, size_change(old, new))
    return f"extents of {old} become {new} everywhere"


def type_everywhere(site: Site) -> str | None:
    """All values of one type get another one."""
    found = _types(site)
    if not found:
        return None
    old = site.choice.choice(found)
    new = other(site.choice, old)
    everywhere(site.function, lambda type: new if type == old else type)
    return f"{old} becomes {new} everywhere"


def view_everywhere(site: Site) -> str | None:
    """A view or tensor view type becomes another one, also inside views of it."""
    views = [type for type in _types(site) if isinstance(type, View | TensorView)]
    if not views:
        return None
    old = site.choice.choice(views)
    old = old.view if isinstance(old, View) and site.choice.random() < 0.5 else old
    new = other(site.choice, old)
    if not isinstance(new, View | TensorView):
        return None

    def change(type: Type) -> Type:
        if type == old:
            return new
        if isinstance(type, View) and type.view == old:
            return dataclasses.replace(type, view=new)
        return type

    everywhere(site.function, change)
    return f"{old} becomes {new} everywhere"


CHANGES = (
    result_type,
    result_number,
    argument_type,
    argument_number,
    element_everywhere,
    size_everywhere,
    type_everywhere,
    view_everywhere,
)
