"""LLVM values as expressions: formulas are written with operators, not with calls of the builder.

An expression is one float or integer. A Python number in a formula takes the type of the other
operand. Comparisons of floats are ordered (false with a NaN), those of integers signed; right
shifts fill with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from .binary import BinaryFormat, format_of


@dataclass(frozen=True, eq=False)
class Expr:
    """An LLVM value, and the builder that appends what is computed from it."""

    builder: ir.IRBuilder
    value: ir.Value

    @property
    def type(self) -> ir.Type:
        """LLVM type of the value."""
        return self.value.type

    @property
    def format(self) -> BinaryFormat:
        """Format of a float."""
        return format_of(self.type)

    def like(self, number: float) -> Expr:
        """Return a constant of the same type."""
        return Expr(self.builder, ir.Constant(self.type, number))

    def __add__(self, other: Expr | float) -> Expr:
        return self._either("fadd", "add", other)

    def __sub__(self, other: Expr | float) -> Expr:
        return self._either("fsub", "sub", other)

    def __rsub__(self, other: float) -> Expr:
        return self.like(other) - self

    def __mul__(self, other: Expr | float) -> Expr:
        return self._either("fmul", "mul", other)

    def __truediv__(self, other: Expr | float) -> Expr:
        return self._apply("fdiv", other)

    def __rtruediv__(self, other: float) -> Expr:
        return self.like(other) / self

    def __mod__(self, other: Expr) -> Expr:
        """Return the remainder of unsigned integers."""
        return self._apply("urem", other)

    def __and__(self, other: Expr | int) -> Expr:
        return self._apply("and_", other)

    def __or__(self, other: Expr | int) -> Expr:
        return self._apply("or_", other)

    def __xor__(self, other: Expr | int) -> Expr:
        return self._apply("xor", other)

    def __lshift__(self, other: Expr | int) -> Expr:
        return self._apply("shl", other)

    def __rshift__(self, other: Expr | int) -> Expr:
        return self._apply("lshr", other)

    def __neg__(self) -> Expr:
        return Expr(self.builder, self.builder.fneg(self.value))

    def __lt__(self, other: Expr | float) -> Expr:
        return self._compare("<", other)

    def __gt__(self, other: Expr | float) -> Expr:
        return self._compare(">", other)

    def below(self, other: Expr) -> Expr:
        """Whether this integer is less than another one, both unsigned."""
        return Expr(self.builder, self.builder.icmp_unsigned("<", self.value, other.value))

    def equals(self, other: Expr | float) -> Expr:
        """Whether both are the same number."""
        return self._compare("==", other)

    def differs(self, other: Expr | float) -> Expr:
        """Whether they are different numbers; false with a NaN."""
        return self._compare("!=", other)

    def shifted_arithmetic(self, bits: int) -> Expr:
        """Shift right by `bits`, filling with the sign."""
        return self._apply("ashr", bits)

    def bits(self) -> Expr:
        """Return the bits of a float."""
        return self._to("bitcast", self.format.pattern)

    def as_float(self, kind: ir.Type) -> Expr:
        """Return the float with these bits."""
        return self._to("bitcast", kind)

    def to_float(self, kind: ir.Type) -> Expr:
        """Return the float nearest to a signed integer."""
        return self._to("sitofp", kind)

    def extended(self, kind: ir.IntType) -> Expr:
        """Return the unsigned integer in a wider type."""
        return self._to("zext", kind)

    def truncated(self, kind: ir.IntType) -> Expr:
        """Return the low bits of an integer."""
        return self._to("trunc", kind)

    def choose(self, true: Expr, false: Expr | float) -> Expr:
        """Return one of two expressions; this one is the condition."""
        other = true.operand(false)
        return Expr(self.builder, self.builder.select(self.value, true.value, other))

    def call(self, intrinsic: str, *others: Expr | float) -> Expr:
        """Call an LLVM intrinsic on expressions of one type."""
        arguments = [self.value, *(self.operand(other) for other in others)]
        signature = ir.FunctionType(self.type, [self.type] * len(arguments))
        function = self.builder.module.declare_intrinsic(intrinsic, (self.type,), signature)
        return Expr(self.builder, self.builder.call(function, arguments))

    def operand(self, other: Expr | float) -> ir.Value:
        """Return the LLVM value of an expression, or of a number as a constant of this type."""
        return other.value if isinstance(other, Expr) else ir.Constant(self.type, other)

    def _apply(self, instruction: str, other: Expr | float) -> Expr:
        emit = getattr(self.builder, instruction)
        return Expr(self.builder, emit(self.value, self.operand(other)))

    def _either(self, on_floats: str, on_integers: str, other: Expr | float) -> Expr:
        whole = isinstance(self.type, ir.IntType)
        return self._apply(on_integers if whole else on_floats, other)

    def _compare(self, relation: str, other: Expr | float) -> Expr:
        whole = isinstance(self.type, ir.IntType)
        compare = self.builder.icmp_signed if whole else self.builder.fcmp_ordered
        return Expr(self.builder, compare(relation, self.value, self.operand(other)))

    def _to(self, conversion: str, kind: ir.Type) -> Expr:
        return Expr(self.builder, getattr(self.builder, conversion)(self.value, kind))


def fma(lhs: Expr, rhs: Expr | float, acc: Expr | float) -> Expr:
    """lhs * rhs + acc, rounded once."""
    return lhs.call("llvm.fma", rhs, acc)


def magnitude(x: Expr) -> Expr:
    """Return the float without its sign."""
    return x.call("llvm.fabs")


def sign_bit(x: Expr) -> Expr:
    """Return the bits of a float with all but the sign bit cleared."""
    return x.bits() & x.format.sign


def flip_sign(x: Expr, sign: Expr) -> Expr:
    """Flip the sign of a float if the bits `sign` have the sign bit."""
    return (x.bits() ^ sign).as_float(x.type)


def clamp(x: Expr, low: float, high: float) -> Expr:
    """Clamp a float to two bounds; NaN stays NaN."""
    x = (x > high).choose(x.like(high), x)
    return (x < low).choose(x.like(low), x)
