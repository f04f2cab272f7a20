"""Regions: empty, with more blocks than one, without their terminator or with another one."""

from __future__ import annotations

from tests.tileir.verifier.sites import Site, copied_block, made
from tests.tileir.verifier.variants import other
from tileir.ir import Block, Region

TERMINATORS = ("yield", "continue", "break", "return")


AT_THE_TOP = 0.15
"""How often the end of a whole body is changed rather than that of a region."""


def _regions(site: Site) -> list[Region]:
    return [region for region in site.op.regions if region.blocks]


def _ended(site: Site) -> Block | None:
    """A block with a terminator: of a region of the op, or the one around it."""
    blocks = [region.blocks[0] for region in _regions(site)]
    if not blocks and (site.parents or site.choice.random() < AT_THE_TOP):
        blocks = [site.block]
    blocks = [block for block in blocks if block.ops and block.ops[-1].spec.terminator]
    return site.choice.choice(blocks) if blocks else None


def region_emptied(site: Site) -> str | None:
    """A region without a block."""
    regions = _regions(site)
    if not regions:
        return None
    site.choice.choice(regions).blocks.clear()
    return "a region without a block"


def region_filled(site: Site) -> str | None:
    """An absent region given a block, or one more block."""
    if not site.op.regions:
        return None
    region = site.choice.choice(site.op.regions)
    if region.blocks and site.choice.random() < 0.7:
        region.blocks.append(copied_block(region.blocks[0], {}))
        return "a region with two blocks"
    region.blocks.append(Block(ops=[made(site.choice.choice(TERMINATORS), {}, {})]))
    return f"a block more, with {region.blocks[-1].ops[0].name}"


def block_emptied(site: Site) -> str | None:
    """A block without ops."""
    regions = _regions(site)
    if not regions:
        return None
    site.choice.choice(regions).blocks[0].ops.clear()
    return "a block without ops"


def block_truncated(site: Site) -> str | None:
    """A block that ends before this op."""
    if site.index == 0 and not site.parents:
        return None
    del site.block.ops[site.index + (site.choice.random() < 0.5) :]
    return "the block ends here"


def terminator_removed(site: Site) -> str | None:
    """A block without its terminator: that of a region, or of the block around the op."""
    block = _ended(site)
    if block is None:
        return None
    return f"{block.ops.pop().name} removed"


def terminator_replaced(site: Site) -> str | None:
    """Another terminator with the same values, or none."""
    block = _ended(site)
    if block is None:
        return None
    old = block.ops.pop()
    names = [name for name in TERMINATORS if name != old.name]
    values = old.operands if site.choice.random() < 0.7 else {}
    new = made(site.choice.choice(names), dict(values), {})
    block.ops.append(new)
    return f"{old.name} becomes {new.name}"


def terminator_early(site: Site) -> str:
    """A terminator in front of the op."""
    name = site.choice.choice(TERMINATORS)
    values = tuple(site.visible[-1:]) if site.choice.random() < 0.3 else ()
    site.insert(name, {"operands": values}, {})
    return f"{name} in front of it"


def terminator_values(site: Site) -> str | None:
    """A terminator that hands out more, fewer or other values."""
    block = _ended(site)
    if block is None:
        return None
    last = block.ops[-1]
    values = last.operands["operands"]
    roll = site.choice.random()
    if values and roll < 0.35:
        new = values[:-1]
    elif values and roll < 0.7:
        inner = Site(site.choice, site.bytecode, site.function, last, block)
        made_up = inner.value(other(site.choice, values[-1].type))
        if made_up is None:
            return None
        new = (*values[:-1], made_up)
    elif site.visible:
        new = (*values, site.choice.choice(site.visible))
    else:
        return None
    last.operands["operands"] = new
    return f"{last.name} hands out {', '.join(str(value.type) for value in new) or 'nothing'}"


def all_terminators_gone(site: Site) -> str | None:
    """Neither this block nor those inside end with one."""
    if not site.op.regions:
        return None
    for region in site.op.regions:
        for block in region.blocks:
            if block.ops and block.ops[-1].spec.terminator:
                block.ops.pop()
    return "no terminators inside"


CHANGES = (
    region_emptied,
    region_filled,
    block_emptied,
    block_truncated,
    terminator_removed,
    terminator_replaced,
    terminator_early,
    terminator_values,
    all_terminators_gone,
)
