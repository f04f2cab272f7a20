"""Pinned memory: that of the CPU, which the device is; what a program has pinned says so."""

from __future__ import annotations

from typing import Any

_MARK = "tileir_pinned"
"""Attribute of a storage, which torch keeps as long as the memory."""


def install(library: Any) -> None:
    """Register the ops with a library of torch's namespace `aten`."""
    library.m.impl("_pin_memory", "CPU", _pin)
    library.m.impl("is_pinned", "CPU", _is_pinned)


def _pin(tensor: Any, device: Any = None) -> Any:
    copy = tensor.clone()
    setattr(copy.untyped_storage(), _MARK, True)
    return copy


def _is_pinned(tensor: Any, device: Any = None) -> bool:
    return hasattr(tensor.untyped_storage(), _MARK)
