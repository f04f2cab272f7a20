"""Extended-precision arithmetic: add, sub and mad that take or set the carry flag.

The flag is in a register that no operand names; `blocks.py` adds it to the operands, as the last
result and the last source.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.table import value
from tileir.codegen.emulator.ptx.types import width

from .integers import high


def _sum(a: Any, b: Any, carry: Any) -> tuple[Any, Any]:
    total = a + b
    result = total + carry.astype(a.dtype)
    return result, (total < a) | (result < total)


def _difference(a: Any, b: Any, borrow: Any) -> tuple[Any, Any]:
    result = a - b - borrow.astype(a.dtype)
    return result, (a < b) | ((a == b) & borrow)


def _product(half: str, signed: bool) -> Any:
    """Return the function for the lower or upper half of a product."""

    def multiply(a: Any, b: Any) -> Any:
        if half == "lo":
            return a * b
        if not signed:
            return high(a, b)
        kind = f"i{a.dtype.itemsize}"
        return high(a.view(kind), b.view(kind)).view(a.dtype)

    return multiply


def chained(match: re.Match[str]) -> Any:
    """`add`, `sub` and `mad` with carry; signed and unsigned numbers differ only in `mad.hi`."""
    groups = match.groupdict()
    operation = _difference if groups["o"] == "sub" else _sum
    takes, gives = bool(groups["takes"]), bool(groups["gives"])
    unsigned = f"u{width(groups['t'])}"
    product = _product(groups["half"], groups["t"][0] == "s") if groups.get("half") else None

    def run(*operands: Any) -> Any:
        numbers: Any = [each.view(unsigned) for each in operands[: 3 if product else 2]]
        if product:
            numbers = [product(*numbers[:2]), numbers[2]]
        added = operands[-1] if takes else np.bool_(False)
        result, carry = operation(numbers[0], numbers[1], added)
        return (result, carry) if gives else result

    return run


for _takes, _gives, _results, _last in (
    ("", ".cc", "t pred", ""),
    ("c", ".cc", "t pred", " pred"),
    ("c", "", "t", " pred"),
):
    _flags = f"(?P<takes>{_takes})", f"(?P<gives>{_gives})"
    value(
        f"(?P<o>add|sub){_flags[0]}{_flags[1]}.(?P<t>[su](32|64))",
        f"{_results} = t t{_last}",
        chained,
    )
    value(
        f"(?P<o>mad){_flags[0]}.(?P<half>lo|hi){_flags[1]}.(?P<t>[su](32|64))",
        f"{_results} = t t t{_last}",
        chained,
    )
