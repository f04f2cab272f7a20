"""Streams of other libraries as the handles that the driver takes."""

from __future__ import annotations

from typing import Any

from tileir.codegen.arguments.shown import shown
from tileir.errors import LaunchError

DEFAULT = 0
"""The stream that everything without one goes to."""

_ATTRIBUTES = ("cuda_stream", "ptr", "handle")
"""Where the streams of PyTorch, CuPy and Numba keep the handle."""


def handle_of(stream: Any) -> int:
    """The handle of a stream: a number, an object of the `__cuda_stream__` protocol or a library.

    Numba's handles know their number as `value`, which is None for the default stream.
    """
    found = getattr(stream, "__cuda_stream__", None)
    if found is not None:
        found = found() if callable(found) else found
        found = found[1] if isinstance(found, tuple) and len(found) == 2 else None
    else:
        names = [name for name in _ATTRIBUTES if hasattr(stream, name)]
        found = getattr(stream, names[0]) if names else stream
        if hasattr(found, "value"):
            found = found.value or DEFAULT
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 1 << 64:
        raise LaunchError(f"expected a CUDA stream or the handle of one, got {shown(stream)}")
    return int(found)
