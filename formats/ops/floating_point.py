"""Floating-point arithmetic, element by element, and the matrix products.

Nothing is contracted or reassociated: each op rounds on its own.
"""

from __future__ import annotations

from tileir.formats.enums import COMPARISON_ORDERING, COMPARISON_PREDICATE, ROUNDING_MODE
from tileir.formats.leaves import EnumValue
from tileir.formats.version import V13_1, V13_2, V13_3, V13_4, Version

from .spec import (
    BOOLEAN_TILE,
    FLOAT_TILE,
    Attribute,
    Like,
    Op,
    Operand,
    Result,
    tile,
    unit,
)

IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")
MATRIX = tile("f8E4M3FN", "f8E5M2", "f16", "bf16", "tf32", "f32", "f64")
SCALED_MATRIX = tile("f8E4M3FN", "f8E5M2", "f4E2M1FN")
SCALE = tile("f8E4M3FN", "f8E8M0FNU", "fnv8E5M3FNU")

LIBRARY = "Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again."
MATRIX_SHAPES = "lhs MxK by rhs KxN; rank 3 has a batch in front."

FLUSH = unit(
    "flush_to_zero", "f32 only: subnormal operands and results become zero of the same sign."
)
PROPAGATE = unit("propagate_nan", "A NaN in either gives a NaN; without it the other operand wins.")


def _rounding(*allowed: str) -> Attribute:
    """Return the slot for a rounding mode; the first one is the default."""
    fast = " and ".join(mode for mode in allowed if mode not in IEEE)
    return Attribute(
        "rounding_mode",
        EnumValue(ROUNDING_MODE),
        "How the result is rounded" + (f"; {fast} only for f32." if fast else "."),
        default=allowed[0],
        allowed=allowed,
    )


def _quality(since: Version) -> Attribute:
    return Attribute(
        "rounding_mode",
        EnumValue(ROUNDING_MODE),
        "How precisely it is computed; approx only for f32.",
        since=since,
        default="full",
        allowed=("full", "approx"),
    )


def _elementwise(
    mnemonic: str,
    opcode: int,
    doc: str,
    operands: dict[str, str],
    *attributes: Attribute,
    since: Version = V13_1,
    aliases: tuple[str, ...] = (),
    format: str | None = None,
) -> Op:
    """Return the row of an op on operands, given as names and docs; all types are the same."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=tuple(Operand(name, FLOAT_TILE, text) for name, text in operands.items()),
        results=(Result("result", FLOAT_TILE, Like(next(iter(operands)))),),
        attributes=attributes,
        since=since,
        same_type=((*operands, "result"),),
        aliases=aliases,
        format=format,
    )


def _unary(mnemonic: str, opcode: int, doc: str, *attributes: Attribute) -> Op:
    return _elementwise(mnemonic, opcode, doc, {"source": "The operand."}, *attributes)


def _binary(mnemonic: str, opcode: int, doc: str, *attributes: Attribute) -> Op:
    operands = {"lhs": "Left operand.", "rhs": "Right operand."}
    return _elementwise(mnemonic, opcode, doc, operands, *attributes)


def _extremum(mnemonic: str, opcode: int, doc: str) -> Op:
    return _elementwise(
        mnemonic,
        opcode,
        doc,
        {"lhs": "Left operand.", "rhs": "Right operand."},
        PROPAGATE,
        FLUSH,
        format="{lhs}, {rhs}[ {flush_to_zero}][ {propagate_nan}] : {result:type}",
    )


OPS = (
    _unary("absf", 0x00, "Clear the sign bit, also of a NaN."),
    _binary("addf", 0x02, "Sum of each pair of elements.", _rounding(*IEEE), FLUSH),
    _elementwise(
        "atan2",
        0x6E,
        f"Angle of the point whose ordinate is the first operand.\n{LIBRARY}",
        {"x": "Ordinate, the numerator.", "y": "Abscissa, the denominator."},
        since=V13_2,
    ),
    _unary("ceil", 0x0D, "The smallest integer that is not below the element."),
    Op(
        "cmpf",
        opcode=0x0E,
        doc="Compare each pair of elements; -0 equals 0.",
        operands=(
            Operand("lhs", FLOAT_TILE, "Left operand."),
            Operand("rhs", FLOAT_TILE, "Right operand."),
        ),
        results=(Result("result", BOOLEAN_TILE, Like("lhs", "i1"), "1 where it holds."),),
        attributes=(
            Attribute(
                "comparison_predicate", EnumValue(COMPARISON_PREDICATE), "The relation to test."
            ),
            Attribute(
                "comparison_ordering",
                EnumValue(COMPARISON_ORDERING),
                "The result if an operand is a NaN.",
            ),
        ),
        same_type=(("lhs", "rhs"),),
        format=(
            "{comparison_predicate} {comparison_ordering} {lhs}, {rhs} : {lhs:type} -> "
            "{result:type}"
        ),
    ),
    _unary("cos", 0x12, f"Cosine of radians.\n{LIBRARY}"),
    _unary("cosh", 0x13, f"Hyperbolic cosine.\n{LIBRARY}"),
    _binary(
        "divf",
        0x14,
        "Quotient of each pair of elements. approx and full are within 2 ulp; approx gives 0 for\n"
        "divisors beyond 2^126, or a NaN if the dividend is infinite.",
        _rounding(*IEEE, "approx", "full"),
        FLUSH,
    ),
    _unary("exp", 0x17, f"e to the power of each element.\n{LIBRARY}", _quality(V13_3)),
    _unary("exp2", 0x18, "2 to the power of each element.", FLUSH),
    _unary("floor", 0x27, "The largest integer that is not above the element."),
    _elementwise(
        "fma",
        0x28,
        "lhs times rhs plus acc, rounded once.",
        {"lhs": "Left factor.", "rhs": "Right factor.", "acc": "The addend."},
        _rounding(*IEEE),
        FLUSH,
    ),
    _elementwise(
        "fpowf",
        0x54,
        f"Each element to a power.\n{LIBRARY}",
        {"source": "Base.", "exponent": "Exponent."},
        aliases=("pow",),
    ),
    Op(
        "fpowi",
        opcode=0x79,
        doc="Each element to an integer power.",
        operands=(
            Operand("source", FLOAT_TILE, "Base."),
            Operand("exponent", tile("i1", "i8", "i16", "i32"), "Exponent, read as signed."),
        ),
        results=(Result("result", FLOAT_TILE, Like("source")),),
        since=V13_4,
        same_type=(("source", "result"),),
        same_shape=(("source", "exponent"),),
        format="{source}, {exponent} : {source:type}, {exponent:type}",
    ),
    _unary("log", 0x3F, f"Natural logarithm.\n{LIBRARY}"),
    _unary("log2", 0x40, f"Logarithm to base 2.\n{LIBRARY}"),
    _extremum("maxf", 0x45, "The larger of each pair of elements; 0 is above -0."),
    _extremum("minf", 0x47, "The smaller of each pair of elements; -0 is below 0."),
    Op(
        "mmaf",
        opcode=0x49,
        doc=f"Matrix product plus accumulator, {MATRIX_SHAPES}\n"
        "The order of the sum and its inner precision are unspecified.",
        operands=(
            Operand("lhs", MATRIX, "Left matrix."),
            Operand("rhs", MATRIX, "Right matrix."),
            Operand(
                "acc",
                tile("f16", "f32", "f64"),
                "The accumulator, MxN: f64 for f64, f16 or f32 for f16 and f8, otherwise f32.",
            ),
        ),
        results=(Result("result", tile("f16", "f32", "f64"), Like("acc")),),
        attributes=(
            unit("fast_acc", "f8: the sum may be kept at less precision, for speed.", V13_3),
        ),
        same_type=(("acc", "result"),),
        same_element=(("lhs", "rhs"),),
        format="{lhs}, {rhs}, {acc}[ {fast_acc}] : {lhs:type}, {rhs:type}, {acc:type}",
    ),
    Op(
        "mmaf_scaled",
        opcode=0x72,
        doc=f"Matrix product of scaled blocks plus accumulator, {MATRIX_SHAPES}\n"
        "V neighbours along K share a scale: 32 for f8, 16 or 32 for f4E2M1FN by scale type.",
        operands=(
            Operand("lhs", SCALED_MATRIX, "Left matrix."),
            Operand("rhs", SCALED_MATRIX, "Right matrix."),
            Operand("acc", tile("f32"), "The accumulator, MxN."),
            Operand("lhs_scale", SCALE, "Scales of lhs, M x K/V; not negative."),
            Operand("rhs_scale", SCALE, "Scales of rhs, K/V x N; not negative."),
        ),
        results=(Result("result", tile("f32"), Like("acc")),),
        since=V13_3,
        same_type=(("acc", "result"),),
        same_element=(("lhs", "rhs"), ("lhs_scale", "rhs_scale")),
        format=(
            "{lhs}, {rhs}, {acc}, {lhs_scale}, {rhs_scale} : {lhs:type}, {rhs:type}, "
            "{acc:type}, {lhs_scale:type}, {rhs_scale:type}"
        ),
    ),
    _binary("mulf", 0x4C, "Product of each pair of elements.", _rounding(*IEEE), FLUSH),
    _unary("negf", 0x4F, "Flip the sign bit, also of a NaN."),
    _binary(
        "remf",
        0x59,
        "Remainder of the division toward zero, exact, with the sign of lhs.\n"
        "A NaN if rhs is 0 or lhs infinite; lhs if only rhs is infinite.",
    ),
    _unary("rsqrt", 0x5D, "1 over the square root.", FLUSH),
    _unary("sin", 0x62, f"Sine of radians.\n{LIBRARY}"),
    _unary("sinh", 0x63, f"Hyperbolic sine.\n{LIBRARY}"),
    _unary("sqrt", 0x64, "Square root.", _rounding(*IEEE, "approx"), FLUSH),
    _binary("subf", 0x67, "Difference of each pair of elements.", _rounding(*IEEE), FLUSH),
    _unary("tan", 0x69, f"Tangent of radians.\n{LIBRARY}"),
    _unary("tanh", 0x6A, f"Hyperbolic tangent.\n{LIBRARY}", _quality(V13_2)),
)
