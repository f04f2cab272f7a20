"""Cheaper ways to a value: another value, a constant, or a short expression of other values.

Expressions are not matched with what a kernel does, but with the numbers that come out: whatever
gives the same numbers in all runs is a way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tileir.builder import Editor, splat
from tileir.ir import Op, Value
from tileir.types import Scalar, Tile

from .costs import slots_of
from .elements import FLOATS, INTEGERS, SIGNED, Array

NEAR = 1e-8
"""Numbers that differ by a smaller part are equal."""
PAIRED = 24
"""So many values are looked at in pairs."""


@dataclass(frozen=True)
class Way:
    """An expression: an op of other ones, a number, or a value of the kernel.

    `op` is None for a number or a value; `value` is that of the kernel that was run.
    """

    op: str | None = None
    given: tuple[Way, ...] = ()
    value: Value | None = None
    number: float | None = None

    @property
    def cost(self) -> float:
        """What it costs for each element."""
        own = 0.0 if self.op is None else slots_of(self.op)
        return own + sum(each.cost for each in self.given)

    @property
    def source(self) -> Op:
        """The op whose result it is."""
        assert self.value is not None
        assert isinstance(self.value.owner, Op)
        return self.value.owner

    @property
    def values(self) -> set[Value]:
        """The values of the kernel in it; a reduction takes what is scanned."""
        if self.op == "reduce":
            return {*self.given[0].source.operand_list()}
        own = set() if self.value is None else {self.value}
        return own.union(*(each.values for each in self.given))

    def __str__(self) -> str:
        if self.value is not None:
            owner = self.value.owner
            return owner.name if isinstance(owner, Op) else "a parameter"
        if self.number is not None:
            return f"{self.number:.6g}"
        return f"{self.op}({', '.join(map(str, self.given))})"


def number(given: float) -> Way:
    """Return the way to a number."""
    return Way(number=given)


def made(way: Way, kind: Tile, editor: Editor, known: dict[Value, Value]) -> Value:
    """Make a value of a type in a way; `known`: value of the kernel that was run -> a copy's."""
    if way.value is not None:
        value = known[way.value]
        return value if value.type == kind else editor.reshape(value, result=kind)
    if way.number is not None:
        whole = isinstance(kind.element, Scalar) and kind.element.is_integer
        return editor.constant(splat(int(way.number) if whole else way.number, kind))
    if way.op == "reduce":
        return _reduced(way, kind, editor, known)
    given = [made(each, kind, editor, known) for each in way.given]
    signed: dict[str, Any] = {"signedness": "signed"} if way.op in ("maxi", "mini", "shri") else {}
    assert way.op is not None
    return getattr(editor, way.op)(*given, **signed)


def _reduced(way: Way, kind: Tile, editor: Editor, known: dict[Value, Value]) -> Value:
    """Reduce what is scanned, by the same op."""
    scan = way.given[0].source
    combining = scan.regions[0].block.ops[0]
    source = known[next(scan.operand_list())]
    with editor.reduce(
        (source,), dim=scan.attributes["dim"], identities=scan.attributes["identities"]
    ) as fold:
        slots = dict(zip(combining.operands, fold.arguments, strict=True))
        names = {"comparison_predicate", "signedness"}
        given = {name: v for name, v in combining.attributes.items() if name in names}
        editor.yield_((getattr(editor, combining.name)(**slots, **given),))
    return fold.result if fold.result.type == kind else editor.reshape(fold.result, result=kind)


# Search -----------------------------------------------------------------------------------------


def ways_of_floats(wanted: Array, given: Sequence[tuple[Value, Array]]) -> Iterator[Way]:
    """Yield expressions of values that are equal to a value; arrays are probes of each."""
    goal = wanted.ravel()
    if np.isfinite(goal).mean() < 0.5:
        return
    rows = [(value, probe.ravel()) for value, probe in given]
    for value, row in rows:
        yield from _lines(goal, Way(value=value), row)
        yield from _unary(goal, Way(value=value), row)
    yield from _pairs(goal, rows[:PAIRED])


def _lines(goal: Array, leaf: Way, row: Array) -> Iterator[Way]:
    """Yield a * leaf + b, if it is equal."""
    found = _line(goal, row)
    if found is not None:
        yield _scaled(leaf, *found)


def _scaled(leaf: Way, factor: float, more: float) -> Way:
    if factor == 1 and more == 0:
        return leaf
    if factor == -1 and more == 0:
        return Way("negf", (leaf,))
    if factor == 1:
        return Way("addf", (leaf, number(more)))
    if more == 0:
        return Way("mulf", (leaf, number(factor)))
    return Way("fma", (leaf, number(factor), number(more)))


def _line(goal: Array, row: Array) -> tuple[float, float] | None:
    """Return a and b with goal = a * row + b; a is not 0."""
    sure = np.isfinite(goal) & np.isfinite(row)
    if sure.mean() < 0.5 or not np.array_equal(np.isfinite(goal), np.isfinite(row)):
        return None
    x, y = row[sure], goal[sure]
    low, high = x.argmin(), x.argmax()
    if x[high] == x[low]:
        return None
    factor = (y[high] - y[low]) / (x[high] - x[low])
    more = y[low] - factor * x[low]
    factor, more = _rounded(factor), _rounded(more)
    if abs(more) < NEAR * np.abs(y).max():
        more = 0.0
    return (factor, more) if factor and equal(factor * row + more, goal) else None


def _rounded(found: float) -> float:
    """Return a number without the last digits, which are noise."""
    near = float(f"{found:.9g}")
    return near if abs(near) > NEAR else 0.0


_INVERSE = {
    "exp2": np.log2,
    "log2": np.exp2,
    "rsqrt": lambda y: np.where(y > 0, 1 / (y * y), np.nan),
    "sqrt": lambda y: np.where(y >= 0, y * y, np.nan),
    "tanh": np.arctanh,
}
"""Function of one number -> its inverse, where it has one."""
_FUNCTIONS = {name: FLOATS[name] for name in ("absf", "cos", "floor", "ceil", "sin")}


def _unary(goal: Array, leaf: Way, row: Array) -> Iterator[Way]:
    for name, inverse in _INVERSE.items():
        found = _line(inverse(goal), row)
        if found is not None:
            way = Way(name, (_scaled(leaf, *found),))
            if found[1] == 0 or name != "exp2":
                yield way
    for name, function in _FUNCTIONS.items():
        if equal(function(row), goal):
            yield Way(name, (leaf,))


_BINARY = {name: FLOATS[name] for name in ("addf", "subf", "mulf", "maxf", "minf", "divf")}


def _pairs(goal: Array, rows: Sequence[tuple[Value, Array]]) -> Iterator[Way]:
    if not rows:
        return
    many = np.stack([row for _, row in rows])
    for value, row in rows:
        for name, function in _BINARY.items():
            made_of = function(row[None, :], many)
            near = np.isfinite(goal) & (np.abs(made_of - goal) <= NEAR * (np.abs(goal) + 1e-3))
            near |= (made_of == goal) | (np.isnan(made_of) & np.isnan(goal))
            for index in np.flatnonzero(near.all(axis=1)).tolist():
                yield Way(name, (Way(value=value), Way(value=rows[index][0])))
        ratio = goal / (row[None, :] * many)
        usual = np.isfinite(ratio).mean(axis=1) > 0.5
        for index in np.flatnonzero(usual).tolist():
            part = ratio[index][np.isfinite(ratio[index])]
            if np.all(np.abs(part - part[0]) <= NEAR * np.abs(part[0])) and part[0]:
                factor = _rounded(part[0])
                if factor != 1 and equal(factor * row * many[index], goal):
                    product = Way("mulf", (Way(value=value), Way(value=rows[index][0])))
                    yield _scaled(product, factor, 0.0)


def computed(way: Way, probes: Mapping[Value, Array]) -> Array:
    """Return what an expression gives, of some elements of the values in it."""
    if way.value is not None:
        return probes[way.value]
    if way.number is not None:
        return np.asarray(way.number if way.number % 1 else int(way.number))
    assert way.op is not None
    return _OPS[way.op](*(computed(each, probes) for each in way.given))


def equal(one: Array, other: Array) -> bool:
    """Whether numbers are equal but for rounding."""
    return bool(np.allclose(one, other, rtol=NEAR, atol=1e-10, equal_nan=True))


def ways_of_integers(wanted: Array, given: Iterable[tuple[Value, Array]]) -> Iterator[Way]:
    """Yield expressions of whole numbers that are equal to a value."""
    goal = wanted.ravel()
    rows = [(value, probe.ravel()) for value, probe in given]
    for value, row in rows:
        leaf = Way(value=value)
        for bits in range(1, 16):
            if np.array_equal(row >> bits, goal):
                yield Way("shri", (leaf, number(bits)))
            if np.array_equal(row & (1 << bits) - 1, goal):
                yield Way("andi", (leaf, number((1 << bits) - 1)))
        low, high = row.argmin(), row.argmax()
        if row[low] == row[high]:
            continue
        factor, rest = divmod(int(goal[high] - goal[low]), int(row[high] - row[low]))
        more = int(goal[low]) - factor * int(row[low])
        if not rest and factor and np.array_equal(row * factor + more, goal):
            way = leaf if factor == 1 else Way("muli", (leaf, number(factor)))
            yield way if not more else Way("addi", (way, number(more)))
    for value, row in rows[:PAIRED]:
        for other, second in rows[:PAIRED]:
            for name, function in _WHOLE.items():
                if np.array_equal(function(row, second), goal):
                    yield Way(name, (Way(value=value), Way(value=other)))


_WHOLE = {name: INTEGERS[name] for name in ("addi", "subi", "muli")} | {**SIGNED}
_OPS = {**FLOATS, **INTEGERS, **SIGNED, "shri": np.right_shift}
"""Op of a way -> what it computes."""
