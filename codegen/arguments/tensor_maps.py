"""Tensor maps of a launch: the recipes and the guard of its plan, with the arguments' numbers.

What the entries mean is explained in `tileir.codegen.nvptx.plan`. Every launcher goes through
`entry_for` and `tensor_maps`, and then encodes the maps as its machine wants them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tileir.errors import LaunchError

Plan = Mapping[str, Any]
Packed = bytes | bytearray


class TensorMap(NamedTuple):
    """The numbers of a tensor map. Dimensions are listed innermost first."""

    element: str
    base: int
    extents: tuple[int, ...]
    """In elements."""
    strides: tuple[int, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    swizzle: int
    """In bytes, 0 for none."""


def entry_for(shown: str, plan: Plan, packed: Packed) -> Plan:
    """Return the plan to launch with these arguments: this one, or that of the twin entry.

    `packed` has each argument at its offset. LaunchError if the guard fails and there is no twin.
    """
    failed = next(filter(None, (_failed(plan, packed, each) for each in plan.get("guard", ()))), "")
    if not failed:
        return plan
    if plan.get("twin") is None:
        raise LaunchError(f"{shown}: {failed}, and it has no entry without tensor maps")
    return {**plan, **plan["twin"], "tensor_maps": [], "guard": [], "twin": None}


def _failed(plan: Plan, packed: Packed, condition: Mapping[str, Any]) -> str:
    """Return what is wrong with an argument; "" if a condition of the guard holds."""
    number = _number(plan, packed, condition)
    divisor, least, most = (condition[name] for name in ("divisible_by", "at_least", "at_most"))
    if number % divisor == 0 and least <= number <= most:
        return ""
    row = plan["parameters"][condition["parameter"]]
    wanted = f"a multiple of {divisor} from {least} to {most}"
    given = f"gives {number}" if condition["times"] != 1 or condition["plus"] else f"is {number}"
    return f"parameter {row['index']} ({row['type']}) {given}, where tensor maps need {wanted}"


def tensor_maps(plan: Plan, packed: Packed) -> list[TensorMap]:
    """Return the tensor maps of a launch whose guard holds, in the order of the recipes."""
    return [
        TensorMap(
            recipe["element"],
            _number(plan, packed, recipe["base"]),
            tuple(_number(plan, packed, each) for each in recipe["extents"]),
            tuple(_number(plan, packed, each) for each in recipe["strides"]),
            tuple(recipe["box"]),
            recipe["swizzle"],
        )
        for recipe in plan.get("tensor_maps", ())
    ]


def _number(plan: Plan, packed: Packed, size: int | Mapping[str, Any]) -> int:
    """Return a number of a recipe: a constant, or what it makes of an argument."""
    if isinstance(size, int):
        return size
    row = plan["parameters"][size["parameter"]]
    data = packed[row["offset"] : row["offset"] + row["size"]]
    argument = int.from_bytes(data, "little", signed=not row["type"].startswith("ptr"))
    return argument * size["times"] + size["plus"]
