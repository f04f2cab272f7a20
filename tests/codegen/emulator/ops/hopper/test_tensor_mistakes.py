"""What goes wrong with tensor copies: boxes, bytes, waits, alignment and coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import (
    MEMORY,
    fails,
    kept,
    kinds,
    wait,
)
from tests.codegen.emulator.ops.hopper.boxes import (
    PARAMETERS,
    described,
    load,
    tensor,
)
from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import SCHEDULES, TensorMap

X = tensor((32, 64), np.float16)
PLAIN = described(X, "f16", (64, 8))
SWIZZLED = described(X, "f16", (64, 8), swizzle=128)
GOOD = MEMORY + load(2, (0, 8), 1024) + kept(256, 1)
MISTAKES = {
    "wait": (wait(0), ""),
    "other box": ("{0, 8}", "{0, 9}"),
    "coordinates swapped": ("{0, 8}", "{8, 0}"),
    "bytes of what is inside only": ("], 1024;", "], 512;"),
    "copy": ("@%p1 cp.async", "@%p2 cp.async"),
    "fence": ("@%p1 fence.mbarrier_init.release.cluster;", ""),
    "every thread issues": ("@%p1 cp.async", "cp.async"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str) -> None:
    old, new = MISTAKES[name]
    body = "setp.eq.u32 %p2, 1, 0;\n" + GOOD
    assert old in body
    out = aligned(np.zeros((8, 64), np.float16))
    assert kinds(body, PLAIN, out, parameters=PARAMETERS) == {""}
    np.testing.assert_array_equal(out, X[8:16])
    for schedule in SCHEDULES:
        out[:] = 0
        changed = body.replace(old, new, 1)
        found = kinds(changed, PLAIN, out, parameters=PARAMETERS, schedules=(schedule,))
        assert found != {""} or (out != X[8:16]).any()


def test_a_swizzle_that_nobody_undoes_shows() -> None:
    out = aligned(np.zeros((8, 64), np.float16))
    run(GOOD, SWIZZLED, out, parameters=PARAMETERS)
    assert (out != X[8:16]).any()


@pytest.mark.parametrize(
    ("kind", "text", "box", "change"),
    [
        ("alignment", "no multiple of 128", PLAIN, ("[%r4]", "[%r4+64]")),
        ("alignment", "no multiple of 1024", SWIZZLED, ("[%r4]", "[%r4+512]")),
        ("launch", "has 2 dimensions, the instruction 3", PLAIN, ("tensor.2d", "tensor.3d")),
        ("syntax", "3 coordinates, expected 2", PLAIN, ("{0, 8}", "{0, 8, 0}")),
        ("unknown", "no parameter at", PLAIN, ("[%d0, ", "[%d1, ")),
        ("bounds", "there are", PLAIN, ("[%r4]", "[%r4+8192]")),
    ],
)
def test_errors(kind: str, text: str, box: TensorMap, change: tuple[str, str]) -> None:
    assert change[0] in GOOD
    out = aligned(np.zeros((8, 64), np.float16))
    body = GOOD.replace(*change, 1)
    fails(kind, text, body, box, out, parameters=PARAMETERS)


def test_a_map_beyond_its_array() -> None:
    """The extents say more than the array has."""
    wrong = TensorMap("f16", X, (64, 40), (128,), (64, 8))
    body = MEMORY + load(2, (0, 30), 1024)
    fails("bounds", "the nearest memory", body, wrong, parameters=("map",))


def test_prefetches_only_hint() -> None:
    body = MEMORY + (
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d0, {0, 0}];\n"
        "prefetch.tensormap [%d0];\n"
    )
    run(body, PLAIN, parameters=("map",))
