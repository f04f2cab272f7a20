"""Random values of attributes: those of the slot's layout, except the ones that its op cannot have.

`NAMED` has the slots whose values depend on types or on each other, by their names, which mean the
same in every op; `LAYOUTS` has the rest, by their layout in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from tileir.attributes import Bounded, DivBy, FloatAttribute, IntegerAttribute, SameElements
from tileir.formats.attributes import BOOL_LIST, CONSTANT_INDEX, DICTIONARY, STRING_INDEX
from tileir.formats.leaves import Bool, EnumValue
from tileir.formats.ops.spec import Attribute
from tileir.ir.constants import Constant, element_size
from tileir.types import Pointer, Scalar, TensorView, Tile
from tileir.verifier.rules.conversions import roundings
from tileir.verifier.rules.miscellaneous import LARGEST_DIVISOR

from .draft import Draft
from .draws import Draws

LARGEST_ARRAY = 64
"""The most elements of a tile whose constant may have different ones."""

ARCHITECTURES = ("default", "sm_80", "sm_90", "sm_100", "sm_120")

SIGNS = "abcdefghijklmnopqrstuvwxyz ABCXYZ_0123456789.,:;+-*/!?#$&()[]{}<>'\"\\\n\tßλ火"


def attribute(draft: Draft, slot: Attribute) -> object:
    """Draw a value for a slot of an op whose types are known; None leaves it out."""
    if slot.name in draft.attributes:
        return draft.attributes[slot.name]
    if slot.since > draft.pool.version:
        return None
    if slot.name in NAMED:
        return NAMED[slot.name](draft, slot)
    if slot.optional and not draft.draws.chance(40):
        return None
    if slot.node is None:
        return True
    if isinstance(slot.node, EnumValue):
        return draft.draws.pick(cases(draft, slot))
    for node, value in LAYOUTS:
        if slot.node is node or (isinstance(node, type) and isinstance(slot.node, node)):
            return value(draft)
    raise LookupError(f"{draft.spec.mnemonic}: {slot.name} has a layout nobody draws")


def cases(draft: Draft, slot: Attribute) -> list[str]:
    """Return the cases of an enum that a slot admits in this version."""
    known = slot.node.enum.cases if isinstance(slot.node, EnumValue) else ()
    admitted = [case for case in known if case.since <= draft.pool.version]
    return [case.name for case in admitted if case.name in slot.cases]


# By layout ----------------------------------------------------------------------------------------


def text(draws: Draws, most: int = 12) -> str:
    """Draw a few characters, some of which need escapes or several bytes."""
    return "".join(draws.pick(SIGNS) for _ in range(draws.below(most + 1)))


def hints(draws: Draws, names: dict[str, Callable[[], object]]) -> dict[str, dict]:
    """Draw hints of some names for some architectures."""
    return {
        architecture: {name: value() for name, value in names.items() if draws.chance(60)}
        for architecture in draws.shuffled(ARCHITECTURES)[: draws.below(3)]
    }


def _access_hints(draft: Draft) -> dict[str, dict]:
    names: dict[str, Callable[[], object]] = {"latency": lambda: draft.draws.between(1, 10)}
    if any(slot.name == "view" for slot in draft.spec.operands):
        names["allow_tma"] = lambda: draft.draws.chance(50)
    return hints(draft.draws, names)


def pattern(draws: Draws, element: Scalar) -> int:
    """Draw the bits of one element: small numbers and limits as often as any others."""
    drawn = draws.bits(element.bits)
    if draws.chance(50):
        return drawn
    ones = (1 << element.bits) - 1
    return draws.pick((0, 1, ones, ones >> 1, ones ^ ones >> 1, drawn & 0xF & ones))


def number(draws: Draws, element: Scalar) -> IntegerAttribute | FloatAttribute:
    """Draw a number of an element type."""
    kind = IntegerAttribute if element.is_integer else FloatAttribute
    return kind(element, pattern(draws, element))


def constant(draws: Draws, type: Tile) -> Constant:
    """Draw a constant of a type: one element for all, or every element if there are few."""
    element, size = type.element, type.size
    splat = size > LARGEST_ARRAY or draws.chance(50)
    bits = [pattern(draws, element) for _ in range(1 if splat else size)]
    if element.name != "i1":
        width = element_size(element)
        return Constant(type, b"".join(one.to_bytes(width, "little") for one in bits))
    packed = sum(bit << index for index, bit in enumerate(bits))
    if splat:
        packed = (1 << min(size, 8)) - 1 if bits[0] else 0
    return Constant(type, packed.to_bytes(1 if splat else (size + 7) // 8, "little"))


LAYOUTS: tuple[tuple[object, Callable[[Draft], object]], ...] = (
    (Bool, lambda draft: draft.draws.chance(50)),
    (STRING_INDEX, lambda draft: text(draft.draws)),
    (DICTIONARY, _access_hints),
    (CONSTANT_INDEX, lambda draft: constant(draft.draws, draft.type("result"))),
    (BOOL_LIST, lambda draft: [draft.draws.chance(30) for _ in draft.types["index"]]),
)


# By name ------------------------------------------------------------------------------------------


def _element(draft: Draft) -> str:
    """Return the element type that the op works on."""
    return draft.type(draft.operands[0].name).element.name


def _flush_to_zero(draft: Draft, slot: Attribute) -> bool | None:
    return True if _element(draft) == "f32" and draft.draws.chance(40) else None


def _rounding_mode(draft: Draft, slot: Attribute) -> str:
    if draft.spec.mnemonic == "ftof":
        legal = roundings(draft.type("from").element, draft.type("to").element)
    else:
        fast = ("approx", "full") if _element(draft) != "f32" else ()
        legal = [case for case in slot.allowed if case == slot.default or case not in fast]
    return draft.draws.pick([case for case in cases(draft, slot) if case in legal])


def _rounding(draft: Draft, slot: Attribute) -> str:
    unsigned = draft.attributes["signedness"] == "unsigned"
    legal = [case for case in cases(draft, slot) if not unsigned or case != "negative_inf"]
    return draft.draws.pick(legal)


def _memory_scope(draft: Draft, slot: Attribute) -> str | None:
    weak = draft.attributes["memory_ordering_semantics"] == "weak"
    return None if slot.optional and weak else draft.draws.pick(cases(draft, slot))


def _identities(draft: Draft, slot: Attribute) -> list[object]:
    return [number(draft.draws, type.element) for type in draft.types["operands"]]


def _format(draft: Draft, slot: Attribute) -> str:
    """Draw a format string: a conversion for each value, with text around them."""
    parts = [text(draft.draws, 4)]
    for type in draft.types["args"]:
        integer = isinstance(type.element, Scalar) and type.element.is_integer
        conversion = "%" + draft.draws.pick("dixXu" if integer else "fegG")
        parts += [conversion, "%%" if draft.draws.chance(10) else "", text(draft.draws, 4)]
    return "".join(parts)


def _predicate(draft: Draft, slot: Attribute) -> DivBy | SameElements | Bounded:
    draws, type = draft.draws, draft.type("value")
    if isinstance(type, TensorView):
        return DivBy(draws.power(LARGEST_DIVISOR.bit_length() - 1))
    kinds = ["div_by", "same_elements"]
    if not isinstance(type.element, Pointer):
        kinds.append("bounded")
    match draws.pick(kinds):
        case "div_by":
            divisor, every, along = draws.power(LARGEST_DIVISOR.bit_length() - 1), None, None
            if type.rank and draws.chance(60):
                along = draws.below(type.rank)
                every = draws.between(0, type.shape[along])
            return DivBy(divisor, every, along)
        case "same_elements":
            return SameElements(tuple(draws.between(0, size) for size in type.shape))
    half = 1 << (cast("Scalar", type.element).bits - 1)
    bounds = sorted(draws.below(2 * half) - half for _ in range(2))
    return Bounded(*(bound if draws.chance(70) else None for bound in bounds))


NAMED: dict[str, Callable[[Draft, Attribute], object]] = {
    "flush_to_zero": _flush_to_zero,
    "identities": _identities,
    "memory_scope": _memory_scope,
    "predicate": _predicate,
    "rounding": _rounding,
    "rounding_mode": _rounding_mode,
    "str": _format,
}
