"""Where in the source the instructions of a PTX text come from, as its `.loc` directives say."""

from __future__ import annotations

import re

_FILE = re.compile(r'^\s*\.file\s+(\d{1,9})\s+"([^"]*)"', re.MULTILINE)
_PLACE = re.compile(r"\s*\.loc\s+(\d{1,9})\s+(\d{1,9})")


def source_lines(ptx: str) -> dict[int, str]:
    """Map the lines of a text that stand behind a `.loc`, up to the end of its function, to places.

    A place is "file:line". Lines of the text are counted from 1.
    """
    files = dict(_FILE.findall(ptx))
    found: dict[int, str] = {}
    place = ""
    for number, line in enumerate(ptx.split("\n"), 1):
        if match := _PLACE.match(line):
            known = match[1] in files and match[2] != "0"
            place = f"{files[match[1]]}:{match[2]}" if known else ""
        elif line.startswith("}"):
            place = ""
        elif place:
            found[number] = place
    return found
