"""Many distinct modules out of a folder of some: each has one more constant of its own."""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path

import tileir
from tileir.builder import Editor
from tileir.errors import TileIRError
from tileir.types import Scalar, Tile

_NUMBER = 0x7A11E1B0C0DEFACE
"""Stands in the first copy where the number of a copy comes."""


def make(folder: Path, number: int, out: Path) -> int:
    """Write so many modules, all made of those in a folder; return how many there are.

    What is in the folder is gone through again and again, so that all are as usual in it. Modules
    that cannot be read, or have no body, are left out; ValueError if nothing is left.
    """
    started = time.monotonic()
    copied = []
    for path in sorted(folder.rglob("*.tileirbc")):
        if len(copied) >= number:
            break
        data = _marked(path)
        if data is not None:
            copied.append((f"{len(copied):05}-{path.stem}", data))
        if len(copied) % 1000 == 999:
            print(f"{len(copied) + 1:,} modules read", file=sys.stderr)
    if not copied:
        raise ValueError(f"there is no module in {folder}")
    made = 0
    for turn in count(1):
        below = out / f"{turn:03}"
        below.mkdir(parents=True, exist_ok=True)
        for name, data in copied:
            if made == number:
                print(f"{made:,} made in {time.monotonic() - started:.0f} s", file=sys.stderr)
                return made
            (below / f"{name}.tileirbc").write_bytes(numbered(data, turn))
            made += 1
    raise AssertionError


def _marked(path: Path) -> bytes | None:
    """Return a module with one more constant, which nothing uses; None if that cannot be done."""
    try:
        bytecode = tileir.load(path)
        function = next((each for each in bytecode.functions if each.body is not None), None)
        if function is None:
            return None
        first = next(iter(function.walk()))
        Editor(function).before(first).constant(_NUMBER, result=Tile(Scalar("i64"), ()))
        data = bytecode.build()
    except TileIRError:
        return None
    return data if data.count(_bytes(_NUMBER)) == 1 else None


def numbered(data: bytes, number: int) -> bytes:
    """Return what `_marked` made with a number in its place."""
    return data.replace(_bytes(_NUMBER), _bytes(number))


def _bytes(number: int) -> bytes:
    return number.to_bytes(8, "little")
