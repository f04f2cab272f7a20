"""Offsets into a text as lines and characters of the protocol, in units that a client counts."""

from __future__ import annotations

import re
from bisect import bisect_right

_ENDS = re.compile(r"\r\n|\n|\r")
WIDTHS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""Name of an encoding in the protocol -> Python's."""
_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Lines:
    """The lines of a text, whose characters are counted in the units of an encoding."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._encoding = encoding
        self._starts = [0, *(end.end() for end in _ENDS.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and character of an offset, both from 0."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        return line, self._units(self.text[self._starts[line] : offset])

    def offset(self, line: int, character: int) -> int:
        """Return the offset of a place; the nearest one in the text, if it lies outside."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        row = self.text[start:end].rstrip("\r\n")
        if row.isascii():
            return start + min(max(character, 0), len(row))
        taken = 0
        for count, each in enumerate(row):
            taken += self._units(each)
            if taken > character:
                return start + count
        return start + len(row)

    def _units(self, text: str) -> int:
        if text.isascii():
            return len(text)
        encoded = text.encode(WIDTHS[self._encoding], "surrogatepass")
        return len(encoded) // _BYTES[self._encoding]
