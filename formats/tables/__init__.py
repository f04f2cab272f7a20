"""The tables: `TABLES.md`, the format for people who write a reader in another language.

All facts in it about fields, numbers and versions are printed from the Construct tree and the rows
of the op table; `rules` is the prose around them.

    python -m tileir.formats.tables [FILE]     print it, or write it to FILE
"""

from __future__ import annotations

from pathlib import Path

from .pages import tables

PATH = Path(__file__).parent.parent / "TABLES.md"
"""The checked-in tables."""

__all__ = ["PATH", "tables"]
