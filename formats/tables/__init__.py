"""The tables: `TABLES.md`, the format for people who write a reader in another language.

Everything in it that is a fact about a field, a number or a version is printed from the
Construct tree and the rows of the op table; `rules` is the prose around them.

    python -m tileir.formats.tables [FILE]     print it, or write it to FILE
"""

from __future__ import annotations

from pathlib import Path

from .pages import tables

PATH = Path(__file__).parent.parent / "TABLES.md"
"""Where the tables are checked in."""

__all__ = ["PATH", "tables"]
