"""`wgmma`: products of matrices by warpgroups, which go on while the threads do something else.

Each of the four warps computes 16 of the 64 rows, and holds them, and those of a first factor in
registers, as `mma.sync` has it for 16 rows. It reads its rows of a first factor in shared memory,
and all of the second one. The lanes of the warp take turns in reading: each of them must know that
what it reads has been written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tileir.codegen.emulator.ops.hopper.batch import batch_of
from tileir.codegen.emulator.ops.matrices import bits, decoder, encoder, neighbours
from tileir.codegen.emulator.ptx.blocks import FRAGMENT
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import width
from tileir.codegen.emulator.threads.fragments import a_indices, c_indices, gather, scatter
from tileir.codegen.emulator.threads.lanes import WARP, Lanes
from tileir.codegen.emulator.threads.warp import WARPS, WholeWarpgroups

from .descriptors import Descriptors, mistake
from .sums import exact, short

Registers = tuple[tuple[int, ...], tuple[int, ...]]
"""The numbers of those with the sums, and of those with the first factor, if it is in any."""
WORD = 4
"""Bytes of each of these registers."""
ROWS = 16
"""Rows of the product that a warp computes."""


class _Product:
    """An opcode: its shape and types, and how registers and memory hold its matrices."""

    def __init__(self, match: re.Match[str]) -> None:
        kinds = match["a"], match["b"]
        self.n, self.k = int(match["n"]), int(match["k"])
        self.size = bits(kinds[0]) // 8
        self.decode = [decoder(kind) for kind in kinds]
        self.decode_sums = decoder(match["d"])
        self.encode = encoder(match["d"], ".satfinite" in match[0])
        self.add = short if self.size == 1 and match["d"] != "s32" else exact
        self.held = a_indices(ROWS, self.k, 4 // self.size), c_indices(ROWS, self.n)
        self.words = self.n // 4 if match["d"] == "f16" else self.n // 2
        self.fragment = match[0].endswith(FRAGMENT)
        self.shared = (1,) if self.fragment else (0, 1)
        """Which factors are in shared memory."""

    def old(
        self, warps: WholeWarpgroups, statement: Statement, sums: tuple[int, ...], kept: np.ndarray
    ) -> np.ndarray:
        """Return the sums in registers, or zeros for warpgroups where `kept` is false."""
        if not kept.any():
            return np.zeros((WARPS * len(kept), ROWS, self.n))
        words = warps.held(tuple(warps.lanes.read(register, statement) for register in sums))
        parts = neighbours(self.decode_sums(words), self.held[1], warps.lanes, statement)
        return np.where(np.repeat(kept, WARPS)[:, None, None], gather(parts, self.held[1]), 0)

    def first(
        self, warps: WholeWarpgroups, statement: Statement, factor: tuple[int, ...]
    ) -> np.ndarray:
        """Return a first factor in registers, as (warps, rows, k)."""
        words = warps.held(tuple(warps.lanes.read(register, statement) for register in factor))
        parts = neighbours(self.decode[0](words), self.held[0], warps.lanes, statement)
        return gather(parts, self.held[0])

    def matrix(self, side: int, words: np.ndarray, transposed: bool) -> np.ndarray:
        """Return a factor as (warps, rows, k) from its pieces: (warps, lines, pieces, words)."""
        warps, lines, *_ = words.shape
        elements = self.decode[side](np.ascontiguousarray(words)).reshape(warps, lines, -1)
        return elements.swapaxes(1, 2) if transposed else elements

    def multiply(
        self,
        warps: WholeWarpgroups,
        statement: Statement,
        registers: Registers,
        descriptors: list[np.ndarray],
        kept: np.ndarray,
        flags: Sequence[str],
    ) -> tuple[np.ndarray, ...]:
        """Start the product, and return its sums, word by word.

        `registers` are those of the sums and of the first factor, `descriptors` those of factors in
        shared memory, for each lane; `kept` is whether each warpgroup adds to old sums.
        """
        lanes = warps.lanes
        signs, turns = _flags(lanes, statement, flags)
        turns = turns[-len(self.shared) :]
        _check_registers(self, lanes, statement, registers)
        address = [
            _addresses(self, warps, statement, words, side, turned)
            for words, side, turned in zip(descriptors, self.shared, turns, strict=True)
        ]
        pieces = _read(self, warps, statement, registers, address)
        matrices = [self.first(warps, statement, registers[1])] if self.fragment else []
        matrices += [
            self.matrix(side, each, turned)
            for side, each, turned in zip(self.shared, pieces, turns, strict=True)
        ]
        a, b = (sign * matrix for sign, matrix in zip(signs, matrices, strict=True))
        total = self.add(a, b.swapaxes(1, 2), self.old(warps, statement, registers[0], kept))
        parts = self.encode(scatter(total, self.held[1]))
        return warps.back(np.moveaxis(parts, -1, 1).reshape(self.words, warps.count, WARP))


def product(match: re.Match[str]) -> Any:
    """`wgmma.mma_async`: D = A * B + D, or A * B where the predicate `scale-d` is false."""
    what = _Product(match)

    def run(
        lanes: Lanes,
        statement: Statement,
        mask: Any,
        sums: tuple[int, ...],
        first: Any,
        second: Any,
        scale: Any,
        *flags: str,
    ) -> None:
        active = lanes.under(mask)
        if not active.count:
            return
        here = slice(None) if active is lanes else lanes.broadcast(mask)
        warps = WholeWarpgroups(active, statement)
        kept = warps.agreed(lanes.broadcast(scale)[here], "predicates scale-d")
        given = [second] if what.fragment else [first, second]
        descriptors = [lanes.broadcast(each)[here] for each in given]
        registers = sums, first if what.fragment else ()
        results = what.multiply(warps, statement, registers, descriptors, kept, flags)
        for register, result in zip(sums, results, strict=True):
            active.write(register, result)

    return run


def _flags(
    lanes: Lanes, statement: Statement, flags: Sequence[str]
) -> tuple[list[int], list[bool]]:
    """Return the signs of both factors, and whether those in shared memory are transposed."""
    scales, turns = flags[:2] or ("1", "1"), flags[2:]
    if not {*scales} <= {"1", "-1"} or not {*turns} <= {"0", "1"}:
        raise lanes.error("syntax", f"no scales or transposes: {', '.join(flags)}", statement)
    return [int(scale) for scale in scales], [turn == "1" for turn in turns or ("0", "0")]


def _check_registers(
    what: _Product, lanes: Lanes, statement: Statement, registers: Registers
) -> None:
    for held, count in zip(registers, (what.words, 4 * what.fragment), strict=True):
        wrong = [each for each in held if width(lanes.batch.kinds[each]) != WORD]
        if len(held) != count or wrong:
            message = f"a matrix in {len(held)} registers, expected {count} of {8 * WORD} bits"
            raise lanes.error("syntax", message, statement)


def _addresses(
    what: _Product,
    warps: WholeWarpgroups,
    statement: Statement,
    words: np.ndarray,
    side: int,
    transposed: bool,
) -> np.ndarray:
    """Return where the pieces of a factor are: (warpgroups, warps, lines, pieces)."""
    agreed = warps.agreed(words, "matrix descriptors")
    for word in np.unique(agreed).tolist():
        if wrong := mistake(word):
            message = f"a matrix descriptor {word:#018x}: {wrong}"
            raise warps.lanes.error("descriptor", message, statement)
    descriptors = Descriptors.of(agreed)
    if side:
        whole = descriptors.addresses(0, what.n, what.k, what.size, transposed)
        return np.repeat(whole[:, None], WARPS, axis=1)
    quarters = [
        descriptors.addresses(ROWS * warp, ROWS, what.k, what.size, transposed)
        for warp in range(WARPS)
    ]
    return np.stack(quarters, axis=1)


def _read(
    what: _Product,
    warps: WholeWarpgroups,
    statement: Statement,
    registers: Registers,
    address: list[np.ndarray],
) -> list[np.ndarray]:
    """Start the product; return the pieces of each factor: (warps, lines, pieces, words).

    Piece i of a warp is read by its lane i % 32; some pieces are read twice to give all lanes one.
    """
    flat = np.concatenate([each.reshape(warps.count, -1) for each in address], axis=1)
    many = flat.shape[1]
    lane = np.resize(np.arange(many), (-(-many // WARP), WARP)).T
    shape, own = what.n << 6 | what.k, flat[:, lane].reshape(warps.lanes.count, -1)
    products = batch_of(warps.lanes).products
    pieces = products.start(warps.lanes, statement, shape, registers, own)
    words = pieces.reshape(warps.count, WARP, -1, pieces.shape[2]).swapaxes(1, 2)
    words = words.reshape(warps.count, -1, pieces.shape[2])[:, :many]
    ends = np.cumsum([each[0, 0].size for each in address])
    return [
        piece.reshape(warps.count, *each.shape[2:], -1)
        for piece, each in zip(np.split(words, ends[:-1], axis=1), address, strict=True)
    ]


def fence(match: re.Match[str]) -> Any:
    """`wgmma.fence` orders accesses to registers before those of products."""

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = WholeWarpgroups(lanes.under(mask), statement).lanes
        batch_of(active).products.fence(active)

    return run


def commit(match: re.Match[str]) -> Any:
    """`wgmma.commit_group`; the group may be empty."""

    def run(lanes: Lanes, statement: Statement, mask: Any) -> None:
        active = WholeWarpgroups(lanes.under(mask), statement).lanes
        batch_of(active).products.commit(active)

    return run


def wait(match: re.Match[str]) -> Any:
    """`wgmma.wait_group`, for all but the newest groups."""

    def run(lanes: Lanes, statement: Statement, mask: Any, newest: str) -> None:
        active = WholeWarpgroups(lanes.under(mask), statement).lanes
        batch_of(active).products.wait(active, statement, int(newest, 0))

    return run


_EIGHTS = "|".join(str(n) for n in range(8, 257, 8))
_COARSE = "|".join(str(n) for n in (8, 16, 24, *range(32, 257, 16)))
_FAMILIES = (
    # k, n, types of D, A and B, immediate operands: two scales, and transposes of shared factors
    ("16", _EIGHTS, "f16|f32", "f16", "(?P=a)", 2, True),
    ("16", _EIGHTS, "f32", "bf16", "(?P=a)", 2, True),
    ("8", _EIGHTS, "f32", "tf32", "(?P=a)", 2, False),
    ("32", _EIGHTS, "f16|f32", "e4m3|e5m2", "e4m3|e5m2", 2, False),
    ("32", _COARSE, "s32", "[su]8", "[su]8", 0, False),
)
for _k, _n, _sums, _a, _b, _scales, _turns in _FAMILIES:
    _head = f"wgmma.mma_async.sync.aligned.m64n(?P<n>{_n})k(?P<k>{_k})"
    _finite = "(.satfinite)?" if _sums == "s32" else ""
    for _suffix, _factor, _shared in ((FRAGMENT, "&", 1), ("", "u64", 2)):
        effect(
            f"{_head}{_finite}.(?P<d>{_sums}).(?P<a>{_a}).(?P<b>{_b}){_finite}{_suffix}",
            f"= & {_factor} u64 pred" + " $" * (_scales + _turns * _shared),
            product,
            warpgroup=True,
        )
effect("wgmma.fence.sync.aligned", "=", fence, warpgroup=True)
effect("wgmma.commit_group.sync.aligned", "=", commit, warpgroup=True)
effect("wgmma.wait_group.sync.aligned", "= $", wait, warpgroup=True)
