"""Drafts: an op before it is made, for whose slots types are drawn by the rules of its row.

Slots that must agree form a class: an `Agreement` has the classes of a row, for element types and
for shapes, whether a group or the inference of a result ties slots together. A `Draft` decides the
slots in order; each new type is drawn from what its class leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar, cast

from tileir.formats.ops.spec import (
    Constraint,
    Like,
    Op,
    Operand,
    Pointee,
    Result,
    TileOf,
    ViewTile,
)
from tileir.ir import Block, Value
from tileir.ir import Op as MadeOp
from tileir.ir.dialect import KINDS
from tileir.ir.slot_types import infer
from tileir.read.function import Global
from tileir.types import Element, Pointer, Scalar, TensorView, Tile, Token, Type, ValueType, View

from .draws import Draws
from .pool import Pool, element_name, legal
from .rows import Rows

Drawn = TypeVar("Drawn", bound=Type)

NOWHERE = Block()
"""Where values are defined of which only the type counts."""

TRIES = 16
"""Tries to draw a visible value whose type fits, and to draw a new type from the pool."""


class Unfit(Exception):
    """The draws so far leave an op without legal types; the caller tries another op."""


class Agreement:
    """The slots of a row that share their element type, and those that share their shape."""

    def __init__(self, spec: Op) -> None:
        self.slots: dict[str, Operand | Result] = {
            slot.name: slot for slot in (*spec.operands, *spec.results)
        }
        self.element = {name: [name] for name in self.slots}
        self.shape = {name: [name] for name in self.slots}
        self.pointers: dict[str, str] = {}
        for group in (*spec.same_type, *spec.same_element):
            self._join(self.element, group)
        for group in (*spec.same_type, *spec.same_shape):
            self._join(self.shape, group)
        for slot in self.slots.values():
            match slot.inference:
                case Like(source, element):
                    self._join(self.shape, (slot.name, source))
                    if not element:
                        self._join(self.element, (slot.name, source))
                case Pointee(source):
                    self._join(self.shape, (slot.name, source))
                    self.pointers[slot.name] = source

    @staticmethod
    def _join(classes: dict[str, list[str]], group: Sequence[str]) -> None:
        merged = list(dict.fromkeys(name for first in group for name in classes[first]))
        for name in merged:
            classes[name] = merged

    def target(self, pointer: str) -> str | None:
        """Return a slot with the values that the pointers in a slot point to; None if none has."""
        return next((name for name, source in self.pointers.items() if source == pointer), None)


agreement = cache(Agreement)
"""Return the agreement of a row; cached."""


@dataclass(frozen=True, slots=True)
class OpenTypes:
    """The types that are left open for a tile.

    names        names of the element types
    pointees     names of the types that pointers may point to; `loaded` if another slot has these
    element      the element type, if it is known
    shape        the shape, if it is known
    least, most  the ranks
    fits         a further condition
    """

    names: Sequence[str]
    pointees: Sequence[str]
    loaded: bool = False
    element: Element | None = None
    shape: tuple[int, ...] | None = None
    least: int = 0
    most: int = 4
    fits: Callable[[Tile], bool] = lambda tile: True

    def admits(self, tile: ValueType) -> bool:
        """Whether a type is one of these."""
        if not isinstance(tile, Tile) or not self.least <= tile.rank <= self.most:
            return False
        if self.shape not in (None, tile.shape) or self.element not in (None, tile.element):
            return False
        if element_name(tile.element) not in self.names:
            return False
        if isinstance(tile.element, Pointer):
            pointee = tile.element.pointee
            if pointee.name not in self.pointees:
                return False
            if self.loaded and not legal(Tile(pointee, tile.shape)):
                return False
        return legal(tile) and self.fits(tile)


class Surroundings(Protocol):
    """The function that the op of a draft is for."""

    draws: Draws
    pool: Pool
    rows: Rows
    globals: Sequence[Global]

    def some_visible(self, count: int) -> list[Value]:
        """Draw values that are visible here, with repeats."""
        ...


class Draft:
    """One op before it is made.

    types       types by slot, in the order in which they were decided
    attributes  values that the types depend on, such as a dimension
    elements    names of the element types that a slot may have, where the row admits more
    """

    def __init__(
        self, around: Surroundings, spec: Op, fixed: dict[str, ValueType] | None = None
    ) -> None:
        self.around = around
        self.draws = around.draws
        self.pool = around.pool
        self.spec = spec
        self.agreement = agreement(spec)
        self.fixed = dict(fixed or {})
        self.types: dict[str, tuple[ValueType, ...]] = {k: (v,) for k, v in self.fixed.items()}
        self.attributes: dict[str, Any] = {}
        self.elements: dict[str, Sequence[str]] = {}
        version = around.pool.version
        self.operands = [slot for slot in spec.operands if slot.since <= version]
        self.results = [slot for slot in spec.results if slot.since <= version]

    def type(self, name: str) -> ValueType:
        """Return the type of a slot of one value; None if it is not decided yet, or absent."""
        return next(iter(self.types.get(name, ())), None)

    def set(self, name: str, *types: ValueType) -> None:
        """Decide a slot; Unfit if a type breaks a rule of types, or is not the fixed one."""
        if not all(map(legal, types)):
            raise Unfit(f"{self.spec.mnemonic}: {name}")
        if name in self.fixed and types != (self.fixed[name],):
            raise Unfit(f"{self.spec.mnemonic}: {name} is fixed")
        self.types[name] = types

    def complete(self) -> None:
        """Decide all slots that are still open, in order."""
        for slot in (*self.operands, *self.results):
            if slot.name in self.types:
                continue
            if slot.arity == "optional" and self.draws.chance(50):
                self.types[slot.name] = ()
                continue
            followed = self._followed(slot)
            if followed is not None:
                self.set(slot.name, *followed)
            elif slot.arity == "many":
                self.set(slot.name, *self.many(slot.name))
            elif isinstance(slot.type, TileOf):
                self.tile(slot.name)
            else:
                self.other(slot.name)

    # Types that are decided already -------------------------------------------------------------

    def _followed(self, slot: Operand | Result) -> Sequence[ValueType] | None:
        rule = slot.inference
        if rule is not None and rule.slot in self.types:
            values = {
                name: [Value(type, NOWHERE, 0, 0) for type in types]
                for name, types in self.types.items()
            }
            return infer(MadeOp(self.spec, {}, self.attributes), rule, values)
        return None

    def _agreed_element(self, name: str) -> ValueType | None:
        """Return the element type of a slot's class, if one of its slots has a type."""
        for mate in self.agreement.element[name]:
            type = self.type(mate)
            if type is not None:
                return type.element
            pointers = self.type(self.agreement.pointers.get(mate, ""))
            if pointers is not None:
                return pointers.pointee
        return None

    def _agreed_shape(self, name: str) -> tuple[int, ...] | None:
        for mate in self.agreement.shape[name]:
            type = self.type(mate)
            if type is not None:
                return type.shape
        return None

    # Types that are left open -------------------------------------------------------------------

    def admitted(self, name: str) -> tuple[str, ...]:
        """Return the names of the element types that all slots of a class admit in this version."""
        left: tuple[str, ...] = (*self.pool.scalars, "ptr")
        for mate in self.agreement.element[name]:
            own = getattr(self.agreement.slots[mate].type, "elements", None)
            for allowed in (own, self.elements.get(mate)):
                left = tuple(each for each in left if allowed is None or each in allowed)
        return left

    def pointees(self, name: str) -> tuple[str, ...]:
        """Return the names of the element types that the pointers of a slot may point to."""
        target = self.agreement.target(name)
        left = self.pool.scalars if target is None else self.admitted(target)
        return tuple(each for each in left if each in self.pool.pointees)

    def _rank(self, name: str) -> int | None:
        slots = [self.agreement.slots[mate] for mate in self.agreement.shape[name]]
        ranks = [getattr(slot.type, "rank", None) for slot in slots]
        return next((rank for rank in ranks if rank is not None), None)

    # Drawing ------------------------------------------------------------------------------------

    def tile(
        self,
        name: str,
        *,
        least: int = 0,
        most: int = 4,
        shape: tuple[int, ...] | None = None,
        elements: Sequence[str] | None = None,
        fits: Callable[[Tile], bool] = lambda tile: True,
    ) -> Tile:
        """Decide a slot of one tile: the type of a visible value that fits, or a new one.

        least, most  the ranks, where the row leaves them open
        shape        the shape, if the caller knows it
        elements     names of the element types, of those that the row admits
        fits         a further condition
        """
        known = self.type(name)
        if known is not None:
            if fits(known) and least <= known.rank <= most:
                return known
            raise Unfit(f"{self.spec.mnemonic}: {name}")
        rank = self._rank(name)
        agreed = self._agreed_element(name)
        names = self.admitted(name) if agreed is None else (element_name(agreed),)
        left = OpenTypes(
            names=[each for each in names if elements is None or each in elements],
            pointees=self.pointees(name),
            loaded=self.agreement.target(name) is not None,
            element=agreed,
            shape=self._agreed_shape(name) if shape is None else shape,
            least=least if rank is None else rank,
            most=most if rank is None else rank,
            fits=fits,
        )
        self.set(name, self._drawn(left))
        return self.type(name)

    def _drawn(self, left: OpenTypes) -> Tile:
        """Draw the type of a visible tile, or else a new one."""
        if self.draws.chance(90):
            for value in self.around.some_visible(TRIES):
                if left.admits(value.type):
                    return value.type
        for _ in range(TRIES if left.names else 0):
            element = left.element
            if element is None:
                chosen = self.pool.name(left.names)
                if chosen == "ptr" and not left.pointees:
                    continue
                element = self.pool.pointer(left.pointees) if chosen == "ptr" else Scalar(chosen)
            shape = self.pool.shape(left.least, left.most) if left.shape is None else left.shape
            tile = Tile(element, shape)
            if left.admits(tile):
                return tile
        raise Unfit(f"{self.spec.mnemonic}: no tile")

    def other(self, name: str) -> ValueType:
        """Decide a slot that is not a tile: a token, a tensor view, or a view."""
        constraint = self.agreement.slots[name].type
        if constraint.kinds == ("token",):
            self.set(name, Token())
        elif constraint.kinds == ("tensor_view",):
            self.set(name, self.tensor())
        else:
            self.view(name)
        return self.type(name)

    def tensor(self) -> TensorView:
        """Draw the type of a visible tensor view, or a new one."""
        if self.draws.chance(60):
            for value in self.around.some_visible(TRIES):
                if isinstance(value.type, TensorView):
                    return value.type
        elements = self.pool.pointees
        return self._legal(lambda: self.pool.tensor(elements, None))

    def view(
        self,
        name: str,
        multicast: bool | None = None,
        fits: Callable[[View], bool] = lambda view: True,
    ) -> View:
        """Decide a slot of a view; `multicast`: whether of multicast memory, None for either."""
        known = self.type(name)
        if known is not None:
            return cast("View", known)
        kinds = self._view_kinds(self.agreement.slots[name].type)
        elements = self.pool.pointees
        for slot in self.agreement.slots.values():
            if isinstance(slot.inference, ViewTile) and slot.inference.slot == name:
                admitted = self.admitted(slot.name)
                elements = [each for each in elements if each in admitted]
        if self.draws.chance(70):
            for value in self.around.some_visible(2 * TRIES):
                type = value.type
                if not isinstance(type, View) or KINDS.get(type.__class__) not in kinds:
                    continue
                if type.view.element.name not in elements:
                    continue
                if multicast in (None, type.view.attribute == "multicast") and fits(type):
                    self.set(name, type)
                    return type
        kind = self.draws.pick(kinds)

        def draw() -> View | None:
            view = self.pool.view(kind, self.pool.tensor(elements, multicast))
            return view if view is not None and fits(view) else None

        drawn = self._legal(draw)
        self.set(name, drawn)
        return drawn

    def _view_kinds(self, constraint: Constraint) -> list[str]:
        made = self.around.rows.makers
        return [kind for kind in constraint.kinds if kind in made]

    def _legal(self, draw: Callable[[], Drawn | None]) -> Drawn:
        for _ in range(TRIES):
            type = draw()
            if type is not None and legal(type):
                return type
        raise Unfit(self.spec.mnemonic)

    def many(
        self, name: str, least: int = 0, most: int = 3, least_rank: int = 0
    ) -> list[ValueType]:
        """Draw types for a list slot, all of one shape if the row asks for it."""
        slot = self.agreement.slots[name]
        types: list[ValueType] = []
        for _ in range(self.draws.between(least, most)):
            kinds = [kind for kind in slot.type.kinds if kind in ("tile", "token")]
            if not kinds or self.draws.pick(kinds) == "token":
                types.append(Token())
                continue
            types.append(self._another(slot, types, least_rank))
        return types

    def _another(self, slot: Operand | Result, before: Sequence[ValueType], least: int) -> Tile:
        rank = getattr(slot.type, "rank", None)
        names: Sequence[str] = (*self.pool.scalars, "ptr")
        for allowed in (getattr(slot.type, "elements", None), self.elements.get(slot.name)):
            names = [name for name in names if allowed is None or name in allowed]
        alike = (slot.name,) in self.spec.same_shape and len(before) > 0
        left = OpenTypes(
            names=names,
            pointees=self.pool.pointees,
            shape=before[0].shape if alike else None,
            least=least if rank is None else rank,
            most=4 if rank is None else rank,
        )
        return self._drawn(left)
