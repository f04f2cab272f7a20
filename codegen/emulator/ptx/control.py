"""Branches, which are not rows of the table because they choose the next block."""

from __future__ import annotations

BRANCHES = ("bra", "bra.uni", "brx.idx", "brx.idx.uni", "ret", "ret.uni", "exit")
DONE = -1
"""The next block of a thread that has ended."""
