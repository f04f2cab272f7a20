"""LLVM's numbers for the state spaces of PTX."""

from __future__ import annotations

GLOBAL = 1
SHARED = 3
