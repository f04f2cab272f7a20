"""The step that decides how each matrix product is cut: its atom, and which warp does what.

A product of (m, k) and (k, n) matrices is atoms (see `mma_atoms`) side by side. Warps share the
sum: each takes some of the highest bits of m and n, so that its part is as square as possible and
it reads as little as possible of the factors; what is left of the warps shares the batch, or does
the same again. A product whose rows are reduced, or become the left factor of another one, is cut
along its rows only, so that no warp needs what another one has.

Factors of one byte that lie the wrong way round in memory, with neighbours along m or n instead of
k, come in pairs: lanes then count pairs of rows, or columns, of sixteen, and the bit that chose
between the first and the last eight chooses within a pair. `read_factors` shows what for.

Everything is a *coordinate*: a dimension (b, m, n, k, or s for the scales along k) and a distance
along it. The layout of an operand takes those coordinates that it has dimensions for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import Kernel
from tileir.codegen.layouts.linear_layout import LinearLayout, span
from tileir.codegen.nvptx.machine.mma_atoms import BITS, WORD_BITS, Atom, Coordinate, atom_for
from tileir.codegen.ops import Family, family_of
from tileir.codegen.uses import Uses
from tileir.gpus import Target
from tileir.ir import Op, Value
from tileir.types import Tile

from .staged import Staged, find, root_of, staged_images
from .view_facts import inner_of

_READINGS = {
    "bf16": ("bf16", "f32"), "f16": ("f16",), "f32": ("f32",), "f64": ("f64",),
    "f4E2M1FN": ("f16",), "f8E4M3FN": ("e4m3", "f16"), "f8E5M2": ("e5m2", "f16"),
    "tf32": ("tf32", "f32"),
}  # fmt: skip
"""Element type -> what atoms may read it as, best first; all of it exact."""
_SIGNED = {"signed": "s8", "unsigned": "u8"}

WHOLE = 16
"""Bytes along k that a thread reads at once at best."""


@dataclass(frozen=True, slots=True)
class Part:
    """How one operand is spread: an element number's base for each bit.

    None is a bit beyond the end of k, where factors are taken to be zero.
    """

    bits: int
    weights: dict[str, tuple[int, int]]
    """Dimension -> its extent, and what one step along it adds to the element number."""
    register: tuple[int | None, ...]
    """The bits of an atom's own registers."""
    lane: tuple[int | None, ...]
    warp: tuple[int, ...]
    steps: tuple[int, ...]
    """The bits that number the atoms of a warp."""

    @property
    def layout(self) -> LinearLayout:
        register = dict.fromkeys(base for base in (*self.register, *self.steps) if base)
        lane = tuple(base or 0 for base in self.lane)
        return LinearLayout(self.bits, tuple(register), lane, self.warp)

    @property
    def beyond(self) -> int:
        """Mask of the lane bits that lead beyond the end of k."""
        return sum(1 << bit for bit, base in enumerate(self.lane) if base is None)

    def at(self, **distances: int) -> int:
        """The offset of an atom: how far along each dimension it is."""
        return sum(distance * self.weights[dim][1] for dim, distance in distances.items())

    def own(self) -> list[int | None]:
        """The offsets of the elements in an atom's own registers, None beyond the end of k."""
        if None not in self.register:
            return span(self.register)
        found: list[int | None] = [0]
        for base in self.register:
            found += [None if base is None or at is None else at ^ base for at in found]
        return found


@dataclass(frozen=True)
class Plan:
    """How one product is carried out. `along` are the distances of the steps of each dimension."""

    atom: Atom
    reading: str
    """What factors are read as."""
    extents: dict[str, int]
    along: dict[str, tuple[int, ...]]
    warps: tuple[Coordinate | None, ...]
    paired: str = ""
    """Dimensions whose lowest sixteen rows, or columns, are pairs."""

    @cached_property
    def left(self) -> Part:
        return self._part("bmk", self.atom.left)

    @cached_property
    def right(self) -> Part:
        return self._part("bkn", self.atom.right)

    @cached_property
    def sum(self) -> Part:
        return self._part("bmn", self.atom.sum)

    @cached_property
    def left_scale(self) -> Part:
        return self._part("bms", self.atom.sum)

    @cached_property
    def right_scale(self) -> Part:
        return self._part("bsn", self.atom.sum)

    def part(self, slot: str) -> Part:
        """That of the factor in a slot."""
        return {"lhs": self.left, "rhs": self.right}[slot]

    @property
    def size(self) -> int:
        """Bytes of an element of a factor, as atoms read it."""
        return BITS[self.reading] // 8

    @property
    def per_word(self) -> int:
        """Elements of a factor in one register."""
        return max(WORD_BITS // BITS[self.reading], 1)

    @property
    def slice(self) -> int:
        """What is read of the factors along k before it is multiplied."""
        most = max(self.atom.k, WHOLE // self.size)
        scales = self.extents.get("s")
        if scales:
            most = self.extents["k"] // scales
        return min(most, self.extents["k"])

    def _part(self, dims: str, spread) -> Part:
        weights, weight = {}, 1
        for dim in reversed(dims):
            weights[dim] = (self.extents[dim], weight)
            weight *= self.extents[dim]

        def base(coordinate: Coordinate | None) -> int | None:
            dim, distance = coordinate or ("", 0)
            if dim in self.paired:
                distance = _pair(distance)
            extent, step = weights.get(dim, (0, 0))
            if distance < extent:
                return distance * step
            return None if dim == "k" else 0

        return Part(
            weight.bit_length() - 1, weights,
            tuple(map(base, spread.register)), tuple(map(base, spread.lane)),
            tuple(map(base, self.warps)),
            tuple(distance * weights[dim][1] for dim in reversed(dims)
                  for distance in self.along[dim]),
        )  # fmt: skip


def plan_products(
    kernel: Kernel, threads: int, target: Target, facts: Divisibility
) -> dict[Op, Plan]:
    """The plan of every product in a kernel, for blocks of so many threads."""
    products = [op for op in kernel.walk() if family_of(op) is Family.PRODUCT]
    by_rows = _by_rows(kernel) if products else set()
    warps = (threads // target.warp).bit_length() - 1
    return {op: _plan(op, warps, op in by_rows, target, facts) for op in products}


def reading_of(op: Op, target: Target) -> tuple[str, Atom]:
    """What the factors of a product are read as, and the atom that multiplies them."""
    k = op.operands["lhs"].type.shape[-1]
    if op.name == "mmai":
        a, b = (_SIGNED[op.attributes[f"signedness_{slot}"]] for slot in ("lhs", "rhs"))
        return a, atom_for(a, b, k, target)
    for reading in _READINGS[op.operands["lhs"].type.element.name]:
        atom = atom_for(reading, reading, k, target)
        if atom is not None:
            return reading, atom
    raise AssertionError("the last reading of every type has an atom on all targets")


def _plan(op: Op, warps: int, by_rows: bool, target: Target, facts: Divisibility) -> Plan:
    reading, atom = reading_of(op, target)
    lhs, rhs = (op.operands[slot].type.shape for slot in ("lhs", "rhs"))
    extents = {"m": lhs[-2], "n": rhs[-1], "k": lhs[-1], "b": lhs[0] if len(lhs) == 3 else 1}
    if op.name == "mmaf_scaled":
        extents["s"] = op.operands["lhs_scale"].type.shape[-1]
    rows, columns = _shares(extents, atom, warps, by_rows)
    batch = min(warps - rows - columns, _log2(extents["b"]))
    taken = {"m": rows, "n": columns, "b": batch}
    chosen: list[Coordinate | None] = []
    along = {}
    for dim, extent in extents.items():
        own = {"m": atom.m, "n": atom.n, "k": atom.k}.get(dim, 1)
        steps = _powers(own, extent)
        count = len(steps) - taken.get(dim, 0)
        along[dim] = tuple(steps[:count])
        chosen += [(dim, distance) for distance in steps[count:]]
    chosen += [None] * (warps - len(chosen))
    paired = "".join(
        dim
        for dim, slot in (("m", "lhs"), ("n", "rhs"))
        if BITS[reading] == 8
        and extents[dim] >= _PAIRED
        and (dim, _PAIRED // 2) not in chosen
        and _neighbours_along(op.operands[slot], 0 if dim == "m" else -1, facts)
    )
    along |= {dim: tuple(map(_pair, along[dim])) for dim in paired}
    return Plan(atom, reading, extents, along, tuple(chosen), paired)


_PAIRED = 16


def _pair(distance: int) -> int:
    """The distance in pairs; that of half of `_PAIRED` is the one within a pair."""
    if distance >= _PAIRED:
        return distance
    return 1 if distance == _PAIRED // 2 else 2 * distance


def _neighbours_along(value: Value, dim: int, facts: Divisibility) -> bool:
    """Whether neighbours along the first (0) or last (-1) dimension of a factor's matrices lie side
    by side where it is loaded from."""
    root = root_of(value)
    if not isinstance(root.owner, Op) or root.owner.name != "load_view_tko":
        return False
    shape = root.type.shape
    staged = Staged(None, staged_images(shape, inner_of(root, facts), 1), 1)
    images = find({root: staged}, value).images
    lowest = 0 if dim else value.type.shape[-1].bit_length() - 1
    return lowest < len(images) and images[lowest] == 1


def _shares(extents: dict[str, int], atom: Atom, warps: int, by_rows: bool) -> tuple[int, int]:
    """How many bits of a warp's number go to m and to n."""
    rows = len(_powers(atom.m, extents["m"]))
    columns = len(_powers(atom.n, extents["n"]))
    if by_rows:
        first = min(rows, warps)
        return first, min(columns, warps - first)
    total = min(warps, rows + columns)
    cuts = [(total - by, by) for by in range(total + 1) if by <= columns and total - by <= rows]
    return min(cuts, key=lambda cut: (extents["m"] >> cut[0]) + (extents["n"] >> cut[1]))


def _powers(low: int, high: int) -> list[int]:
    """Powers of two from `low`, below `high`."""
    return [1 << bit for bit in range(_log2(low), _log2(high))]


def _by_rows(kernel: Kernel) -> set[Op]:
    """Products that are cut along their rows."""
    uses, found = kernel.facts(Uses), set[Op]()
    for product in kernel.walk():
        if family_of(product) is not Family.PRODUCT:
            continue
        for value, op in _followed(product.results[0], uses):
            last = len(value.type.shape) - 1 if isinstance(value.type, Tile) else None
            if op.name == "reduce" and op.attributes["dim"] == last:
                found.add(product)
            elif family_of(op) is Family.PRODUCT and op.operands["lhs"] is value:
                found |= {product, op}
    return found


def _followed(value: Value, uses: Uses) -> Sequence[tuple[Value, Op]]:
    """What is done with a tile, and with what element-wise ops make of it."""
    found, stack, seen = [], [value], {value}
    while stack:
        value = stack.pop()
        for op in uses[value]:
            found.append((value, op))
            if family_of(op) is Family.ELEMENT_WISE or op.name == "assume":
                fresh = [result for result in op.results if result not in seen]
                seen.update(fresh)
                stack += fresh
    return found


def _log2(size: int) -> int:
    return size.bit_length() - 1
