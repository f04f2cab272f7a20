"""Random programs of which much is known: half of the tiles that ops take are constants."""

from __future__ import annotations

from tileir.ir import Value
from tileir.smith import data
from tileir.smith.case import Case
from tileir.smith.program import Program
from tileir.tools.sampler.draws import Draws
from tileir.types import Scalar, Tile, Type

NUMBERS = (0, 1, 2, 3, 7)
"""Numbers that most types have; the first ones are neutral or absorbing."""


class KnownProgram(Program):
    """A program whose operands are constants half of the time, uniform ones or not."""

    def value(self, type: Type, domain: data.Domain = data.anything) -> Value:
        """A tile of that type, as in any program, or a constant."""
        if domain is not data.anything or not isinstance(type, Tile) or self.draws.chance(50):
            return super().value(type, domain)
        element = type.element
        if not isinstance(element, Scalar) or element.name in ("i4", "fnv8E5M3FNU"):
            return super().value(type, domain)
        small = element.name in ("i1", "f8E8M0FNU", "f4E2M1FN")
        known = [1, *((0,) if element.name != "f8E8M0FNU" else ())] if small else [*NUMBERS]
        if element.is_integer and element.bits > 1:
            known += [-1, -(1 << element.bits - 1)]
        if self.draws.chance(70) or type.size > 16:
            number = self.draws.pick(known)
            return self.kernel.constant(
                number if element.is_integer else float(number), result=type
            )
        numbers = [self.draws.pick(known) for _ in range(type.size)]
        return self.kernel.constant(_nested(numbers, type.shape), result=type)


def _nested(numbers: list, shape: tuple[int, ...]):
    if not shape:
        return numbers[0]
    step = len(numbers) // shape[0]
    return [_nested(numbers[at : at + step], shape[1:]) for at in range(0, len(numbers), step)]


def known_program(seed: int, size: int) -> Case:
    """The program of a seed, of about `size` statements."""
    return KnownProgram(Draws(seed), size).grow()
