"""Warnings about the cache, which name the line of the program that made tileir look into it."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

_OURS = "tileir"


def warn(problem: str) -> None:
    """Give a RuntimeWarning at the innermost line that is not ours."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(problem, RuntimeWarning, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] == _OURS
