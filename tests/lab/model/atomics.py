"""Atomics, one element after the other."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tileir.ir import Op
from tileir.types import Scalar

from . import views
from .access import chosen
from .elements import bits, of_bits, signed, unsigned, wrapped
from .floats import nearest
from .memory import unspecified

if TYPE_CHECKING:
    from .machine import Block


def _integer(function: Callable, reading: Callable = unsigned) -> Callable:
    def combine(element: Scalar, old: np.ndarray, value: np.ndarray) -> np.ndarray:
        return wrapped(function(reading(old, element), reading(value, element)), element)

    return combine


MODES: dict[str, Callable] = {
    "add": _integer(operator.add),
    "addf": lambda element, old, value: nearest(np.add, element, old, value),
    "and": _integer(operator.and_),
    "max": _integer(np.maximum, signed),
    "min": _integer(np.minimum, signed),
    "or": _integer(operator.or_),
    "umax": _integer(np.maximum),
    "umin": _integer(np.minimum),
    "xchg": lambda element, old, value: value,
    "xor": _integer(operator.xor),
}
"""What an atomic does: element type, old value, operand -> new value."""


def _modify(block: Block, op: Op, places, value, mask, element: Scalar) -> np.ndarray:
    """Apply the mode to each element in turn; what was there."""
    combine, old = MODES[op.attributes["mode"]], unspecified(element, value.shape).copy()
    for at in np.ndindex(value.shape):
        if mask[at]:
            position = int(places[at])
            old[at] = of_bits(block.memory.read(position, element), element)
            new = np.asarray(combine(element, np.asarray(old[at]), np.asarray(value[at])))
            block.memory.write(position, element, int(bits(new.reshape(1), element)[0]))
    return old


def atomic_rmw_tko(block: Block, op: Op, pointers, arg, mask, token):
    element = op.operands["arg"].type.element
    places = np.asarray(8 * pointers.astype(object), object)
    return _modify(block, op, places, arg, chosen(mask, arg.shape), element)


def atomic_red_view_tko(block: Block, op: Op, view, index, value, token):
    places, inside = views.positions(op, view, index)
    _modify(block, op, places, value, inside, op.operands["value"].type.element)


def atomic_cas_tko(block: Block, op: Op, pointers, cmp, val, mask, token):
    """Floats are compared by their bits; what is masked out returns `cmp`."""
    element = op.operands["val"].type.element
    places = np.asarray(8 * pointers.astype(object), object)
    expected, wanted = (np.asarray(bits(side, element), object) for side in (cmp, val))
    old = expected.copy()
    for at in np.ndindex(old.shape):
        if chosen(mask, old.shape)[at]:
            old[at] = block.memory.read(int(places[at]), element)
            if old[at] == expected[at]:
                block.memory.write(int(places[at]), element, wanted[at])
    return of_bits(old, element)


OPS = {
    function.__name__: function
    for function in (atomic_cas_tko, atomic_red_view_tko, atomic_rmw_tko)
}
