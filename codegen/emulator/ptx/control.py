"""Branches: the only instructions that are no rows, because they say which block comes next."""

from __future__ import annotations

BRANCHES = ("bra", "bra.uni", "brx.idx", "brx.idx.uni", "ret", "ret.uni", "exit")
DONE = -1
"""The number of the block of a thread that has ended."""
