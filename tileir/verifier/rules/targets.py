"""The rule about ops that tileiras 13.5 refuses for a GPU: a warning, with its messages.

Which GPU it refuses them for is in the rows of `tileir.gpus`, as measured by running tileiras.
"""

from __future__ import annotations

from typing import cast

from tileir.gpus import GATED, HOST, TARGETS, TILEIRAS, unknown
from tileir.ir import Op
from tileir.types import FunctionType, Pointer, Scalar, TensorView, Tile, Token, Type, View
from tileir.verifier.catalogue import WARNING, declare

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
    """Raise UnsupportedError for an unknown target."""
    if not isinstance(target, str) or (target != HOST and target not in TARGETS):
        raise unknown(target, (HOST, *TARGETS))


def gate(op: Op, target: str) -> str | None:
    """Return the warning that tileiras refuses an op for a target; None if it does not.

    For a GPU that is older than those of tileiras, it is the answer for its oldest one.
    """
    if target == HOST:
        return None
    gpu = TARGETS[target].gpu
    known = gpu if gpu in TILEIRAS else TILEIRAS[0]
    reason = _reason(op, known)
    if not reason:
        return None
    who = "refuses this" if known == gpu else f"has no {gpu}, and refuses this for {known}"
    return f"tileiras 13.5 {who}: Incompatibility with architecture '{known}': {reason}"


def _reason(op: Op, gpu: str) -> str | None:
    for value in (*op.operand_list(), *op.results):
        type = value.type
        element, attribute = _element(type)
        if element in GATED and not _compiles(gpu, element):
            return f"unsupported type '{element}'"
        if attribute == "multicast" and not _compiles(gpu, "multicast"):
            *most, last = (name for name in TILEIRAS if _compiles(name, "multicast"))
            return f"multicast pointers require {' or '.join((*most, last))}"
    adds = op.attributes.get("mode") == "addf" and op.name.startswith("atomic")
    if adds and not _compiles(gpu, "add bf16"):
        slot = "arg" if op.name == "atomic_rmw_tko" else "value"
        if _element(op.operands[slot].type)[0] == "bf16":
            return "atomicRMW ADDF with bf16 is not supported"
    return None


def _compiles(gpu: str, what: str) -> bool:
    accepted = TARGETS[gpu].tileiras
    return accepted is not None and what in accepted


def _element(type: Type) -> tuple[str, str | None]:
    """Return the name of a value's element or pointee type, and the pointer's attribute."""
    match type:
        case Tile(element=Pointer() as pointer):
            return pointer.pointee.name, pointer.attribute
        case Tile(element=Scalar(name=name)):
            return name, None
        case TensorView():
            return type.element.name, type.attribute
        case Token() | Scalar() | Pointer() | FunctionType():
            return "", None
    view = cast("View", type).view
    return view.element.name, view.attribute
