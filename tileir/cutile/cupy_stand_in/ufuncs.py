"""`cupy.ufunc`: NumPy's functions by element, with methods, on arrays of the device."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .arrays import called, forwarded


class ufunc:  # noqa: N801  as it is called in cupy
    """A function by element; what it has beside being called is what NumPy's has."""

    def __init__(self, function: np.ufunc) -> None:
        self._function = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return called(self._function, arguments, options)

    def __getattr__(self, name: str) -> Any:
        """Return a method or property of NumPy's, such as `reduce`."""
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            found = getattr(self._function, name)
        except AttributeError:
            raise AttributeError(f"'cupy.ufunc' object has no attribute {name!r}") from None
        return forwarded(found) if callable(found) else found

    def __repr__(self) -> str:
        return f"<ufunc 'cupy_{self.__name__}'>"


@cache
def ufunc_of(function: np.ufunc) -> ufunc:
    """Return the function of cupy's that is one of NumPy's."""
    return ufunc(function)
