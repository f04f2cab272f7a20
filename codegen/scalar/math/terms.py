"""LLVM values as terms of formulas: operators instead of calls of the builder.

A term is one float or integer. Python numbers in a formula take the type of the term beside them.
Comparisons of floats are ordered (false with a NaN), those of integers signed; shifts to the right
fill with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from .binary import Format, format_of


@dataclass(frozen=True, eq=False)
class Term:
    """A value and the builder that goes on from it."""

    builder: ir.IRBuilder
    value: ir.Value

    @property
    def type(self) -> ir.Type:
        """LLVM's type of the value."""
        return self.value.type

    @property
    def format(self) -> Format:
        """The format of a float."""
        return format_of(self.type)

    def like(self, number: float) -> Term:
        """A constant of the same type."""
        return Term(self.builder, ir.Constant(self.type, number))

    def __add__(self, other: Term | float) -> Term:
        return self._either("fadd", "add", other)

    def __sub__(self, other: Term | float) -> Term:
        return self._either("fsub", "sub", other)

    def __rsub__(self, other: float) -> Term:
        return self.like(other) - self

    def __mul__(self, other: Term | float) -> Term:
        return self._either("fmul", "mul", other)

    def __truediv__(self, other: Term | float) -> Term:
        return self._apply("fdiv", other)

    def __rtruediv__(self, other: float) -> Term:
        return self.like(other) / self

    def __mod__(self, other: Term) -> Term:
        """The remainder of unsigned integers."""
        return self._apply("urem", other)

    def __and__(self, other: Term | int) -> Term:
        return self._apply("and_", other)

    def __or__(self, other: Term | int) -> Term:
        return self._apply("or_", other)

    def __xor__(self, other: Term | int) -> Term:
        return self._apply("xor", other)

    def __lshift__(self, other: Term | int) -> Term:
        return self._apply("shl", other)

    def __rshift__(self, other: Term | int) -> Term:
        return self._apply("lshr", other)

    def __neg__(self) -> Term:
        return Term(self.builder, self.builder.fneg(self.value))

    def __lt__(self, other: Term | float) -> Term:
        return self._compare("<", other)

    def __gt__(self, other: Term | float) -> Term:
        return self._compare(">", other)

    def below(self, other: Term) -> Term:
        """Whether an integer is less than another one, both without sign."""
        return Term(self.builder, self.builder.icmp_unsigned("<", self.value, other.value))

    def equals(self, other: Term | float) -> Term:
        """Whether both are the same number."""
        return self._compare("==", other)

    def differs(self, other: Term | float) -> Term:
        """Whether they are different numbers; false with a NaN."""
        return self._compare("!=", other)

    def shifted_arithmetic(self, places: int) -> Term:
        """The integer shifted right, filled with its sign."""
        return self._apply("ashr", places)

    def bits(self) -> Term:
        """The pattern of a float."""
        return self._to("bitcast", self.format.pattern)

    def as_float(self, kind: ir.Type) -> Term:
        """The float with this pattern."""
        return self._to("bitcast", kind)

    def to_float(self, kind: ir.Type) -> Term:
        """The float nearest to a signed integer."""
        return self._to("sitofp", kind)

    def extended(self, kind: ir.IntType) -> Term:
        """The unsigned integer in a wider type."""
        return self._to("zext", kind)

    def truncated(self, kind: ir.IntType) -> Term:
        """The low bits of an integer."""
        return self._to("trunc", kind)

    def choose(self, true: Term, false: Term | float) -> Term:
        """One of two terms; this one is the condition."""
        other = true.operand(false)
        return Term(self.builder, self.builder.select(self.value, true.value, other))

    def call(self, intrinsic: str, *others: Term | float) -> Term:
        """An LLVM intrinsic on terms of one type."""
        arguments = [self.value, *(self.operand(other) for other in others)]
        signature = ir.FunctionType(self.type, [self.type] * len(arguments))
        function = self.builder.module.declare_intrinsic(intrinsic, (self.type,), signature)
        return Term(self.builder, self.builder.call(function, arguments))

    def operand(self, other: Term | float) -> ir.Value:
        """The other term, or the number as a constant of this type, as LLVM's value."""
        return other.value if isinstance(other, Term) else ir.Constant(self.type, other)

    def _apply(self, instruction: str, other: Term | float) -> Term:
        emit = getattr(self.builder, instruction)
        return Term(self.builder, emit(self.value, self.operand(other)))

    def _either(self, on_floats: str, on_integers: str, other: Term | float) -> Term:
        whole = isinstance(self.type, ir.IntType)
        return self._apply(on_integers if whole else on_floats, other)

    def _compare(self, relation: str, other: Term | float) -> Term:
        whole = isinstance(self.type, ir.IntType)
        compare = self.builder.icmp_signed if whole else self.builder.fcmp_ordered
        return Term(self.builder, compare(relation, self.value, self.operand(other)))

    def _to(self, conversion: str, kind: ir.Type) -> Term:
        return Term(self.builder, getattr(self.builder, conversion)(self.value, kind))


def fma(lhs: Term, rhs: Term | float, acc: Term | float) -> Term:
    """lhs * rhs + acc, rounded once."""
    return lhs.call("llvm.fma", rhs, acc)


def magnitude(term: Term) -> Term:
    """The float without its sign."""
    return term.call("llvm.fabs")


def sign_bit(term: Term) -> Term:
    """The pattern of a float with nothing but its sign."""
    return term.bits() & term.format.sign


def signed(term: Term, sign: Term) -> Term:
    """The float, its sign flipped where the pattern `sign` has the sign bit."""
    return (term.bits() ^ sign).as_float(term.type)


def clamp(term: Term, low: float, high: float) -> Term:
    """The float between two bounds; a NaN stays one."""
    term = (term > high).choose(term.like(high), term)
    return (term < low).choose(term.like(low), term)
