"""The names of values to trace: at the end it is told which of them no kernel had.

A program may have many kernels, and a name need only be in one of them, which may come last.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

from tileir.messages.texts import printable
from tileir.messages.wording import did_you_mean

_known: set[str] = set()
"""The names of all values in the kernels that have been compiled, such as ``%tile``, and of the
variables in their source."""


def spelled(name: str) -> str:
    """Return a name as the text of a kernel has it, with its percent sign."""
    return f"%{name.removeprefix('%')}"


def present(wanted: Iterable[str], names: Collection[str]) -> list[str]:
    """Return the names of `wanted` that a kernel has, of whose values and variables these are the
    `names`."""
    _known.update(names)
    return sorted({each for name in wanted for each in (spelled(name), name) if each in names})


def tell(wanted: Iterable[str]) -> None:
    """Print a warning for each name that no compiled kernel had, if there was a kernel at all."""
    for name in dict.fromkeys(map(spelled, wanted)):
        if _known and name not in _known and name[1:] not in _known:
            meant = did_you_mean(name, _known)
            text = printable(f"no kernel that was compiled has a value {name} to trace{meant}")
            print(f"tileir cutile: warning: {text}", file=sys.stderr)
