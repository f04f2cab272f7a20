"""The ways to make a module wrong, one change each, by name.

A change gets a `Site` and returns what it did in words, or None where there is nothing for it to do
(then it has changed nothing).
"""

from __future__ import annotations

from collections.abc import Callable

from tests.verifier.sites import Site

from . import attributes, modules, ops, regions, types, values

Change = Callable[[Site], str | None]


def _all(*parts) -> dict[str, Change]:
    found = {}
    for part in parts:
        for change in part.CHANGES:
            found[change.__name__] = change
    return found


IN_BODIES = _all(values, types, attributes, ops, regions)
"""What happens to an op."""

TO_MODULES = _all(modules)
"""What happens to entries, globals, symbols and source locations."""
