"""Operands: other values, fewer, more, values out of sight."""

from __future__ import annotations

from tests.tileir.verifier.sites import Site
from tests.tileir.verifier.variants import other
from tileir.ir import Value
from tileir.types import Scalar, Tile, Token


def _slots(site: Site, *arities: str) -> list[str]:
    """The operand slots of those arities that hold a value."""
    return [
        slot.name
        for slot in site.op.spec.operands
        if slot.arity in arities and site.op.operands.get(slot.name)
    ]


def _replace(site: Site, name: str, new: Value) -> str:
    """Put a value into a slot, in a list at any position."""
    old = site.op.operands[name]
    if isinstance(old, tuple):
        at = site.choice.randrange(len(old))
        site.op.operands[name] = (*old[:at], new, *old[at + 1 :])
        return f"{name}[{at}]: {old[at].type} becomes {new.type}"
    site.op.operands[name] = new
    return f"{name}: {old.type} becomes {new.type}"


def _any(site: Site, name: str) -> Value:
    old = site.op.operands[name]
    return old[site.choice.randrange(len(old))] if isinstance(old, tuple) else old


def _pick(site: Site) -> str | None:
    names = _slots(site, "one", "optional", "many")
    return site.choice.choice(names) if names else None


def operand_same_type(site: Site) -> str | None:
    """Another visible value of the same type."""
    name = _pick(site)
    if name is None:
        return None
    old = _any(site, name)
    others = [value for value in site.visible if value.type == old.type and value is not old]
    return _replace(site, name, site.choice.choice(others)) if others else None


def operand_visible(site: Site) -> str | None:
    """Another visible value of another type."""
    name = _pick(site)
    if name is None:
        return None
    old = _any(site, name)
    others = [value for value in site.visible if value.type != old.type]
    return _replace(site, name, site.choice.choice(others)) if others else None


def operand_type(site: Site) -> str | None:
    """A new value of a type that is nearly the old one."""
    name = _pick(site)
    if name is None:
        return None
    made = site.value(other(site.choice, _any(site, name).type))
    return None if made is None else _replace(site, name, made)


def operand_types_together(site: Site) -> str | None:
    """New values of one other type for all operands and results that share a type."""
    name = _pick(site)
    if name is None:
        return None
    old = _any(site, name).type
    new = other(site.choice, old)
    made = site.value(new)
    if made is None:
        return None

    def changed(value):
        if isinstance(value, tuple):
            return tuple(map(changed, value))
        return made if value is not None and value.type == old else value

    site.op.operands = {name: changed(value) for name, value in site.op.operands.items()}
    for value in site.op.results:
        if value.type == old:
            value.type = new
    return f"{old} becomes {new} in all operands and results"


def operand_invisible(site: Site) -> str | None:
    """A value that is defined later, or in a region beside this one."""
    name = _pick(site)
    if name is None or not site.hidden:
        return None
    return f"out of sight, {_replace(site, name, site.choice.choice(site.hidden))}"


def operands_swapped(site: Site) -> str | None:
    """Two operands change places."""
    names = _slots(site, "one", "optional")
    if len(names) < 2:
        return None
    one, two = site.choice.sample(names, 2)
    operands = site.op.operands
    operands[one], operands[two] = operands[two], operands[one]
    return f"{one} and {two} swapped"


def operand_dropped(site: Site) -> str | None:
    """An optional operand left out, or one of a list."""
    names = _slots(site, "optional", "many")
    if not names:
        return None
    name = site.choice.choice(names)
    old = site.op.operands[name]
    if isinstance(old, tuple):
        at = site.choice.randrange(len(old))
        site.op.operands[name] = old[:at] + old[at + 1 :]
        return f"{name}[{at}] dropped"
    site.op.operands[name] = None
    return f"{name} dropped"


def operand_added(site: Site) -> str | None:
    """An optional operand given, or one more in a list."""
    version = site.bytecode.version
    names = [
        slot.name
        for slot in site.op.spec.operands
        if slot.since <= version
        and (slot.arity == "many" or (slot.arity == "optional" and not site.op.operands[slot.name]))
    ]
    if not names or not site.visible:
        return None
    name = site.choice.choice(names)
    old = site.op.operands[name]
    if old:
        new = site.choice.choice(old)
    elif name == "token" and site.choice.random() < 0.7:
        new = site.value(Token())
    else:
        new = site.choice.choice(site.visible)
    site.op.operands[name] = (*old, new) if isinstance(old, tuple) else new
    return f"{name}: one more, {new.type}"


def operand_for_mask(site: Site) -> str | None:
    """A mask or padding value given that fits the shape of the first operand, or nearly."""
    names = [n for n in ("mask", "paddingValue") if n in site.op.operands]
    if not names:
        return None
    name = site.choice.choice(names)
    first = next(iter(site.op.operands.values())).type
    if not isinstance(first, Tile):
        return None
    element = Scalar("i1") if name == "mask" else getattr(first.element, "pointee", Scalar("i1"))
    type = Tile(element, first.shape)
    made = site.value(other(site.choice, type) if site.choice.random() < 0.6 else type)
    if made is None:
        return None
    site.op.operands[name] = made
    return f"{name} is {made.type}"


CHANGES = (
    operand_same_type,
    operand_visible,
    operand_type,
    operand_types_together,
    operand_invisible,
    operands_swapped,
    operand_dropped,
    operand_added,
    operand_for_mask,
)
