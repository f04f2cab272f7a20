"""Bodies of reductions and scans whose result does not depend on how the elements are grouped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from tileir.builder import number
from tileir.ir import Value
from tileir.tools.sampler.draws import Draws
from tileir.types import Scalar, Tile

from . import data
from .data import Domain
from .scene import Scene

Compared = Literal["equal", "less_than", "greater_than"]

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")


class Body:
    """How one or more operands are combined: their element types, the numbers that they may hold,
    the identities, and what makes the new running values from the old ones and an element's."""

    def __init__(
        self,
        names: Sequence[str],
        identities: Sequence[object],
        combine: Callable[[Scene, list[Value], list[Value]], list[Value]],
        domains: Sequence[Domain] = (),
    ) -> None:
        self.names = names
        self.domains = domains or [data.anything] * len(names)
        self.identities = [
            number(value, name) for value, name in zip(identities, names, strict=True)
        ]
        self.combine = combine


def _one(name: str, identity: object, combine: Callable, domain: Domain = data.anything) -> Body:
    """A body of one operand."""

    def combined(scene: Scene, running: list[Value], element: list[Value]) -> list[Value]:
        return [combine(scene.kernel, running[0], element[0])]

    return Body([name], [identity], combined, [domain])


def _integers(draws: Draws) -> Body:
    name = draws.pick(INTEGERS)
    half = 1 << (Scalar(name).bits - 1)
    return draws.pick(
        (
            _one(name, 0, lambda k, a, b: k.addi(a, b)),
            _one(name, 1, lambda k, a, b: k.muli(a, b)),
            _one(name, -1, lambda k, a, b: k.andi(a, b)),
            _one(name, 0, lambda k, a, b: k.ori(a, b)),
            _one(name, 0, lambda k, a, b: k.xori(a, b)),
            _one(name, -half, lambda k, a, b: k.maxi(a, b, signedness="signed")),
            _one(name, -1, lambda k, a, b: k.mini(a, b, signedness="unsigned")),
            _one(name, half - 1, _smaller),
        )
    )


def _smaller(kernel, a: Value, b: Value) -> Value:
    """The minimum, by control flow."""
    is_less = kernel.cmpi(a, b, comparison_predicate="less_than", signedness="signed")
    branch = kernel.if_(is_less, results=[a.type])
    with branch.thenRegion:
        kernel.yield_([a])
    with branch.elseRegion:
        kernel.yield_([b])
    return branch.result


def _floats(draws: Draws) -> Body:
    """Extremes of anything, sums of whole numbers that stay exact."""
    name = draws.pick(FLOATS)
    infinity = float("inf")
    return draws.pick(
        (
            _one(name, 0.0, lambda k, a, b: k.addf(a, b), data.between(-1, 1)),
            _one(name, -infinity, lambda k, a, b: k.maxf(a, b, propagate_nan=True)),
            _one(name, infinity, lambda k, a, b: k.minf(a, b), data.numbers_only),
        )
    )


def _booleans(draws: Draws) -> Body:
    return draws.pick(
        (_one("i1", 0, lambda k, a, b: k.ori(a, b)), _one("i1", 1, lambda k, a, b: k.andi(a, b)))
    )


def _first_largest(draws: Draws) -> Body:
    """The largest number and, of its places, the first."""
    name = draws.pick(INTEGERS)
    half = 1 << (Scalar(name).bits - 1)

    def combine(scene: Scene, running: list[Value], element: list[Value]) -> list[Value]:
        kernel = scene.kernel

        def compare(predicate: Compared, at: int) -> Value:
            return kernel.cmpi(
                running[at], element[at], comparison_predicate=predicate, signedness="signed"
            )

        tie = kernel.andi(compare("equal", 0), compare("less_than", 1))
        first = kernel.ori(compare("greater_than", 0), tie)
        return [kernel.select(first, a, b) for a, b in zip(running, element, strict=True)]

    return Body([name, "i32"], [-half, 2**31 - 1], combine)


def _affine(draws: Draws) -> Body:
    """Affine maps one after the other, the running one first: the order matters."""
    name = draws.pick(INTEGERS)

    def combine(scene: Scene, running: list[Value], element: list[Value]) -> list[Value]:
        kernel = scene.kernel
        scale = kernel.muli(running[0], element[0])
        return [scale, kernel.addi(kernel.muli(running[1], element[0]), element[1])]

    return Body([name, name], [1, 0], combine)


def _latest(draws: Draws) -> Body:
    return _one(draws.pick((*INTEGERS, *FLOATS)), 0, lambda k, a, b: b)


COMMUTATIVE = (_integers, _floats, _booleans, _first_largest)
ORDERED = (*COMMUTATIVE, _affine, _latest)


def together(draws: Draws, kinds: Sequence[Callable[[Draws], Body]]) -> Body:
    """One of the bodies, or two side by side."""
    one = draws.pick(kinds)(draws)
    if draws.chance(70):
        return one
    two = draws.pick(kinds)(draws)
    split = len(one.names)

    def combine(scene: Scene, running: list[Value], element: list[Value]) -> list[Value]:
        return [
            *one.combine(scene, running[:split], element[:split]),
            *two.combine(scene, running[split:], element[split:]),
        ]

    both = Body([], [], combine)
    both.names = [*one.names, *two.names]
    both.domains = [*one.domains, *two.domains]
    both.identities = [*one.identities, *two.identities]
    return both


def combined(scene: Scene, body: Body, operands: list[Value], dim: int, reverse: bool | None):
    """A reduction along a dimension, or a scan if `reverse` says which way; its results."""
    kernel = scene.kernel
    if reverse is None:
        nested = kernel.reduce(operands, dim=dim, identities=body.identities)
    else:
        nested = kernel.scan(operands, dim=dim, reverse=reverse, identities=body.identities)
    with nested as region:
        pairs = region.arguments
        kernel.yield_(body.combine(scene, pairs[::2], pairs[1::2]))
    return nested.results


def operands(scene: Scene, body: Body, shape: tuple[int, ...]) -> list[Value]:
    """Tiles of one shape for a body."""
    return [
        scene.value(Tile(Scalar(name), shape), domain)
        for name, domain in zip(body.names, body.domains, strict=True)
    ]
