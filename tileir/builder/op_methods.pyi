"""The op methods of kernels and editors, with the types of their arguments and results.

Printed from the op table: ``python -m tileir.builder.op_stub FILE``.
"""

# ruff: noqa: N803  the names of slots are those of the specification

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from tileir.attributes import Attribute, Hints
from tileir.ir import Value
from tileir.ir.constants import Constant
from tileir.ir.locations import Location
from tileir.types import Type

from .regions import Nested
from .result_types import Stated

class OpMethods:
    """The op methods of a `Kernel` and of an `Editor`."""

    def absf(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Clear the sign bit, also of a NaN.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def absi(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Absolute value of a signed number as an unsigned one, so that every result fits.

        source: tile of i1 or i8 or i16 or i32 or i64. The operand.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def addf(
        self,
        lhs: Value,
        rhs: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
        ] = "nearest_even",
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Sum of each pair of elements.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        rounding_mode: How the result is rounded. One of nearest_even, zero, negative_inf,
            positive_inf.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def addi(
        self,
        lhs: Value,
        rhs: Value,
        overflow: Literal["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"] = "none",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Sum of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        overflow: The promise about overflow; a broken promise is undefined behaviour. One of none,
            no_signed_wrap, no_unsigned_wrap, no_wrap.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def andi(
        self,
        lhs: Value,
        rhs: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Bitwise and of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def assert_(
        self,
        condition: Value,
        message: str,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> None:
        """Report every element that is 0: the message is printed and the launch fails.
        The kernel may run on.

        condition: tile of i1. 1 where all is well.
        message: The text to print.
        Since 13.1.
        """

    def assume(
        self,
        value: Value,
        predicate: Attribute,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Promise that a predicate holds for a value, which is the result.
        Undefined behaviour if the predicate does not hold.

        value: any type. A tile of integers or pointers; for DivBy also a tensor view.
        predicate: A DivBy, SameElements or Bounded attribute.
        Gives result: any type.
        Since 13.1.
        """

    def atomic_cas_tko(
        self,
        pointers: Value,
        cmp: Value,
        val: Value,
        mask: Value | None = None,
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["relaxed", "acquire", "release", "acq_rel"],
        memory_scope: Literal["tl_blk", "device", "sys"],
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value]:
        """Compare and swap: where memory holds `cmp`, bit by bit, store `val`.

        pointers: tile of ptr. The addresses; the pointee is the element type.
        cmp: tile of i32 or i64 or f32 or f64. The expected value.
        val: tile of i32 or i64 or f32 or f64. The value to store.
        mask: tile of i1, optional. Elements with 0 are left out: no access, no fault.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            relaxed, acquire, release, acq_rel.
        memory_scope: The threads among which it is ordered. One of tl_blk, device, sys.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The old value
            in memory; `cmp` if masked out.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def atomic_rmw_tko(
        self,
        pointers: Value,
        arg: Value,
        mask: Value | None = None,
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["relaxed", "acquire", "release", "acq_rel"],
        memory_scope: Literal["tl_blk", "device", "sys"],
        mode: Literal["and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg"],
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value]:
        """Combine an element with what each pointer points to.

        pointers: tile of ptr. The addresses; the pointee is the element type.
        arg: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. i32 and i64; floats
            for addf; both, of 32 or 64 bits, for xchg.
        mask: tile of i1, optional. Elements with 0 are left out: no access, no fault.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            relaxed, acquire, release, acq_rel.
        memory_scope: The threads among which it is ordered. One of tl_blk, device, sys.
        mode: The operation on the element in memory. One of and, or, xor, add, addf, max, min,
            umax, umin, xchg.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The old value
            in memory; unspecified if masked out.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def bitcast(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Read the bits of numbers as numbers of another type of the same width.

        source: tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU. The value to convert.
        Gives result: tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU. The new type.
        Since 13.1.
        """

    def break_(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> None:
        """Leave the innermost loop op.

        operands: tile or token, any number. The results of that loop.
        Since 13.1.
        """

    def broadcast(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Repeat a tile along its dimensions of size 1. The rank stays.

        source: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The tile to
            rearrange.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. Each
            dimension as in the source, or any size where that is 1.
        Since 13.1.
        """

    def cat(
        self,
        lhs: Value,
        rhs: Value,
        dim: int,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Join two tiles along a dimension, lhs first. Other dimensions are equal.

        lhs: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. First part.
        rhs: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. Second part.
        dim: The dimension along which the op works, less than the rank.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The joined
            tile, whose size along `dim` is the sum of both.
        Since 13.1.
        """

    def ceil(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The smallest integer that is not below the element.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def cmpf(
        self,
        lhs: Value,
        rhs: Value,
        comparison_predicate: Literal[
            "equal",
            "not_equal",
            "less_than",
            "less_than_or_equal",
            "greater_than",
            "greater_than_or_equal",
        ],
        comparison_ordering: Literal["unordered", "ordered"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Compare each pair of elements; -0 equals 0.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        comparison_predicate: The relation to test. One of equal, not_equal, less_than,
            less_than_or_equal, greater_than, greater_than_or_equal.
        comparison_ordering: The result if an operand is a NaN. One of unordered, ordered.
        Gives result: tile of i1. 1 where it holds.
        Since 13.1.
        """

    def cmpi(
        self,
        lhs: Value,
        rhs: Value,
        comparison_predicate: Literal[
            "equal",
            "not_equal",
            "less_than",
            "less_than_or_equal",
            "greater_than",
            "greater_than_or_equal",
        ],
        signedness: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Compare each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        comparison_predicate: The relation to test. One of equal, not_equal, less_than,
            less_than_or_equal, greater_than, greater_than_or_equal.
        signedness: How both operands are read; irrelevant for equal and not_equal. One of unsigned,
            signed.
        Gives result: tile of i1. 1 where it holds.
        Since 13.1.
        """

    def constant(
        self,
        value: Constant | ArrayLike,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """A tile known when the module is written.

        value: One element for the whole tile, or all of them.
        Gives result: tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU. The type that the value has.
        Since 13.1.
        """

    def continue_(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> None:
        """Continue with the next iteration of the innermost for or loop.

        operands: tile or token, any number. The carried values of the next iteration.
        Since 13.1.
        """

    def cos(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Cosine of radians.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def cosh(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Hyperbolic cosine.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def divf(
        self,
        lhs: Value,
        rhs: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
            "approx",
            "full",
        ] = "nearest_even",
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Quotient of each pair of elements. approx and full are within 2 ulp; approx gives 0 for
        divisors beyond 2^126, or a NaN if the dividend is infinite.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        rounding_mode: How the result is rounded; approx and full only for f32. One of nearest_even,
            zero, negative_inf, positive_inf, approx, full.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def divi(
        self,
        lhs: Value,
        rhs: Value,
        signedness: Literal["unsigned", "signed"],
        rounding: Literal["zero", "negative_inf", "positive_inf"] = "zero",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Quotient of each pair of elements.
        Division by zero, or of the smallest signed number by -1, is undefined behaviour.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        signedness: How both operands are read. One of unsigned, signed.
        rounding: The direction of rounding; negative_inf only when signed. One of zero,
            negative_inf, positive_inf.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def exp(
        self,
        source: Value,
        rounding_mode: Literal["full", "approx"] = "full",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """e to the power of each element.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        rounding_mode: How precisely it is computed; approx only for f32. One of full, approx.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def exp2(
        self,
        source: Value,
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """2 to the power of each element.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def exti(
        self,
        from_: Value,
        signedness: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Widen integers; the new type is strictly wider.

        from_: tile of i4 or i1 or i8 or i16 or i32 or i64. The value to convert.
        signedness: Fill with zeros (unsigned) or the sign bit (signed). One of unsigned, signed.
        Gives to: tile of i4 or i1 or i8 or i16 or i32 or i64. The new type.
        Since 13.1.
        """

    def extract(
        self,
        source: Value,
        indices: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Cut a tile into slices shaped as the result, and take one of them.
        Slice i starts at element i times the size of the result.

        source: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The tile to take
            from.
        indices: scalar tile of i32, any number. Index of the slice in each dimension, unsigned; out
            of range is undefined behaviour.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. Same rank;
            each size divides that of the source.
        Since 13.1.
        """

    def floor(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The largest integer that is not above the element.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def fma(
        self,
        lhs: Value,
        rhs: Value,
        acc: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
        ] = "nearest_even",
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """lhs times rhs plus acc, rounded once.

        lhs: tile of f16 or bf16 or f32 or f64. Left factor.
        rhs: tile of f16 or bf16 or f32 or f64. Right factor.
        acc: tile of f16 or bf16 or f32 or f64. The addend.
        rounding_mode: How the result is rounded. One of nearest_even, zero, negative_inf,
            positive_inf.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def for_(
        self,
        lowerBound: Value,
        upperBound: Value,
        step: Value,
        initValues: Value | Sequence[Value] = (),
        unsignedCmp: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Nested:
        """Run the region for lowerBound, lowerBound + step, ... below upperBound.
        A step that is not positive, or a sum that overflows, is undefined behaviour.

        lowerBound: scalar tile of i1 or i8 or i16 or i32 or i64. The first value.
        upperBound: scalar tile of i1 or i8 or i16 or i32 or i64. The exclusive end.
        step: scalar tile of i1 or i8 or i16 or i32 or i64. The increment of each iteration.
        initValues: tile or token, any number. Carried values of the first iteration.
        unsignedCmp: Compare with the bound as unsigned.
        Gives resultValues: tile or token. Carried values at the end.
        Since 13.1.
        """

    def ftof(
        self,
        from_: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
            "approx",
            "full",
            "nearest_int_to_zero",
            "nearest_away",
        ] = "nearest_even",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Convert between floating-point types, which must differ.

        from_: tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or
            f4E2M1FN or fnv8E5M3FNU. The value to convert.
        rounding_mode: To f8E8M0FNU zero or positive_inf; to other types below 16 bits only
            nearest_even. One of nearest_even, zero, negative_inf, positive_inf, approx, full,
            nearest_int_to_zero, nearest_away.
        Gives to: tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or
            f4E2M1FN or fnv8E5M3FNU. The new type.
        Since 13.1.
        """

    def ftoi(
        self,
        from_: Value,
        signedness: Literal["unsigned", "signed"],
        rounding_mode: Literal["nearest_int_to_zero"] = "nearest_int_to_zero",
        saturating: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Convert floating-point numbers to integers, dropping the fraction.
        A NaN or a number that does not fit is undefined behaviour, unless saturating.

        from_: tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or
            f4E2M1FN or fnv8E5M3FNU. The value to convert.
        signedness: How the result is read. One of unsigned, signed.
        rounding_mode: Only toward zero. One of nearest_int_to_zero.
        saturating: A number that does not fit becomes the nearest limit, a NaN 0.
        Gives to: tile of i1 or i8 or i16 or i32 or i64. The new type.
        Since 13.1.
        """

    def get_global(
        self,
        name: str,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The address of a global of the module.

        name: The name of the global.
        Gives result: scalar tile of ptr. A pointer to its first element, of its element type.
        Since 13.1.
        """

    def get_index_space_shape(
        self,
        src: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Any:
        """How many tiles a view has along each dimension, those over the edge included.
        A number that does not fit the result type is undefined behaviour.

        src: partition_view or strided_view or gather_scatter_view. The view to measure.
        Gives result: scalar tile of i1 or i8 or i16 or i32 or i64. A number for each dimension.
        Since 13.1.
        """

    def get_num_tile_blocks(
        self,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value, Value]:
        """The size of the grid in tile blocks; 1 along an axis that is not used.

        Gives gridSize_x: scalar tile of i32. The number along x.
        Gives gridSize_y: scalar tile of i32. The number along y.
        Gives gridSize_z: scalar tile of i32. The number along z.
        Since 13.1.
        """

    def get_tensor_shape(
        self,
        src: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Any:
        """How many elements a tensor view has along each dimension.
        A number that does not fit the result type is undefined behaviour.

        src: tensor_view. The view to measure.
        Gives result: scalar tile of i1 or i8 or i16 or i32 or i64. A number for each dimension.
        Since 13.1.
        """

    def get_tile_block_id(
        self,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value, Value]:
        """The coordinates of this tile block in the grid.

        Gives blockId_x: scalar tile of i32. The number along x.
        Gives blockId_y: scalar tile of i32. The number along y.
        Gives blockId_z: scalar tile of i32. The number along z.
        Since 13.1.
        """

    def if_(
        self,
        condition: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Nested:
        """Run one of two regions.

        condition: scalar tile of i1. 1 runs thenRegion, 0 elseRegion.
        Gives results: tile or token. The values that the region that ran yields.
        Since 13.1.
        """

    def int_to_ptr(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Read integers as addresses.

        source: tile of i64. The value to convert.
        Gives result: tile of ptr. The new type.
        Since 13.1.
        """

    def iota(
        self,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The numbers 0, 1, 2, ... in order, read as unsigned.

        Gives result: 1-D tile of i1 or i8 or i16 or i32 or i64. At most 2^width elements, so that
            all numbers fit.
        Since 13.1.
        """

    def itof(
        self,
        from_: Value,
        signedness: Literal["unsigned", "signed"],
        rounding_mode: Literal["nearest_even"] = "nearest_even",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Convert integers to floating-point numbers.
        A number that is too large becomes infinity, or a NaN if the type has none.

        from_: tile of i1 or i8 or i16 or i32 or i64. The value to convert.
        signedness: How the operand is read. One of unsigned, signed.
        rounding_mode: Only to nearest. One of nearest_even.
        Gives to: tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f4E2M1FN or
            fnv8E5M3FNU. The new type.
        Since 13.1.
        """

    def join_tokens(
        self,
        tokens: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Join two or more tokens: the result is after all of them.

        tokens: token, any number. Tokens of operations that must have happened before.
        Gives result: token. A token after all of them.
        Since 13.1.
        """

    def load_ptr_tko(
        self,
        source: Value,
        mask: Value | None = None,
        paddingValue: Value | None = None,
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["weak", "relaxed", "acquire"],
        memory_scope: Literal["tl_blk", "device", "sys"] | None = None,
        optimization_hints: Hints | Mapping[str, Mapping[str, object]] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value]:
        """Load an element through each pointer.
        A pointer that is not naturally aligned or not to live memory is undefined behaviour.

        source: tile of ptr. The memory to load from; not multicast.
        mask: tile of i1, optional. Elements with 0 are left out: no access, no fault.
        paddingValue: tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU, optional. The values of
            elements that are masked out; otherwise unspecified.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            weak, relaxed, acquire.
        memory_scope: The threads among which it is ordered; absent exactly when weak. One of
            tl_blk, device, sys.
        optimization_hints: By architecture: `latency`. They never change a result.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def load_view_tko(
        self,
        view: Value,
        index: Value | Sequence[Value] = (),
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["weak", "relaxed", "acquire"],
        memory_scope: Literal["tl_blk", "device", "sys"] | None = None,
        optimization_hints: Hints | Mapping[str, Mapping[str, object]] | None = None,
        inbounds: Sequence[bool] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value]:
        """Load a tile of a view. Elements outside the tensor become the padding value of the
        view type, or are unspecified without one.

        view: partition_view or strided_view or gather_scatter_view. The memory to load from; not
            multicast.
        index: tile of i1 or i8 or i16 or i32 or i64, any number. Index of the tile in each
            dimension, unsigned; out of range is undefined behaviour.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            weak, relaxed, acquire.
        memory_scope: The threads among which it is ordered; absent exactly when weak. One of
            tl_blk, device, sys.
        optimization_hints: By architecture: `latency`, `allow_tma`. They never change a result.
        inbounds: For each index, whether no element is outside along it; else undefined behaviour.
        Gives tile: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32
            or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def log(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Natural logarithm.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def log2(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Logarithm to base 2.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def loop(
        self,
        initValues: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Nested:
        """Run the region again and again, until a break.

        initValues: tile or token, any number. Carried values of the first iteration.
        Gives resultValues: tile or token. The operands of the break.
        Since 13.1.
        """

    def make_partition_view(
        self,
        tensor_view: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Cut a tensor view into a grid of equal tiles.

        tensor_view: tensor_view. The tensor view to cut; its type is part of the result's.
        Gives result: partition_view. The view; its type tells how the tensor view is cut.
        Since 13.1.
        """

    def make_tensor_view(
        self,
        base: Value,
        dynamicShape: Value | Sequence[Value] = (),
        dynamicStrides: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Describe a tensor in memory: where it is, its shape, its strides in elements.
        Dynamic values are read as unsigned; all have the same type.

        base: scalar tile of ptr. Address of the first element, of the result's element type.
        dynamicShape: scalar tile of i1 or i8 or i16 or i32 or i64, any number. A size for each
            dynamic one in the result type.
        dynamicStrides: scalar tile of i1 or i8 or i16 or i32 or i64, any number. A stride for each
            dynamic one in the result type.
        Gives result: tensor_view. Static sizes and strides; pointer kind as `base`.
        Since 13.1.
        """

    def make_token(
        self,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Make a token that depends on no operation.

        Gives result: token. The token.
        Since 13.1.
        """

    def maxf(
        self,
        lhs: Value,
        rhs: Value,
        propagate_nan: bool = False,
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The larger of each pair of elements; 0 is above -0.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        propagate_nan: A NaN in either gives a NaN; without it the other operand wins.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def maxi(
        self,
        lhs: Value,
        rhs: Value,
        signedness: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The larger of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        signedness: How both operands are read. One of unsigned, signed.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def minf(
        self,
        lhs: Value,
        rhs: Value,
        propagate_nan: bool = False,
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The smaller of each pair of elements; -0 is below 0.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        propagate_nan: A NaN in either gives a NaN; without it the other operand wins.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def mini(
        self,
        lhs: Value,
        rhs: Value,
        signedness: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The smaller of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        signedness: How both operands are read. One of unsigned, signed.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def mmaf(
        self,
        lhs: Value,
        rhs: Value,
        acc: Value,
        fast_acc: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front.
        The order of the sum and its inner precision are unspecified.

        lhs: tile of f8E4M3FN or f8E5M2 or f16 or bf16 or tf32 or f32 or f64. Left matrix.
        rhs: tile of f8E4M3FN or f8E5M2 or f16 or bf16 or tf32 or f32 or f64. Right matrix.
        acc: tile of f16 or f32 or f64. The accumulator, MxN: f64 for f64, f16 or f32 for f16 and
            f8, otherwise f32.
        fast_acc: f8: the sum may be kept at less precision, for speed.
        Gives result: tile of f16 or f32 or f64.
        Since 13.1.
        """

    def mmai(
        self,
        lhs: Value,
        rhs: Value,
        acc: Value,
        signedness_lhs: Literal["unsigned", "signed"],
        signedness_rhs: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front.

        lhs: tile of i8. Left matrix.
        rhs: tile of i8. Right matrix.
        acc: tile of i32. The accumulator, MxN, signed; the sum wraps.
        signedness_lhs: How lhs is read. One of unsigned, signed.
        signedness_rhs: How rhs is read. One of unsigned, signed.
        Gives result: tile of i32.
        Since 13.1.
        """

    def mulf(
        self,
        lhs: Value,
        rhs: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
        ] = "nearest_even",
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Product of each pair of elements.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        rounding_mode: How the result is rounded. One of nearest_even, zero, negative_inf,
            positive_inf.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def mulhii(
        self,
        x: Value,
        y: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """High half of the unsigned product, which has twice the width.

        x: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        y: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def muli(
        self,
        lhs: Value,
        rhs: Value,
        overflow: Literal["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"] = "none",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Low half of the product of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        overflow: The promise about overflow; a broken promise is undefined behaviour. One of none,
            no_signed_wrap, no_unsigned_wrap, no_wrap.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def negf(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Flip the sign bit, also of a NaN.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def negi(
        self,
        source: Value,
        overflow: Literal["none", "no_signed_wrap", "no_wrap"] = "none",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Negative of each element, in two's complement.

        source: tile of i1 or i8 or i16 or i32 or i64. The operand.
        overflow: The promise about overflow; a broken promise is undefined behaviour. One of none,
            no_signed_wrap, no_wrap.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def offset(
        self,
        ptr: Value,
        offset: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Move pointers by a number of elements of their pointee.
        Undefined behaviour if the distance in bytes or the address overflows.

        ptr: tile of ptr. The pointers to move.
        offset: tile of i1 or i8 or i16 or i32 or i64. The number of elements, read as signed.
        Gives result: tile of ptr.
        Since 13.1.
        """

    def ori(
        self,
        lhs: Value,
        rhs: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Bitwise or of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def permute(
        self,
        source: Value,
        permutation: Sequence[int],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Reorder the dimensions of a tile of rank 2 or more.

        source: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The tile to
            rearrange.
        permutation: Each dimension of the source once.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. Its dimension
            i is dimension permutation[i] of the source.
        Since 13.1.
        """

    def fpowf(
        self,
        source: Value,
        exponent: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Each element to a power.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. Base.
        exponent: tile of f16 or bf16 or f32 or f64. Exponent.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def print_tko(
        self,
        args: Value | Sequence[Value] = (),
        token: Value | None = None,
        *,
        str: str,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value | None:
        """Print tiles to the standard output of the host, as printf does.

        args: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr, any number. A tile
            for each conversion in the format.
        token: token, optional. A token of operations that must have happened before.
        str: The format; %% stands for a percent sign.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def ptr_to_int(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The addresses that pointers hold.

        source: tile of ptr. The value to convert.
        Gives result: tile of i64. The new type.
        Since 13.1.
        """

    def ptr_to_ptr(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The same addresses with another pointee.

        source: tile of ptr. The value to convert.
        Gives result: tile of ptr. The new type.
        Since 13.1.
        """

    def reduce(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        dim: int,
        identities: Sequence[Attribute | int],
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Nested:
        """Combine all elements along a dimension into one.
        In unspecified order: the accumulator may also be an element, identity or partial result.

        operands: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32
            or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr, any number. One
            tile or more, all of one shape.
        dim: The dimension along which the op works, less than the rank.
        identities: Neutral element for each operand: a number of its element type.
        Gives results: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. One result
            for each operand.
        Since 13.1.
        """

    def remf(
        self,
        lhs: Value,
        rhs: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Remainder of the division toward zero, exact, with the sign of lhs.
        A NaN if rhs is 0 or lhs infinite; lhs if only rhs is infinite.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def remi(
        self,
        lhs: Value,
        rhs: Value,
        signedness: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Remainder of the division toward zero; when signed it has the sign of lhs.
        Division by zero is undefined behaviour.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        signedness: How both operands are read. One of unsigned, signed.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def reshape(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Give the elements, in row-major order, another shape.

        source: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The tile to
            rearrange.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. As many
            elements as in the source.
        Since 13.1.
        """

    def return_(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> None:
        """End the kernel for this tile block.

        operands: any type, any number. None in a kernel.
        Since 13.1.
        """

    def rsqrt(
        self,
        source: Value,
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """1 over the square root.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def scan(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        dim: int,
        reverse: bool,
        identities: Sequence[Attribute | int],
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Nested:
        """Inclusive prefix along a dimension: each element combined with all before it.

        operands: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32
            or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr, any number. One
            tile or more, all of one shape.
        dim: The dimension along which the op works, less than the rank.
        reverse: Start at the last element instead of the first.
        identities: Neutral element for each operand: a number of its element type.
        Gives results: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. One result
            for each operand.
        Since 13.1.
        """

    def select(
        self,
        cond: Value,
        val_if_true: Value,
        val_if_false: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Choose between two tiles, element by element.

        cond: tile of i1. For each element, 1 selects val_if_true, 0 val_if_false; a scalar is not
            enough.
        val_if_true: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or fnv8E5M3FNU or ptr. The element where cond is
            1.
        val_if_false: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or fnv8E5M3FNU or ptr. The element where cond is
            0.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or fnv8E5M3FNU or ptr.
        Since 13.1.
        """

    def shli(
        self,
        lhs: Value,
        rhs: Value,
        overflow: Literal["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"] = "none",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Shift left, filling with zeros.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Amount, read as unsigned; the width or more is
            undefined behaviour.
        overflow: The promise about the bits shifted out. One of none, no_signed_wrap,
            no_unsigned_wrap, no_wrap.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def shri(
        self,
        lhs: Value,
        rhs: Value,
        signedness: Literal["unsigned", "signed"],
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Shift right, filling with zeros (unsigned) or the sign bit (signed).

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Amount, read as unsigned; the width or more is
            undefined behaviour.
        signedness: Whether zeros or the sign bit fill. One of unsigned, signed.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def sin(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Sine of radians.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def sinh(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Hyperbolic sine.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def sqrt(
        self,
        source: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
            "approx",
        ] = "nearest_even",
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Square root.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        rounding_mode: How the result is rounded; approx only for f32. One of nearest_even, zero,
            negative_inf, positive_inf, approx.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def store_ptr_tko(
        self,
        destination: Value,
        value: Value,
        mask: Value | None = None,
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["weak", "relaxed", "release"],
        memory_scope: Literal["tl_blk", "device", "sys"] | None = None,
        optimization_hints: Hints | Mapping[str, Mapping[str, object]] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Store an element through each pointer; of two to one address, either may win.
        A pointer that is not naturally aligned or not to live memory is undefined behaviour.

        destination: tile of ptr. The memory to store to; not multicast.
        value: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The value to store.
        mask: tile of i1, optional. Elements with 0 are left out: no access, no fault.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            weak, relaxed, release.
        memory_scope: The threads among which it is ordered; absent exactly when weak. One of
            tl_blk, device, sys.
        optimization_hints: By architecture: `latency`. They never change a result.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def store_view_tko(
        self,
        tile: Value,
        view: Value,
        index: Value | Sequence[Value] = (),
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["weak", "relaxed", "release"],
        memory_scope: Literal["tl_blk", "device", "sys"] | None = None,
        optimization_hints: Hints | Mapping[str, Mapping[str, object]] | None = None,
        inbounds: Sequence[bool] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Store a tile of a view. Elements outside the tensor are left out.

        tile: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The value to store.
        view: partition_view or strided_view or gather_scatter_view. The memory to store to; not
            multicast.
        index: tile of i1 or i8 or i16 or i32 or i64, any number. Index of the tile in each
            dimension, unsigned; out of range is undefined behaviour.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            weak, relaxed, release.
        memory_scope: The threads among which it is ordered; absent exactly when weak. One of
            tl_blk, device, sys.
        optimization_hints: By architecture: `latency`, `allow_tma`. They never change a result.
        inbounds: For each index, whether no element is outside along it; else undefined behaviour.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.1.
        """

    def subf(
        self,
        lhs: Value,
        rhs: Value,
        rounding_mode: Literal[
            "nearest_even",
            "zero",
            "negative_inf",
            "positive_inf",
        ] = "nearest_even",
        flush_to_zero: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Difference of each pair of elements.

        lhs: tile of f16 or bf16 or f32 or f64. Left operand.
        rhs: tile of f16 or bf16 or f32 or f64. Right operand.
        rounding_mode: How the result is rounded. One of nearest_even, zero, negative_inf,
            positive_inf.
        flush_to_zero: f32 only: subnormal operands and results become zero of the same sign.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def subi(
        self,
        lhs: Value,
        rhs: Value,
        overflow: Literal["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"] = "none",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Difference of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        overflow: The promise about overflow; a broken promise is undefined behaviour. One of none,
            no_signed_wrap, no_unsigned_wrap, no_wrap.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def tan(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Tangent of radians.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def tanh(
        self,
        source: Value,
        rounding_mode: Literal["full", "approx"] = "full",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Hyperbolic tangent.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        source: tile of f16 or bf16 or f32 or f64. The operand.
        rounding_mode: How precisely it is computed; approx only for f32. One of full, approx.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.1.
        """

    def trunci(
        self,
        from_: Value,
        overflow: Literal["none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"] = "none",
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Narrow integers to their low bits; the new type is strictly narrower.

        from_: tile of i4 or i1 or i8 or i16 or i32 or i64. The value to convert.
        overflow: The promise about the bits dropped: copies of the sign bit, or zeros. One of none,
            no_signed_wrap, no_unsigned_wrap, no_wrap.
        Gives to: tile of i4 or i1 or i8 or i16 or i32 or i64. The new type.
        Since 13.1.
        """

    def xori(
        self,
        lhs: Value,
        rhs: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Bitwise exclusive or of each pair of elements.

        lhs: tile of i1 or i8 or i16 or i32 or i64. Left operand.
        rhs: tile of i1 or i8 or i16 or i32 or i64. Right operand.
        Gives result: tile of i1 or i8 or i16 or i32 or i64.
        Since 13.1.
        """

    def yield_(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> None:
        """End a region of if, reduce or scan with its values.

        operands: tile or token, any number. The results of the if, or the new accumulators.
        Since 13.1.
        """

    def atan2(
        self,
        x: Value,
        y: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Angle of the point whose ordinate is the first operand.
        Accurate as the CUDA math library; f16 and bf16 are computed in f32 and rounded again.

        x: tile of f16 or bf16 or f32 or f64. Ordinate, the numerator.
        y: tile of f16 or bf16 or f32 or f64. Abscissa, the denominator.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.2.
        """

    def pack(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The bytes of a tile, little-endian; elements below a byte share one, lowest bits first.

        source: 1-D tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32
            or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU. A tile of anything but
            bytes.
        Gives result: 1-D tile of i8. The bytes; as many as the source takes.
        Since 13.3.
        """

    def unpack(
        self,
        source: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """The inverse of pack: read bytes as elements of another type.

        source: 1-D tile of i8. The bytes, little-endian.
        Gives result: 1-D tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64
            or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU. The elements; as
            many as the bytes have.
        Since 13.3.
        """

    def alloca(
        self,
        num_elem: int,
        alignment: int,
        global_: bool = False,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Uninitialised memory that lives until the end of the block the op stands in.

        num_elem: The number of elements of the pointee; may be 0.
        alignment: In bytes: a power of two, at least the element's size.
        global_: In global memory, rather than private to the tile block.
        Gives result: scalar tile of ptr. A pointer to the first element.
        Since 13.3.
        """

    def mmaf_scaled(
        self,
        lhs: Value,
        rhs: Value,
        acc: Value,
        lhs_scale: Value,
        rhs_scale: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Matrix product of scaled blocks plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch
        in front.
        V neighbours along K share a scale: 32 for f8, 16 or 32 for f4E2M1FN by scale type.

        lhs: tile of f8E4M3FN or f8E5M2 or f4E2M1FN. Left matrix.
        rhs: tile of f8E4M3FN or f8E5M2 or f4E2M1FN. Right matrix.
        acc: tile of f32. The accumulator, MxN.
        lhs_scale: tile of f8E4M3FN or f8E8M0FNU or fnv8E5M3FNU. Scales of lhs, M x K/V; not
            negative.
        rhs_scale: tile of f8E4M3FN or f8E8M0FNU or fnv8E5M3FNU. Scales of rhs, K/V x N; not
            negative.
        Gives result: tile of f32.
        Since 13.3.
        """

    def make_gather_scatter_view(
        self,
        tensor_view: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Let tiles pick single positions of a tensor view along one dimension.

        tensor_view: tensor_view. The tensor view to cut; its type is part of the result's.
        Gives result: gather_scatter_view. The view; its type tells how the tensor view is cut.
        Since 13.3.
        """

    def make_strided_view(
        self,
        tensor_view: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Cut a tensor view into tiles that may overlap or leave gaps.

        tensor_view: tensor_view. The tensor view to cut; its type is part of the result's.
        Gives result: strided_view. The view; its type tells how the tensor view is cut.
        Since 13.3.
        """

    def atomic_red_view_tko(
        self,
        view: Value,
        index: Value | Sequence[Value],
        value: Value,
        token: Value | None = None,
        memory_ordering_semantics: Literal["relaxed"] = "relaxed",
        *,
        memory_scope: Literal["tl_blk", "device"],
        mode: Literal["and", "or", "xor", "add", "addf", "max", "min", "umax", "umin"],
        inbounds: Sequence[bool] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Combine a tile into a tile of a view without returning what was there.
        Elements outside the tensor are left out.

        view: partition_view or strided_view. The view of the memory.
        index: tile of i1 or i8 or i16 or i32 or i64, any number. Index of the tile in each
            dimension, unsigned; out of range is undefined behaviour.
        value: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. i32 and i64; floats
            for addf; both, of 32 or 64 bits, for xchg.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            relaxed.
        memory_scope: The threads among which it is atomic. One of tl_blk, device.
        mode: The operation on the element in memory. One of and, or, xor, add, addf, max, min,
            umax, umin.
        inbounds: For each index, whether no element is outside along it; else undefined behaviour.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.3.
        """

    def insert(
        self,
        source: Value,
        destination: Value,
        indices: Value | Sequence[Value] = (),
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """A copy of a tile with one of its slices replaced.
        Slice i starts at element i times the size of the source.

        source: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or
            f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The new slice; each
            size divides the destination's.
        destination: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr. The tile to
            copy, of the same rank.
        indices: scalar tile of i32, any number. Index of the slice in each dimension, unsigned; out
            of range is undefined behaviour.
        Gives result: tile of i4 or i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or
            tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU or ptr.
        Since 13.4.
        """

    def gdc_launch_dependents_tko(
        self,
        token: Value | None = None,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Let the grids that depend on this one start, as far as this tile block is concerned.

        token: token, optional. A token of operations that must have happened before.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.4.
        """

    def gdc_wait_tko(
        self,
        token: Value | None = None,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Wait until the grids that this one depends on have finished and their writes are visible.

        token: token, optional. A token of operations that must have happened before.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.4.
        """

    def fpowi(
        self,
        source: Value,
        exponent: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Each element to an integer power.

        source: tile of f16 or bf16 or f32 or f64. Base.
        exponent: tile of i1 or i8 or i16 or i32. Exponent, read as signed.
        Gives result: tile of f16 or bf16 or f32 or f64.
        Since 13.4.
        """

    def memory_fence_alias_tko(
        self,
        token: Value,
        *,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Order accesses to the same memory under different addresses, as multicast and unicast.

        token: token. The accesses before the fence.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.4.
        """

    def multimem_load_reduce_view_tko(
        self,
        view: Value,
        index: Value | Sequence[Value] = (),
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["weak", "relaxed", "acquire"],
        memory_scope: Literal["tl_blk", "device", "sys"] | None = None,
        reduction: Literal["add", "min", "max", "and", "or", "xor", "umin", "umax"] = "add",
        inbounds: Sequence[bool] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> tuple[Value, Value]:
        """Load a tile from all replicas of multicast memory and combine them.

        view: partition_view. The multicast memory, as tiles.
        index: tile of i1 or i8 or i16 or i32 or i64, any number. Index of the tile in each
            dimension, unsigned; out of range is undefined behaviour.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            weak, relaxed, acquire.
        memory_scope: The threads among which it is ordered; absent exactly when weak. One of
            tl_blk, device, sys.
        reduction: The operation that combines values. One of add, min, max, and, or, xor, umin,
            umax.
        inbounds: For each index, whether no element is outside along it; else undefined behaviour.
        Gives reduced_values: tile of i32 or i64 or f16 or bf16 or f32 or f64. Any integer
            reduction; add, and for f16 and bf16 min and max.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.5.
        """

    def multimem_reduce_view_tko(
        self,
        view: Value,
        tile: Value,
        index: Value | Sequence[Value] = (),
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["relaxed", "release"],
        memory_scope: Literal["tl_blk", "device", "sys"],
        reduction: Literal["add", "min", "max", "and", "or", "xor", "umin", "umax"] = "add",
        inbounds: Sequence[bool] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Combine a tile into all replicas of multicast memory, each element atomically.
        Elements outside the tensor are left out.

        view: partition_view. The multicast memory, as tiles.
        tile: tile of i32 or i64 or f16 or bf16 or f32 or f64. Floats only add.
        index: tile of i1 or i8 or i16 or i32 or i64, any number. Index of the tile in each
            dimension, unsigned; out of range is undefined behaviour.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            relaxed, release.
        memory_scope: The threads among which it is ordered. One of tl_blk, device, sys.
        reduction: The operation that combines values. One of add, min, max, and, or, xor, umin,
            umax.
        inbounds: For each index, whether no element is outside along it; else undefined behaviour.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.5.
        """

    def multimem_store_view_tko(
        self,
        view: Value,
        tile: Value,
        index: Value | Sequence[Value] = (),
        token: Value | None = None,
        *,
        memory_ordering_semantics: Literal["weak", "relaxed", "release"],
        memory_scope: Literal["tl_blk", "device", "sys"] | None = None,
        inbounds: Sequence[bool] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Value:
        """Store a tile to all replicas of multicast memory.
        Elements outside the tensor are left out.

        view: partition_view. The multicast memory, as tiles.
        tile: tile of i32 or i64 or f16 or bf16 or f32 or f64. The value to store.
        index: tile of i1 or i8 or i16 or i32 or i64, any number. Index of the tile in each
            dimension, unsigned; out of range is undefined behaviour.
        token: token, optional. A token of operations that must have happened before.
        memory_ordering_semantics: How strongly the access is ordered beyond what tokens say. One of
            weak, relaxed, release.
        memory_scope: The threads among which it is ordered; absent exactly when weak. One of
            tl_blk, device, sys.
        inbounds: For each index, whether no element is outside along it; else undefined behaviour.
        Gives result_token: token. A token that orders operations that take it after this op.
        Since 13.5.
        """

    def preview_call(
        self,
        operands: Value | Sequence[Value] = (),
        *,
        callee: str,
        const_args: Sequence[Attribute | int],
        arg_attrs: Sequence[Attribute | int] | None = None,
        res_attrs: Sequence[Attribute | int] | None = None,
        result: Stated = None,
        results: Sequence[Type | str] | None = None,
        location: Location | None = None,
    ) -> Any:
        """Call an extern function of the module.

        operands: any type, any number. A value for each parameter.
        callee: The name of the function.
        const_args: An expression for each constant parameter.
        arg_attrs: A dictionary for each operand.
        res_attrs: A dictionary for each result.
        Gives results: any type. What it returns.
        Since 13.5 preview.
        """
