"""Rules about assumptions and printing."""

from __future__ import annotations

import re

from tileir.attributes import Bounded, DivBy, SameElements, spell
from tileir.ir import Op
from tileir.types import Pointer, TensorView, Tile, Type, ValueType
from tileir.verifier.catalogue import rule

LARGEST_DIVISOR = 1 << 62
CONVERSION = re.compile(
    r"%(?:(%)|[^diuoxXeEfFgGaAcsSpn%]*(?:[diuoxXeEfFgGaAcsSpn]|(?=%)|(\Z)))", re.S
)
"""A percent sign, and either a second one, or everything up to the letter that ends a conversion.

In NVIDIA's count, the next percent sign also ends a conversion, and begins the next one; the end of
the text does not end one.
"""


@rule("assumption", "assume")
def _assume(op: Op) -> str | None:
    """div_by is about tiles of integers or pointers and about tensor views; its divisor is a power
    of two up to 2^62, and `every`, `along` go together and fit a tile. same_elements is about tiles
    of integers or pointers, with a group size for each dimension. bounded is about tiles of
    integers, and its bounds are ordered and fit the type."""
    type, predicate = op.operands["value"].type, op.attributes["predicate"]
    match predicate:
        case DivBy():
            return _div_by(type, predicate)
        case SameElements():
            return _same_elements(type, predicate)
        case Bounded():
            return _bounded(type, predicate)
    return f"{spell(predicate)} is no assumption"


def _div_by(type: ValueType, predicate: DivBy) -> str | None:
    name, divisor = "'cuda_tile.div_by'", predicate.divisor
    every, along = predicate.every, predicate.along
    if not isinstance(type, TensorView) and not countable(type):
        return f"{name} is valid only for tile of integer/pointer or tensor_view values"
    if divisor > LARGEST_DIVISOR:
        return f"{name} divisor is too large"
    if divisor <= 0 or divisor & (divisor - 1):
        return f"{name} divisor must be a power of 2"
    if (every is None) != (along is None):
        return f"{name} 'every'/'along' must be used in combination"
    if every is None or along is None:
        return None
    if isinstance(type, TensorView) or not type.rank:
        what = "tensor_view" if isinstance(type, TensorView) else "0D tile"
        return f"{name} 'every'/'along' cannot be used if the constrained value is a {what}"
    if not 0 <= along < type.rank:
        return f"{name} every_dim ({along}) must be >= 0 and < tile rank ({type.rank})"
    if not 0 <= every <= type.shape[along]:
        return (
            f"expected {name} every_dim to be within 0 and the size of the respective dimension "
            f"({type.shape[along]})"
        )
    return None


def _same_elements(type: ValueType, predicate: SameElements) -> str | None:
    name, groups = "'cuda_tile.same_elements'", predicate.groups
    if not countable(type):
        return f"{name} is valid only for tile of integer/pointer values"
    if len(groups) != type.rank:
        return (
            f"expected number of values in {name} ({len(groups)}) to match rank of constrained "
            f"tile ({type.rank})"
        )
    for group, size in zip(groups, type.shape, strict=True):
        if not 0 <= group <= size:
            return f"expected value in {name} to be within 0 and the size of the dimension ({size})"
    return None


def _bounded(type: ValueType, predicate: Bounded) -> str | None:
    name, lower, upper = "'cuda_tile.bounded'", predicate.lower, predicate.upper
    if not countable(type) or isinstance(type.element, Pointer):
        return f"{name} is valid only for tile of integer values"
    half = 1 << (type.element.bits - 1)
    for which, bound in (("lower", lower), ("upper", upper)):
        if bound is not None and not -half <= bound < half:
            return f"{name} expects {which} bound to be within [{-half}, {half - 1}]"
    if lower is not None and upper is not None and lower > upper:
        return f"{name} expects lower bound to be less than or equal to upper bound"
    return None


def countable(type: Type) -> bool:
    """Whether a type is a tile of integers or pointers."""
    if not isinstance(type, Tile):
        return False
    if isinstance(type.element, Pointer):
        return True
    return type.element.is_integer


@rule("print-format", "print_tko")
def _print(op: Op) -> str | None:
    """The format of a print has one conversion for each value, each ended by a letter that printf
    knows; %% is a percent sign."""
    conversions = 0
    for match in CONVERSION.finditer(op.attributes["str"]):
        if match[2] is not None:
            return "found unterminated format expression"
        conversions += match[1] is None
    count = len(op.operands["args"])
    if conversions != count:
        return f"incorrect number of operands: expected {conversions}, found {count}"
    return None
