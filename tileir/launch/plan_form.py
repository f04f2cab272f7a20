"""Whether a launch plan that was read from somewhere has the form of a plan.

A launcher computes addresses from it, so a plan that nobody checked could make it read and write
outside of the arguments. What the entries mean is explained in `tileir.codegen.nvptx.plan`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from tileir.formats.forks import not_forking
from tileir.gpus import is_name

from .roles_form import ROLES, roles_fit, roles_of_plan
from .stored_values import Form, conforms, element_of, is_element

_MOST_BYTES = 32764
"""Bytes that the parameters of a kernel may have in any version of PTX."""
_MOST_THREADS = 1024
_MAP_BYTES, _MAP_ALIGNMENT = 128, 64
_MAP_ELEMENTS = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "tf32"}
_MOST_DIMENSIONS = 5
_SWIZZLES = (0, 32, 64, 128)
"""The facts of cuTensorMapEncodeTiled."""
_MOST = (1 << 63) - 1


def _text(pattern: str) -> Callable[[object], bool]:
    whole = re.compile(pattern, re.ASCII)
    return lambda value: isinstance(value, str) and whole.fullmatch(value) is not None


def _is_integer(value: object) -> bool:
    return type(value) is int and abs(value) < 1 << 64


def _is_positive(value: object) -> bool:
    return conforms(value, int) and value != 0


def _is_size(value: object) -> bool:
    """Whether a value is a number, or one that an argument gives."""
    return conforms(value, int) or conforms(value, _OF_PARAMETER)


def _three(least: int, most: int = _MOST) -> Callable[[Any], bool]:
    """Return whether a value is one number for each of x, y and z."""

    def fits(value: Any) -> bool:
        return conforms(value, [int]) and len(value) == 3 and all(least <= n <= most for n in value)

    return fits


def _maybe(form: Form) -> Callable[[object], bool]:
    return lambda value: value is None or conforms(value, form)


_OF_PARAMETER: Form = {"parameter": int, "times": _is_integer, "plus": _is_integer}
_LAUNCHED: dict[str, Form] = {
    "entry": _text(r"[A-Za-z_$%][\w$]*"),
    "block": _three(1, _MOST_THREADS),
    "dynamic_shared_memory": int,
}
_LAUNCH: dict[str, Form] = {
    **_LAUNCHED,
    "schema": int,
    "target": is_name,
    "ptx_target": is_name,
    "parameters": [
        {
            "index": int,
            "type": is_element,
            "size": int,
            "offset": int,
            "divisible_by": _is_positive,
            "written": bool,
        }
    ],
    "cluster": _three(1, _MOST_THREADS),
    "heap": int,
    "grid": lambda value: conforms(value, [str]) and sorted(value) == ["x", "y", "z"],
    "grid_scale": _three(1),
    "grid_limits": _three(0),
    "asserts": bool,
    "tensor_maps": [
        {
            "offset": int,
            "size": int,
            "element": lambda value: isinstance(value, str) and value in _MAP_ELEMENTS,
            "base": _is_size,
            "extents": [_is_size],
            "strides": [_is_size],
            "box": [_is_positive],
            "swizzle": lambda value: _is_integer(value) and value in _SWIZZLES,
        }
    ],
    "guard": [
        {
            "parameter": int,
            "times": _is_integer,
            "plus": _is_integer,
            "divisible_by": _is_positive,
            "at_least": _is_integer,
            "at_most": _is_integer,
        }
    ],
    "twin": _maybe(_LAUNCHED),
}
"""Entry of a plan that launchers read -> its form."""

_REASON: Form = {"reason": str, "why": str}
_MOVED: Form = {
    "tile": str,
    "source": str,
    "tensor_map": _maybe(int),
    "reason": _maybe(str),
    "why": str,
}
_EXPLAINED: dict[str, Form] = {
    "ptx_version": _text(r"\d+\.\d+"),
    "runs_on": {"capability": [int], "later": bool},
    "overlaps_grids": bool,
    "roles": [{"name": str, "first": int, "warps": int, "working": int, "registers": int}],
    "one_role": _maybe(_REASON),
    "serial_products": _maybe(_REASON),
    "copies": [_MOVED],
    "stores": [_MOVED],
    "contract": dict,
    **ROLES,
}
"""Entry that no launch needs -> its form. Other releases may not have it."""


def check_plan(plan: Any) -> None:
    """Raise ValueError for what is no launch plan, or contradicts itself.

    The message is what is wrong with it, to stand behind "has". Entries that this release does not
    know may be anything.
    """
    if not isinstance(plan, dict):
        raise ValueError("no launch plan")
    for name, form in _LAUNCH.items():
        if name not in plan or not conforms(plan[name], form):
            raise ValueError(f"no valid {name!r}")
    for name, form in _EXPLAINED.items():
        if name in plan and not conforms(plan[name], form):
            raise ValueError(f"no valid {name!r}")
    end = _end_of(plan["parameters"])
    elements = [element_of(row["type"]) for row in plan["parameters"]]
    if not roles_fit(roles_of_plan(plan, elements), elements):
        raise ValueError("arrays that its parameters cannot be")
    for number, recipe in enumerate(plan["tensor_maps"]):
        _check_map(recipe, number, end)
    sizes = [*plan["guard"], *(each for recipe in plan["tensor_maps"] for each in _sizes(recipe))]
    if any(each["parameter"] >= len(plan["parameters"]) for each in sizes):
        raise ValueError("a size of a parameter that is none")
    blocks = [plan["block"], plan["cluster"], *([plan["twin"]["block"]] if plan["twin"] else [])]
    if any(prod(extents) > _MOST_THREADS for extents in blocks):
        raise ValueError("too large a block or cluster")


def _end_of(parameters: list[dict[str, Any]]) -> int:
    """Return where parameters end, which must be where they lie naturally aligned."""
    with not_forking:
        from tileir.codegen.scalar.sizes import memory_bytes

    end = 0
    for index, row in enumerate(parameters):
        size = memory_bytes(element_of(row["type"]))
        offset = -(-end // size) * size
        if (row["index"], row["offset"], row["size"]) != (index, offset, size):
            raise ValueError("parameters where they cannot be")
        end = offset + size
    if end > _MOST_BYTES:
        raise ValueError("too many parameters")
    return end


def _check_map(recipe: dict[str, Any], number: int, end: int) -> None:
    """Raise ValueError for a recipe that does not fit its place or itself."""
    offset = -(-end // _MAP_ALIGNMENT) * _MAP_ALIGNMENT + number * _MAP_BYTES
    placed = (recipe["offset"], recipe["size"]) == (offset, _MAP_BYTES)
    rank = len(recipe["extents"])
    fits = 0 < rank <= _MOST_DIMENSIONS and len(recipe["box"]) == rank == len(recipe["strides"]) + 1
    if not placed or not fits or offset + _MAP_BYTES > _MOST_BYTES:
        raise ValueError("a tensor map that cannot be")


def _sizes(recipe: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a recipe takes from arguments."""
    sizes = [recipe["base"], *recipe["extents"], *recipe["strides"]]
    return [each for each in sizes if isinstance(each, dict)]
