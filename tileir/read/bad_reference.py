"""References by index between tables, and what happens when one leads nowhere.

A table knows its entries, not where in the file the index was that it was asked for. It raises
`BadReference`; the records that it passes on its way out add which field it was, and `Bytecode`
turns the whole path into a located `BytecodeError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tileir.formats.cursor import Slice
from tileir.formats.errors import shorten

LONGEST_NAME = 80
"""Characters of a name that a message repeats."""

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


class Strings(Sequence[str]):
    """The string table. Bytes that are not UTF-8 survive as lone surrogates.

    A text that has been asked for is kept, so that many may refer to a long one.
    """

    def __init__(self, entries: Sequence[Slice]) -> None:
        self._entries = entries
        self._texts: dict[int, str] = {}

    @property
    def entries(self) -> Sequence[Slice]:
        """The strings as they lie in the file."""
        return self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.at(range(len(self))[index])

    def __iter__(self) -> Iterator[str]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<Strings {list(self)!r}>"

    def at(self, index: int, path: str = "") -> str:
        """The string of that index; `path` is the field that holds the index."""
        if index >= len(self._entries):
            raise BadReference("string", index, len(self._entries), path=path)
        text = self._texts.get(index)
        if text is None:
            text = self._texts[index] = decode_text(self._entries[index].data)
        return text


def decode_text(data: bytes | memoryview) -> str:
    """Text of the file as a Python string; always possible, and reversible."""
    return bytes(data).decode("utf-8", "surrogateescape")


def display(name: str) -> str:
    """A name from a file inside a message: one line, no control characters, of bearable length."""
    return printable(shorten(name, LONGEST_NAME))


def printable(text: str) -> str:
    """Text for a person: control characters and bytes that are not text are escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
