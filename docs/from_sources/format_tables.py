"""The format field by field: the text of `formats/TABLES.md` below its title."""

from __future__ import annotations

from tileir.formats.tables import tables


def format_tables() -> str:
    """Return the sections of the tables."""
    _, _, text = tables().partition("\n## ")
    return "## " + text.replace("[tileir.ksy](tileir.ksy)", "`formats/tileir.ksy`")
