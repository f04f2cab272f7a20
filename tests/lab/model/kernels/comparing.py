"""A kernel on the host and in the model: all memory must be the same afterwards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.lab.model import run
from tests.lab.model.elements import dtype
from tileir.smith.case import Case, Kept

SHOWN = 4
"""Wrong elements that are listed."""

Launcher = Callable[[Case, list], None]


def on_host(case: Case, args: list) -> None:
    """Compile for the CPU and launch. One thread: atomics of several blocks have an order then."""
    from tileir.codegen import compile

    compile(case.bytecode, target="host")[case.symbol].launch(case.grid, args, threads=1)


def copied(case: Case) -> list:
    """The arguments, with arrays that may be changed."""
    return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in case.args]


def expected_of(case: Case) -> list:
    """The arguments after a launch in the model. Undefined, if the kernel has no meaning."""
    expected = copied(case)
    run(case.bytecode, case.symbol, case.grid, expected)
    return expected


def differences(case: Case, launch: Launcher = on_host, expected: list | None = None) -> list[str]:
    """What is different from what the model expects, in words."""
    expected = expected_of(case) if expected is None else expected
    found = copied(case)
    launch(case, found)
    problems = []
    for kept in case.kept:
        problems += _compared(kept, found[kept.array], expected[kept.array])
    for number, (here, there) in enumerate(zip(found, expected, strict=True)):
        if isinstance(here, np.ndarray) and here.tobytes() != there.tobytes():
            changed = np.flatnonzero(here.view(np.uint8) != there.view(np.uint8))
            problems.append(f"parameter {number}: differs at bytes {changed[:SHOWN].tolist()}")
    return problems


def _compared(kept: Kept, found: np.ndarray, expected: np.ndarray) -> list[str]:
    """Compare what was stored, then make it equal, so that the rest can be compared bit by bit."""
    part = slice(kept.start, kept.start + kept.count)
    pair = [array[part].view(dtype(kept.element)) for array in (found, expected)]
    wrong = np.flatnonzero(kept.tolerance.wrong(*pair, kept.element))
    lines = [
        f"element {at} of {kept.count} {kept.element}: {pair[0][at]!r}, expected {pair[1][at]!r}"
        for at in wrong[:SHOWN]
    ]
    if wrong.size > SHOWN:
        lines.append(f"and {wrong.size - SHOWN} more")
    found[part] = expected[part]
    return lines
