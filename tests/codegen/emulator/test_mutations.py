"""The emulator notices what is wrong: kernels with one instruction changed.

Each mutant must end in an error or give other results, in some schedule; what is equivalent to the
original is listed with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.kernels_with_barriers import KERNELS_WITH_BARRIERS, block_sum
from tests.codegen.emulator.values import aligned
from tests.launches import Launch, newest
from tileir.codegen import compile
from tileir.codegen.emulator import EmulationError, launch


@dataclass(frozen=True)
class Case:
    """A kernel, and launches: fresh arguments, grid, and the arrays that must come out."""

    ptx: str
    plan: dict[str, Any]
    launches: tuple[Callable[[], tuple[list[Any], Any, list[np.ndarray]]], ...]
    schedules: tuple[str, ...] = ("lock-step", "descending")

    def verdict(self, ptx: str) -> str:
        """What is noticed of a text in place of the kernel's: a kind of error, "wrong", or ""."""
        for start in self.launches:
            for schedule in self.schedules:
                args, grid, expected = start()
                try:
                    launch(ptx, self.plan, grid, args, schedule=schedule, limit=20000)
                except EmulationError as problem:
                    return problem.kind
                arrays = [each for each in args if isinstance(each, np.ndarray)]
                pairs = zip(arrays, expected, strict=True)
                if any((a.view(np.uint8) != b.view(np.uint8)).any() for a, b in pairs):
                    return "wrong"
        return ""


def fixture(name: str) -> Case:
    """A fixture with the arrays that belong to it."""
    compiled, about = compile(newest(name), "sm_90"), Launch(name)

    def start() -> tuple[list[Any], Any, list[np.ndarray]]:
        arrays = about.arrays()
        return about.arguments(arrays), about.grid, [about.expected(array) for array in arrays]

    return Case(compiled.ptx, compiled[about.entry].plan, (start,))


def ragged_vector_add() -> Case:
    """Sizes at which each of its bounds is met exactly."""
    compiled = compile(newest("vector_add"), "sm_90")

    def start(size: int) -> tuple[list[Any], Any, list[np.ndarray]]:
        random = np.random.default_rng(size)
        x, y, z = (aligned(random.standard_normal(size).astype(np.float32)) for _ in range(3))
        return [x, size, 1, y, size, 1, z, size, 1], 2, [x.copy(), y.copy(), x + y]

    sizes = [1024 + part for part in (4, 512, 5, 6, 7, 513, 514, 515, 517)]
    launches = tuple(lambda size=size: start(size) for size in sizes)
    return Case(compiled.ptx, compiled["vector_add"].plan, launches, ("lock-step",))


def built(name: str) -> Case:
    """A kernel that needs a barrier, from the builder."""
    module, shape, function = KERNELS_WITH_BARRIERS[name]()
    compiled = compile(module, "sm_90")

    def start() -> tuple[list[Any], Any, list[np.ndarray]]:
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        return [x], 1, [function(x)]

    schedules = ("lock-step", "ascending", "descending")
    return Case(compiled.ptx, compiled["k"].plan, (start,), schedules)


def summed() -> Case:
    """Shuffles, shared memory and barriers, written by hand."""
    ptx, plan, threads = block_sum()

    def start() -> tuple[list[Any], Any, list[np.ndarray]]:
        x = np.random.default_rng(1).integers(-1000, 1000, (3, threads)).astype(np.int32)
        z = np.zeros((3, threads), np.int32)
        sums = np.broadcast_to(x.sum(axis=1, keepdims=True), z.shape)
        return [x, z], 3, [x.copy(), sums.astype(np.int32)]

    return Case(ptx, plan, (start,))


CASES: dict[str, Callable[[], Case]] = {
    **{
        name: lambda name=name: fixture(name)
        for name in ("transpose", "scatter_reversed", "gather_2d", "scaled_copy")
    },
    "vector_add": ragged_vector_add,
    **{name: lambda name=name: built(name) for name in KERNELS_WITH_BARRIERS},
    "block_sum": summed,
}
case = cache(lambda name: CASES[name]())

Change = Callable[[re.Match[str]], str]
MUTATIONS: dict[str, tuple[str, Change]] = {
    "barrier removed": (r"bar\.(warp\.)?sync[^;]*;", lambda m: ""),
    "guard negated": (r"@(!?)(%p\d+)", lambda m: f"@{'' if m[1] else '!'}{m[2]}"),
    "offset + 4": (r"(\[%\w+\+)(\d+)\]", lambda m: f"{m[1]}{int(m[2]) + 4}]"),
    "bound + 1": (r"setp\.([lg])t\.(?=[us])", lambda m: f"setp.{m[1]}e."),
    "shift + 1": (r"(sh[lr]\.[bu]\d+ \t?%\w+, %\w+, )(\d+)", lambda m: f"{m[1]}{int(m[2]) + 1}"),
    "mask / 2": (r"(and\.b\d+ \t?%\w+, %\w+, )(\d+)", lambda m: f"{m[1]}{int(m[2]) >> 1}"),
    "sub for add": (r"add\.(?=s64|s32|rn)", lambda m: "sub."),
    "other lane": (r"(shfl\.sync\.\w+\.b32 [^;]*, )(\d+)(, 31, -1)",
                   lambda m: f"{m[1]}{int(m[2]) // 2}{m[3]}"),
    "mask of members": (r"(31, )-1;", lambda m: f"{m[1]}0x7fffffff;"),
    "16 bits for 32": (r"(ld|st)\.(global|shared)\.b32", lambda m: f"{m[1]}.{m[2]}.b16"),
}  # fmt: skip

BOUNDS_MET = ("vector_add",)
"""Kernels whose launches meet every bound exactly; elsewhere one more may make no difference."""

EQUIVALENT = (
    ("vector_add", "bound + 1", r"setp\.gt\.u64",
     "nothing of a tile that starts where the tensor ends is inside either way"),
    ("vector_add", "bound + 1", r"setp\.gt\.s32 \t%p\d+, %r\d+, (0|512);",
     "scalars are for sizes that four does not divide, and these indices are multiples of four"),
    ("transposed_in_place", "sub for add", r"add\.s32", "shared memory starts at zero"),
    ("written_twice", "offset + 4", r"%p1 st\.global",
     "the only place that is left out is written by the second store"),
    ("block_sum", "guard negated", r"st\.shared", "every lane of the warp holds the sum"),
    ("block_sum", "mask / 2", r"and\.b32", "two lanes of the warp store the same sum"),
)  # fmt: skip
"""Kernel, mutation, pattern of the line, and why nothing need be noticed."""


def mutants(name: str, mutation: str) -> Iterator[tuple[str, str]]:
    """The line that is changed, and the whole changed text."""
    ptx = case(name).ptx
    pattern, change = MUTATIONS[mutation]
    for found in re.finditer(pattern, ptx):
        start = ptx.rfind("\n", 0, found.start()) + 1
        line = ptx[start : ptx.find("\n", found.end())].strip()
        yield line, ptx[: found.start()] + change(found) + ptx[found.end() :]


@pytest.mark.parametrize("name", CASES)
def test_the_original_is_right(name: str) -> None:
    assert case(name).verdict(case(name).ptx) == ""


def pairs() -> list[tuple[str, str]]:
    everything = ((name, mutation) for name in CASES for mutation in MUTATIONS)
    return [pair for pair in everything if pair[1] != "bound + 1" or pair[0] in BOUNDS_MET]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "mutation"), pairs())
def test_mutants_are_noticed(name: str, mutation: str) -> None:
    excused = [row[2] for row in EQUIVALENT if row[:2] == (name, mutation)]
    missed = [
        line
        for line, text in mutants(name, mutation)
        if not any(re.search(pattern, line) for pattern in excused) and not case(name).verdict(text)
    ]
    assert not missed


@pytest.mark.parametrize("row", EQUIVALENT, ids=lambda row: f"{row[0]}-{row[1]}")
def test_what_is_excused_is_there(row: tuple[str, str, str, str]) -> None:
    """A mutant that nobody notices stands behind every excuse."""
    name, mutation, pattern, _ = row
    found = [text for line, text in mutants(name, mutation) if re.search(pattern, line)]
    assert any(not case(name).verdict(text) for text in found)


@pytest.mark.parametrize("name", [*KERNELS_WITH_BARRIERS, "block_sum"])
def test_there_are_barriers_to_remove(name: str) -> None:
    assert list(mutants(name, "barrier removed"))
