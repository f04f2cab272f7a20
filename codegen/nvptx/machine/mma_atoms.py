"""The mma instructions of tensor cores, called atoms: each one is a row.

An atom multiplies an m x k by a k x n matrix and adds the m x n product to an accumulator. Its
operands are distributed over the 32 lanes of a warp and a few registers of each, as in the figures
of the PTX ISA ("Matrix Fragments for mma"). Such a distribution is linear in the bits of lane and
register, so a row has it as two lists of coordinates: one for each register bit and each lane bit.

    FragmentLayout("k1 m8 k8", "k2 k4 m1 m2 m4")

is operand A of m16n8k16: the lowest register bit is the next column; the next one is eight rows
down; the two lowest lane bits count pairs of columns, the others rows. `-` is a bit without effect:
lanes that differ in it hold copies.

Elements are packed into 32-bit registers, the lowest first. Operands are in registers; those of a
`wgmma`, which the four warps of a warpgroup execute together, may be in shared memory, and rhs has
to be (see `wgmma`). Its rows have coordinates of the two lowest bits of a warp's number, too.

The last rows are for types that the tensor cores of a target do not have, or not exactly: the same
interface, with one fused multiply-add for each product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from tileir.gpus import Feature, PtxVersion, Target
from tileir.types import Scalar

Coordinate = tuple[str, int]
"""A dimension, m, n or k, and a distance along it."""

WORD_BITS = 32
"""Bits of the registers that operands are packed into, unless an element is wider."""


@dataclass(frozen=True, slots=True)
class FragmentLayout:
    """The distribution of one operand over registers and lanes: a coordinate for each bit."""

    registers: str
    lanes: str

    @property
    def register(self) -> list[Coordinate | None]:
        return _coordinates(self.registers)

    @property
    def lane(self) -> list[Coordinate | None]:
        return _coordinates(self.lanes)


def _coordinates(text: str) -> list[Coordinate | None]:
    return [None if word == "-" else (word[0], int(word[1:])) for word in text.split()]


@dataclass(frozen=True, slots=True)
class Atom:
    """One mma instruction. `a`, `b` and `acc` are the element types, by their names in PTX."""

    a: str
    b: str
    acc: str
    m: int
    n: int
    k: int
    a_layout: FragmentLayout
    b_layout: FragmentLayout
    acc_layout: FragmentLayout
    feature: Feature | None = None
    """The feature that it needs of a target; None if all targets have it."""
    ptx: PtxVersion = (0, 0)
    """The lowest PTX ISA version that has it."""
    warps: FragmentLayout = FragmentLayout("", "")
    """For a warpgroup: the distribution over its warps, in place of lanes."""

    @property
    def of_warpgroup(self) -> bool:
        """Whether the warps of a warpgroup execute it together, asynchronously."""
        return bool(self.warps.lanes)

    @property
    def fused(self) -> bool:
        """Whether it is fused multiply-adds instead of an instruction."""
        return self.k == 1

    def operand(self, slot: str) -> str:
        """Return the element type of the operand in the slot lhs or rhs."""
        return {"lhs": self.a, "rhs": self.b}[slot]

    @property
    def mnemonic(self) -> str:
        if self.fused:
            return f"fma.{self.acc}"
        if self.of_warpgroup:
            shape = f"m{self.m}n{self.n}k{self.k}"
            return f"wgmma.mma_async.sync.aligned.{shape}.{self.acc}.{self.a}.{self.b}"
        shape = f"m{self.m}n{self.n}k{self.k}.row.col"
        return f"mma.sync.aligned.{shape}.{self.acc}.{self.a}.{self.b}.{self.acc}"

    @property
    def intrinsic(self) -> str:
        """The name of LLVM's intrinsic for the instruction of a warp."""
        types = {
            "f16": "f32.f32",
            "s8": "s8" if self.b == "s8" else "s8.u8",
            "u8": "u8" if self.b == "u8" else "u8.s8",
            **dict.fromkeys(("e4m3", "e5m2"), f"f32.{self.a}.{self.b}.f32"),
        }.get(self.a, self.a)
        return f"llvm.nvvm.mma.m{self.m}n{self.n}k{self.k}.row.col.{types}"


BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64,
    "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "s32": 32,
}  # fmt: skip
"""Element type -> bits of an element in a register."""

_ELEMENTS = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "s8": "i8", "u8": "i8"}


def stored_as(operand_type: str) -> Scalar:
    """Return the element type of operands in memory that an atom takes as they are."""
    return Scalar(_ELEMENTS.get(operand_type, operand_type))


_ROWS_OF_PAIRS = FragmentLayout("n1 m8", "n2 n4 m1 m2 m4")
_NARROW = FragmentLayout("n1", "n2 n4 m1 m2 m4")

_HALF_8 = (
    16,
    8,
    8,
    FragmentLayout("k1 m8", "k2 k4 m1 m2 m4"),
    FragmentLayout("k1", "k2 k4 n1 n2 n4"),
)
_HALF_16 = (
    16,
    8,
    16,
    FragmentLayout("k1 m8 k8", "k2 k4 m1 m2 m4"),
    FragmentLayout("k1 k8", "k2 k4 n1 n2 n4"),
)
_WORD_4 = (16, 8, 4, FragmentLayout("m8", "k1 k2 m1 m2 m4"), FragmentLayout("", "k1 k2 n1 n2 n4"))
_WORD_8 = (
    16,
    8,
    8,
    FragmentLayout("m8 k4", "k1 k2 m1 m2 m4"),
    FragmentLayout("k4", "k1 k2 n1 n2 n4"),
)
_WORD_16 = (
    16,
    8,
    16,
    FragmentLayout("m8 k4 k8", "k1 k2 m1 m2 m4"),
    FragmentLayout("k4 k8", "k1 k2 n1 n2 n4"),
)
_BYTE_16 = (
    16,
    8,
    16,
    FragmentLayout("k1 k2 m8", "k4 k8 m1 m2 m4"),
    FragmentLayout("k1 k2", "k4 k8 n1 n2 n4"),
)
_BYTE_32 = (
    16, 8, 32,
    FragmentLayout("k1 k2 m8 k16", "k4 k8 m1 m2 m4"), FragmentLayout("k1 k2 k16", "k4 k8 n1 n2 n4"),
)  # fmt: skip
_SMALL_DOUBLE = (
    8,
    8,
    4,
    FragmentLayout("", "k1 k2 m1 m2 m4"),
    FragmentLayout("", "k1 k2 n1 n2 n4"),
)
_SMALL_BYTE = (
    8,
    8,
    16,
    FragmentLayout("k1 k2", "k4 k8 m1 m2 m4"),
    FragmentLayout("k1 k2", "k4 k8 n1 n2 n4"),
)
_FUSED = (
    8, 16, 1, FragmentLayout("", "- - m1 m2 m4"), FragmentLayout("n1 n2", "n4 n8 - - -"),
    FragmentLayout("n1 n2", "n4 n8 m1 m2 m4"),
)  # fmt: skip

_WARPGROUP = FragmentLayout("", "m16 m32")
_GROUP_COLUMNS = tuple(8 << bit for bit in range(6))
"""The columns of a `wgmma` that tiles can have: powers of two, up to 256."""


def _of_warpgroup(a: str, b: str, acc: str, n: int) -> Atom:
    """Return the row of a `wgmma` of n columns; lhs is distributed as for mma.sync."""
    columns = " ".join(f"n{8 << bit}" for bit in range((n // 8).bit_length() - 1))
    accumulator = FragmentLayout(f"n1 m8 {columns}", "n2 n4 m1 m2 m4")
    rhs = FragmentLayout("", "- - - - -")
    _, _, k, lhs, _ = _OF_32_BYTES[BITS[a]]
    ptx = (8, 4) if acc == "s32" and a != b else (8, 0)
    return Atom(a, b, acc, 64, n, k, lhs, rhs, accumulator, "wgmma", ptx, _WARPGROUP)


_OF_32_BYTES = {8: _BYTE_32, 16: _HALF_16, 32: _WORD_8}
"""Bits of an element -> the shape whose rows of lhs have 32 bytes, and its layouts."""


_INT8: Feature = "mma.sync int8 m16n8"
_DOUBLE: Feature = "mma.sync f64 m16n8"
_SIGNS = [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")]
_FP8 = [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]

ATOMS: tuple[Atom, ...] = (
    Atom("f16", "f16", "f32", *_HALF_16, _ROWS_OF_PAIRS, "mma.sync f16 m16n8k16", (7, 0)),
    Atom("f16", "f16", "f32", *_HALF_8, _ROWS_OF_PAIRS, None, (6, 5)),
    Atom("bf16", "bf16", "f32", *_HALF_16, _ROWS_OF_PAIRS, "mma.sync bf16", (7, 0)),
    Atom("bf16", "bf16", "f32", *_HALF_8, _ROWS_OF_PAIRS, "mma.sync bf16", (7, 0)),
    Atom("tf32", "tf32", "f32", *_WORD_8, _ROWS_OF_PAIRS, "mma.sync tf32", (7, 0)),
    Atom("tf32", "tf32", "f32", *_WORD_4, _ROWS_OF_PAIRS, "mma.sync tf32", (7, 0)),
    *(Atom(a, b, "f32", *_BYTE_32, _ROWS_OF_PAIRS, "mma.sync f8", (8, 4)) for a, b in _FP8),
    *(Atom(a, b, "s32", *_BYTE_32, _ROWS_OF_PAIRS, _INT8, (7, 0)) for a, b in _SIGNS),
    *(Atom(a, b, "s32", *_BYTE_16, _ROWS_OF_PAIRS, _INT8, (7, 0)) for a, b in _SIGNS),
    *(Atom(a, b, "s32", *_SMALL_BYTE, _NARROW, None, (6, 5)) for a, b in _SIGNS),
    Atom("f64", "f64", "f64", *_WORD_16, _ROWS_OF_PAIRS, _DOUBLE, (7, 8)),
    Atom("f64", "f64", "f64", *_WORD_8, _ROWS_OF_PAIRS, _DOUBLE, (7, 8)),
    Atom("f64", "f64", "f64", *_WORD_4, _ROWS_OF_PAIRS, _DOUBLE, (7, 8)),
    Atom("f64", "f64", "f64", *_SMALL_DOUBLE, _NARROW, "mma.sync f64", (7, 0)),
    Atom("f32", "f32", "f32", *_FUSED),
    Atom("f64", "f64", "f64", *_FUSED),
)
"""The atoms of one warp; of those with the same element types the larger ones come first."""
_GROUP_TYPES = (
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("bf16", "bf16", "f32"),
    ("tf32", "tf32", "f32"),
    *((a, b, acc) for a, b in _FP8 for acc in ("f32", "f16")),
    *((a, b, "s32") for a, b in _SIGNS),
)
GROUP_ATOMS: tuple[Atom, ...] = tuple(
    _of_warpgroup(*types, n) for types in _GROUP_TYPES for n in _GROUP_COLUMNS
)
"""The atoms of a warpgroup."""
BY_MNEMONIC = {atom.mnemonic: atom for atom in (*ATOMS, *GROUP_ATOMS)}


def atom_for(a: str, b: str, k: int, target: Target) -> Atom | None:
    """Return the atom of a target for operands with these element types; None if it has none.

    It is the first one that is not longer than the product along `k`, else the smallest one. What
    ptxas would make of other instructions does not count.
    """
    atoms = [
        atom
        for atom in ATOMS
        if (atom.a, atom.b) == (a, b)
        and (atom.feature is None or target.has_natively(atom.feature))
    ]
    fitting = [atom for atom in atoms if atom.k <= k]
    return (fitting or atoms[-1:] or [None])[0]


def group_atom_for(a: str, b: str, acc: str, n: int, target: Target) -> Atom | None:
    """Return the atom of a warpgroup for these types and n columns; None if a target has none."""
    if not target.has("wgmma"):
        return None
    wanted = (a, b, acc, n)
    return next((it for it in GROUP_ATOMS if (it.a, it.b, it.acc, it.n) == wanted), None)


def multiply(
    builder: ir.IRBuilder,
    atom: Atom,
    a: Sequence[ir.Value],
    b: Sequence[ir.Value],
    acc: Sequence[ir.Value],
) -> list[ir.Value]:
    """Emit one atom; return the new accumulator. Operands are packed registers or floats."""
    if atom.fused:
        return [builder.fma(a[0], each, old) for each, old in zip(b, acc, strict=True)]
    if atom.a == "f16":
        a, b = ([builder.bitcast(word, _PAIR) for word in words] for words in (a, b))
    arguments = [*a, *b, *acc]
    kinds = [argument.type for argument in arguments]
    result = ir.LiteralStructType(kinds[-len(acc) :])
    module, name = builder.module, atom.intrinsic
    function = module.globals.get(name) or ir.Function(module, ir.FunctionType(result, kinds), name)
    # A whole warp executes it: no move into a branch.
    sums = builder.call(function, arguments, attrs=("convergent",))
    return [builder.extract_value(sums, k) for k in range(len(acc))]


_PAIR = ir.VectorType(ir.HalfType(), 2)
"""How LLVM types registers with two halves."""
