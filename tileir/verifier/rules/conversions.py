"""Rules about conversions: their pairs of element types, and the rounding modes of each pair."""

from __future__ import annotations

from tileir.ir import Op
from tileir.types import Scalar
from tileir.verifier.catalogue import rule
from tileir.verifier.wording import quoted

WIDENING = ("nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away")
NARROWING = ("nearest_even", "zero")
TO_TF32 = ("nearest_even", "zero", "nearest_away")
TO_SCALE = ("zero", "positive_inf")
IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")
TO_BYTE = ("nearest_even",)

COUNTED_AS_NARROWING = {
    "f8E8M0FNU": ("f16", "bf16", "f32", "tf32"),
    "fnv8E5M3FNU": ("f16",),
}
"""Element type -> wider types to which NVIDIA's verifier counts a conversion as narrowing."""


def roundings(source: Scalar, to: Scalar) -> tuple[str, ...]:
    """Return the rounding modes that ftof has from one element type to another."""
    pair = (source.name, to.name)
    if to.name == "f8E8M0FNU":
        return TO_SCALE
    if to.bits <= 8:
        return TO_BYTE
    if pair == ("f32", "tf32"):
        return TO_TF32
    if pair == ("f64", "f32"):
        return IEEE
    if source.bits >= to.bits or to.name in COUNTED_AS_NARROWING.get(source.name, ()):
        return NARROWING
    return WIDENING


SENTENCES = {
    TO_SCALE: (
        "invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and "
        "'positive_inf' are supported"
    ),
    TO_BYTE: (
        "invalid rounding mode specified for conversion to low-precision type. Only "
        "'nearest_even' is supported"
    ),
    TO_TF32: (
        "invalid rounding mode specified for conversion from f32 to tf32. Only 'nearest_even', "
        "'zero', and 'nearest_away' are supported"
    ),
    NARROWING: (
        "invalid rounding mode specified. Only 'nearest_even' and 'zero' are supported for "
        "narrowing conversions to standard types"
    ),
    IEEE: (
        "invalid rounding mode specified for conversion from f64 to f32. Only 'nearest_even', "
        "'zero', 'negative_inf', and 'positive_inf' are supported"
    ),
    WIDENING: (
        "invalid rounding mode specified for widening conversion. Only IEEE float rounding modes "
        "are supported: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'nearest_away'"
    ),
}
"""Legal rounding modes of a pair of types -> the message about another mode."""


@rule("bitcast-width", "bitcast")
def _bitcast(op: Op) -> str | None:
    """A bitcast is between numbers of one width. tf32 has 19 bits here, f4E2M1FN has 4."""
    source, result = op.operands["source"].type, op.result.type
    if source.element.bits == result.element.bits:
        return None
    return (
        f"types must be equal width, cannot convert {quoted(source)} of width "
        f"{source.element.bits} to type {quoted(result)} of width {result.element.bits}"
    )


@rule("exti-width", "exti")
def _exti(op: Op) -> str | None:
    """exti is to a strictly wider integer; trunci goes the other way."""
    wider = op.operands["from"].type.element.bits < op.result.type.element.bits
    return None if wider else "extending to smaller or identical integer"


@rule("trunci-width", "trunci")
def _trunci(op: Op) -> str | None:
    """trunci is to a strictly narrower integer; exti goes the other way."""
    narrower = op.operands["from"].type.element.bits > op.result.type.element.bits
    return None if narrower else "truncating to larger or identical integer"


@rule("ftof-types", "ftof", hint="leave the conversion out")
def _ftof(op: Op) -> str | None:
    """ftof is between two different element types."""
    same = op.operands["from"].type.element == op.result.type.element
    return "converting tiles must not be a no-op" if same else None


@rule("ftof-rounding", "ftof")
def _ftof_rounding(op: Op) -> str | None:
    """Which rounding modes ftof has depends on both types: to f8E8M0FNU zero and positive_inf; to
    other types of 8 bits or less nearest_even; f32 to tf32 also zero and nearest_away; f64 to f32
    the four IEEE modes; other narrowing conversions nearest_even and zero; widening ones all."""
    legal = roundings(op.operands["from"].type.element, op.result.type.element)
    return None if op.attributes["rounding_mode"] in legal else SENTENCES[legal]
