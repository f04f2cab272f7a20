"""Random programs that end, stay in bounds, and never do what has no meaning.

A program is a chain of recipes over shared values. Operands that an op cannot have are bent first,
or loaded anew: divisors are made odd and positive, shifts and indices cut to what is left. What is
not exact is stored and not used any further, nor can one NaN be told from another.

What is stored in a loop is ordered by a token that the loop carries. Elsewhere each place is stored
to once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tileir.builder.regions import Nested
from tileir.formats.ops import BY_NAME
from tileir.formats.version import LATEST, Version
from tileir.ir import Value
from tileir.tools.sampler.draft import Unfit
from tileir.tools.sampler.draws import Draws
from tileir.types import Scalar, Tile, Token, Type

from . import data
from .case import Case
from .computing import NAMES
from .features import CONTROL, NARROW, ops_of
from .recipes import RECIPES
from .scene import Scene

SIZES = (16, 64, 64, 256)
"""The most elements of a tile, in a program."""

DEEPEST = 3
"""Regions inside each other."""

TRIPS = 4
"""Iterations of a loop, at most."""

OPS_A_STATEMENT = 8
"""About so many ops come with one statement."""

OFTEN = {"reduce": 6, "scan": 6}
"""Op -> how often it comes for each time that a plain op does. Others that are not plain come
twice."""

ENDING = 40
"""Ops that the end takes, about."""

SINKS = 8
"""The most values that nothing has used and that are stored at the end."""


@dataclass
class _Loop:
    """A loop that is open: its kind, what its terminators hand over, its counter."""

    kind: str
    types: list[Type]
    counter: Value | None = None


def _statements(ops: set[str], version: Version) -> list[str]:
    """The recipes to draw from, in one order."""
    known = [
        name
        for name in RECIPES
        if name in ops and name not in CONTROL and BY_NAME[name].since <= version
    ]
    return [name for name in known for _ in range(1 if name in NAMES else OFTEN.get(name, 2))]


class Program:
    """A kernel that grows to about so many ops."""

    def __init__(
        self,
        draws: Draws,
        ops: int,
        version: Version = LATEST,
        *,
        features: Sequence[str] = (),
        only: Sequence[str] = (),
        wild: bool = False,
    ) -> None:
        self.draws, self.ops = draws, ops
        largest = draws.pick(SIZES)
        self.scene = Scene(draws, version, largest=largest, alone=False, wild=wild)
        self.kernel = self.scene.kernel
        chosen = set(only) or ops_of(features)
        self._names = _statements(chosen, version) or ["constant"]
        self._control = bool(chosen & CONTROL)
        if NARROW in features:
            self._narrow()
        self._loops: list[_Loop] = []
        self._depth = 0
        self._seen = 0
        self._made = 0
        self._statements = ops // OPS_A_STATEMENT + 1

    def _narrow(self) -> None:
        pool = self.scene.pool
        pool.names = [name for name in pool.scalars if Scalar(name).bits <= 8]

    def grow(self) -> Case:
        """Return the whole program."""
        if self.draws.chance(50):
            grid = tuple(self.draws.between(1, most) for most in self.draws.pick(GRIDS))
            self.scene.define(*self.scene.spread_out(grid))
        while self._size() < max(self.ops // 2, self.ops - ENDING):
            self._statement()
        self._sink()
        self.kernel.return_()
        return self.scene.case()

    def _size(self) -> int:
        """How many ops there are; called where no region is open."""
        top = self.kernel.ops
        for op in top[self._seen :]:
            self._made += sum(1 for _ in op.walk())
        self._seen = len(top)
        return self._made

    def _sink(self) -> None:
        """Store what nothing has used, so that little of the program is dead."""
        used = {value for op in self.kernel.walk() for value in op.operand_list()}
        unused = [value for value in self.scene.visible if value not in used]
        for value in unused[-SINKS:] or self._some(4):
            self.scene.keep(value)

    def _some(self, most: int) -> list[Value]:
        visible = self.scene.visible
        if not visible:
            return []
        count = self.draws.between(1, most)
        return list(dict.fromkeys(self.draws.pick(visible) for _ in range(count)))

    @contextmanager
    def _region(self) -> Iterator[None]:
        """Values made inside are gone afterwards, and so is the order of stores."""
        count, token = len(self.scene.visible), self.scene.token
        self._depth += 1
        yield
        self.scene.forget(count)
        self.scene.token = token
        self._depth -= 1

    # Statements ---------------------------------------------------------------------------------

    def _statement(self) -> None:
        with self.kernel.at(self.scene.locations()):
            self._draw()

    def _draw(self) -> None:
        if self._control and self._depth < DEEPEST and self.draws.chance(12):
            self.draws.pick((self._if, self._for, self._loop))()
        elif self.draws.chance(6):
            for value in self._some(2):
                self.scene.keep(value)
        else:
            try:
                RECIPES[self.draws.pick(self._names)](self.scene)
            except Unfit:
                return

    def _block(self) -> None:
        for _ in range(self.draws.between(1, 4)):
            if self._statements > 0:
                self._statements -= 1
                self._statement()

    # Control flow -------------------------------------------------------------------------------

    def _carried(self) -> list[Value]:
        return self._some(2) or [self.scene.value(Tile(Scalar("i32")))]

    def _handed(self, types: Sequence[Type]) -> list[Value]:
        """Values of these types; for a token the one that the next store must follow."""
        return [
            self.scene.value(type) if isinstance(type, Tile) else self._token() for type in types
        ]

    def _token(self) -> Value:
        token = self.scene.token
        return self.kernel.make_token() if token is None else token

    def _if(self) -> None:
        scene, ordered = self.scene, self.scene.token is not None
        condition = scene.value(Tile(Scalar("i1")))
        types: list[Type] = []
        if self.draws.chance(60):
            types += [value.type for value in self._carried()]
        types += [Token()] if ordered else []
        branch = self.kernel.if_(condition, results=types)
        regions = ["thenRegion", "elseRegion"] if types or self.draws.chance(50) else ["thenRegion"]
        for name in regions:
            with self._region(), getattr(branch, name):
                self._block()
                self._leave(types)
        self._after(branch, ordered)

    def _after(self, nested: Nested, ordered: bool) -> None:
        """Go on behind an op with its results, the last of which may be a token."""
        self.scene.define(*nested.results)
        if ordered:
            self.scene.token = nested.results[-1]

    def _leave(self, types: Sequence[Type]) -> None:
        """End a branch: mostly by handing over its values, now and then by going further out."""
        inner = self._loops[-1] if self._loops else None
        ways: list[Callable[[], None]] = []
        if inner is not None:
            ways.append(lambda: self._continue(inner))
            if inner.kind == "loop":
                ways.append(lambda: self.kernel.break_(self._handed(inner.types)))
        if all(loop.kind == "loop" for loop in self._loops):
            ways.append(self.kernel.return_)
        if ways and self.draws.chance(20):
            self.draws.pick(ways)()
        else:
            self.kernel.yield_(self._handed(types))

    def _continue(self, loop: _Loop) -> None:
        values = self._handed(loop.types)
        if loop.counter is not None:
            values.insert(0, self.kernel.addi(loop.counter, self.scene.number(1)))
        self.kernel.continue_(values)

    def _for(self) -> None:
        scene, ordered = self.scene, self.scene.token is not None
        carried = [*self._carried(), self._token()]
        name = self.draws.pick(("i8", "i32", "i64"))
        step, first = self.draws.between(1, 5), self.draws.between(-9, 9)
        last = first + self.draws.below(step * TRIPS)
        bounds = [
            scene.load(Tile(Scalar(name)), data.between(number, number))
            if self.draws.chance(50)
            else scene.number(number, name)
            for number in (first, last, step)
        ]
        nested = self.kernel.for_(bounds[0], bounds[1], bounds[2], carried)
        with self._region(), nested.region as arguments:
            self._loops.append(_Loop("for", [value.type for value in carried]))
            scene.define(*arguments)
            scene.token = arguments[-1]
            self._block()
            self._continue(self._loops.pop())
        self._after(nested, ordered)

    def _loop(self) -> None:
        """Left after a few rounds at the latest."""
        kernel, scene, ordered = self.kernel, self.scene, self.scene.token is not None
        carried = [*self._carried(), self._token()]
        types = [value.type for value in carried]
        nested = kernel.loop([scene.number(0), *carried], results=types)
        with self._region(), nested.region as (counter, *values):
            loop = _Loop("loop", types, counter)
            self._loops.append(loop)
            limit = scene.number(self.draws.below(TRIPS))
            is_over = kernel.cmpi(
                counter, limit, comparison_predicate="greater_than_or_equal", signedness="signed"
            )
            with kernel.if_(is_over):
                kernel.break_(values)
            scene.define(counter, *values)
            scene.token = values[-1]
            self._block()
            self._continue(self._loops.pop())
        self._after(nested, ordered)


GRIDS = ((3, 2, 1), (3, 2, 1), (2, 1, 2), (4, 1, 1))
"""The most tile blocks along each axis, in programs of several."""


def program(seed: int, ops: int = 100) -> Case:
    """Return the program of a seed, of about that many ops."""
    return Program(Draws(seed), ops).grow()
