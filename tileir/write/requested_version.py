"""The bytecode version that somebody asks for, in whatever form they say it."""

from __future__ import annotations

from tileir.errors import BuildError
from tileir.formats.version import SUPPORTED, Version


def supported(version: Version | str | tuple[int, int]) -> Version:
    """The version of that text or pair; BuildError if it is none, or one that is not known."""
    try:
        found = Version.of(version)
    except ValueError as error:
        raise BuildError(str(error)) from None
    if found not in SUPPORTED:
        raise BuildError(f"version {found} is not one of {SUPPORTED[0]} to {SUPPORTED[-1]}")
    return found
