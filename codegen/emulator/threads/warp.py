"""The lanes of a warp in instructions that they execute together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement

from .lanes import WARP, WARPGROUP, Lanes

WARPS = WARPGROUP // WARP
"""Warps of a warpgroup."""
_LANES = np.arange(WARP)


class Exchange:
    """The active lanes of one exchange, and the member mask of each of them."""

    def __init__(self, lanes: Lanes, statement: Statement, guard: Any, members: Any) -> None:
        active = lanes.numbers if guard is None else lanes.numbers[lanes.broadcast(guard)]
        self.lanes, self.statement = lanes, statement
        self.numbers = lanes.numbers
        self.warp, self.lane = self.numbers // WARP, self.numbers % WARP
        self.masks = lanes.broadcast(members).astype(np.int64) & 0xFFFFFFFF
        self.present = np.zeros(lanes.batch.count, bool)
        self.present[active] = True
        outside = (self.masks >> self.lane) & 1 == 0
        if outside.any():
            raise lanes.error("warp", "a lane is not in its own member mask", statement, outside)

    def everywhere(self, values: Any, fill: Any) -> np.ndarray:
        """Return values of the active lanes as an array over warps and lanes."""
        whole = np.full(self.lanes.batch.count, fill)
        whole[self.numbers] = values
        return whole.reshape(-1, WARP)

    def fetch(self, values: Any, source: np.ndarray) -> np.ndarray:
        """Return for each active lane the value of lane `source`, which must take part."""
        number = self.warp * WARP + source
        missing = ~self.present[number] | ((self.masks >> source) & 1 == 0)
        if missing.any():
            message = "a lane is read that does not take part in the exchange"
            raise self.lanes.error("warp", message, self.statement, missing)
        kind = np.asarray(values).dtype
        return self.everywhere(values, kind.type(0)).ravel()[number]

    def bits(self, flags: Any) -> np.ndarray:
        """Return for each active lane a mask of the members whose flag is set."""
        flags = self.everywhere(self.lanes.broadcast(flags), False) & self.present.reshape(-1, WARP)
        return _as_mask(flags)[self.warp] & self.masks

    def everyone(self) -> np.ndarray:
        """Return for each active lane a mask of the members that take part."""
        return self.bits(np.bool_(True))

    def reduced(self, values: Any, combine: Callable[..., Any], neutral: Any) -> np.ndarray:
        """Return for each active lane the combination of its members' values."""
        out = np.zeros(len(self.numbers), np.asarray(values).dtype)
        values = self.lanes.broadcast(values)
        for mask in np.unique(self.masks):
            group = self.masks == mask
            whole = np.full(self.lanes.batch.count, neutral, out.dtype)
            whole[self.numbers[group]] = values[group]
            combined = combine(whole.reshape(-1, WARP), axis=1)
            out[group] = combined[self.warp[group]]
        return out


class WholeWarps:
    """The warps of an aligned instruction, which all lanes of a warp execute, or none."""

    def __init__(self, lanes: Lanes, statement: Statement, guard: Any) -> None:
        active = lanes.under(guard)
        self._lanes, self._where = lanes, None if active is lanes else lanes.broadcast(guard)
        self.count = active.count // WARP
        whole = active.numbers[: self.count * WARP].reshape(-1, WARP)
        first = whole[:, :1]
        if active.count % WARP or (first % WARP).any() or (whole != first + _LANES).any():
            warp, sizes = np.unique(active.numbers // WARP, return_counts=True)
            torn = np.isin(lanes.numbers // WARP, warp[sizes != WARP])
            message = "only a part of the warp carries out an aligned instruction"
            raise lanes.error("warp", message, statement, torn)

    def held(self, words: tuple[Any, ...]) -> np.ndarray:
        """Return operands, of which lanes have a value each, as (operands, warps, lanes)."""
        spread = [self._lanes.broadcast(word) for word in words]
        if self._where is not None:
            spread = [word[self._where] for word in spread]
        return np.stack(spread).reshape(len(words), self.count, WARP)

    def back(self, results: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return (results, warps, lanes) as values of lanes; zero where the guard is false."""
        columns = results.reshape(len(results), self.count * WARP)
        if self._where is None:
            return tuple(columns)
        out = np.zeros((len(results), self._lanes.count), results.dtype)
        out[:, self._where] = columns
        return tuple(out)


class WholeWarpgroups(WholeWarps):
    """The warpgroups of an instruction, which all lanes of a warpgroup execute, or none.

    A warpgroup is four warps of a block, of which the first has a number divisible by four.
    """

    def __init__(self, lanes: Lanes, statement: Statement) -> None:
        super().__init__(lanes, statement, None)
        self.lanes = lanes
        batch = lanes.batch
        block, group = batch.block_of[lanes.numbers], batch.thread_of[lanes.numbers] // WARPGROUP
        key = block * batch.pitch + group
        _, index, sizes = np.unique(key, return_inverse=True, return_counts=True)
        torn = (sizes != WARPGROUP)[index]
        if torn.any():
            message = "only a part of the warpgroup carries out an instruction of all its warps"
            raise lanes.error("warp", message, statement, torn)
        self._statement = statement

    def agreed(self, values: np.ndarray, what: str) -> np.ndarray:
        """Return the value on which all lanes of each warpgroup agree."""
        rows = values.reshape(-1, WARPGROUP)
        differ = rows != rows[:, :1]
        if differ.any():
            message = f"the lanes of a warpgroup have different {what}"
            raise self.lanes.error("warp", message, self._statement, differ.ravel())
        return rows[:, 0]


def _as_mask(flags: np.ndarray) -> np.ndarray:
    return flags.astype(np.int64) @ (np.int64(1) << np.arange(WARP))


def active_bits(lanes: Lanes) -> np.ndarray:
    """Return for each active lane a mask of the lanes of its warp that are active with it."""
    flags = np.zeros(lanes.batch.count, bool)
    flags[lanes.numbers] = True
    return _as_mask(flags.reshape(-1, WARP))[lanes.numbers // WARP]
