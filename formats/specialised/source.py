"""Generated Python source, and functions that are compiled when first called.

A decoder for a whole version has thousands of lines, of which a file needs few, so every function
is written and compiled on its first call. Its source is in `linecache`, so that tracebacks and
debuggers show it.
"""

from __future__ import annotations

import keyword
import linecache
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from tileir.formats.forks import Lock

INDENT = "    "


class Lines:
    """Lines of source, and the current indentation."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = ""
        self._serial = 0

    def __call__(self, text: str) -> None:
        """Add a line."""
        self._lines.append(f"{self._indent}{text}\n")

    def block(self, head: str) -> Lines:
        """Add the head of a compound statement; lines added in a `with` of it are its body."""
        self(head)
        return self

    def __enter__(self) -> None:
        self._indent += INDENT

    def __exit__(self, *_) -> None:
        self._indent = self._indent.removesuffix(INDENT)

    def fresh(self, stem: str) -> str:
        """Return a new local name."""
        self._serial += 1
        return f"{identifier(stem)}_{self._serial}"

    @property
    def text(self) -> str:
        """The whole source."""
        return "".join(self._lines)


@cache
def identifier(text: str) -> str:
    """Return a Python name that resembles a text."""
    name = re.sub(r"\W", "_", text)
    return f"{name}_" if keyword.iskeyword(name) else name


def display(fields: dict[str, str]) -> str:
    """Return the dict display of named expressions."""
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in fields.items())}}}"


class Functions:
    """A namespace of functions that are compiled when first called.

    `title` is their file name in tracebacks. `start` has the names that all of them may use.
    """

    def __init__(self, title: str, start: dict[str, Any]) -> None:
        self.title = title
        self.names = dict(start)
        self._known: dict[object, str] = {}
        self._kept: list[object] = []
        self.lock = Lock()

    def constant(self, stem: str, value: object) -> str:
        """Return the name of an object, by identity, for use in functions."""
        key = ("constant", id(value))
        with self.lock:
            if key not in self._known:
                self._kept.append(value)  # keeps its id from being used again
                name = self._free(stem)
                self.names[name] = value
                self._known[key] = name
            return self._known[key]

    def function(
        self,
        stem: str,
        key: object,
        write: Callable[[Lines, str], None],
        into: Callable | None = None,
    ) -> str:
        """Return the name of the function for `key`; `write` writes its source at the first call.

        `into`, if given, is called with the compiled function, to put it into a dispatch table.
        """

        def first_call(*arguments):
            with self.lock:
                if self.names[name] is first_call:
                    lines = Lines()
                    write(lines, name)
                    self._compile(name, lines.text)
                    if into is not None:
                        into(self.names[name])
                function = self.names[name]
            return function(*arguments)

        with self.lock:
            if key in self._known:
                return self._known[key]
            name = self._free(stem)
            self.names[name] = first_call
            self._known[key] = name
            return name

    def _free(self, stem: str) -> str:
        name = identifier(stem)
        while name in self.names:
            name += "_"
        return name

    def _compile(self, name: str, text: str) -> None:
        file = f"<{self.title}: {name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), self.names)
