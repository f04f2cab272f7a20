"""Constants that are computed with, each against the model: the same bits, or nothing is done.

Every op that is folded is asked for on the numbers at which it could go wrong: the least and the
largest of a type, zeros of both signs, subnormal numbers, infinities, NaN, all attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import numpy as np
import pytest

from tests.lab.model.elements import bits, of_bits
from tests.lab.model.machine import PURE
from tests.lab.model.undefined import Undefined
from tileir.builder import Module
from tileir.errors import BuildError
from tileir.formats.ops import BY_NAME
from tileir.ir import Op
from tileir.rewrite.canonical.arithmetic import BITWISE, FLOATS, INTEGERS
from tileir.rewrite.canonical.conversions import CONVERSIONS
from tileir.types import Scalar, Tile

WHOLE = ("i1", "i8", "i16", "i32", "i64")
REAL = ("f16", "bf16", "f32", "f64")
TYPES = {
    **dict.fromkeys(INTEGERS, WHOLE),
    **dict.fromkeys(BITWISE, WHOLE),
    **dict.fromkeys(FLOATS, REAL),
    "bitcast": (*WHOLE, *REAL),
    "exti": WHOLE,
    "ftof": REAL,
    "ftoi": REAL,
    "itof": WHOLE,
    "trunci": WHOLE,
}
"""Types that are asked about."""
TO = {
    "bitcast": (*WHOLE, *REAL),
    "exti": WHOLE,
    "trunci": WHOLE,
    "itof": REAL,
    "ftoi": WHOLE,
    "ftof": (*REAL, "f8E4M3FN", "f8E5M2", "f8E8M0FNU"),
}
"""Types that are converted to."""

FOLDS = INTEGERS | BITWISE | FLOATS | CONVERSIONS
ATTRIBUTES = {
    "overflow": ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"),
    "signedness": ("signed", "unsigned"),
    "rounding": ("zero", "negative_inf", "positive_inf"),
    "comparison_predicate": ("equal", "not_equal", "less_than", "greater_than_or_equal"),
    "comparison_ordering": ("ordered", "unordered"),
    "rounding_mode": ("nearest_even", "zero", "negative_inf", "nearest_int_to_zero"),
    "saturating": (False, True),
}


def numbers(element: Scalar, few: bool) -> list[int]:
    """Patterns at which an op could go wrong; only some of them for ops of several operands."""
    width = element.bits
    if element.is_integer:
        least = 1 << width - 1
        ends = [0, 1, 3, width, least - 1, least, 2 * least - 1]
        return sorted({each & (2 * least - 1) for each in ends})
    fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element.name]
    sign, top = 1 << width - 1, (1 << width - 1) - (1 << fraction)  # which is infinity
    one = (top >> 1) & ~((1 << fraction) - 1)
    some = [0, 1, one, one + (3 << fraction - 1), top, top + (1 << fraction - 1), sign, sign | one]
    if few:
        return some
    return [*some, 1 << fraction, top - 1, top + 1, sign | 1, sign | top, sign | one + 1]


def choices(name: str) -> Iterator[dict[str, object]]:
    """The attributes that an op may have."""
    slots = [slot.name for slot in BY_NAME[name].attributes if slot.name in ATTRIBUTES]
    for values in product(*(ATTRIBUTES[slot] for slot in slots)):
        yield dict(zip(slots, values, strict=True))


def ops(name: str) -> Iterator[Op]:
    """The op on constants, in each type and with all attributes."""
    arity = len(BY_NAME[name].operands)
    for from_, to in product(TYPES[name], TO.get(name, ("",))):
        for given in choices(name):
            kernel, types = Module().function("k"), [from_] * arity
            types[0] = "i1" if name == "select" else from_
            values = [
                kernel.constant(0.0 if Scalar(type).is_float else 0, result=Tile(Scalar(type), ()))
                for type in types
            ]
            result = {"result": Tile(Scalar(to), ())} if to else {}
            with suppress(BuildError):  # no such op
                yield kernel.op(BY_NAME[name], values, {**given, **result}).owner


def expected(op: Op, row: tuple[int, ...]) -> int | None:
    """The bits that the model computes; None where there are none."""
    arrays = [
        of_bits(np.asarray(each, object), value.type.element)
        for each, value in zip(row, op.operand_list(), strict=True)
    ]
    with np.errstate(all="ignore"):
        try:
            made = np.asarray(PURE[op.name](op, *arrays))
        except (Undefined, OverflowError):
            return None
    return int(bits(made, op.result.type.element)[()])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FOLDS)
def test_constants_are_what_the_model_computes(name: str) -> None:
    asked = folded = 0
    for op in ops(name):
        elements = [value.type.element for value in op.operand_list()]
        if name in INTEGERS and elements[0].bits < 8:
            continue
        step = max(1, len(elements) - 1)
        known = [numbers(element, len(elements) > 1)[::step] for element in elements]
        for row in product(*known):
            asked += 1
            made = FOLDS[name](op, *row)
            if made is not None:
                folded += 1
                assert made == expected(op, row), f"{op.attributes} {elements} {row}"
    assert folded > asked / 8, (folded, asked)
