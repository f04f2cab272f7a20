"""Libraries that a cuTile program may import and that cannot do without a GPU."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any

REFUSED = ("cupy", "numba.cuda")


def install() -> None:
    """Refuse them from now on with an error that says why; programs may catch it."""
    sys.meta_path.insert(0, _Refusal())


class _Refusal(MetaPathFinder):
    """Raises ModuleNotFoundError, as if they were not installed."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name in REFUSED:
            why = f"{name} needs a GPU; tileir.cutile runs programs that use torch or NumPy"
            raise ModuleNotFoundError(why, name=name)
