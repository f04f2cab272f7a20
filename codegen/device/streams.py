"""Converts streams of other libraries to the driver's handles."""

from __future__ import annotations

from typing import Any

from tileir.codegen.arguments.shown import shown
from tileir.errors import LaunchError

DEFAULT = 0
"""The handle of the default stream."""

_ATTRIBUTES = ("cuda_stream", "ptr", "handle")
"""Attributes in which the streams of PyTorch, CuPy and Numba keep the handle."""


def handle_of(stream: Any) -> int:
    """Return the handle of a stream: a number, a library's object or one with `__cuda_stream__`.

    Numba's handles have their number in `value`, which is None for the default stream.
    """
    handle = getattr(stream, "__cuda_stream__", None)
    if handle is not None:
        handle = handle() if callable(handle) else handle
        handle = handle[1] if isinstance(handle, tuple) and len(handle) == 2 else None
    else:
        names = [name for name in _ATTRIBUTES if hasattr(stream, name)]
        handle = getattr(stream, names[0]) if names else stream
        if hasattr(handle, "value"):
            handle = handle.value or DEFAULT
    if isinstance(handle, bool) or not isinstance(handle, int) or not 0 <= handle < 1 << 64:
        raise LaunchError(f"expected a CUDA stream or the handle of one, got {shown(stream)}")
    return int(handle)
