"""The pool of types to draw from: those of a version, with a few shapes that recur.

An op can only use values whose types agree, so a module with shapes drawn from all possible ones
would hardly ever use what it computes. Therefore most tiles have one of the pool's shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tileir.formats.enums import PADDING_VALUE, POINTER_ATTRIBUTE
from tileir.formats.limits import MAX_TILE_ELEMENTS
from tileir.formats.types import SCALAR_BITS, TYPE
from tileir.formats.version import Version
from tileir.ir.type_rules import problem
from tileir.types import (
    Element,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Type,
    View,
)

from .draws import Draws

FAVOURITES = 4
"""Shapes and element types that recur in a module."""
LARGEST_EXPONENT = MAX_TILE_ELEMENTS.bit_length() - 1


def legal(type: Type) -> bool:
    """Whether a type breaks no rule of types."""
    return problem(type) is None


def element_name(element: Element) -> str:
    """Return the name of an element type in rows; all pointers are ``ptr``."""
    return "ptr" if isinstance(element, Pointer) else element.name


class Pool:
    """The types of a version.

    scalars     names of its element types, pointers apart
    pointees    those that can be pointed to
    attributes  the pointer attributes, None among them
    """

    def __init__(self, version: Version, draws: Draws) -> None:
        self.version = version
        self.draws = draws
        arms = (TYPE.arms[tag] for tag in SCALAR_BITS)
        self.scalars = tuple(arm.name for arm in arms if arm.since <= version)
        self.pointees = tuple(name for name in self.scalars if legal(Pointer(Scalar(name))))
        known = [case.name for case in POINTER_ATTRIBUTE.cases if case.since <= version]
        self.attributes = (None, *known)
        self.names = [draws.pick(self.scalars) for _ in range(FAVOURITES)]
        self.shapes = [self.new_shape(draws.below(4)) for _ in range(FAVOURITES)]

    def new_shape(self, rank: int) -> tuple[int, ...]:
        """Draw powers of two: mostly few elements, sometimes as many as a tile may have."""
        draws = self.draws
        if draws.chance(98):
            return tuple(draws.power(4 if rank < 3 else 2) for _ in range(rank))
        left, exponents = LARGEST_EXPONENT, []
        for _ in range(rank):
            exponents.append(draws.below(left + 1))
            left -= exponents[-1]
        return tuple(1 << exponent for exponent in exponents)

    def shape(self, least: int = 0, most: int = 4) -> tuple[int, ...]:
        """Draw a shape of a rank from least to most, often a favourite."""
        known = [shape for shape in self.shapes if least <= len(shape) <= most]
        if known and self.draws.chance(80):
            return self.draws.pick(known)
        return self.new_shape(self.draws.between(least, most))

    def name(self, names: Sequence[str]) -> str:
        """Draw one of some names of element types, often a favourite."""
        known = [name for name in self.names if name in names]
        return self.draws.pick(known if known and self.draws.chance(60) else names)

    def pointer(self, pointees: Sequence[str], attributes: Sequence[str | None] = ()) -> Pointer:
        """Draw a pointer to one of some element types."""
        attributes = attributes or self.attributes
        attribute = None if self.draws.chance(60) else self.draws.pick(attributes)
        attribute = attribute if attribute in attributes else attributes[0]
        return Pointer(Scalar(self.name(pointees)), attribute)

    def tensor(self, elements: Sequence[str], multicast: bool | None) -> TensorView:
        """Draw a tensor view; `multicast` tells whether of multicast memory, None if either."""
        draws = self.draws
        rank = draws.below(5) if draws.chance(20) else draws.between(1, 3)
        sizes, strides = ([self._extent() for _ in range(rank)] for _ in range(2))
        if rank and draws.chance(70):
            strides[draws.below(rank)] = 1
        kinds = {
            None: self.attributes,
            True: ("multicast",),
            False: tuple(name for name in self.attributes if name != "multicast"),
        }[multicast]
        pointer = self.pointer(elements, kinds)
        return TensorView(pointer.pointee, tuple(sizes), tuple(strides), pointer.attribute)

    def _extent(self) -> int | None:
        draws = self.draws
        if draws.chance(40):
            return None
        return 1 + draws.bits(draws.pick((4, 8, 16, 40)))

    def view(self, kind: str, tensor: TensorView) -> View | None:
        """Draw a view of a kind of a tensor view; None if there is none."""
        draws, rank = self.draws, len(tensor.shape)
        if not rank:
            return None
        shape = self.shape(rank, rank)
        if not legal(Tile(tensor.element, shape)):
            shape = (max(shape[0], 2), *shape[1:])
        if prod(shape) > MAX_TILE_ELEMENTS:
            return None
        padding = None
        if draws.chance(60):
            cases = [case.name for case in PADDING_VALUE.cases]
            padding = draws.pick(cases[:1] if tensor.element.is_integer else cases)
        order = tuple(draws.shuffled(range(rank)) if draws.chance(40) else range(rank))
        match kind:
            case "partition_view":
                return PartitionView(shape, tensor, order, padding)
            case "strided_view":
                steps = tuple(draws.between(1, 64) for _ in range(rank))
                return StridedView(shape, steps, tensor, order, padding)
        return GatherScatterView(shape, tensor, draws.below(rank), padding)
