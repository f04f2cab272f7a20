"""Python processes that a program starts: with an option, they see the CPU as their GPU, too.

The environment tells them: PYTHONPATH begins with a folder whose `sitecustomize` Python runs at
start. Each process then takes the time to import cuTile and torch, so this is an option.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import install

VARIABLE = "TILEIR_CUTILE"
"""Environment variable with the options of `install`, as JSON."""

_AT_START = str(Path(__file__).parent / "at_start")


def adopt(options: Mapping[str, Any]) -> None:
    """Change the environment so that later processes install with these options."""
    os.environ[VARIABLE] = json.dumps(options)
    package = str(Path(__file__).parents[2])
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [_AT_START, package, *others]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))


def join() -> None:
    """Run the `sitecustomize` that ours hides, then install as the environment says."""
    sys.path.remove(_AT_START)
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401  # pyright: ignore[reportMissingImports]  # of others
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours
    install(**json.loads(os.environ[VARIABLE]))
