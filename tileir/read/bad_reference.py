"""The error of a reference between tables that leads nowhere, and how its path is put together.

A table knows its entries, but not where in the file the index lies that it was asked for. It raises
`BadReference`; each enclosing record adds the field it was reading, and `Bytecode` turns the whole
path into a located `BytecodeError`.
"""

from __future__ import annotations

from collections.abc import Callable

from tileir.formats.errors import shorten
from tileir.messages.texts import printable

LONGEST_PROBLEM = 300
"""Most characters of a problem's description; it may repeat types and names of the file."""


class BadReference(Exception):
    """An index that leads nowhere, or to an entry of the wrong kind."""

    def __init__(
        self,
        target: str,
        index: int,
        size: int,
        *,
        first: int = 0,
        path: str = "",
        problem: str = "",
        kind: str = "",
    ) -> None:
        self._parts = [path]
        self.kind = kind or ("bad_value" if problem else "bad_index")
        if problem:
            said = printable(shorten(problem, LONGEST_PROBLEM))
            self.expected, self.found = f"a usable {target}", f"{target} {int(index)}: {said}"
        elif size == 0:
            self.expected, self.found = f"a {target}", f"{int(index)}, but there is none"
        else:
            last = size - 1 + first
            self.expected = f"a {target} index from {first} to {last}"
            self.found = str(int(index))
        super().__init__(self.found)

    @classmethod
    def too_deep(cls, target: str, what: str, limit: int, path: str) -> BadReference:
        """Return the error for a field `path` that refers to one level of nesting too many."""
        bad = cls(target, 0, 0, path=path, kind="limit")
        bad.expected, bad.found = f"at most {limit} levels of one {what} inside another", "more"
        return bad

    def at(self, path: str) -> BadReference:
        """Put `path` in front of the path, unless that begins with a section already."""
        if self._parts[-1][:1] in ("", ".", "["):
            self._parts.append(path)
        return self

    @property
    def path(self) -> str:
        """The path of the field with the index, joined on demand because it can be very long."""
        return "".join(reversed(self._parts))

    def inside(self, *parts: str | int) -> BadReference:
        """Put the fields and indices `parts` in front of the path, and return self.

        Records do this while the error passes through them, so reading valid input costs nothing.
        """
        return self.at("".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in parts))


Refuse = Callable[[BadReference], Exception]
"""A function that makes the located error of a reference that leads nowhere."""


def unlocated(bad: BadReference) -> BadReference:
    """Return the error itself, where no file is known in which it could be located."""
    return bad


def again(error: Exception) -> Exception:
    """Return a copy of the error, to be raised again: each raise adds to the path of its own."""
    made = type(error).__new__(type(error), *error.args)
    vars(made).update(vars(error))
    if isinstance(made, BadReference) and isinstance(error, BadReference):
        made._parts = error._parts[:]
    return made
