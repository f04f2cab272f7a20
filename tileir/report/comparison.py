"""Two files side by side: their models, and the lines of both texts beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tileir.bytecode import Bytecode
from tileir.diff.comparing import Difference, compare
from tileir.diff.hunks import GONE, NEW, SAME, Line
from tileir.diff.merging import Merging
from tileir.diff.printed import PrintedModule
from tileir.diff.wording import Wording
from tileir.errors import TileIRError
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import Version

from .model import file_model, readable_part, whole_model


def comparison(
    before: tuple[bytes, str],
    after: tuple[bytes, str],
    *,
    paths: bool = False,
    assumed: Version | None = None,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Return the model of two files, given with names; without a diff if one has no text."""
    files = [
        file_model(data, name, paths=paths, assumed=assumed, folder=folder)
        for data, name in (before, after)
    ]
    try:
        modules = [
            Bytecode.parse(readable_part(data, paths, assumed), assume_version=assumed).touch()
            for data, _ in (before, after)
        ]
        difference = compare(modules[0], modules[1])
        rows = [[line.mark, line.before, line.after, _note(line)] for line in _lines(difference)]
    except TileIRError:
        return whole_model(files)
    return whole_model(files, {"equal": not difference, "rows": rows})


def _note(line: Line) -> str:
    return line.text if line.before is None and line.after is None else ""


def _lines(difference: Difference) -> Iterator[Line]:
    """Yield all lines of both texts; those of functions in the order of the second module."""
    texts = PrintedModule(difference.before), PrintedModule(difference.after)
    merging = Merging(*texts, Wording(*texts))
    with deep_recursion(difference.before.limits), deep_recursion(difference.after.limits):
        yield from _outside(*texts)
        for pair, lines in merging.functions(difference):
            if lines is not None:
                yield from lines
                continue
            ranges = [
                text.function[id(each)] for text, each in zip(texts, _both(pair), strict=True)
            ]
            for one, two in zip(*ranges, strict=True):
                yield Line(SAME, one, two, texts[1].lines[two], "")


def _both(pair: Any) -> tuple[Any, Any]:
    return pair.before, pair.after


def _outside(before: PrintedModule, after: PrintedModule) -> Iterator[Line]:
    """Yield the lines of no function, such as those of globals: first what only the first has."""
    waiting: dict[str, list[int]] = {}
    for number in _outer(before):
        waiting.setdefault(before.lines[number], []).append(number)
    pairs = []
    for number in _outer(after):
        known = waiting.get(after.lines[number])
        pairs.append((known.pop(0) if known else None, number))
    for number in sorted(number for numbers in waiting.values() for number in numbers):
        yield Line(GONE, number, None, before.lines[number], "")
    for one, two in pairs:
        yield Line(NEW if one is None else SAME, one, two, after.lines[two], "")


def _outer(text: PrintedModule) -> Iterable[int]:
    inside = Counter(number for lines in text.function.values() for number in lines)
    return [n for n, line in enumerate(text.lines) if n not in inside and line]
