"""References by index between tables, and what happens when one leads nowhere.

A table knows its entries, not where in the file the index was that it was asked for. It raises
`BadReference`; the records that it passes on its way out add which field it was, and `Bytecode`
turns the whole path into a located `BytecodeError`.
"""

from __future__ import annotations

from collections.abc import Callable

from tileir.formats.errors import shorten
from tileir.messages.texts import printable

LONGEST_PROBLEM = 300
"""Characters of a problem in words; types and names from the file are part of it."""


class BadReference(Exception):
    """An index that leads nowhere, or to the wrong kind of thing."""

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
        """What `path` refers to is one level of nested `what` too many."""
        bad = cls(target, 0, 0, path=path, kind="limit")
        bad.expected, bad.found = f"at most {limit} levels of one {what} inside another", "more"
        return bad

    def at(self, path: str) -> BadReference:
        """The same problem, at `path` if no place was known yet, below it if only a part was."""
        if self._parts[-1][:1] in ("", ".", "["):
            self._parts.append(path)
        return self

    @property
    def path(self) -> str:
        """Where the index is: put together only when asked for, because it can be very long."""
        return "".join(reversed(self._parts))

    def inside(self, *parts: str | int) -> BadReference:
        """The same problem, seen from the record that holds it: in which field, at which index.

        So a path is put together on the way out, and reading what is right costs nothing.
        """
        return self.at("".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in parts))


Refuse = Callable[[BadReference], Exception]
"""What makes the located error of a reference that leads nowhere."""


def unlocated(bad: BadReference) -> BadReference:
    """The problem itself, where no file is known that it could be located in."""
    return bad


def again(error: Exception) -> Exception:
    """The same error, to be raised for another one who runs into it: the way out is its own."""
    made = type(error).__new__(type(error), *error.args)
    vars(made).update(vars(error))
    if isinstance(made, BadReference):
        made._parts = error._parts[:]
    return made
