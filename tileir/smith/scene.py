"""A kernel with the arrays that it is launched with: tiles come from these and go back to them.

For each element type there are two parameters, an array to load from and one to store to. Both are
used up from the front: every tile has a place of its own, and what is past the last one shall not
change.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from tileir.builder import Module, splat
from tileir.formats.version import LATEST, Version
from tileir.ir import Value
from tileir.tools.sampler.draws import Draws
from tileir.tools.sampler.modules import entry_hints
from tileir.tools.sampler.sources import Sources
from tileir.types import FunctionType, PartitionView, Pointer, Scalar, TensorView, Tile, Type

from .case import Case, Kept
from .data import Domain, anything
from .drafting import SmallPool
from .elements import PACKED, bits, dtype, pointee
from .noise import Noise
from .tolerance import EXACT, Tolerance

WEAK: dict[str, Any] = {"memory_ordering_semantics": "weak"}
GUARD = 16
"""Elements behind the last one that is written, to see that nothing is."""
CANARY = 0x5A
"""Every byte of an array before something is stored there."""
ADDRESSES = ("i8", "i16", "i32", "i64")
"""Element types that every kernel may have arrays of."""
RECENT = 6
"""Values that are used more often than those before them."""


def memory_element(name: str) -> str:
    """The element type of the array for tiles of some other: packed ones are bytes."""
    return "i8" if name in PACKED else name


class Scene:
    """A kernel under construction.

    pool     the types that recipes draw, of one version
    alone    whether one recipe makes all of it, which may decide about the grid then
    wild     whether operands for which an op has no meaning are given to it, too
    token    what the next store must follow; None where each is made once, outside of loops
    """

    def __init__(
        self,
        draws: Draws,
        version: Version = LATEST,
        *,
        largest: int = 128,
        alone: bool = True,
        wild: bool = False,
    ) -> None:
        """Begin the kernel, with parameters for each element type; `case` drops what is unused."""
        self.draws, self.alone, self.wild = draws, alone, wild
        self.pool = SmallPool(version, draws, largest)
        self.module = Module()
        scalars = self.pool.pointees
        self.elements = list(dict.fromkeys(map(memory_element, (*ADDRESSES, *scalars))))
        pointers = [f"ptr<{name}>" for name in self.elements for _ in range(2)]
        sources = Sources(draws, "kernel", not alone and draws.chance(40))
        self.locations = sources.next
        self.kernel = self.module.function(
            "kernel",
            pointers,
            hints={} if alone else entry_hints(draws),
            location=sources.function,
        )
        self._contents: dict[str, list[np.ndarray]] = {name: [] for name in self.elements}
        self._room = dict.fromkeys(self.elements, 0)
        self._kept: list[Kept] = []
        self._initial: list[tuple[str, int, np.ndarray]] = []
        self.grid: tuple[int, ...] = (1,)
        self.block: Value | None = None
        self.latest: np.ndarray | None = None
        self.token: Value | None = None
        self.visible: list[Value] = []
        self._by_type: dict[Type, list[Value]] = {}

    def spread_out(self, grid: tuple[int, ...]) -> tuple[Value, ...]:
        """Launch that many tile blocks, each with a place of its own for every tile it keeps.

        Returns where the tile block is, and how many there are along each axis.
        """
        kernel, self.grid = self.kernel, grid
        here, extents = kernel.get_tile_block_id(), kernel.get_num_tile_blocks()
        number = here[2]
        for axis in (1, 0):
            number = kernel.addi(kernel.muli(number, extents[axis]), here[axis])
        self.block = number
        return (*here, *extents)

    @property
    def blocks(self) -> int:
        """How many tile blocks have places of their own."""
        return prod(self.grid) if self.block is not None else 1

    def case(self) -> Case:
        """Return the finished kernel, which must have returned, with the parameters it uses."""
        used = {value for op in self.kernel.walk() for value in op.operand_list()}
        args, places, unused = [], {}, []
        for number in range(2 * len(self.elements)):
            if self.kernel.parameters[number] not in used:
                unused.append(number)
                continue
            places[number] = len(args)
            args.append(self._argument(self.elements[number // 2], number % 2 == 1))
        self._drop_parameters(unused)
        kept = [replace(each, array=places[each.array]) for each in self._kept]
        return Case(self.module.bytecode(), self.grid, args, kept)

    def _drop_parameters(self, unused: list[int]) -> None:
        body = self.kernel.body
        for number in reversed(unused):
            body.block.remove_argument(number)
        types = tuple(value.type for value in body.block.arguments)
        self.kernel.type = body.type = FunctionType(types, ())

    def _argument(self, name: str, stored: bool) -> np.ndarray:
        kind, given = dtype(Scalar(name)), self._contents[name]
        if not stored:
            return np.concatenate(given) if given else np.zeros(1, kind)
        empty = np.full((self._room[name] + GUARD) * kind.itemsize, CANARY, np.uint8)
        array = (empty & 1).view(kind) if name == "i1" else empty.view(kind)
        for owner, start, values in self._initial:
            if owner == name:
                array[start : start + values.size] = values
        return array

    # Values -------------------------------------------------------------------------------------

    def define(self, *values: Value) -> None:
        """Let further ops use these tiles."""
        for value in values:
            if isinstance(value.type, Tile):
                self.visible.append(value)
                self._by_type.setdefault(value.type, []).append(value)

    def forget(self, count: int) -> None:
        """Let further ops use the first `count` tiles only."""
        while len(self.visible) > count:
            self._by_type[self.visible.pop().type].pop()

    def result(self, value: Value, tolerance: Tolerance = EXACT) -> None:
        """Store what an op gave, or let further ops use it if it is exact."""
        chained = tolerance == EXACT and not isinstance(value.type.element, Pointer)
        if chained and not self.alone:
            self.define(value)
            if not self.draws.chance(10):
                return
        self.keep(value, tolerance)

    def value(self, type: Tile, domain: Domain = anything) -> Value:
        """Return a tile of that type: one that is there, or a new one, as those of a domain are."""
        known = self._by_type.get(type)
        if known and domain is anything and self.draws.chance(85):
            return self.draws.pick(known[-RECENT:] if self.draws.chance(60) else known)
        loaded = self.load(type, domain)
        if domain is anything and not isinstance(type.element, Pointer):
            self.define(loaded)
        return loaded

    # Small values -------------------------------------------------------------------------------

    def number(self, number: int, name: str = "i32") -> Value:
        """A scalar constant."""
        return self.kernel.constant(splat(number, name))

    def spread(self, value: Value, shape: tuple[int, ...]) -> Value:
        """A scalar tile as a tile of that shape."""
        if not shape:
            return value
        ones = Tile(value.type.element, (1,) * len(shape))
        single = self.kernel.reshape(value, result=ones)
        if ones.shape == shape:
            return single
        return self.kernel.broadcast(single, result=Tile(value.type.element, shape))

    def masked(self, value: Value, number: int) -> Value:
        """Return integers of which only those bits are left."""
        limit = self.number(number, value.type.element.name)
        return self.kernel.andi(value, self.spread(limit, value.type.shape))

    def source(self, name: str) -> Value:
        """The parameter that points to what tiles of an element type are loaded from."""
        return self.kernel.parameters[2 * self.elements.index(memory_element(name))]

    def target(self, name: str) -> Value:
        """The parameter that points to where they are stored."""
        return self.kernel.parameters[2 * self.elements.index(memory_element(name)) + 1]

    def place(self, base: Value, start: int) -> Value:
        """The pointer to an element of an array."""
        return self.kernel.offset(base, self.number(start)) if start else base

    def give(self, name: str, array: np.ndarray) -> int:
        """Add to the array of an element type; where that starts."""
        given = self._contents[name]
        start = sum(each.size for each in given)
        given.append(np.ascontiguousarray(array).reshape(-1))
        return start

    def reserve(
        self, element: Scalar, count: int, tolerance: Tolerance = EXACT, shared: bool = False
    ) -> int:
        """Make room for that many elements of each tile block, or of all if it is shared.

        Returns where it starts; `own` makes the pointer.
        """
        name = memory_element(element.name)
        start, packed = self._room[name], element.name in PACKED
        self._room[name] += (count // 2 if packed else count) * (1 if shared else self.blocks)
        array = 2 * self.elements.index(name) + 1
        stored = Scalar("i8") if packed else element
        self._kept.append(Kept(array, start, self._room[name] - start, stored, tolerance))
        return start

    def begin_with(self, name: str, start: int, values: np.ndarray, shared: bool = False) -> None:
        """Set what is in reserved room before the launch, for each tile block the same."""
        times = 1 if shared else self.blocks
        self._initial.append((name, start, np.tile(values.reshape(-1), times)))

    def own(self, element: Scalar, start: int, count: int) -> Value:
        """Return a pointer to this tile block's part of room for `count` elements each."""
        base = self.place(self.target(element.name), start)
        if self.block is not None:
            size = count // 2 if element.name in PACKED else count
            base = self.kernel.offset(base, self.kernel.muli(self.block, self.number(size)))
        return self.typed(base, element)

    def follow(self, token: Value) -> None:
        """Let what is stored next come after this token, if order matters here."""
        if self.token is not None:
            self.token = token

    # Tiles --------------------------------------------------------------------------------------

    def random(self) -> Noise:
        """Return random arrays that are decided by the draws."""
        return Noise(self.draws.bits(32))

    def load(self, type: Tile, domain: Domain = anything) -> Value:
        """A tile of new numbers."""
        element = type.element
        if isinstance(element, Pointer):
            return self.pointers(type)
        if element.name == "i4":
            return self.kernel.trunci(self.load(Tile(Scalar("i8"), type.shape)), result=type)
        values = domain(self.random(), element, type.size)
        self.latest = values
        return self.read(type, self.give_elements(element, values))

    def give_elements(self, element: Scalar, values: np.ndarray) -> int:
        """Add elements to their array, packed as memory has them; where that starts."""
        if element.name not in PACKED:
            return self.give(element.name, values)
        nibbles = bits(values.reshape(-1), element).astype(np.uint8)
        return self.give("i8", (nibbles[::2] | nibbles[1::2] << 4).view(np.int8))

    def read(self, type: Tile, start: int) -> Value:
        """The tile whose elements lie from there on, through a view or through pointers."""
        base = self.typed(self.place(self.source(type.element.name), start), type.element)
        if not type.rank or (type.element.name not in PACKED and self.draws.chance(30)):
            pointers = self.each(base, type)
            return self.kernel.load_ptr_tko(pointers, **WEAK)[0]
        return self.kernel.load_view_tko(self._view(base, type), self._zeros(type), **WEAK)[0]

    def typed(self, base: Value, element: Scalar) -> Value:
        """A pointer to an array as one to elements of that type."""
        if element.name not in PACKED:
            return base
        return self.kernel.ptr_to_ptr(base, result=Tile(Pointer(element)))

    def _view(self, base: Value, type: Tile) -> Value:
        strides = tuple(
            int(np.prod(type.shape[dim + 1 :])) if type.shape[dim] > 1 else type.size
            for dim in range(type.rank)
        )
        tensor = TensorView(type.element, type.shape, strides)
        whole = self.kernel.make_tensor_view(base, [], [], result=tensor)
        view = PartitionView(type.shape, tensor, tuple(range(type.rank)))
        return self.kernel.make_partition_view(whole, result=view)

    def _zeros(self, type: Tile) -> list[Value]:
        return [self.number(0)] * type.rank

    def each(self, base: Value, type: Tile) -> Value:
        """Pointers to consecutive elements, in the shape of the tile."""
        if not type.rank:
            return base
        line = self.kernel.iota(result=Tile(Scalar("i32"), (type.size,)))
        steps = self.kernel.reshape(line, result=Tile(Scalar("i32"), type.shape))
        return self.kernel.offset(self.spread(base, type.shape), steps)

    def pointers(self, type: Tile) -> Value:
        """Pointers somewhere near the array of their pointee; they are not for access."""
        base = self.spread(self.source(pointee(type.element).name), type.shape)
        steps = self.load(Tile(Scalar("i32"), type.shape))
        shift = self.spread(self.number(20), type.shape)
        near = self.kernel.offset(base, self.kernel.shri(steps, shift, signedness="signed"))
        return near if near.type == type else self.kernel.ptr_to_ptr(near, result=type)

    def distance(self, address: Value, name: str) -> Value:
        """How far addresses are from the array of an element type."""
        base = self.kernel.ptr_to_int(self.source(name))
        return self.kernel.subi(address, self.spread(base, address.type.shape))

    def keep(self, value: Value, tolerance: Tolerance = EXACT) -> None:
        """Store a tile, to be compared; of pointers the addresses."""
        type, kernel = value.type, self.kernel
        if isinstance(type.element, Pointer):
            self.keep(kernel.ptr_to_int(value))
            return
        if type.element.name == "i4":
            wide = Tile(Scalar("i8"), type.shape)
            self.keep(kernel.exti(value, signedness="signed", result=wide))
            return
        start = self.reserve(type.element, type.size, tolerance)
        base = self.own(type.element, start, type.size)
        order = {**WEAK, "token": self.token}
        if not type.rank or (type.element.name not in PACKED and self.draws.chance(30)):
            token = self.kernel.store_ptr_tko(self.each(base, type), value, **order)
        else:
            view = self._view(base, type)
            token = self.kernel.store_view_tko(value, view, self._zeros(type), **order)
        self.follow(token)
