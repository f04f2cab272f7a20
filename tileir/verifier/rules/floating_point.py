"""Rules about floating-point arithmetic and the matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.ir import Op
from tileir.types import Tile
from tileir.verifier.catalogue import rule
from tileir.verifier.wording import quoted, sizes

ACCUMULATORS = {
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
    "i8": ("i32",),
}
"""Element type of the operands lhs and rhs of an mma -> element types of its accumulator."""

BLOCKS = {
    ("f8E4M3FN", "f8E8M0FNU"): (32,),
    ("f8E5M2", "f8E8M0FNU"): (32,),
    ("f4E2M1FN", "f8E8M0FNU"): (16, 32),
    ("f4E2M1FN", "f8E4M3FN"): (16,),
    ("f4E2M1FN", "fnv8E5M3FNU"): (16, 32),
}
"""Element types of lhs and of its scales -> numbers of neighbours along K that share a scale."""


@rule("f32-only", having="flush_to_zero", hint="leave it out, or convert to f32")
def _flush(op: Op) -> str | None:
    """flush_to_zero is for f32 only: no other type has instructions that do it."""
    element = op.result.type.element
    if not op.attributes["flush_to_zero"] or element.name == "f32":
        return None
    return f"flush_to_zero modifier only supported for f32 data type, but got: {quoted(element)}"


@rule("approx-f32-only", "divf", "exp", "sqrt", "tanh", hint="leave it out, or convert to f32")
def _approx(op: Op) -> str | None:
    """The fast modes of divf (approx, full), exp, sqrt and tanh (approx) are for f32 only."""
    mode, element = op.attributes["rounding_mode"], op.result.type.element
    fast = mode == "approx" or (mode == "full" and op.name == "divf")
    if not fast or element.name == "f32":
        return None
    return f"{mode} modifier only supported for f32 data type, but got: {quoted(element)}"


@rule("mma-shape", "mmaf", "mmai", "mmaf_scaled")
def _mma_shape(op: Op) -> str | None:
    """A matrix product is MxK by KxN plus MxN, all of rank 2, or of rank 3 with one batch in
    front."""
    lhs, rhs, acc = (op.operands[name].type for name in ("lhs", "rhs", "acc"))
    if lhs.rank not in (2, 3):
        return "operands must be 2D or 3D tiles"
    batch = lhs.rank - 2
    batches = (("lhs", lhs, 0, "rhs", rhs, 0), ("lhs", lhs, 0, "acc", acc, 0)) if batch else ()
    pairs = (
        ("lhs", lhs, batch + 1, "rhs", rhs, batch),
        ("lhs", lhs, batch, "acc", acc, batch),
        ("rhs", rhs, batch + 1, "acc", acc, batch + 1),
    )
    return _mismatch((*batches, *pairs))


def _mismatch(pairs: Sequence[tuple[str, Tile, int, str, Tile, int]]) -> str | None:
    for name, one, at, other_name, other, there in pairs:
        if one.shape[at] != other.shape[there]:
            return (
                f"shape error: dim {at} of {name} ({one.shape[at]}) and dim {there} of "
                f"{other_name} ({other.shape[there]}) must match, but got {name} shape "
                f"{_shape(one)} and {other_name} shape {_shape(other)}"
            )
    return None


def _shape(type: Tile) -> str:
    return f"({sizes(type.shape)})"


@rule("mma-scale", "mmaf_scaled")
def _scales(op: Op) -> str | None:
    """The scales of lhs are M x K/V and those of rhs K/V x N, with the same batch: V neighbours
    along K share one. V is 32 for f8; for f4E2M1FN it is 16 or 32, and 16 with f8E4M3FN scales."""
    lhs, rhs = op.operands["lhs"].type, op.operands["rhs"].type
    scale, other = op.operands["lhs_scale"].type, op.operands["rhs_scale"].type
    batch = lhs.rank - 2
    batches = [("lhs", lhs, 0, "lhs_scale", scale, 0), ("rhs", rhs, 0, "rhs_scale", other, 0)]
    pairs = [
        *(batches if batch else ()),
        ("lhs", lhs, batch, "lhs_scale", scale, batch),
        ("rhs", rhs, batch + 1, "rhs_scale", other, batch + 1),
        ("lhs_scale", scale, batch + 1, "rhs_scale", other, batch),
    ]
    wrong = _mismatch(pairs)
    if wrong:
        return wrong
    inner, scales = lhs.shape[batch + 1], scale.shape[batch + 1]
    if inner % scales:
        return (
            f"shape error: dim {batch + 1} of lhs_scale ({scales}) must be a divisor of dim "
            f"{batch + 1} of lhs ({inner}), but got lhs_scale shape {_shape(scale)} and lhs shape "
            f"{_shape(lhs)}"
        )
    blocks = BLOCKS.get((lhs.element.name, scale.element.name))
    if blocks is None or inner // scales in blocks:
        return None
    due = " or ".join(map(str, blocks))
    kind = lhs.element.name if lhs.element.bits < 8 else "f8"
    scaled = f" with {scale.element.name} scales" if lhs.element.bits < 8 else ""
    return (
        f"shape error: {kind} element type{scaled} requires block scale factor of lhs_scale and "
        f"rhs_scale to be {due}, but got {inner // scales}"
    )


@rule("mma-types", "mmaf", "mmaf_scaled")
def _mma_types(op: Op) -> str | None:
    """A matrix product has few combinations of types: f16 and f8 sum in f16 or f32, bf16, tf32 and
    f32 in f32, f64 in f64. Scaled products take f8 with f8E8M0FNU scales, and f4E2M1FN with
    f8E8M0FNU, f8E4M3FN or fnv8E5M3FNU scales."""
    operand = op.operands["lhs"].type.element.name
    if op.name == "mmaf":
        accumulator, legal = op.operands["acc"].type.element.name, ACCUMULATORS[operand]
        if accumulator in legal:
            return None
        spelled = ", ".join(f"'{name}'" for name in legal)
        return (
            f"unsupported combination of element types. Input type '{operand}' expects "
            f"accumulator/result type to be one of {{{spelled}}}, but got '{accumulator}'"
        )
    scale = op.operands["lhs_scale"].type.element.name
    if (operand, scale) in BLOCKS:
        return None
    legal = [f"'{name}'" for name, with_scale in BLOCKS if with_scale == scale]
    return (
        f"unsupported combination of element types. Scale type '{scale}' expects lhs and rhs "
        f"element types to be {' or '.join(legal)}, but got '{operand}'"
    )
