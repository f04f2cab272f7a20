"""Copies of attributes: what can be changed in place is not shared by an op and its clone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any


def copied_attribute(value: Any) -> Any:
    """Return an attribute whose dictionaries and lists, those of hints too, are its own."""
    if isinstance(value, dict):
        return {key: copied_attribute(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return value.__class__(map(copied_attribute, value))
    entries = getattr(value, "entries", None)
    return replace(value, entries=copied_attribute(entries)) if isinstance(entries, dict) else value
