"""Rules about memory ops: ordering and scope, pointers, tokens."""

from __future__ import annotations

from tileir.formats.ops.spec import TileOf
from tileir.ir import Op
from tileir.verifier.catalogue import rule
from tileir.verifier.wording import quoted

LARGEST = (1 << 63) - 1
"""The largest count or alignment, which NVIDIA reads as signed numbers of 64 bits."""


@rule("memory-scope", having="memory_scope")
def _scope(op: Op) -> str | None:
    """A weak access has no scope, because nobody may race with it; any other order needs one, which
    says among which threads it holds: tl_blk, device or sys."""
    if not op.spec.attribute("memory_scope").optional:
        return None
    kind = "store" if "store" in op.name else "load"
    order, scope = op.attributes["memory_ordering_semantics"], op.attributes["memory_scope"]
    if order == "weak":
        return None if scope is None else f"weak {kind} must not have memory scope"
    return f"memory scope is required for {order} {kind}" if scope is None else None


@rule(
    "multicast",
    *("load_ptr_tko", "store_ptr_tko", "atomic_cas_tko", "atomic_rmw_tko"),
    hint="use a multimem op, or ptr_to_ptr to a pointer without the attribute",
)
def _multicast(op: Op) -> str | None:
    """Multicast memory is not loaded from or stored to one replica at a time: the multimem ops
    work on all of them."""
    name = next(
        slot.name
        for slot in op.spec.operands
        if isinstance(slot.type, TileOf) and slot.type.elements == ("ptr",)
    )
    if op.operands[name].type.element.attribute != "multicast":
        return None
    if op.name.startswith("atomic"):
        return f"multicast pointer is not supported for {op.name.removesuffix('_tko')}"
    return "multicast pointer is not allowed"


@rule("alloca-alignment", "alloca")
def _alloca(op: Op) -> str | None:
    """The alignment of an alloca is a power of two and at least the size of an element; neither it
    nor the number of elements reaches 2^63."""
    for name in ("num_elem", "alignment"):
        if op.attributes[name] > LARGEST:
            return (
                f"attribute '{name}' failed to satisfy constraint: 64-bit signless integer "
                "attribute whose minimum value is 0"
            )
    alignment, element = op.attributes["alignment"], op.result.type.pointee
    if alignment <= 0 or alignment & (alignment - 1):
        return "'alignment' must be power of two"
    natural = natural_size(element.bits)
    if alignment < natural:
        return (
            f"'alignment' ({alignment}) must be at least the natural size ({natural} bytes) for "
            f"element type {quoted(element)}"
        )
    return None


def natural_size(bits: int) -> int:
    """Return the bytes that NVIDIA's verifier counts for an element; tf32 has three."""
    return (bits + 7) // 8


@rule("join-tokens", "join_tokens", hint="use the token itself")
def _join(op: Op) -> str | None:
    """join_tokens makes one token of two or more; one alone needs no joining."""
    return "expect two or more tokens" if len(op.operands["tokens"]) < 2 else None
