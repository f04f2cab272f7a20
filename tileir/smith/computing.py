"""Recipes of ops that only compute: which numbers they may be given, how exact results are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tileir.builder.calls import python_name
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import NO_MEMORY_EFFECT, PURE
from tileir.formats.version import V13_4
from tileir.ir import Value
from tileir.tools.sampler.draft import Draft
from tileir.tools.sampler.rows import rows
from tileir.types import Pointer, Scalar

from . import data
from .data import Domain
from .drafting import SmallPool, Source, drafted
from .elements import PACKED, dtype, pointee
from .features import FEATURES
from .scene import Scene
from .tolerance import EXACT, Tolerance


def _computes(spec) -> bool:
    slots = [*spec.operands, *spec.results]
    tiles = all(getattr(slot.type, "elements", None) for slot in slots)
    return spec.effects in (PURE, NO_MEMORY_EFFECT) and tiles and not spec.regions


ELSEWHERE = {"get_global", "get_tile_block_id", "get_num_tile_blocks"}
NAMES = [
    spec.mnemonic
    for spec in OPS
    if spec.in_body and not spec.terminator and _computes(spec) and spec.mnemonic not in ELSEWHERE
]
"""Ops from tiles to tiles."""

# Operands -----------------------------------------------------------------------------------------


def _shift(draft: Draft, number: int) -> Domain:
    return data.between(0, draft.type("rhs").element.bits - 1)


def _dividend(draft: Draft, number: int) -> Domain:
    return data.above_lowest if draft.attributes["signedness"] == "signed" else data.anything


def _to_integer(draft: Draft, number: int) -> Domain:
    if draft.attributes["saturating"]:
        return data.anything
    bits = draft.type("to").element.bits
    is_signed = draft.attributes["signedness"] == "signed"
    return data.inside(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else data.inside(
        0, (1 << bits) - 1
    )  # fmt: skip


def _to_float(draft: Draft, number: int) -> Domain:
    names = {"f8E8M0FNU": data.positive, "f4E2M1FN": data.numbers_only}
    return names.get(draft.type("to").element.name, data.anything)


def _slices(draft: Draft, number: int) -> int:
    """How many slices there are along a dimension."""
    whole, part = ("source", "result") if draft.type("destination") is None else (
        "destination", "source",
    )  # fmt: skip
    return draft.type(whole).shape[number] // draft.type(part).shape[number]


def _slice(draft: Draft, number: int) -> Domain:
    return data.between(0, _slices(draft, number) - 1)


def _factor(draft: Draft, number: int) -> Domain:
    return data.between(-2, 2) if draft.attributes["whole"] else data.units


def _scale(draft: Draft, number: int) -> Domain:
    return data.powers


def _approximated(draft: Draft, number: int) -> Domain:
    fast = draft.attributes["rounding_mode"] in ("approx", "full")
    calm = {"divf": data.moderate, "sqrt": data.moderate, "exp": data.between(-10, 10)}
    return calm.get(draft.spec.mnemonic, data.anything) if fast else data.anything


def _address(draft: Draft, number: int) -> Domain:
    return data.between(0, 1 << 47)


DOMAINS: dict[str, dict[str, Callable[[Draft, int], Domain]]] = {
    "divf": {"lhs": _approximated, "rhs": _approximated},
    "divi": {"lhs": _dividend, "rhs": lambda draft, number: data.nonzero},
    "exp": {"source": _approximated},
    "extract": {"indices": _slice},
    "ftof": {"from": _to_float},
    "ftoi": {"from": _to_integer},
    "insert": {"indices": _slice},
    "int_to_ptr": {"source": _address},
    "mmaf": {"lhs": _factor, "rhs": _factor, "acc": _factor},
    "mmaf_scaled": {
        "lhs": _factor, "rhs": _factor, "acc": _factor, "lhs_scale": _scale, "rhs_scale": _scale,
    },
    "offset": {"offset": lambda draft, number: data.between(-64, 63)},
    "remi": {"rhs": lambda draft, number: data.nonzero},
    "shli": {"rhs": _shift},
    "shri": {"rhs": _shift},
    "sqrt": {"source": _approximated},
}  # fmt: skip
"""Op -> operand slot -> what numbers have a meaning there; others take anything."""

# Results ------------------------------------------------------------------------------------------

STEPS = {"f16": 1, "bf16": 1, "f32": 2, "f64": 4}
"""How far a function may be off, in steps between neighbouring floats of its type."""

APPROXIMATE = {"divf": 2, "exp": 128, "sqrt": 2, "tanh": 1 << 13}
"""The same for the fast modes of f32: bounds of PTX's approximations, for operands as above."""


def tolerance(draft: Draft) -> Tolerance:
    """How far the results of an op may be from the model's."""
    name, type = draft.spec.mnemonic, next(iter(draft.types[draft.results[0].name]))
    flushed = bool(draft.attributes.get("flush_to_zero"))
    mode = draft.attributes.get("rounding_mode")
    if mode == "approx" or (mode, name) == ("full", "divf"):
        return Tolerance(APPROXIMATE[name], flushed=flushed)
    if name in FEATURES["functions"]:
        return Tolerance(STEPS[type.element.name], flushed=flushed)
    if name in ("mmaf", "mmaf_scaled") and not draft.attributes["whole"]:
        length = draft.type("lhs").shape[-1]
        digits = {"f16": 10, "f32": 23, "f64": 52}[type.element.name]
        largest = 1 if name == "mmaf" else 6 * 16
        return Tolerance(difference=(length + 2) * (length * largest + 1) * 2.0**-digits)
    return replace(EXACT, flushed=flushed)


def _domain(draft: Draft, slot: str, number: int, latest: np.ndarray | None) -> Domain:
    """Where the numbers of an operand come from; `latest` are those of the one before."""
    special = DOMAINS.get(draft.spec.mnemonic, {}).get(slot)
    if special is not None:
        return special(draft, number)
    type = draft.types[slot][number]
    plain = isinstance(type.element, Scalar) and type.element.name not in PACKED
    if plain and latest is not None and (latest.dtype, latest.size) == (
        dtype(type.element), type.size,
    ):  # fmt: skip
        return data.related(latest)
    return data.anything


# Recipes ------------------------------------------------------------------------------------------


def compute(scene: Scene, name: str) -> None:
    """An op on random types: on values that are there, where it gives all of them a meaning."""
    draws, draft = scene.draws, _draft(scene, name)
    draft.attributes["whole"] = draws.chance(50)
    types = [type for slot in draft.operands for type in draft.types[slot.name]]
    results = [type for slot in draft.results for type in draft.types[slot.name]]
    bent = not scene.alone and draws.chance(70) and _bend(draft)
    named = {python_name(slot.name): draft.attributes[slot.name] for slot in draft.spec.attributes}
    for slot in draft.operands:
        values = [
            _operand(scene, draft, slot.name, number, bent)
            for number in range(len(draft.types[slot.name]))
        ]
        one = values[0] if values else None
        named[python_name(slot.name)] = values if slot.arity == "many" else one
    made: Any = scene.kernel.op(draft.spec, (), {**named, "results": results})
    pointers = [type for type in types if isinstance(type.element, Pointer)]
    for value in made if isinstance(made, tuple) else (made,):
        if pointers:
            is_address = isinstance(value.type.element, Pointer)
            address = scene.kernel.ptr_to_int(value) if is_address else value
            scene.keep(scene.distance(address, pointee(pointers[0].element).name))
        else:
            scene.result(value, tolerance(draft))


def _draft(scene: Scene, name: str) -> Draft:
    """Types and attributes; products are larger now and then, as tensor cores have them."""
    pool = scene.pool
    if name in PRODUCTS and not scene.alone and scene.draws.chance(40):
        pool = SmallPool(pool.version, scene.draws, LARGEST_PRODUCT)
    source = Source(scene.draws, pool, scene.visible, rows=rows(pool.version))
    draft = drafted(source, BY_NAME[name])
    while name == "offset" and pointee(draft.type("ptr").element).name in PACKED:
        draft = drafted(source, BY_NAME[name])  # nobody says how far half a byte is
    return draft


def _operand(scene: Scene, draft: Draft, slot: str, number: int, bent: bool) -> Value:
    name, type = draft.spec.mnemonic, draft.types[slot][number]
    special = DOMAINS.get(name, {}).get(slot)
    if scene.alone or (special is None and not _tame(draft)):
        return scene.load(type, _domain(draft, slot, number, scene.latest))
    if special is None or (bent and slot not in BENT[name]) or scene.wild:
        return scene.value(type)
    if bent:
        return BENT[name][slot](scene, draft, number, scene.value(type))
    return scene.load(type, special(draft, number))


def _tame(draft: Draft) -> bool:
    """Whether the op does not tell one NaN from another, nor one address."""
    types = [type for found in draft.types.values() for type in found]
    if any(isinstance(type.element, Pointer) for type in types):
        return False
    return draft.spec.mnemonic not in ("bitcast", "pack") or types[0].element.is_integer


def _bend(draft: Draft) -> bool:
    """Whether operands of any numbers can be changed so that the op has a meaning for them."""
    name = draft.spec.mnemonic
    if name == "ftoi":
        if draft.pool.version < V13_4:
            return False
        draft.attributes["saturating"] = True
    return name in BENT and (name not in DIVISIONS or draft.type("rhs").element.bits > 1)


def _odd(scene: Scene, draft: Draft, number: int, value: Value) -> Value:
    """Odd and positive."""
    positive = scene.masked(value, (1 << (value.type.element.bits - 1)) - 1)
    one = scene.number(1, value.type.element.name)
    return scene.kernel.ori(positive, scene.spread(one, value.type.shape))


def _short(scene: Scene, draft: Draft, number: int, value: Value) -> Value:
    """Less than there are bits."""
    return scene.masked(value, value.type.element.bits - 1)


def _piece(scene: Scene, draft: Draft, number: int, value: Value) -> Value:
    """The number of a slice along a dimension."""
    return scene.masked(value, _slices(draft, number) - 1)


DIVISIONS = ("divi", "remi")
PRODUCTS = ("mmaf", "mmaf_scaled", "mmai")
LARGEST_PRODUCT = 4096
"""Elements of a tile that is multiplied."""

BENT: dict[str, dict[str, Callable[[Scene, Draft, int, Value], Value]]] = {
    "divi": {"rhs": _odd},
    "extract": {"indices": _piece},
    "ftoi": {},
    "insert": {"indices": _piece},
    "remi": {"rhs": _odd},
    "shli": {"rhs": _short},
    "shri": {"rhs": _short},
}
"""Op -> operand slot -> what makes a number of it for which the op has a meaning."""

RECIPES: dict[str, Callable[[Scene], None]] = {name: partial(compute, name=name) for name in NAMES}
"""Op -> what adds it to a kernel."""
