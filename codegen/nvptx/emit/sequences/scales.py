"""The scales of a scaled product, by which sums of runs are multiplied.

A sum is multiplied by the scale of its row and by that of its column, one factor after the other.
For powers of two there are two ways. Those of any size become two factors with half the exponent
each, so that nothing overflows that would not overflow in the result. *Moderate* ones are factors
as they are: no product of two is beyond f32.

A thread has scales of many rows, columns and runs. Powers of two stay four in a register until they
are needed, those of four runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from tileir.codegen.nvptx.emit.context import I32, Context
from tileir.codegen.nvptx.schedule.mma_plan import Part, ProductPlan
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Value

from .shuffle import any_lane

POWERS = "f8E8M0FNU"
"""The element type of powers of two."""
RUNS_IN_WORD = 4
"""Runs whose scales a register has."""
Run = int | ir.Value
"""The number of a run, which may be known at run time only."""
Factors = Callable[[Run, int], tuple[ir.Value, ...]]
"""From a run and the offset of an element of the accumulator, to f32s whose product is a scale."""

_SINGLE = ir.FloatType()
_BIAS, _FRACTION = 127, 23
_NO_NUMBER = 0xFF
_ONES, _HIGHEST = 0x01010101, 0x80808080


class Scales:
    """The scales of lhs or rhs."""

    def __init__(self, ctx: Context, value: Value, plan: ProductPlan, part: Part) -> None:
        self._builder, self._value, self._part = ctx.builder, value, part
        self._fragment, self._renumbered = ctx.fragment(value), _renumbered(plan.acc, part)

    def widened(self, run: Run, offset: int) -> tuple[ir.Value, ...]:
        """Return a scale that is no power of two."""
        assert isinstance(run, int)
        scale = self._fragment[self._at(run, offset)]
        return (widen(self._builder, scale, self._value.type.element),)

    def _at(self, run: int, offset: int) -> int:
        return self._part.at(s=run) ^ self._renumbered(offset) if self._part.bits else 0


class Powers(Scales):
    """Scales that are powers of two."""

    def __init__(self, ctx: Context, value: Value, plan: ProductPlan, part: Part) -> None:
        super().__init__(ctx, value, plan, part)
        extent, step = part.weights["s"]
        self._words = {
            at: self._packed(
                [self._fragment[at + step * run] for run in range(min(RUNS_IN_WORD, extent))]
            )
            for at in self._fragment
            if at // step % extent % RUNS_IN_WORD == 0
        }
        """Offset of the first of four runs -> their scales."""

    def are_moderate(self) -> ir.Value:
        """Return whether all scales of all lanes of a warp are moderate.

        Their exponents are from -64 to 63: of the bits of each plus one, the highest two differ.
        """
        builder, both = self._builder, ir.Constant(I32, _HIGHEST)
        for word in self._words.values():
            more = builder.add(word, ir.Constant(I32, _ONES))
            differ = builder.xor(more, builder.shl(more, ir.Constant(I32, 1)))
            both = builder.and_(both, differ)
        other = builder.icmp_unsigned("!=", both, ir.Constant(I32, _HIGHEST))
        return builder.not_(any_lane(builder, other))

    def moderate(self, run: Run, offset: int) -> tuple[ir.Value, ...]:
        """Return a moderate power of two, which is a normal f32."""
        return (self._power(self._bits(run, offset)),)

    def lower_half(self, run: Run, offset: int) -> tuple[ir.Value, ...]:
        """Return two f32 with half of the exponent of a power of two each, the first rounded down.

        With those of `upper_half`, whose first one is rounded up, the products of first and of
        second halves of two scales are in the range of f32.
        """
        return self._halves(run, offset)

    def upper_half(self, run: Run, offset: int) -> tuple[ir.Value, ...]:
        """See `lower_half`."""
        return self._halves(run, offset)[::-1]

    def _halves(self, run: Run, offset: int) -> tuple[ir.Value, ...]:
        builder, bits = self._builder, self._bits(run, offset)
        exponent = builder.sub(bits, ir.Constant(I32, _BIAS))
        part = builder.ashr(exponent, ir.Constant(I32, 1))
        is_nan = builder.icmp_unsigned("==", bits, ir.Constant(I32, _NO_NUMBER))
        powers, nan = [], ir.Constant(_SINGLE, float("nan"))
        for half in (part, builder.sub(exponent, part)):
            power = self._power(builder.add(half, ir.Constant(I32, _BIAS)))
            powers.append(builder.select(is_nan, nan, power))
        return tuple(powers)

    def _power(self, bits: ir.Value) -> ir.Value:
        moved = self._builder.shl(bits, ir.Constant(I32, _FRACTION))
        return self._builder.bitcast(moved, _SINGLE)

    def _bits(self, run: Run, offset: int) -> ir.Value:
        """Return the bits of a scale; a run known at run time is one of the first four."""
        builder = self._builder
        number = run % RUNS_IN_WORD if isinstance(run, int) else 0
        first = run - number if isinstance(run, int) else 0
        places: ir.Value = ir.Constant(I32, 8 * number)
        if not isinstance(run, int):
            places = builder.shl(run, ir.Constant(I32, 3))
        moved = builder.lshr(self._words[self._at(first, offset)], places)
        return builder.and_(moved, ir.Constant(I32, 0xFF))

    def _packed(self, scales: Sequence[ir.Value]) -> ir.Value:
        """Return scales in a register, of which LLVM does not know what is in it: it would keep
        them apart."""
        builder, word = self._builder, ir.Constant(I32, 0)
        for number, scale in enumerate(scales):
            moved = builder.shl(builder.zext(scale, I32), ir.Constant(I32, 8 * number))
            word = builder.or_(word, moved)
        missing = sum(_BIAS << 8 * number for number in range(len(scales), RUNS_IN_WORD))
        word = builder.or_(word, ir.Constant(I32, missing))
        kind = ir.FunctionType(I32, [I32])
        return builder.asm(kind, "mov.b32 $0, $1;", "=r,r", [word], False)


def _renumbered(source: Part, target: Part) -> Callable[[int], int]:
    """Return the function from an offset in one part to that in a part with fewer dimensions."""

    def renumbered(offset: int) -> int:
        result = 0
        for dim, (extent, weight) in source.weights.items():
            if dim in target.weights:
                result += offset // weight % extent * target.weights[dim][1]
        return result

    return renumbered
