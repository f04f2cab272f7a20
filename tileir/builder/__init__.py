"""Modules from nothing: functions op by op, checked at every call, written as bytes."""

from __future__ import annotations

from .kernel import Kernel
from .module import Module, number, position, splat

__all__ = ["Kernel", "Module", "number", "position", "splat"]
