"""Decide how each thread makes the accesses of an op: the attributes that the block IR adds.

They follow from what is known statically (divisors and bounds, contiguity of pointers, masks), from
the layout in which the op works, and from the GPU. Emission only reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from tileir.bytecode import Bytecode
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.memory_ops import is_weak
from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.machine import red_forms
from tileir.codegen.nvptx.reasons import Decision, Reason, Reasons
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.ops import Family, family_of, is_multimem
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.gpus import Target
from tileir.ir import Op, Value
from tileir.messages.wording import counted
from tileir.types import View

from .pointer_facts import pointer_vectors, pointers_of
from .view_facts import (
    ACCESS_BYTES,
    always_whole,
    inner_dim,
    stores_halves,
    vector_in,
    vector_limits,
)

Attributes = dict[str, Any]

_LOADS = (Family.MULTIMEM_LOAD, Family.POINTER_LOAD, Family.VIEW_LOAD)
_PAIR_BITS = 16
"""Bits of the elements of which multicast memory is accessed in pairs, which fill a word."""
_WORD = 32


@dataclass(frozen=True, slots=True)
class HalfStores:
    """Whether a kernel stores halves of bytes: others may access the same byte at that time."""

    any: bool

    @classmethod
    def of(cls, kernel: KernelIR) -> HalfStores:
        """Analyse a kernel."""
        facts = kernel.facts(Divisibility)
        stores = (op for op in kernel.walk() if op.name == "store_view_tko")
        return cls(any(stores_halves(op, facts) for op in stores))


def access_attributes(
    op: Op, layout: LinearLayout, state: KernelState, target: Target
) -> Attributes:
    """Return the attributes that an op of Tile IR gets when it becomes one of the block IR.

    `layout` is the one that it will work in. There are none for most ops.
    """
    rule = _RULES.get(op.name)
    return rule(op, layout, state, target) if rule else {}


def copy_attributes(load: Op, layout: LinearLayout, facts: Divisibility) -> Attributes:
    """Return the attributes of a `copy_async` that makes a load of a view, with these threads."""
    inbounds = load.attributes["inbounds"] or [False] * len(load.operands["view"].type.tile)
    return {
        "threads": layout,
        **_vectors_in_view(load, layout, facts, ACCESS_BYTES),
        "inbounds": tuple(map(int, inbounds)),
        "short": _short(load, facts),
    }


def fits_32_bits(view: Value, facts: Divisibility) -> bool:
    """Whether 32 bits suffice for the byte offsets of all elements of a view's tensor."""
    largest, kind = 0, cast("View", view.type)
    for dim in dimensions(kind):
        extent, stride = facts_of_extent(view, dim, facts), facts_of_stride(view, dim, facts)
        if not extent.not_negative or not stride.not_negative:
            return False
        largest += max(extent.upper - 1, 0) * stride.upper
    return largest * memory_bytes(kind.view.element) < 1 << _WORD


def _short(op: Op, facts: Divisibility) -> tuple[int, ...]:
    """Return 1 for each dimension in which signed numbers of 32 bits suffice for the extent of the
    tensor, and for where the tiles of an access start."""
    view, fitting = op.operands["view"], []
    pairs = zip(dimensions(view.type), steps(view.type), op.operands["index"], strict=True)
    for dim, step, index in pairs:
        extent, number = facts_of_extent(view, dim, facts), facts[index]
        known = extent.not_negative and number.not_negative
        fitting.append(known and max(extent.upper, number.upper * step) < 1 << _WORD - 1)
    return tuple(map(int, fitting))


# Views ------------------------------------------------------------------------------------------


def _view(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    facts, element = state.kernel.facts(Divisibility), op.operands["view"].type.view.element
    widest = ACCESS_BYTES
    if is_multimem(op):
        widest = 2 if element.bits == _PAIR_BITS else 1
    return {
        **_vectors_in_view(op, layout, facts, widest, state.reasons[Decision.ACCESS_BYTES]),
        **_any_access(op, layout, state),
    }


def _load_or_store(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    packed = is_packed(op.operands["view"].type.view.element)
    strong = packed and state.kernel.facts(HalfStores).any
    return {**_view(op, layout, state, target), "strong": strong}


def _red_view(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    facts, widest = (
        state.kernel.facts(Divisibility),
        _widest_update(op, state, target, wanted=False),
    )
    return {
        **_vectors_in_view(op, layout, facts, widest, state.reasons[Decision.ACCESS_BYTES]),
        **_any_access(op, layout, state),
        **_update(op, target, wanted=False),
    }


def _vectors_in_view(
    op: Op,
    layout: LinearLayout,
    facts: Divisibility,
    widest: int,
    reasons: Reasons | None = None,
) -> Attributes:
    """Return vector, along, whole and narrow of a view op; `widest` is the longest vector.

    In `reasons`, note why its vectors are not as long as they can be.
    """
    view, inner, vector = op.operands["view"], inner_dim(op.operands["view"], facts), 1
    shape = view.type.tile
    limits = [(widest, Reason("instruction", counted(widest, "element")))]
    if inner is None:
        inner = len(shape) - 1
        limits = [*vector_limits(op, facts)]
    elif widest > 1:
        limits += vector_limits(op, facts)
        limits.append(_in_layout(layout, shape, inner))
    vector, why = min(limits, key=lambda limit: limit[0])
    if reasons is not None and memory_bytes(view.type.view.element) * vector < ACCESS_BYTES:
        reasons.add(op, why)
    vector = max(vector, 1)
    inbounds = op.attributes["inbounds"]
    inside = bool(inbounds) and bool(inbounds[inner])
    return {
        "vector": vector,
        "along": inner,
        "whole": inside or always_whole(view, inner, vector, facts),
        "narrow": fits_32_bits(view, facts),
    }


def _in_layout(layout: LinearLayout, shape: tuple[int, ...], dim: int) -> tuple[int, Reason]:
    """Return how many neighbours a thread has, as a limit."""
    neighbours = vector_in(layout, shape, dim)
    return neighbours, Reason("layout", counted(neighbours, "element"))


# Pointers ---------------------------------------------------------------------------------------


def _pointer(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    return _through_pointers(op, layout, state, ACCESS_BYTES)


def _compare(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    return _through_pointers(op, layout, state, widest=1)


def _read_modify_write(
    op: Op, layout: LinearLayout, state: KernelState, target: Target
) -> Attributes:
    wanted = bool(state.assignment.required_in(op.results[0]))
    return {
        **_through_pointers(op, layout, state, _widest_update(op, state, target, wanted)),
        **_update(op, target, wanted),
    }


def _through_pointers(op: Op, layout: LinearLayout, state: KernelState, widest: int) -> Attributes:
    """Return the attributes of an access through pointers; `widest` is the longest vector."""
    shape = pointers_of(op).type.shape
    inner, vector, masked, run = max(len(shape) - 1, 0), 1, 1, 1
    vectors = pointer_vectors(op, state.kernel)
    why = Reason("not_adjacent")
    if vectors is not None:
        inner = vectors.inner
        vector, why = min(
            (vectors.elements, vectors.reason),
            _in_layout(layout, shape, inner),
            (widest, Reason("instruction", counted(widest, "element"))),
            key=lambda limit: limit[0],
        )
        masked = min(vectors.masked, vector)
        run = vectors.run if layout.is_permutation else vector
    if memory_bytes(pointers_of(op).type.pointee) * vector < ACCESS_BYTES:
        state.reasons[Decision.ACCESS_BYTES].add(op, why)
    return {
        "vector": vector,
        "along": inner,
        "masked": masked,
        "run": run,
        **_any_access(op, layout, state),
    }


# Both -------------------------------------------------------------------------------------------


def _any_access(op: Op, layout: LinearLayout, state: KernelState) -> Attributes:
    """Return owner and generic. A weak load may be made by all threads that hold copies."""
    repeatable = family_of(op) in _LOADS and is_weak(op)
    return {
        "owner": bool(layout.replicas) and not repeatable,
        "generic": bool(state.variables.offsets),
    }


def _widest_update(op: Op, state: KernelState, target: Target, wanted: bool) -> int:
    """Return how many neighbours one instruction updates; `wanted`: the old ones have uses."""
    return red_forms.widest(op, target, wanted, in_global=not state.variables.offsets)


def _update(op: Op, target: Target, wanted: bool) -> Attributes:
    value = op.operands["value" if op.name == "atomic_red_view_tko" else "arg"]
    adds = op.attributes["mode"] == "addf" and value.type.element.name == "bf16"
    by_cas = adds and not target.has("red bf16")
    return {"red": red_forms.is_red(op, wanted), "by_cas": by_cas}


# Ops that are no accesses -----------------------------------------------------------------------


def _offset(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    facts, half = state.kernel.facts(Divisibility)[op.operands["offset"]], 1 << _WORD - 1
    return {"narrow": -half <= facts.lower and facts.upper < half}


def _global(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    variables = cast("Bytecode", state.kernel.bytecode).globals
    names = [variable.name for variable in variables]
    return {"symbol": f"tileir$global{names.index(op.attributes['name'])}"}


def _grid(op: Op, layout: LinearLayout, state: KernelState, target: Target) -> Attributes:
    return {"clusters": state.contract.blocks > 1 and state.rank is None}


_RULES: dict[str, Callable[[Op, LinearLayout, KernelState, Target], Attributes]] = {
    "atomic_cas_tko": _compare,
    "atomic_red_view_tko": _red_view,
    "atomic_rmw_tko": _read_modify_write,
    "get_global": _global,
    "get_num_tile_blocks": _grid,
    "get_tile_block_id": _grid,
    "load_ptr_tko": _pointer,
    "load_view_tko": _load_or_store,
    "multimem_load_reduce_view_tko": _view,
    "multimem_reduce_view_tko": _view,
    "multimem_store_view_tko": _view,
    "offset": _offset,
    "store_ptr_tko": _pointer,
    "store_view_tko": _load_or_store,
}
"""Mnemonic -> the attributes that are added."""
