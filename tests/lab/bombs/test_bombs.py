"""Each bomb ends soundly, and those in which much is shared take little memory.

Memory is what the kernel counts for a process of its own, so this needs Linux. Time is left to
`python -m tests.lab.bombs`.
"""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from . import in_bytes, in_text, newer_bytes, shared_bytes, steps, trial
from .bomb import Bomb

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the kernel's figures are those of Linux"),
]

SMALLER, ONE_IN = 20, 4
"""Of bombs whose parts are written out, one in four is tried, at a fraction of its size."""

MOST_KIB = 40 << 10
"""What a bomb may take in which one thing of 50,000 bytes is used a thousand times."""

STEPS = ("read", "verify", "print_locations", "print_tree", "build")


def small(bomb: Bomb) -> bytes | str:
    return bomb.made(max(1, bomb.size // SMALLER))


def all_of(given: bytes | str, wanted: tuple[str, ...] = ()) -> trial.Cost:
    """What all steps, or some, cost altogether, in one process."""

    def take(given: bytes | str) -> None:
        for name, step in steps.of(given).items():
            if name in (wanted or steps.of(given)):
                steps.outcome(step, given)

    return trial.measure(take, given)


def test_there_are_enough_of_each_kind() -> None:
    bombs = [*in_bytes.BOMBS, *shared_bytes.BOMBS, *newer_bytes.BOMBS, *in_text.BOMBS]
    kinds = {bomb.kind for bomb in bombs}
    assert kinds == {
        "attributes", "constants", "counts", "lengths", "locations", "names", "nesting", "sharing",
        "types", "unknown",
    }  # fmt: skip
    named = {(bomb.kind, bomb.name, bomb.form) for bomb in bombs}
    assert len(named) == len(bombs) >= 115


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "bomb", [bomb for bomb in shared_bytes.BOMBS if bomb.size > 1], ids=lambda bomb: bomb.name
)
def test_what_is_shared_takes_little_memory(bomb: Bomb) -> None:
    cost = all_of(bomb.made(bomb.size), STEPS)
    assert cost.sound, cost.verdict
    assert cost.kib < MOST_KIB


@pytest.mark.parametrize("made", [in_bytes, newer_bytes, in_text])
def test_what_is_written_out_ends_soundly(made: ModuleType, named) -> None:
    for bomb in made.BOMBS[::ONE_IN]:
        with named(bomb.name):
            cost = all_of(small(bomb))
            assert cost.sound, cost.verdict
