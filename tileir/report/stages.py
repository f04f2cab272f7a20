"""A kernel after each stage of its compilation, each line with the op of Tile IR it was made of.

The texts are those that `tileir compile --stop-after` prints. They are made once more of a copy
that locates each op at its own number, with a comment above each op that tells the number of where
it is located; such comments are taken out again. Lines that stages share are in a model once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tileir.commands.launch_options import named_as_written
from tileir.formats.forks import not_forking
from tileir.ir import Op
from tileir.messages.missing_packages import compiling

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

LARGEST = 8 << 20
"""Most characters of distinct lines of all the stages in a page."""

OF_ROW = 8
"""Characters that a line costs in each stage that has it."""

BLOCK_IR = "block IR"

MARK = re.compile(r"( *)// \x00(-?\d+)$")
"""A line that tells the number of the op behind it."""

Rows = list[tuple[str, int]]
"""The lines of a text, and the number of the op of each, -1 for none."""


def stages_of(
    bytecode: Bytecode, symbol: str, target: str, first: int, most: int = LARGEST
) -> dict[str, Any]:
    """Return the stages of a kernel whose first op has this number in the file, as in a model.

    They are those before LLVM. Of more than `most` characters the last stage is kept, then that
    which makes block IR, then as many others as there is room for, in order. Raises what
    `tileir.compile` does.
    """
    texts = _recorded(bytecode, symbol, target, first)
    known: dict[str, int] = {}
    kept = _that_fit([(dialect, rows) for _, _, dialect, rows in texts], most)
    steps = []
    for number, (name, headline, dialect, rows) in enumerate(texts):
        same = number > 0 and rows == texts[number - 1][3]
        step = {"name": name, "headline": headline, "dialect": dialect, "same": same}
        shown = number in kept
        step["lines"] = [known.setdefault(line, len(known)) for line, _ in rows] if shown else None
        step["ops"] = [op for _, op in rows] if shown else None
        steps.append(step)
    return {"texts": list(known), "steps": steps}


def _recorded(
    bytecode: Bytecode, symbol: str, target: str, first: int
) -> list[tuple[str, str, str, Rows]]:
    """Return name, headline, dialect and lines of each stage."""
    with compiling(), not_forking:
        from tileir.codegen.advise.numbered import Original, number_of
        from tileir.codegen.api import stages
        from tileir.codegen.nvptx.stage_printer import BLOCK_STAGES
    copy = Original(bytecode, [symbol]).copy()

    def mark(op: Op) -> str:
        number = number_of(op.location)
        return f"\x00{-1 if number is None else first + number}"

    with compiling(), named_as_written():
        found = stages(copy.module, target, BLOCK_STAGES[-1], symbols=[symbol], mark=mark)
    return [
        (
            stage.name,
            stage.headline,
            BLOCK_IR if stage.name in BLOCK_STAGES else "Tile IR",
            _rows(stage.text),
        )
        for stage in found.values()
    ]


def _rows(text: str) -> Rows:
    """Return the lines of a text without its marks.

    Behind its mark stand the comments of an op, the op, and what is nested in it, further right.
    """
    rows = Rows()
    around: list[tuple[int, int]] = []
    for line in text.rstrip("\n").split("\n"):
        mark = MARK.match(line)
        margin = len(mark[1]) if mark else len(line) - len(line.lstrip(" "))
        while around and (around[-1][0] > margin or (mark and around[-1][0] == margin)):
            around.pop()
        if mark:
            around.append((margin, int(mark[2])))
        else:
            rows.append((line, around[-1][1] if around else -1))
    return rows


def _that_fit(texts: list[tuple[str, Rows]], most: int) -> set[int]:
    """Return the numbers of the stages whose lines are at most so many characters together.

    Given are the dialect and the lines of each stage. One that has the lines of the stage before it
    is not among them.
    """
    new = [n for n, (_, rows) in enumerate(texts) if n == 0 or rows != texts[n - 1][1]]
    made = [n for n in new if texts[n][0] == BLOCK_IR][:1]
    kept: set[int] = set()
    seen: set[str] = set()
    room = most
    for number in dict.fromkeys([*new[-1:], *made, *new]):
        rows = texts[number][1]
        lines = {line for line, _ in rows} - seen
        size = sum(map(len, lines)) + OF_ROW * len(rows)
        if size <= room:
            kept.add(number)
            seen |= lines
            room -= size
    return kept
