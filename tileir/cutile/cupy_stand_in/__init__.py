"""The module `cupy` of programs that run on the CPU: its functions are NumPy's.

A name that is not here is the function, type or constant of that name in NumPy. What is made from
CUDA C++ is refused by name.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np

from tileir.errors import UnsupportedError

from . import cuda, random, testing
from .arrays import array, asarray, asnumpy, forwarded, ndarray
from .ufuncs import ufunc, ufunc_of

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asnumpy",
    "cuda",
    "fft",
    "linalg",
    "ndarray",
    "random",
    "testing",
    "ufunc",
]  # fmt: skip

__version__ = "14.0.1"
"""The version of cupy that cuTile's own tests ask for."""

asanyarray = asarray

_REFUSED = (
    "ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel", "fuse", "memoize",
    "from_dlpack_raw", "vectorize",
)  # fmt: skip
"""What cupy compiles from CUDA C++, or for it."""


def ascontiguousarray(a: Any, dtype: Any = None) -> ndarray:
    """Return an array of the device that is contiguous: what is given if it is."""
    return asarray(asarray(a, dtype), order="C")


def from_dlpack(array: Any) -> ndarray:
    """Return an array of the device on the memory of a tensor of the device."""
    return asarray(array)


def copyto(dst: ndarray, src: Any, casting: Any = "same_kind", where: Any = None) -> None:
    """Copy elements to an array of the device."""
    mask = {} if where is None else {"where": asarray(where)._host}
    np.copyto(dst._host, asarray(src)._host, casting=casting, **mask)


def get_array_module(*arguments: Any) -> Any:
    """Return this module if there is an array of the device among the arguments, else NumPy."""
    import sys

    return sys.modules[__name__] if any(isinstance(a, ndarray) for a in arguments) else np


def is_available() -> bool:
    """Return True: the device is there."""
    return True


def get_default_memory_pool() -> cuda.MemoryPool:
    """Return the pool of memory that arrays do not come from."""
    return _pool


get_default_pinned_memory_pool = get_default_memory_pool
_pool = cuda.MemoryPool()


def show_config() -> None:
    """Print what this is."""
    print(f"cupy's stand-in of tileir, on NumPy {np.__version__}")


def _module(name: str) -> ModuleType:
    """Return a module of NumPy's with its functions on arrays of the device."""
    original = getattr(np, name)
    module = ModuleType(f"{__name__}.{name}", original.__doc__)
    vars(module)["__getattr__"] = lambda item: _from_numpy(original, item)
    return module


def _from_numpy(module: Any, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(module, name, None)
    if found is None:
        raise AttributeError(f"{name} is not supported where a CPU stands in for cupy's GPU")
    if isinstance(found, np.ufunc):
        return ufunc_of(found)
    return found if isinstance(found, type) or not callable(found) else forwarded(found)


fft, linalg = _module("fft"), _module("linalg")


def __getattr__(name: str) -> Any:
    if name in _REFUSED:
        raise UnsupportedError(
            f"cupy.{name} compiles CUDA C++, which a CPU that stands in for the GPU cannot run"
        )
    return _from_numpy(np, name)


def submodule(name: str) -> ModuleType | None:
    """Return the module that programs import as `cupy` and a name, such as ``.cuda.runtime``."""
    try:
        found: Any = importlib.import_module(__name__)
        for part in name.split(".")[1:]:
            found = vars(found)[part]
    except KeyError:
        return None
    return found if isinstance(found, ModuleType) else None
