"""`mma.sync`: products of small matrices, of which every lane of a warp holds a fragment.

Products are exact and their sum is rounded once; tensor cores truncate while they accumulate, so
their results may differ in the last bits. For f64 the sum is computed in doubles.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import dtype
from tileir.codegen.emulator.threads.fragments import (
    a_indices,
    b_indices,
    c_indices,
    gather,
    scatter,
)
from tileir.codegen.emulator.threads.lanes import WARP, Lanes
from tileir.codegen.emulator.threads.warp import WholeWarps

from .floats import canonical_nan
from .rounding import FORMATS

_TF32 = np.uint32(0xFFFFE000)
"""The bits of a register that tf32 uses; the lower ones are ignored."""


def bits(kind: str) -> int:
    """Return the bits that an element takes in a register."""
    if kind in FORMATS:
        return 32 if kind == "tf32" else 8 * np.dtype(FORMATS[kind].holder).itemsize
    return int(kind[1:])


def decoder(kind: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from registers to doubles, which hold all types; the last axis is new."""
    if kind == "tf32":
        return lambda words: (words & _TF32).view(np.float32).astype(np.float64)[..., None]
    if kind in FORMATS:
        holder = np.dtype(FORMATS[kind].holder)
    else:
        holder = np.dtype(f"i{bits(kind) // 8}" if kind[0] == "s" else f"u{bits(kind) // 8}")

    def decode(words: np.ndarray) -> np.ndarray:
        each = words.dtype.itemsize // holder.itemsize
        return words.view(holder).reshape(*words.shape, each).astype(np.float64)

    return decode


def encoder(kind: str, saturates: bool) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from doubles, whose last axis is neighbouring elements, to registers."""
    if kind == "s32":
        return lambda sums: _whole(sums, saturates).view(np.uint32)
    holder, nan = dtype(kind), canonical_nan(kind)

    def encode(sums: np.ndarray) -> np.ndarray:
        values = np.where(np.isnan(sums), nan, sums.astype(holder))
        return np.ascontiguousarray(values).view(f"u{max(holder.itemsize, 4)}")

    return encode


def _whole(sums: np.ndarray, saturates: bool) -> np.ndarray:
    """Return exact sums as s32: clamped, or modulo 2**32."""
    wide = sums.astype(np.int64)
    if saturates:
        wide = np.clip(wide, -(2**31), 2**31 - 1)
    return np.ascontiguousarray(wide.astype(np.int32))


def product(match: re.Match[str]) -> Any:
    """`mma`: D = A * B + C for every warp."""
    m, n, k = (int(match[axis]) for axis in "mnk")
    each = (64 if match["a"] == "f64" else 32) // bits(match["a"])
    encode = encoder(match["d"], bool(match.groupdict().get("sat")))
    reads = (
        (decoder(match["a"]), a_indices(m, k, each)),
        (decoder(match["b"]), b_indices(k, n, each)),
        (decoder(match["c"]), c_indices(m, n)),
    )

    def run(
        lanes: Lanes, statement: Statement, mask: Any, *operands: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        warps = WholeWarps(lanes, statement, mask)
        a, b, c = (
            gather(neighbours(decode(warps.held(words)), indices, lanes, statement), indices)
            for words, (decode, indices) in zip(operands, reads, strict=True)
        )
        parts = encode(scatter(a @ b + c, c_indices(m, n)))
        pairs, _, _, words = parts.shape
        return warps.back(np.moveaxis(parts, -1, 1).reshape(pairs * words, warps.count, WARP))

    return run


def neighbours(
    elements: np.ndarray, indices: Any, lanes: Lanes, statement: Statement
) -> np.ndarray:
    """Regroup (registers, warps, lanes, elements) so that the last axis is that of `indices`.

    In C, two registers of one element each are neighbours.
    """
    rows, _, together = np.broadcast(*indices).shape
    registers, warps, _, each = elements.shape
    if registers * each != rows * together:
        raise lanes.error("syntax", f"a matrix in {registers} registers", statement)
    split = elements.reshape(rows, together // each, warps, WARP, each)
    return np.moveaxis(split, 1, 3).reshape(rows, warps, WARP, together)


_FLOATS = (
    # m and n, k, types of A and B, types of C and D
    ("m16n8", "8|16", "f16", "f16|f32"),
    ("m16n8", "8|16", "bf16", "f32"),
    ("m16n8", "4|8", "tf32", "f32"),
    ("m8n8", "4", "f64", "f64"),
    ("m16n8", "4|8|16", "f64", "f64"),
    ("m16n8", "16|32", "e4m3|e5m2", "f16|f32"),
)
_INTEGERS = (("m8n8", "16", "[su]8"), ("m16n8", "16|32", "[su]8"))


def _head(sides: str, depths: str) -> str:
    m, n = sides[1:].split("n")
    return f"mma.sync.aligned.m(?P<m>{m})n(?P<n>{n})k(?P<k>{depths}).row.col"


for _sides, _depths, _kinds, _sums in _FLOATS:
    _word = "b64*" if _kinds == "f64" else "b32*"
    effect(
        f"{_head(_sides, _depths)}.(?P<d>{_sums}).(?P<a>{_kinds}).(?P<b>{_kinds}).(?P<c>(?P=d))",
        f"{_word} = {_word} {_word} {_word}",
        product,
        aligned=True,
    )
for _sides, _depths, _kinds in _INTEGERS:
    effect(
        f"{_head(_sides, _depths)}(?P<sat>.satfinite)?"
        f".(?P<d>s32).(?P<a>{_kinds}).(?P<b>{_kinds}).(?P<c>s32)",
        "b32* = b32* b32* b32*",
        product,
        aligned=True,
    )
