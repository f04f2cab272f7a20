"""A kernel with the arrays that it is launched with: tiles come from these and go back to them.

For each element type there are two parameters, an array to load from and one to store to. Both are
used up from the front: every tile has a place of its own, and what is past the last one shall not
change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.lab.model.elements import PACKED, bits, dtype
from tileir.builder import Module, splat
from tileir.bytecode import Bytecode
from tileir.ir import Value
from tileir.tools.sampler.draws import Draws
from tileir.types import PartitionView, Pointer, Scalar, TensorView, Tile

from .data import Domain, anything
from .tolerance import EXACT, Tolerance

WEAK = {"memory_ordering_semantics": "weak"}
GUARD = 16
"""Elements behind the last one that is written, to see that nothing is."""
CANARY = 0x5A
"""Every byte of an array before something is stored there."""
ADDRESSES = ("i8", "i16", "i32", "i64")
"""Element types that every kernel has arrays of."""


@dataclass(slots=True)
class Kept:
    """Elements that were stored: in which array, from where, how many, and how exactly."""

    array: int
    start: int
    count: int
    element: Scalar
    tolerance: Tolerance


@dataclass(slots=True)
class Case:
    """A kernel and how to launch it: `args` are its parameters, arrays or numbers."""

    bytecode: Bytecode
    grid: tuple[int, ...]
    args: list[np.ndarray]
    kept: list[Kept]
    symbol: str = "kernel"


def memory_element(name: str) -> str:
    """The element type of the array for tiles of some other: packed ones are bytes."""
    return "i8" if name in PACKED else name


class Scene:
    """A kernel under construction."""

    def __init__(self, draws: Draws, elements: Sequence[str] = (), version: str = "13.5") -> None:
        self.draws = draws
        self.module = Module(version)
        self.elements = list(dict.fromkeys([*map(memory_element, elements), *ADDRESSES]))
        pointers = [f"ptr<{name}>" for name in self.elements for _ in range(2)]
        self.kernel = self.module.function("kernel", pointers)
        self._contents: dict[str, list[np.ndarray]] = {name: [] for name in self.elements}
        self._room = dict.fromkeys(self.elements, 0)
        self._kept: list[Kept] = []
        self._initial: list[tuple[str, int, np.ndarray]] = []
        self.grid: tuple[int, ...] = (1,)
        self.block: Value | None = None
        self.latest: np.ndarray | None = None

    def spread_out(self, grid: tuple[int, int]) -> None:
        """Launch that many tile blocks, each with a place of its own for every tile it keeps."""
        kernel, self.grid = self.kernel, grid
        x, y, _ = kernel.get_tile_block_id()
        self.block = kernel.addi(x, kernel.muli(y, self.number(grid[0])))

    def case(self) -> Case:
        """The finished kernel; it must have returned."""
        args = []
        for name in self.elements:
            kind = dtype(Scalar(name))
            given = self._contents[name]
            args.append(np.concatenate(given) if given else np.zeros(1, kind))
            empty = np.full((self._room[name] + GUARD) * kind.itemsize, CANARY, np.uint8)
            args.append((empty & 1).view(kind) if name == "i1" else empty.view(kind))
            for owner, start, values in self._initial:
                if owner == name:
                    args[-1][start : start + values.size] = values
        return Case(self.module.bytecode(), self.grid, args, self._kept)

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

    def reserve(self, element: Scalar, count: int, tolerance: Tolerance = EXACT) -> int:
        """Room for that many elements to be stored; where it starts."""
        name = memory_element(element.name)
        start, packed = self._room[name], element.name in PACKED
        self._room[name] += count // 2 if packed else count
        array = 2 * self.elements.index(name) + 1
        stored = Scalar("i8") if packed else element
        self._kept.append(Kept(array, start, self._room[name] - start, stored, tolerance))
        return start

    def begin_with(self, name: str, start: int, values: np.ndarray) -> None:
        """What is in an array to be stored to, before the launch."""
        self._initial.append((name, start, values.reshape(-1)))

    # Tiles --------------------------------------------------------------------------------------

    def random(self) -> np.random.Generator:
        """A generator of NumPy's that is decided by the draws."""
        return np.random.default_rng(self.draws.bits(32))

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
        base = self.spread(self.source(type.element.pointee.name), type.shape)
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
        blocks = int(np.prod(self.grid)) if self.block is not None else 1
        self.write(value, self.reserve(type.element, blocks * type.size, tolerance))

    def write(self, value: Value, start: int) -> None:
        """Store a tile from there on, or from where the tile block's own place is."""
        type = value.type
        base = self.place(self.target(type.element.name), start)
        if self.block is not None:
            size = type.size // 2 if type.element.name in PACKED else type.size
            base = self.kernel.offset(base, self.kernel.muli(self.block, self.number(size)))
        base = self.typed(base, type.element)
        if not type.rank or (type.element.name not in PACKED and self.draws.chance(30)):
            self.kernel.store_ptr_tko(self.each(base, type), value, **WEAK)
        else:
            self.kernel.store_view_tko(
                value, self._view(base, type), self._zeros(type), **WEAK
            )  # fmt: skip
