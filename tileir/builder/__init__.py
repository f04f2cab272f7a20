"""The builder of new modules: functions are made op by op, and each call is checked."""

from __future__ import annotations

from .editor import Editor
from .kernel import Kernel
from .module import Module, number, position, splat, subprogram

__all__ = ["Editor", "Kernel", "Module", "number", "position", "splat", "subprogram"]
