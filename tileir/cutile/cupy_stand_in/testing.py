"""`cupy.testing`: NumPy's assertions, on arrays of the device and of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import asnumpy, ndarray


def __getattr__(name: str) -> Any:
    if not name.startswith("assert_"):
        raise AttributeError(f"cupy.testing has no {name} where a CPU stands in for the GPU")
    return _on_numpy(getattr(np.testing, name))


def _on_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    def check(*arguments: Any, **options: Any) -> Any:
        given = (asnumpy(a) if isinstance(a, ndarray) else a for a in arguments)
        return function(*given, **options)

    return check
