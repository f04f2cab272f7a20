"""Imports of libraries that need a GPU: cupy has a stand-in, others fail as if not installed."""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_REFUSED = {
    "cupyx": "cupyx needs a GPU; of cupy, tileir.cutile has what NumPy has too",
    "numba.cuda": "numba.cuda needs a GPU; tileir.cutile runs programs that use torch, cupy or "
    "NumPy",
}
"""Library -> why it cannot be imported."""

_CUPY = "cupy"
_PART_OF_CUPY = "cupy_backends"
"""A package that cupy itself brings, and whatever else bears its name does not."""


def install(capability: tuple[int, int]) -> None:
    """Make imports of these libraries fail from now on, with an error that programs may catch.

    Importing cupy gives ours, for a GPU of this compute capability, or one on the path that is not
    cupy itself and hence made for machines without a GPU.
    """
    sys.meta_path.insert(0, _Finder(capability))


class _Finder(MetaPathFinder, Loader):
    """An import hook: it finds the stand-in, and raises ModuleNotFoundError for the others."""

    def __init__(self, capability: tuple[int, int]) -> None:
        self._capability = capability

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        library = name.partition(".")[0]
        if library in (_CUPY, "cupyx"):
            if _another():
                return None
            if library == _CUPY:
                return ModuleSpec(name, self, is_package=True)
        if name in _REFUSED or library in _REFUSED:
            why = _REFUSED.get(name) or _REFUSED[library]
            raise ModuleNotFoundError(why, name=name)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of the stand-in; ModuleNotFoundError if it has none of that name."""
        from . import cupy_stand_in

        cupy_stand_in.cuda.capability = self._capability
        found = cupy_stand_in.submodule(spec.name)
        if found is None:
            why = f"{spec.name} is not supported where a CPU stands in for cupy's GPU"
            raise ModuleNotFoundError(why, name=spec.name)
        return found

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is complete."""


def _another() -> bool:
    """Whether something else called cupy is on the path, without what cupy itself is made of."""
    find = PathFinder.find_spec
    return find(_CUPY) is not None and find(_PART_OF_CUPY) is None
