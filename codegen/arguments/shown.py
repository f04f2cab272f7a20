"""How a value of the caller's appears in a message: on one line, and not too long."""

from __future__ import annotations

from tileir.formats.errors import shorten

LONGEST = 60


def shown(value: object) -> str:
    """The value as Python prints it."""
    return shorten(" ".join(repr(value).split()), LONGEST)
