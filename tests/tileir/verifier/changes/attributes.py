"""Attributes: other cases, numbers out of range, lists too short, hints of another kind."""

from __future__ import annotations

import random

from tests.tileir.verifier.sites import Site
from tests.tileir.verifier.variants import SCALARS, other_scalar, zero
from tileir.attributes import (
    Bounded,
    DenseElements,
    DivBy,
    EnumAttribute,
    FloatAttribute,
    Hints,
    IntegerAttribute,
    SameElements,
    TypeAttribute,
)
from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.enums import MULTIMEM_REDUCTION_KIND
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.ops.spec import Attribute
from tileir.ir.constants import Constant
from tileir.types import Scalar, Tile

I32 = Scalar("i32")
NUMBERS = (0, 1, 2, 3, 4, 5, 8, 16, 31, 64, 128, 1 << 31, (1 << 32) + 1, (1 << 63) - 1)
TEXTS = (
    *("", "plain", "a\0b", "\xff", "kernel0", "table", "table0", "main"),
    *("%d", "%", "%%", "%5", "%d %f", "%s", "%q", "%-5.3lld", "%n", "% d", "%5%%d", "%5%d", "%q%d"),
    *("%5%5d", "%d%", "%S%C", "%q%%s", "%%%d", "%l", "%*d", "%.f", "%#x", "%+", "%llu%"),
)
"""Names and formats, right and wrong."""

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "default", "sm_999", "nothing", "")
KEYS = ("latency", "allow_tma", "occupancy", "num_cta_in_cga", "num_worker_warps_per_cta", "other")


def number(choice: random.Random) -> IntegerAttribute:
    """An i32 that a hint may carry."""
    return IntegerAttribute(I32, choice.choice((0, 1, 2, 3, 4, 5, 8, 10, 11, 16, 32, 33, 64, 200)))


def any_attribute(choice: random.Random, depth: int = 0) -> object:
    """A tagged attribute of any kind."""
    kinds = [
        lambda: number(choice),
        lambda: FloatAttribute(Scalar("f32"), 0),
        lambda: choice.random() < 0.5,
        lambda: choice.choice(TEXTS),
        lambda: TypeAttribute(Tile(I32, (4,))),
        lambda: DenseElements(Constant(Tile(I32, (4,)), bytes(4))),
        lambda: DivBy(16),
        lambda: SameElements((1,)),
        lambda: Bounded(0, 7),
        lambda: EnumAttribute(MULTIMEM_REDUCTION_KIND.name, "add"),
        lambda: (),
        dict,
        lambda: Hints({}),
        lambda: tuple(any_attribute(choice, depth + 1) for _ in range(2)),
        lambda: {"a": any_attribute(choice, depth + 1)},
        lambda: {"a.b": any_attribute(choice, depth + 1)},
    ]
    return choice.choice(kinds[: 13 if depth > 1 else None])()


def predicate(choice: random.Random) -> object:
    """An assumption, right or wrong."""
    sizes = (None, 0, 1, 2, 3, 4, 8, 16, 64, -1)
    kind = choice.randrange(5)
    if kind <= 1:
        divisor = choice.choice((0, 1, 2, 3, 16, 1 << 30, 1 << 31, 1 << 62, 1 << 63))
        some = choice.random() < 0.6
        every = choice.choice(sizes) if some else None
        return DivBy(divisor, every, choice.choice(sizes[:5]) if some else None)
    if kind == 2:
        return SameElements(tuple(choice.choice(sizes[1:]) for _ in range(choice.randrange(4))))
    if kind == 3:
        ends = (None, 0, 1, -1, 127, 128, -128, -129, 2**31, -(2**31), 2**31 - 1, 2**63 - 1)
        return Bounded(choice.choice(ends), choice.choice(ends))
    return any_attribute(choice)


def hints(choice: random.Random) -> Hints:
    """Hints, known and unknown, of right and wrong kinds."""
    entries = {}
    for _ in range(choice.randrange(3)):
        entries[choice.choice(ARCHITECTURES[:-1])] = {
            choice.choice(KEYS): number(choice) if choice.random() < 0.5 else any_attribute(choice)
            for _ in range(choice.randrange(3))
        }
    return Hints(entries)


def attribute_value(site: Site) -> str | None:
    """An attribute of the op gets another value."""
    version = site.bytecode.version
    slots = [slot for slot in site.op.spec.attributes if slot.since <= version]
    if not slots:
        return None
    slot = site.choice.choice(slots)
    old = site.op.attributes.get(slot.name)
    new = _other(site, slot, old)
    if repr(new) == repr(old):
        return None
    site.op.attributes[slot.name] = new
    return f"{slot.name}: {str(old)[:60]} becomes {str(new)[:60]}"


def attribute_pair(site: Site) -> str | None:
    """Two attributes at once, for rules that tie them together."""
    if len(site.op.spec.attributes) < 2:
        return None
    parts = [part for part in (attribute_value(site), attribute_value(site)) if part]
    return "; ".join(parts) or None


def _other(site: Site, slot: Attribute, old: object) -> object:
    choice, node = site.choice, slot.node
    if node is None:
        return not old
    if slot.optional and old is not None and choice.random() < 0.4:
        return None
    if isinstance(node, EnumValue):
        return choice.choice([case.name for case in node.enum.cases])
    if node is ATTRIBUTE:
        return predicate(choice)
    if node is ATTRIBUTE_LIST:
        return _identities(choice, old if isinstance(old, tuple) else ())
    if node is DICTIONARY:
        return hints(choice)
    if node is STRING_INDEX:
        names = [item.name for item in (*site.bytecode.functions, *site.bytecode.globals)]
        return choice.choice((*TEXTS, *names))
    if node is CONSTANT_INDEX:
        return _constant(choice, old)
    if node is BOOL_LIST:
        return _list(choice, old, (False, True))
    if node is INT_LIST:
        return _list(choice, old, (0, 1, 2, 3, 7, 1 << 31))
    if isinstance(node, Bool):
        return not old
    if isinstance(node, VarInt):
        return choice.choice(NUMBERS[:6] if choice.random() < 0.6 else NUMBERS)
    return old


def _list(choice: random.Random, old: object, items: tuple) -> tuple:
    old = tuple(old or ())
    steps = [lambda: (*old, choice.choice(items)), lambda: old[:-1], lambda: ()]
    if old:
        at = choice.randrange(len(old))
        steps += [
            lambda: (*old[:at], choice.choice(items), *old[at + 1 :]),
            lambda: tuple(choice.sample(old, len(old))),
        ]
    return choice.choice(steps)()


def _identities(choice: random.Random, old: tuple) -> tuple:
    made = list(old)
    kind = choice.randrange(4)
    if kind == 0 and made:
        made.pop()
    elif kind == 1 or not made:
        made.append(made[-1] if made else zero(Scalar(choice.choice(SCALARS))))
    else:
        at = choice.randrange(len(made))
        before = getattr(made[at], "type", I32)
        made[at] = zero(other_scalar(choice, before)) if kind == 2 else any_attribute(choice)
    return tuple(made)


def _constant(choice: random.Random, old: Constant) -> Constant:
    data = bytes(old.data)
    steps = (
        lambda: data + data[:1],
        lambda: data[:-1],
        lambda: data * 2,
        lambda: b"\0",
        lambda: bytes(len(data) * choice.choice((3, 4, 8))),
        lambda: b"",
        lambda: bytes(choice.randrange(256) for _ in data),
        lambda: bytes(old.type.size * 4),
    )
    return Constant(old.type, choice.choice(steps)()[:4096])


CHANGES = (attribute_value, attribute_pair)
