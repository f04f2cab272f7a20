"""Versions of the format and releases of cuTile that are newer than any that is known."""
