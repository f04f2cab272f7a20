"""Random programs that end, stay in bounds, and never do what has no meaning.

Ops are drawn by the sampler's rules on values that are there. Operands that an op cannot have are
bent first: divisors are made odd and positive, shifts and indices cut to what is left. Only ops
with exact results take part, and none that lets one NaN be told from another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.lab.model.elements import PACKED
from tileir.builder.calls import python_name
from tileir.formats.ops import BY_NAME
from tileir.formats.version import LATEST
from tileir.ir import Value
from tileir.tools.sampler.draft import Draft, Unfit
from tileir.tools.sampler.draws import Draws
from tileir.types import Pointer, Scalar, Tile, Type

from . import combining, computing, data, windows
from .drafting import SmallPool, Source, drafted
from .scene import WEAK, Case, Scene

LARGEST = 64
"""Elements of a tile."""

DEEPEST = 3
"""Regions inside each other."""

TRIPS = 4
"""Iterations of a loop, at most."""

EXACT_OPS = [
    name
    for name in computing.NAMES
    if name not in computing.FUNCTIONS
    and name not in ("int_to_ptr", "mmaf", "mmaf_scaled", "offset", "ptr_to_int", "ptr_to_ptr")
]


@dataclass
class _Loop:
    """A loop that is open: its kind, what its terminators hand over, its counter."""

    kind: str
    types: list[Type]
    counter: Value | None = None


class Program:
    """A kernel that grows."""

    def __init__(self, draws: Draws, budget: int) -> None:
        self.draws, self.budget = draws, budget
        self.pool = SmallPool(LATEST, draws, LARGEST)
        self.source = Source(draws, self.pool, [])
        names = [*self.pool.pointees, "i1"]
        self.scene = Scene(draws, names)
        self.kernel = self.scene.kernel
        self._loops: list[_Loop] = []
        self._depth = 0
        self._atomics: dict[str, int] = {}

    def grow(self) -> Case:
        """The whole program."""
        if self.draws.chance(50):
            self.scene.spread_out((self.draws.between(1, 3), self.draws.between(1, 2)))
            self._add(self.scene.block)
        while self.budget > 0:
            self._statement()
        for value in self._some(4):
            self.scene.keep(value)
        self.kernel.return_()
        return self.scene.case()

    # Values -------------------------------------------------------------------------------------

    @property
    def visible(self) -> list[Value]:
        """Tiles that ops may use here."""
        return self.source.visible

    def _add(self, *values: Value) -> None:
        self.visible.extend(value for value in values if isinstance(value.type, Tile))

    def _some(self, most: int) -> list[Value]:
        return list(dict.fromkeys(self.source.some_visible(self.draws.between(1, most))))

    def value(self, type: Type, domain: data.Domain = data.anything) -> Value:
        """A tile of that type: one that is there, or a new one. What must be of a domain is new."""
        known = [value for value in self.visible if value.type == type]
        if known and domain is data.anything and self.draws.chance(85):
            return self.draws.pick(known)
        loaded = self.scene.load(type, domain)
        if domain is data.anything:
            self._add(loaded)
        return loaded

    @contextmanager
    def _region(self):
        """Values made inside are gone afterwards."""
        count, self._depth = len(self.visible), self._depth + 1
        yield
        del self.visible[count:]
        self._depth -= 1

    # Statements ---------------------------------------------------------------------------------

    def _statement(self) -> None:
        self.budget -= 1
        choices = [self._compute] * 12 + [self._keep, self._load, self._atomic, self._combine] * 2
        choices += [self._private, self._product]
        if self._depth < DEEPEST:
            choices += [self._if, self._for, self._loop] * 2
        self.draws.pick(choices)()

    def _block(self) -> None:
        for _ in range(self.draws.between(1, 4)):
            if self.budget > 0:
                self._statement()

    def _compute(self) -> None:
        name = self.draws.pick(EXACT_OPS)
        try:
            draft = drafted(self.source, BY_NAME[name], tries=4)
        except Unfit:
            return
        if not _tame(draft):
            return
        named = {
            python_name(slot.name): draft.attributes[slot.name] for slot in draft.spec.attributes
        }
        for slot in draft.operands:
            values = [
                self._bent(draft, slot.name, number, self.value(type))
                for number, type in enumerate(draft.types[slot.name])
            ]
            one = values[0] if values else None
            named[python_name(slot.name)] = values if slot.arity == "many" else one
        results = [type for slot in draft.results for type in draft.types[slot.name]]
        made = self.kernel.op(draft.spec, (), {**named, "results": results})
        self._add(*(made if isinstance(made, tuple) else (made,)))

    def _bent(self, draft: Draft, slot: str, number: int, value: Value) -> Value:
        """The operand, or one that has a meaning there."""
        name, element = draft.spec.mnemonic, getattr(value.type, "element", None)
        if name in ("divi", "remi") and slot == "rhs":
            return self._or(self._and(value, (1 << (element.bits - 1)) - 1), 1)
        if name in ("shli", "shri") and slot == "rhs":
            return self._and(value, element.bits - 1)
        if slot == "indices":
            whole = draft.type("source" if name == "extract" else "destination").shape[number]
            part = draft.type("result" if name == "extract" else "source").shape[number]
            return self._and(value, whole // part - 1)
        return value

    def _and(self, value: Value, number: int) -> Value:
        limit = self.scene.number(number, value.type.element.name)
        return self.kernel.andi(value, self.scene.spread(limit, value.type.shape))

    def _or(self, value: Value, number: int) -> Value:
        one = self.scene.number(number, value.type.element.name)
        return self.kernel.ori(value, self.scene.spread(one, value.type.shape))

    # Memory -------------------------------------------------------------------------------------

    def _keep(self) -> None:
        for value in self._some(2):
            self.scene.keep(value)

    def _load(self) -> None:
        """Through a view of any kind, where it says what is outside."""
        element = Scalar(self.draws.pick(self.pool.pointees))
        view = windows.window(self.draws, element, self.draws.pick(windows.KINDS))
        span = view.span + view.span % 2
        values, inside = windows.index(self.scene, view)
        if view.padding is None and not all(inside):
            return
        contents = data.anything(self.scene.random(), element, span)
        first = self.scene.give_elements(element, contents)
        base = self.scene.place(self.scene.source(element.name), first)
        _, cut = windows.cut(self.scene, view, self.scene.typed(base, element))
        self._add(self.kernel.load_view_tko(cut, values, **WEAK)[0])

    def _atomic(self) -> None:
        """On memory that all tile blocks share, by an op whose order does not matter."""
        mode = self.draws.pick(("add", "and", "max", "min", "or", "umax", "umin", "xor"))
        type = Tile(Scalar("i32"), self.pool.shape())
        if mode not in self._atomics:
            self._atomics[mode] = self.scene.reserve(type.element, LARGEST)
        place = self.scene.place(self.scene.target("i32"), self._atomics[mode])
        steps = self._and(self.value(type), LARGEST - 1)
        pointers = self.kernel.offset(self.scene.spread(place, type.shape), steps)
        mask = self.value(Tile(Scalar("i1"), type.shape)) if self.draws.chance(50) else None
        self.kernel.atomic_rmw_tko(
            pointers, self.value(type), mask, mode=mode,
            memory_ordering_semantics="relaxed", memory_scope="device",
        )  # fmt: skip

    def _private(self) -> None:
        """Memory of the tile block: stored to, then read in another order, perhaps masked."""
        names = [name for name in self.pool.pointees if name not in PACKED]
        type = Tile(Scalar(self.draws.pick(names)), self.pool.shape())
        kernel, scene = self.kernel, self.scene
        room = kernel.alloca(num_elem=type.size, alignment=16, result=Tile(Pointer(type.element)))
        token = kernel.store_ptr_tko(scene.each(room, type), self.value(type), **WEAK)
        steps = self._and(self.value(Tile(Scalar("i32"), type.shape)), type.size - 1)
        pointers = kernel.offset(scene.spread(room, type.shape), steps)
        masked = self.draws.chance(50)
        mask = self.value(Tile(Scalar("i1"), type.shape)) if masked else None
        padding = self.value(type) if masked else None
        self._add(kernel.load_ptr_tko(pointers, mask, padding, token, **WEAK)[0])

    # Combining ----------------------------------------------------------------------------------

    def _combine(self) -> None:
        scan = self.draws.chance(50)
        kinds = combining.ORDERED if scan else combining.COMMUTATIVE
        body = combining.together(self.draws, kinds)
        shape = self.pool.shape(least=1)
        operands = [
            self.value(Tile(Scalar(name), shape), domain)
            for name, domain in zip(body.names, body.domains, strict=True)
        ]
        reverse = self.draws.chance(50) if scan else None
        dim = self.draws.below(len(shape))
        self._add(*combining.combined(self.scene, body, operands, dim, reverse))

    def _product(self) -> None:
        """A matrix product of small whole numbers, which is exact."""
        name = self.draws.pick(("mmaf", "mmaf_scaled"))
        try:
            draft = drafted(self.source, BY_NAME[name], tries=4)
        except Unfit:
            return
        values = [
            self.scene.load(type, data.powers if "scale" in slot.name else data.between(-2, 2))
            for slot in draft.operands
            for type in draft.types[slot.name]
        ]
        self._add(getattr(self.kernel, name)(*values))

    # Control flow -------------------------------------------------------------------------------

    def _carried(self) -> list[Value]:
        return self._some(2) if self.visible else [self.value(Tile(Scalar("i32")))]

    def _values(self, types: Sequence[Type]) -> list[Value]:
        return [self.value(type) for type in types]

    def _if(self) -> None:
        condition = self.value(Tile(Scalar("i1")))
        types = [value.type for value in self._carried()] if self.draws.chance(60) else []
        branch = self.kernel.if_(condition, results=types)
        regions = ["thenRegion", "elseRegion"] if types or self.draws.chance(50) else ["thenRegion"]
        for name in regions:
            with self._region(), getattr(branch, name):
                self._block()
                self._leave(types)
        self._add(*branch.results)

    def _leave(self, types: Sequence[Type]) -> None:
        """End a branch: mostly by handing over its values, now and then by going further out."""
        inner = self._loops[-1] if self._loops else None
        ways: list[Callable[[], None]] = []
        if inner is not None:
            ways.append(lambda: self._continue(inner))
            if inner.kind == "loop":
                ways.append(lambda: self.kernel.break_(self._values(inner.types)))
        if all(loop.kind == "loop" for loop in self._loops):
            ways.append(self.kernel.return_)
        if ways and self.draws.chance(20):
            self.draws.pick(ways)()
        else:
            self.kernel.yield_(self._values(types))

    def _continue(self, loop: _Loop) -> None:
        values = self._values(loop.types)
        if loop.counter is not None:
            values.insert(0, self.kernel.addi(loop.counter, self.scene.number(1)))
        self.kernel.continue_(values)

    def _for(self) -> None:
        carried, scene = self._carried(), self.scene
        name = self.draws.pick(("i8", "i32", "i64"))
        step, first = self.draws.between(1, 5), self.draws.between(-9, 9)
        last = first + self.draws.below(step * TRIPS)
        bounds = [
            scene.load(Tile(Scalar(name)), data.between(number, number))
            if self.draws.chance(50)
            else scene.number(number, name)
            for number in (first, last, step)
        ]
        nested = self.kernel.for_(*bounds, carried)
        with self._region(), nested.region as arguments:
            self._loops.append(_Loop("for", [value.type for value in carried]))
            self._add(*arguments)
            self._block()
            self._continue(self._loops.pop())
        self._add(*nested.results)

    def _loop(self) -> None:
        """Left after a few rounds at the latest."""
        carried, kernel, scene = self._carried(), self.kernel, self.scene
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
            self._add(counter, *values)
            self._block()
            self._continue(self._loops.pop())
        self._add(*nested.results)


def _tame(draft: Draft) -> bool:
    """Whether the op has a meaning and an exact result for any operands, once these are bent."""
    name = draft.spec.mnemonic
    types = [type for found in draft.types.values() for type in found]
    if any(isinstance(type.element, Pointer) for type in types):
        return False
    first, result = types[0].element, draft.type(draft.results[0].name).element
    if draft.attributes.get("rounding_mode") in ("approx", "full"):
        return False
    match name:
        case "bitcast" | "pack":
            return first.is_integer
        case "divi" | "remi":
            return first.bits > 1
        case "ftof":
            return result.name not in ("f8E8M0FNU", "f4E2M1FN")
        case "ftoi":
            draft.attributes["saturating"] = True
    return True


def program(seed: int, budget: int = 20) -> Case:
    """The program of a seed, of about that many statements."""
    return Program(Draws(seed), budget).grow()
