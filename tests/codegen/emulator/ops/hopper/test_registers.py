"""`setmaxnreg`: registers of a block move between its warpgroups, as far as there are any."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.ops.hopper.bodies import EVERY, fails
from tests.codegen.emulator.snippets import run

ROLES = (
    "setp.lt.u32 %p1, %r0, 128;\n@%p1 bra PRODUCER;\nsetmaxnreg.inc.sync.aligned.u32 {};\n"
    "bra END;\nPRODUCER:\nsetmaxnreg.dec.sync.aligned.u32 {};\nEND:\n"
)
ONLY = "setp.lt.u32 %p1, %r0, {};\n@!%p1 bra END;\nsetmaxnreg.dec.sync.aligned.u32 24;\nEND:\n"
THREADS = 384
"""A warpgroup that gives, and two that take; each thread begins with 168 registers."""


def attempt(more: int, fewer: int, schedule: str = "lock-step", **options: object) -> None:
    run(ROLES.format(more, fewer), np.zeros(1), threads=THREADS, schedule=schedule, **options)


@pytest.mark.parametrize("schedule", EVERY)
@pytest.mark.parametrize(("more", "fewer"), [(240, 24), (232, 40), (168, 168)])
def test_registers_move(more: int, fewer: int, schedule: str) -> None:
    """Two warpgroups with 240 and one with 24, or 232 and 40, are the 504 that three began with."""
    attempt(more, fewer, schedule)


@pytest.mark.parametrize("schedule", EVERY)
def test_there_are_no_more_than_a_block_has(schedule: str) -> None:
    text = "warp .* for 240 registers a thread, while 256 are free"
    body = ROLES.format(240, 32)
    fails("deadlock", text.replace("256", r"\d+"), body, np.zeros(1), threads=THREADS,
          schedule=schedule)  # fmt: skip


def test_the_text_may_limit_registers() -> None:
    attempt(136, 24, directives=".maxnreg 104\n")
    body = ROLES.format(152, 24)
    fails("deadlock", "152 registers", body, np.zeros(1), threads=THREADS,
          directives=".maxnreg 104\n")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("no multiple of 8", ROLES.format(236, 24)),
        ("no multiple of 8 from 24", ROLES.format(240, 16)),
        ("no multiple of 8 from 24 to 256", ROLES.format(264, 24)),
        ("dec to 200 in a warp that has 168", ROLES.format(240, 200)),
        ("inc to 160 in a warp that has 168", ROLES.format(160, 24)),
        ("a warp of the warpgroup sets", ROLES.replace("128", "96").format(240, 24)),
        (
            "only some warps of the warpgroup",
            ONLY.format(96),
        ),
    ],
)
def test_errors(text: str, body: str) -> None:
    fails("registers", text, body, np.zeros(1), threads=THREADS)


def test_whole_warps_set_them() -> None:
    body = ONLY.format(16)
    fails(
        "barrier", "only a part of the warp", body + "bar.sync 0;\n", np.zeros(1), threads=THREADS
    )
