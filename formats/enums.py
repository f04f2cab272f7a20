"""Enumerations of the format: their cases, each with the version that introduced it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .version import PREVIEW, V13_1, V13_4, V13_5, Version


@dataclass(frozen=True, slots=True)
class Case:
    """One named number; the name is that of the textual form."""

    value: int
    name: str
    doc: str
    since: Version = V13_1


@dataclass(frozen=True, slots=True)
class Enum:
    """A closed set of named numbers, written as a varint."""

    name: str
    doc: str
    cases: tuple[Case, ...]
    since: Version = V13_1
    by_value: dict[int, Case] = field(init=False, repr=False, compare=False)
    by_name: dict[str, Case] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_value", {case.value: case for case in self.cases})
        object.__setattr__(self, "by_name", {case.name: case for case in self.cases})

    def __hash__(self) -> int:
        return hash(self.name)


SIGNEDNESS = Enum(
    "Signedness",
    "How an integer's bits are read.",
    (
        Case(0, "unsigned", "As a number from 0 to 2^w-1."),
        Case(1, "signed", "As a two's-complement number."),
    ),
)

INTEGER_OVERFLOW = Enum(
    "IntegerOverflow",
    "What the producer promises about overflow; a broken promise is undefined behaviour.",
    (
        Case(0, "none", "Nothing: the result wraps."),
        Case(1, "no_signed_wrap", "The signed result fits."),
        Case(2, "no_unsigned_wrap", "The unsigned result fits."),
        Case(3, "no_wrap", "Both fit."),
    ),
)

ROUNDING_MODE = Enum(
    "RoundingMode",
    "How a result that cannot be represented is rounded, or how precisely it is computed.",
    (
        Case(0, "nearest_even", "To the nearest value, ties to even."),
        Case(1, "zero", "Toward zero."),
        Case(2, "negative_inf", "Toward negative infinity."),
        Case(3, "positive_inf", "Toward positive infinity."),
        Case(4, "approx", "A fast approximation, f32 only."),
        Case(5, "full", "The accuracy of the CUDA math library."),
        Case(6, "nearest_int_to_zero", "To an integer, toward zero."),
        Case(7, "nearest_away", "To the nearest value, ties away from zero.", V13_4),
    ),
)

COMPARISON_ORDERING = Enum(
    "ComparisonOrdering",
    "What a floating-point comparison gives when an operand is a NaN.",
    (
        Case(0, "unordered", "True."),
        Case(1, "ordered", "False."),
    ),
)

COMPARISON_PREDICATE = Enum(
    "ComparisonPredicate",
    "The relation that a comparison tests.",
    (
        Case(0, "equal", "lhs == rhs."),
        Case(1, "not_equal", "lhs != rhs."),
        Case(2, "less_than", "lhs < rhs."),
        Case(3, "less_than_or_equal", "lhs <= rhs."),
        Case(4, "greater_than", "lhs > rhs."),
        Case(5, "greater_than_or_equal", "lhs >= rhs."),
    ),
)

ATOMIC_RMW_MODE = Enum(
    "AtomicRMWMode",
    "What an atomic read-modify-write does to the element in memory.",
    (
        Case(0, "and", "Bitwise and."),
        Case(1, "or", "Bitwise or."),
        Case(2, "xor", "Bitwise exclusive or."),
        Case(3, "add", "Integer addition, wrapping."),
        Case(4, "addf", "Floating-point addition."),
        Case(5, "max", "Signed maximum."),
        Case(6, "min", "Signed minimum."),
        Case(7, "umax", "Unsigned maximum."),
        Case(8, "umin", "Unsigned minimum."),
        Case(9, "xchg", "Exchange."),
    ),
)

MEMORY_SCOPE = Enum(
    "MemoryScope",
    "The set of threads among which a memory operation is ordered.",
    (
        Case(0, "tl_blk", "The tile block."),
        Case(1, "device", "The GPU."),
        Case(2, "sys", "The whole system, hosts and other GPUs included."),
    ),
)

MEMORY_ORDERING = Enum(
    "MemoryOrderingSemantics",
    "How strongly a memory operation is ordered beyond what tokens say.",
    (
        Case(0, "weak", "No concurrent access is assumed."),
        Case(1, "relaxed", "Atomic, without ordering."),
        Case(2, "acquire", "Later operations see what a release published."),
        Case(3, "release", "Publishes earlier operations."),
        Case(4, "acq_rel", "Acquire and release."),
    ),
)

MULTIMEM_REDUCTION_KIND = Enum(
    "MultimemReductionKind",
    "How the replicas behind a multicast address are combined.",
    (
        Case(0, "add", "Addition."),
        Case(1, "min", "Signed or floating-point minimum."),
        Case(2, "max", "Signed or floating-point maximum."),
        Case(3, "and", "Bitwise and."),
        Case(4, "or", "Bitwise or."),
        Case(5, "xor", "Bitwise exclusive or."),
        Case(6, "umin", "Unsigned minimum."),
        Case(7, "umax", "Unsigned maximum."),
    ),
    V13_5,
)

PADDING_VALUE = Enum(
    "PaddingValue",
    "What a view load gives for elements outside the tensor.",
    (
        Case(0, "zero", "Zero."),
        Case(1, "neg_zero", "Negative zero."),
        Case(2, "nan", "A quiet NaN."),
        Case(3, "pos_inf", "Positive infinity."),
        Case(4, "neg_inf", "Negative infinity."),
    ),
)

SYMBOL_VISIBILITY = Enum(
    "SymbolVisibility",
    "Whether a symbol can be seen from outside its module.",
    (
        Case(0, "public", "It can."),
        Case(1, "private", "It cannot."),
    ),
)

POINTER_ATTRIBUTE = Enum(
    "PtrAttr",
    "What kind of address a pointer holds.",
    (
        Case(0, "none", "An ordinary global address.", V13_4),
        Case(1, "unicast", "One replica of multicast memory.", V13_5),
        Case(2, "multicast", "All replicas of multicast memory at once.", V13_5),
    ),
    V13_4,
)

MEMORY_SPACE = Enum(
    "MemorySpace",
    "Where the elements of a fragment are while an extern function runs.",
    (
        Case(0, "local", "In registers or local memory of each thread.", PREVIEW),
        Case(1, "smem", "In shared memory.", PREVIEW),
    ),
    PREVIEW,
)

SYNCHRONIZATION = Enum(
    "Synchronization",
    "Which threads an extern function synchronises.",
    (
        Case(0, "none", "None.", PREVIEW),
        Case(1, "warp", "Those of a warp.", PREVIEW),
        Case(2, "warpgroup", "Those of a warp group.", PREVIEW),
        Case(3, "cta", "All of a block.", PREVIEW),
    ),
    PREVIEW,
)

ACCESS = Enum(
    "Access",
    "What an extern function does with a parameter.",
    (
        Case(0, "in", "It reads it.", PREVIEW),
        Case(1, "out", "It writes it.", PREVIEW),
        Case(2, "inout", "It reads and writes it.", PREVIEW),
    ),
    PREVIEW,
)

ENUMS = (
    SIGNEDNESS,
    INTEGER_OVERFLOW,
    ROUNDING_MODE,
    COMPARISON_ORDERING,
    COMPARISON_PREDICATE,
    ATOMIC_RMW_MODE,
    MEMORY_SCOPE,
    MEMORY_ORDERING,
    MULTIMEM_REDUCTION_KIND,
    PADDING_VALUE,
    SYMBOL_VISIBILITY,
    POINTER_ATTRIBUTE,
    MEMORY_SPACE,
    SYNCHRONIZATION,
    ACCESS,
)
