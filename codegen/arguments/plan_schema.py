"""The schema of launch plans: which of them launchers of this release read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.errors import LaunchError

SCHEMA = 2
"""Grows when the meaning of an entry of a plan changes."""


def check_schema(shown: str, plan: Mapping[str, Any]) -> None:
    """Raise LaunchError for a plan of another schema. Plans made by hand may leave it out."""
    found = plan.get("schema", SCHEMA)
    if found != SCHEMA:
        raise LaunchError(
            f"{shown}: its launch plan has schema {found!r}, and this launcher reads {SCHEMA}"
        )
