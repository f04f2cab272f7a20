"""Other ways to launch a fixture, in which rows overlap, or all arrays are one memory.

What tokens order must then stay in order, which the launch that comes with a fixture seldom shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from tests.codegen.emulator.values import aligned
from tests.launches import Launch, newest
from tileir.codegen import compile
from tileir.codegen.emulator import EmulationError, launch

SCHEDULES = ("lock-step", "descending")
ROOM = 1024
"""Elements that an array has more, so that what lies elsewhere than usual is still inside."""
SHIFT = 16
"""Bytes from one array to the next where they are one memory."""

Arguments = list[Any]
Way = Callable[[Arguments, set[int]], Arguments]
"""Other arguments for a kernel; the numbers are those of its strides."""


def overlapping(args: Arguments, strides: set[int]) -> Arguments:
    return [min(each, 1) if number in strides else each for number, each in enumerate(args)]


def shared(args: Arguments, strides: set[int]) -> Arguments:
    """All arrays in one memory, one beginning a little after the other."""
    arrays = [each for each in args if isinstance(each, np.ndarray)]
    memory = aligned(np.zeros(max(each.nbytes for each in arrays) + SHIFT * len(arrays), np.uint8))
    moved = iter(
        memory[SHIFT * place :][: each.nbytes].view(each.dtype) for place, each in enumerate(arrays)
    )
    return [next(moved) if isinstance(each, np.ndarray) else each for each in args]


def alike(args: Arguments, strides: set[int]) -> Arguments:
    """All elements are one, so that several may be written to one place."""
    for each in args:
        if isinstance(each, np.ndarray):
            each[:] = np.ones(1, each.dtype)
    return args


def falling(args: Arguments, strides: set[int]) -> Arguments:
    for each in args:
        if isinstance(each, np.ndarray):
            each[:] = np.arange(len(each), 0, -1).astype(each.dtype)
    return args


WAYS: tuple[tuple[Way, ...], ...] = (
    (),
    (overlapping,),
    (shared,),
    (alike, overlapping),
    (falling,),
)


class Fixture:
    """A fixture for a GPU, and the ways to launch it in which it does nothing wrong."""

    def __init__(self, name: str) -> None:
        self.about = Launch(name)
        compiled = compile(newest(name), "sm_90")
        self.ptx, self.plan = compiled.ptx, compiled[self.about.entry].plan
        self.strides = set(strides(self.about))

    @cache  # noqa: B019  (there are few)
    def ways(self) -> list[tuple[tuple[Way, ...], str, Any]]:
        """Ways, schedules, and what comes out."""
        tried = [(way, schedule) for way in WAYS for schedule in SCHEDULES]
        results = [(*each, self.result(self.ptx, *each)) for each in tried]
        return [each for each in results if not isinstance(each[2], str)]

    def arguments(self, way: tuple[Way, ...]) -> Arguments:
        """New arguments for a way."""
        arrays = {}
        for name, array in self.about.arrays().items():
            arrays[name] = aligned(np.zeros(array.size + ROOM, array.dtype))
            arrays[name][: array.size] = array.ravel()
        args = self.about.arguments(arrays)
        for change in way:
            args = change(args, self.strides)
        return args

    def grid(self, way: tuple[Way, ...]) -> list[int]:
        """Blocks for a way: where arrays overlap, several would race."""
        return [1, 1, 1] if way else self.about.grid

    def result(self, ptx: str, way: tuple[Way, ...], schedule: str) -> list[bytes] | str:
        """What the arrays hold afterwards, or the kind of the error."""
        args = self.arguments(way)
        try:
            launch(ptx, self.plan, self.grid(way), args, schedule=schedule, limit=20000)
        except EmulationError as problem:
            return problem.kind
        return contents(args)


def contents(args: Arguments) -> list[bytes]:
    """What the arrays hold."""
    return [each.tobytes() for each in args if isinstance(each, np.ndarray)]


def strides(about: Launch) -> Iterator[int]:
    """The numbers of the parameters that are strides: those after the extents of an array."""
    since, rank = 0, 0
    for number, row in enumerate(about.parameters):
        if "array" in row:
            since, rank = number, about.data[row["array"]].ndim
        elif number > since + rank:
            yield number
