"""Libraries that need a GPU: importing them fails as if they were not installed."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any

REFUSED = ("cupy", "numba.cuda")


def install() -> None:
    """Make imports of these libraries fail from now on, with an error that programs may catch."""
    sys.meta_path.insert(0, _Refusal())


class _Refusal(MetaPathFinder):
    """An import hook that raises ModuleNotFoundError for these libraries."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name in REFUSED:
            why = f"{name} needs a GPU; tileir.cutile runs programs that use torch or NumPy"
            raise ModuleNotFoundError(why, name=name)
