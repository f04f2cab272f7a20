"""The launch plans of a package: they have what a launch needs, each of its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.errors import PackageError
from tileir.launch.plan_form import check_plan
from tileir.launch.stored_values import element_of
from tileir.messages.texts import display
from tileir.types import Element


def check_plans(plans: object, name: str, ptx_target: str) -> dict[str, Any]:
    """Return the plans of a member, by symbol; PackageError if one lacks what a launch needs."""
    if not isinstance(plans, dict):
        raise PackageError(f"{name}: no launch plans by their entries")
    for symbol, plan in plans.items():
        where = f"{name}: {display(symbol)}"
        try:
            check_plan(plan)
        except ValueError as problem:
            raise PackageError(f"{where} has {problem}") from None
        if plan["ptx_target"] != ptx_target:
            raise PackageError(f"{where}: the plan and the manifest have different targets")
    return plans


def elements(plan: Mapping[str, Any]) -> list[Element]:
    """Return the element types of an entry's parameters, in order."""
    return [element_of(row["type"]) for row in plan["parameters"]]
