"""Plan matrix products: choose the atom of each, and divide the product among warps.

A product of (m, k) and (k, n) matrices is tiled by atoms (see `mma_atoms`). Warps share the
accumulator: each takes some of the highest bits of m and n, so that its part is as square as
possible and it reads as little as possible of the operands. Warps beyond that share the batch, or
compute copies. A product whose rows are reduced, or become the lhs of another product, is divided
along its rows only, so that no warp needs results of another one.

Operands with elements of one byte whose neighbours in memory lie along m or n instead of k come in
pairs: lanes then count pairs of rows, or columns, of sixteen, and the bit that chose between the
first and the last eight chooses within a pair. `mma_reads` shows what for. Along k the order is
free, as long as both operands have the same one: where it is paired, a lane has a run of neighbours
along k of one atom, not two runs.

All bits are *coordinates*: a dimension (b, m, n, k, or s for the scales along k) and a distance
along it. The layout of an operand uses the coordinates of its own dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.types import Frag, registers_of
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LinearLayout, log2
from tileir.codegen.nvptx.machine.mma_atoms import (
    BITS,
    BY_MNEMONIC,
    WORD_BITS,
    Atom,
    Coordinate,
    atom_for,
)
from tileir.codegen.ops import Family, family_of
from tileir.formats.forks import Lock
from tileir.gpus import Target
from tileir.ir import Op, Value
from tileir.read.once import once
from tileir.types import Element, Scalar, Tile

from .staged import root_of, seen_as, staged_bases
from .view_facts import inner_of

_OPERAND_TYPES = {
    "bf16": ("bf16", "f32"),
    "f16": ("f16",),
    "f32": ("f32",),
    "f64": ("f64",),
    "f4E2M1FN": ("f16",),
    "f8E4M3FN": ("e4m3", "f16"),
    "f8E5M2": ("e5m2", "f16"),
    "tf32": ("tf32", "f32"),
}
"""Element type -> the operand types of atoms that it converts to exactly, best first."""
_SIGNED = {"signed": "s8", "unsigned": "u8"}

WHOLE = 16
"""Bytes along k that a thread reads at once, at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """The distribution of one operand: for each bit, its base, which is an element number.

    The base is None for a bit that leads beyond the end of k, where operands count as zero.
    """

    bits: int
    weights: dict[str, tuple[int, int]]
    """Dimension -> its extent, and its stride in element numbers."""
    register: tuple[int | None, ...]
    """The bases of the bits that number the registers of one atom."""
    lane: tuple[int | None, ...]
    warp: tuple[int, ...]
    steps: tuple[int, ...]
    """The bases of the bits that number the atoms of a warp."""

    @property
    def layout(self) -> LinearLayout:
        register = dict.fromkeys(base for base in (*self.register, *self.steps) if base)
        lane = tuple(base or 0 for base in self.lane)
        return LinearLayout(self.bits, tuple(register), lane, self.warp)

    @property
    def beyond(self) -> int:
        """The mask of the lane bits that lead beyond the end of k."""
        return sum(1 << bit for bit, base in enumerate(self.lane) if base is None)

    def at(self, **distances: int) -> int:
        """Return the offset of the atom at these distances along the dimensions."""
        return sum(distance * self.weights[dim][1] for dim, distance in distances.items())

    def own(self) -> list[int | None]:
        """Return the offsets of the elements in an atom's registers, None beyond the end of k."""
        offsets: list[int | None] = [0]
        for base in self.register:
            offsets += [None if base is None or at is None else at ^ base for at in offsets]
        return offsets


@dataclass(frozen=True)
class ProductPlan:
    """How one product is computed. `along` has, for each dimension, the distances of its steps."""

    atom: Atom
    operand_type: str
    """The element type of lhs and rhs in the atom; the operands are converted to it."""
    extents: dict[str, int]
    along: dict[str, tuple[int, ...]]
    warps: tuple[Coordinate | None, ...]
    paired: str = ""
    """The dimensions whose lowest bits are taken in another order: sixteen rows or columns (m, n)
    in pairs, k in runs of neighbours that each fill two registers of a lane."""
    _lock = Lock()

    @once
    def lhs(self) -> Part:
        """The distribution of lhs; the properties below are those of the other operands."""
        return self._part("bmk", self.atom.a_layout)

    @once
    def rhs(self) -> Part:
        return self._part("bkn", self.atom.b_layout)

    @once
    def acc(self) -> Part:
        return self._part("bmn", self.atom.acc_layout)

    @once
    def lhs_scale(self) -> Part:
        return self._part("bms", self.atom.acc_layout)

    @once
    def rhs_scale(self) -> Part:
        return self._part("bsn", self.atom.acc_layout)

    def part(self, slot: str) -> Part:
        """Return the distribution of the operand in the slot lhs or rhs."""
        return {"lhs": self.lhs, "rhs": self.rhs}[slot]

    @property
    def size(self) -> int:
        """Bytes of an element of lhs or rhs, in the operand type."""
        return BITS[self.operand_type] // 8

    @property
    def per_word(self) -> int:
        """Elements of lhs or rhs in one register."""
        return max(WORD_BITS // BITS[self.operand_type], 1)

    @property
    def slice(self) -> int:
        """The extent along k of the slice of lhs and rhs that is in registers at a time."""
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
            if dim == "k" and dim in self.paired:
                distance = _run(distance, self.atom.k, self.per_word)
            elif dim in self.paired:
                distance = _pair(distance)
            extent, step = weights.get(dim, (0, 0))
            if distance < extent:
                return distance * step
            return None if dim == "k" else 0

        return Part(
            weight.bit_length() - 1,
            weights,
            tuple(map(base, spread.register)),
            tuple(map(base, spread.lane)),
            cast("tuple[int, ...]", tuple(map(base, self.warps))),  # k is not spread over warps
            tuple(
                distance * weights[dim][1] for dim in reversed(dims) for distance in self.along[dim]
            ),
        )


def plan_products(
    kernel: KernelIR, threads: int, target: Target, facts: Divisibility
) -> dict[Op, ProductPlan]:
    """Plan every matrix product of a kernel, for blocks of so many threads, by atoms of a warp."""
    products = [op for op in kernel.walk() if family_of(op) is Family.PRODUCT]
    divided_by_rows = by_rows(kernel) if products else set()
    warps = (threads // target.warp).bit_length() - 1
    return {op: _plan(op, warps, op in divided_by_rows, target, facts) for op in products}


def paired_along(plan: ProductPlan, dims: str) -> ProductPlan:
    """Return a plan with further dimensions in `paired`, those for which it is possible."""
    free = [dim for dim in dims if dim == "k" or _may_pair(dim, plan.extents, plan.warps)]
    paired = "".join(sorted({*plan.paired, *free}))
    return product_plan(plan.atom, plan.extents, plan.warps, paired)


def operand_type_of(op: Op, target: Target) -> tuple[str, Atom]:
    """Return the operand type of a product, and the atom that multiplies such operands."""
    k = op.operands["lhs"].type.shape[-1]
    if op.name == "mmai":
        a, b = signs_of(op)
        return a, cast(Atom, atom_for(a, b, k, target))  # every target has one for integers
    for operand_type in operand_types(op.operands["lhs"].type.element):
        atom = atom_for(operand_type, operand_type, k, target)
        if atom is not None:
            return operand_type, atom
    raise AssertionError("the last operand type of every element type has an atom on all targets")


def signs_of(op: Op) -> tuple[str, str]:
    """Return the operand types of lhs and rhs of an mmai."""
    lhs, rhs = (_SIGNED[op.attributes[f"signedness_{slot}"]] for slot in ("lhs", "rhs"))
    return lhs, rhs


def operand_types(element: Element) -> tuple[str, ...]:
    """Return the operand types of atoms that an element converts to exactly, best first."""
    return _OPERAND_TYPES[cast(Scalar, element).name]


def _plan(op: Op, warps: int, by_rows: bool, target: Target, facts: Divisibility) -> ProductPlan:
    operand_type, atom = operand_type_of(op, target)
    adjacent = "".join(
        dim
        for dim, slot in (("m", "lhs"), ("n", "rhs"))
        if BITS[operand_type] == 8
        and neighbours_along(op.operands[slot], 0 if dim == "m" else -1, facts)
    )
    return divided(atom, extents_of(op), warps, by_rows, adjacent)


def divided(
    atom: Atom, extents: dict[str, int], warps: int, by_rows: bool, adjacent: str = ""
) -> ProductPlan:
    """Divide a product among 2**`warps` warps: along its rows only, if `by_rows`.

    `adjacent` has the dimensions, m or n or both, along which neighbours are adjacent in memory, if
    elements have one byte.
    """
    rows, columns = _shares(extents, atom, warps, by_rows)
    batch = min(warps - rows - columns, log2(extents["b"]))
    chosen = taken_bits(atom, extents, {"m": rows, "n": columns, "b": batch})
    chosen += [None] * (warps - len(chosen))
    paired = "".join(dim for dim in adjacent if _may_pair(dim, extents, chosen))
    return product_plan(atom, extents, tuple(chosen), paired)


def taken_bits(
    atom: Atom, extents: dict[str, int], bits: dict[str, int]
) -> list[Coordinate | None]:
    """Return the highest coordinates of dimensions, as many of each as `bits` says."""
    return [
        (dim, distance)
        for dim, steps in _steps(atom, extents).items()
        for distance in steps[len(steps) - bits.get(dim, 0) :]
    ]


def plan_of(op: Op, warps: int = 0) -> ProductPlan:
    """Return the plan of a product of the block IR.

    It follows from the atom, the shapes, and the part of the accumulator that each warp has. If the
    accumulator is a single element, it has no layout, and 2**`warps` warps have copies of it.
    """
    atom, extents = BY_MNEMONIC[op.attributes["atom"]], extents_of(op)
    columns, rows = extents["n"], extents["m"]
    chosen: list[Coordinate | None] = [None] * warps
    kind = registers_of(op.operands["acc"].type)
    if isinstance(kind, Frag):
        chosen = []
        for base in kind.layout.warp:
            if base == 0:
                chosen.append(None)
            elif base < columns:
                chosen.append(("n", base))
            elif base < rows * columns:
                chosen.append(("m", base // columns))
            else:
                chosen.append(("b", base // (rows * columns)))
    return product_plan(atom, extents, tuple(chosen), op.attributes.get("paired", ""))


def product_plan(
    atom: Atom, extents: dict[str, int], warps: tuple[Coordinate | None, ...], paired: str
) -> ProductPlan:
    """Return the plan in which warps have these coordinates: what they leave is for each warp."""
    along = {
        dim: tuple(distance for distance in steps if (dim, distance) not in warps)
        for dim, steps in _steps(atom, extents).items()
    }
    along |= {dim: tuple(map(_pair, along[dim])) for dim in paired if dim != "k"}
    return ProductPlan(atom, atom.a, extents, along, warps, paired)


def extents_of(op: Op) -> dict[str, int]:
    """Return the extents of a product, of Tile IR or of the block IR."""
    lhs, rhs = (op.operands[slot].type.shape for slot in ("lhs", "rhs"))
    extents = {"m": lhs[-2], "n": rhs[-1], "k": lhs[-1], "b": lhs[0] if len(lhs) == 3 else 1}
    if "lhs_scale" in op.operands:
        extents["s"] = op.operands["lhs_scale"].type.shape[-1]
    return extents


def _steps(atom: Atom, extents: dict[str, int]) -> dict[str, list[int]]:
    """Return, for each dimension, the distances between atoms."""
    own = {"m": atom.m, "n": atom.n, "k": atom.k}
    return {dim: powers(own.get(dim, 1), extent) for dim, extent in extents.items()}


_PAIRED = 16


def _may_pair(dim: str, extents: dict[str, int], warps: Sequence[Coordinate | None]) -> bool:
    """Whether one warp has all of the lowest sixteen along m or n."""
    return extents[dim] >= _PAIRED and (dim, _PAIRED // 2) not in warps


def _pair(distance: int) -> int:
    """Return a distance as it is in pairs; half of `_PAIRED` becomes the step within a pair."""
    if distance >= _PAIRED:
        return distance
    return 1 if distance == _PAIRED // 2 else 2 * distance


def _run(distance: int, length: int, unit: int) -> int:
    """Return a distance along k as it is in runs; half of the length of an atom becomes the step
    from one register to the next, of so many (`unit`) elements each."""
    if distance < unit or distance >= length:
        return distance
    return unit if distance == length // 2 else 2 * distance


def neighbours_along(
    value: Value, dim: int, facts: Divisibility, root: Value | None = None
) -> bool:
    """Whether neighbours along the first (0) or last (-1) dimension of an operand's matrices are
    adjacent in the memory that it is loaded from; for another root, see `seen_as`."""
    root = root or root_of(value)
    if not isinstance(root.owner, Op) or root.owner.name != "load_view_tko":
        return False
    shape = root.type.shape
    bases = seen_as(value, staged_bases(shape, inner_of(root, facts), 1), root)
    lowest = 0 if dim else value.type.shape[-1].bit_length() - 1
    return lowest < len(bases) and bases[lowest] == 1


def _shares(extents: dict[str, int], atom: Atom, warps: int, by_rows: bool) -> tuple[int, int]:
    """Return how many bits of a warp's number go to m, and how many to n."""
    rows = len(powers(atom.m, extents["m"]))
    columns = len(powers(atom.n, extents["n"]))
    if by_rows:
        first = min(rows, warps)
        return first, min(columns, warps - first)
    total = min(warps, rows + columns)
    shares = [(total - by, by) for by in range(total + 1) if by <= columns and total - by <= rows]
    return min(shares, key=lambda bits: (extents["m"] >> bits[0]) + (extents["n"] >> bits[1]))


def powers(low: int, high: int) -> list[int]:
    """Return the powers of two from `low`, below `high`."""
    return [1 << bit for bit in range(log2(low), log2(high))]


def by_rows(kernel: KernelIR) -> set[Op]:
    """Return the products that are divided along their rows only."""
    found = set[Op]()
    for product in kernel.walk():
        if family_of(product) is not Family.PRODUCT:
            continue
        for value, op in _followed(product.results[0]):
            last = len(value.type.shape) - 1 if isinstance(value.type, Tile) else None
            if op.name == "reduce" and op.attributes["dim"] == last:
                found.add(product)
            elif family_of(op) is Family.PRODUCT and op.operands["lhs"] is value:
                found |= {product, op}
    return found


def _followed(value: Value) -> Sequence[tuple[Value, Op]]:
    """Return the uses of a tile, and of what element-wise ops compute from it."""
    followed, stack, seen = [], [value], {value}
    while stack:
        value = stack.pop()
        for op in (use.op for use in value.uses):
            followed.append((value, op))
            if family_of(op) is Family.ELEMENT_WISE or op.name == "assume":
                fresh = [result for result in op.results if result not in seen]
                seen.update(fresh)
                stack += fresh
    return followed
