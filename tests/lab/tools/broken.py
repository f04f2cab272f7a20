"""Input that is none, and the exit code that each command has to give for it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.corpus import NEWEST

PRECIOUS = b"precious"
"""What is in the file that would have been written; it has to be there afterwards."""


class Broken(NamedTuple):
    """A broken input: its name, its path, and the exit code."""

    name: str
    path: str
    code: int


def broken(folder: Path) -> list[Broken]:
    """Write broken inputs into a folder."""
    whole = NEWEST["matmul"].read_bytes()
    text = b"entry @k(%a: tile<i32>) {\n  %0 = addi %a, %b : tile<i32>\n  return\n}\n"
    rows = {
        "no such file": (None, 2),
        "a folder": (None, 2),
        "an empty file": (b"", 2),  # as of a pipe whose other end failed
        "noise": (bytes(range(128, 256)) * 8, 3),
        "half a file": (whole[: len(whole) // 2], 3),
        "the first 8 bytes": (whole[:8], 3),
        "a flipped length": (whole[:13] + b"\xff\xff\xff\xff\x7f" + whole[18:], 3),
        "version 12.9": (whole[:8] + b"\x0c\x09" + whole[10:], 4),
        "text with an unknown value": (text, 3),
        "text that ends early": (text[:40], 3),
        "bytes that are not UTF-8": (b"entry @\xff\xfe() {\n}\n", 3),
    }
    found = []
    for number, (name, (data, code)) in enumerate(rows.items()):
        path = folder / f"broken-{number}{'.mlir' if b'entry' in (data or b'') else '.tileirbc'}"
        if name == "a folder":
            path.mkdir(exist_ok=True)
        elif data is not None:
            path.write_bytes(data)
        found.append(Broken(name, str(path), code))
    return found
