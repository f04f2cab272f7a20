"""Roles of parameters in launch plans and caches: their form, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tileir.types import Element, Pointer, Scalar

from .roles import Roles, untold
from .stored_values import Form, conforms


def _is_number(value: object) -> bool:
    return value is None or (type(value) is int and abs(value) < 1 << 64)


def _is_divisor(value: object) -> bool:
    return type(value) is int and 0 < value < 1 << 63


def _are_sizes(value: object) -> bool:
    size: Form = {
        "parameter": lambda each: each is None or conforms(each, int),
        "constant": _is_number,
    }
    return value is None or conforms(value, [size])


ROLES: dict[str, Form] = {
    "arrays": [{"parameter": int, "shape": _are_sizes, "strides": _are_sizes}],
    "assumed": [
        {"divisible_by": _is_divisor, "at_least": _is_number, "at_most": _is_number, "read": bool}
    ],
}
"""The form of what `Roles.to_json` returns."""


def are_roles(value: Any) -> bool:
    """Whether a value has the form of what `Roles.to_json` returns."""
    return conforms(value, ROLES)


def roles_fit(roles: Roles, elements: Sequence[Element]) -> bool:
    """Whether roles are those of parameters of these types."""
    pointers = [n for n, element in enumerate(elements) if isinstance(element, Pointer)]
    if len(roles.assumed) != len(elements) or [r.parameter for r in roles.arrays] != pointers:
        return False
    integers = {
        n for n, each in enumerate(elements) if isinstance(each, Scalar) and each.is_integer
    }
    sized = {size.parameter for role in roles.arrays for *_, size in role.sizes}
    ranks = all(
        (role.shape is None) == (role.strides is None)
        and len(role.shape or ()) == len(role.strides or ())
        for role in roles.arrays
    )
    return ranks and sized <= {None, *integers}


def roles_of_plan(plan: Mapping[str, Any], elements: Sequence[Element]) -> Roles:
    """Return the roles in a launch plan; plans made by hand may leave them out."""
    return Roles.from_json(plan) if "arrays" in plan and "assumed" in plan else untold(elements)


def written_of_plan(plan: Mapping[str, Any]) -> frozenset[int]:
    """Return the numbers of the parameters through which the kernel of a plan may write."""
    return frozenset(row["index"] for row in plan["parameters"] if row.get("written"))
