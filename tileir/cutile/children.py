"""Processes that a program starts: new interpreters of Python see the CPU as their GPU, too.

They are told through the environment: PYTHONPATH begins with a folder whose `sitecustomize` Python
runs at its start. That costs each of them the time to import cuTile and torch, so it is an option.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import install

VARIABLE = "TILEIR_CUTILE"
"""The GPU to stand in for and, behind a colon, the threads of a launch if that is not all."""

_AT_START = str(Path(__file__).parent / "at_start")


def adopt(sm: str, threads: int | None) -> None:
    """Prepare the environment that later processes get."""
    os.environ[VARIABLE] = f"{sm}:{threads or ''}"
    package = str(Path(__file__).parents[2])
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [_AT_START, package, *others]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))


def join() -> None:
    """Run the `sitecustomize` that is there without us, then install as the environment says."""
    sys.path.remove(_AT_START)
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours
    sm, _, threads = os.environ[VARIABLE].partition(":")
    install(sm, int(threads) if threads else None)
