"""The bytecode version that a caller asks for, as a text, a pair or a `Version`."""

from __future__ import annotations

from tileir.errors import BuildError
from tileir.formats.version import PREVIEW, SUPPORTED, Version


def supported(version: Version | str | tuple[int, int]) -> Version:
    """Return the `Version`; BuildError if `version` is not one, or is not supported."""
    try:
        requested = Version.of(version)
    except ValueError as error:
        raise BuildError(str(error)) from None
    if requested not in (*SUPPORTED, PREVIEW):
        raise BuildError(f"version {requested} is not one of {SUPPORTED[0]} to {SUPPORTED[-1]}")
    return requested
