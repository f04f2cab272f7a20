"""The launch plans of a package: they have what a launch needs, each of its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tileir.errors import PackageError
from tileir.messages.texts import display
from tileir.types import Element, Pointer, Scalar


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_three(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


_NEEDED: dict[str, Callable[[Any], bool]] = {
    "schema": _is_number,
    "entry": _is_text,
    "target": _is_text,
    "ptx_target": _is_text,
    "parameters": _are_rows,
    "block": _are_three,
    "cluster": _are_three,
    "dynamic_shared_memory": _is_number,
    "heap": _is_number,
    "grid": lambda value: isinstance(value, list) and sorted(map(str, value)) == ["x", "y", "z"],
    "grid_scale": _are_three,
    "grid_limits": _are_three,
    "asserts": lambda value: isinstance(value, bool),
    "tensor_maps": _are_rows,
    "guard": _are_rows,
    "twin": lambda value: value is None or isinstance(value, dict),
}
"""Entry of a plan -> whether a value is one of that entry."""

_PARAMETER: dict[str, Callable[[Any], bool]] = {
    "type": lambda value: element(value) is not None,
    "offset": _is_number,
    "size": _is_number,
    "divisible_by": _is_number,
    "written": lambda value: isinstance(value, bool),
}
"""The same for a row of a parameter."""


def check_plans(plans: object, name: str, ptx_target: str) -> dict[str, Any]:
    """Return the plans of a member, by symbol; PackageError if one lacks what a launch needs."""
    if not isinstance(plans, dict):
        raise PackageError(f"{name}: no launch plans by their entries")
    for symbol, plan in plans.items():
        where = f"{name}: {display(symbol)}"
        if not isinstance(plan, dict):
            raise PackageError(f"{where}: no launch plan")
        _check(plan, _NEEDED, where)
        for row in plan["parameters"]:
            _check(row, _PARAMETER, f"{where}: a parameter")
        if plan["ptx_target"] != ptx_target:
            raise PackageError(f"{where}: the plan and the manifest have different targets")
    return plans


def elements(plan: Mapping[str, Any]) -> list[Element]:
    """Return the element types of an entry's parameters, in order."""
    found = [element(row["type"]) for row in plan["parameters"]]
    return [each for each in found if each is not None]


def element(text: object) -> Element | None:
    """Return an element type, given its text: ``f32``, ``ptr<f32>``; None for what is none."""
    if not isinstance(text, str):
        return None
    if not text.startswith("ptr<") or not text.endswith(">"):
        return _scalar(text)
    pointee, _, attribute = text[len("ptr<") : -1].partition(", <")
    scalar = _scalar(pointee)
    return None if scalar is None else Pointer(scalar, attribute.rstrip(">") or None)


def _scalar(name: str) -> Scalar | None:
    scalar = Scalar(name)
    try:
        return scalar if scalar.bits else None
    except KeyError:
        return None


def _check(row: Mapping[str, Any], needed: Mapping[str, Callable], where: str) -> None:
    for name, fits in needed.items():
        if name not in row or not fits(row[name]):
            raise PackageError(f"{where} has no valid {name!r}")
