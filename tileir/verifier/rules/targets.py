"""What GPUs have: which element types and ops are native, and which tileiras accepts for them.

Two facts for each element type or op and each target: whether the hardware has it, which is what
our own code for GPUs goes by, and whether tileiras 13.5 compiles it (what it refuses is a warning
here). Both are the same in every GPU but those listed, the second as found by running tileiras.
"""

from __future__ import annotations

from dataclasses import dataclass

from tileir.errors import UnsupportedError
from tileir.ir import Op
from tileir.messages.wording import did_you_mean
from tileir.types import FunctionType, Pointer, Scalar, TensorView, Tile, Token, Type
from tileir.verifier.catalogue import WARNING, declare

GPUS = (
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_107",
    "sm_110", "sm_120", "sm_121",
)  # fmt: skip
HOST = "host"
TILEIRAS = GPUS[1:]
"""The GPUs that tileiras compiles for."""

_ADA = GPUS[GPUS.index("sm_89") :]
_BLACKWELL = GPUS[GPUS.index("sm_100") :]
_HOPPER = GPUS[GPUS.index("sm_90") :]


@dataclass(frozen=True, slots=True)
class Support:
    """One element type or feature: the GPUs that have it, and those tileiras compiles it for."""

    native: tuple[str, ...]
    accepted: tuple[str, ...]


ELEMENTS = {
    "f8E4M3FN": Support(_ADA, _ADA),
    "f8E5M2": Support(_ADA, _ADA),
    "f8E8M0FNU": Support(_BLACKWELL, _BLACKWELL),
    "f4E2M1FN": Support(_BLACKWELL, _BLACKWELL),
    "fnv8E5M3FNU": Support(("sm_107",), ("sm_107",)),
}
"""Element type -> where it is; every GPU has those that are not here."""

MULTICAST = Support(_HOPPER, ("sm_100", "sm_103", "sm_107"))
"""Multicast pointers: what works on all replicas of memory at once. PTX has `multimem` from sm_90
on."""

ADD_BF16 = Support(_HOPPER, _ADA)
"""Atomic addition of bf16."""

GATE = declare(
    "tileiras-gate",
    "NVIDIA's compiler tileiras 13.5 refuses this for the GPU asked about: f8E4M3FN and f8E5M2 "
    "before sm_89; f8E8M0FNU and f4E2M1FN before sm_100; fnv8E5M3FNU except on sm_107; multicast "
    "pointers except on sm_100, sm_103 and sm_107; atomic addition of bf16 before sm_89. It does "
    "not have sm_75 at all, which is taken for sm_80. That says nothing of `tileir compile`, which "
    "does all of it some other way where the hardware lacks it, except for the ops on multicast "
    "memory before sm_90.",
    severity=WARNING,
)


def check_target(target: str) -> None:
    """Raise UnsupportedError for a target that nobody knows."""
    if target != HOST and target not in GPUS:
        known = (HOST, *GPUS)
        meant = did_you_mean(target, known) if isinstance(target, str) else ""
        raise UnsupportedError(f"unknown target {target!r}{meant}; known are {', '.join(known)}")


def gate(op: Op, target: str) -> str | None:
    """That tileiras refuses an op for a target, and its words; None if it does not.

    Of a GPU before those that it has, what it says of the first.
    """
    if target == HOST:
        return None
    known = target if target in TILEIRAS else TILEIRAS[0]
    reason = _reason(op, known)
    if not reason:
        return None
    who = "refuses this" if known == target else f"has no {target}, and refuses this for {known}"
    return f"tileiras 13.5 {who}: Incompatibility with architecture '{known}': {reason}"


def _reason(op: Op, target: str) -> str | None:
    for value in (*op.operand_list(), *op.results):
        type = value.type
        element, attribute = _element(type)
        support = ELEMENTS.get(element)
        if support and target not in support.accepted:
            return f"unsupported type '{element}'"
        if attribute == "multicast" and target not in MULTICAST.accepted:
            *most, last = MULTICAST.accepted
            return f"multicast pointers require {' or '.join((*most, last))}"
    adds = op.attributes.get("mode") == "addf" and op.name.startswith("atomic")
    if adds and target not in ADD_BF16.accepted:
        slot = "arg" if op.name == "atomic_rmw_tko" else "value"
        if _element(op.operands[slot].type)[0] == "bf16":
            return "atomicRMW ADDF with bf16 is not supported"
    return None


def _element(type: Type) -> tuple[str, str | None]:
    """The element type that a value is made of, and what kind of address it holds."""
    match type:
        case Tile(element=Pointer() as pointer):
            return pointer.pointee.name, pointer.attribute
        case Tile(element=Scalar(name=name)):
            return name, None
        case TensorView():
            return type.element.name, type.attribute
        case Token() | Scalar() | Pointer() | FunctionType():
            return "", None
    return type.view.element.name, type.view.attribute
