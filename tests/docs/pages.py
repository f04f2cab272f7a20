"""README and the pages of docs/: their blocks of code, and what it is to run one.

A page is run in a folder of its own, which holds what `tileir samples -o samples` writes.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.programs import call
from tileir.__main__ import main

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "docs" / "_build"
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if BUILT not in page.parents),
]
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text() for path in PAGES}
"""Path of a page -> what stands in it."""

PLAIN = re.compile(r"[\w ./:,='%+-]*")
"""Commands in which a shell sees nothing but words and quotes."""


class Block(NamedTuple):
    """A block of code: its language, its lines, and what the comment above it says about it."""

    language: str
    body: str
    left_out: str
    """Why nobody runs it."""
    end_of: str
    """The file that it is the end of, which a command of the page runs."""
    file: str
    """The file that a reader is to write it into, which a command of the page runs or reads."""
    how: str
    """"behind" or "instead of", if it changes a line of that file; "": it is the whole file."""
    line: str
    """How that line begins, blanks in front of it left out."""

    @property
    def is_file(self) -> bool:
        """Whether it is (a part of) a file, which is run as such."""
        return bool(self.end_of or self.file)


def blocks(text: str) -> list[Block]:
    """The blocks of a page.

    ``<!-- not run: WHY -->`` before one says why nobody runs it, ``<!-- the end of FILE -->`` that
    it is a part of a file, which is run elsewhere on the page. ``<!-- file: FILE -->`` is what
    readers write themselves, ``<!-- put into FILE behind: START OF A LINE -->`` and ``instead of``
    change it.
    """
    said = (
        r"not run: ([^\n]*)", r"the end of ([^\n]*)", r"file: ([^\n]*)",
        r"put into (\S+) (behind|instead of): ([^\n]*)",
    )  # fmt: skip
    why = rf"(?:^<!-- (?:{'|'.join(said)}) -->\n+)?"
    found = re.findall(rf"{why}^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [
        Block(language, body, reason, end_of, file or changed, how, line)
        for reason, end_of, file, changed, how, line, language, body in found
    ]


def write(block: Block, folder: Path) -> None:
    """Write a block into its file, or put it into the file that is there."""
    path = folder / block.file
    if not block.how:
        path.write_text(block.body)
        return
    lines = path.read_text().splitlines(keepends=True)
    (number,) = (n for n, line in enumerate(lines) if line.strip().startswith(block.line))
    lines[number] = lines[number] + block.body if block.how == "behind" else block.body
    path.write_text("".join(lines))


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    parts = [part.partition("\n") for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]]
    return [
        (command, shown.rstrip("\n") + "\n" if shown.strip() else "") for command, _, shown in parts
    ]


def agrees(shown: str, printed: str) -> bool:
    """Whether the output is what is shown; a line of three dots stands for any lines.

    Numbers of PTX registers are LLVM's own business.
    """
    shown, printed = (re.sub(r"%(p|rd?)\d+", r"%\1", text) for text in (shown, printed))
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


def run(command: str, folder: Path) -> str:
    """Run a line of shell in a folder, `python` and `tileir` being this interpreter and its own.

    These are called, not started: others see to it that a program prints the same. Other programs,
    and what any is piped into, are the shell's.
    """
    program, _, rest = command.partition(" ")
    if program not in ("python", "tileir"):
        return both(in_shell(command, folder))
    first, _, filters = rest.partition(" | ")
    together = first.endswith(" 2>&1")
    first = first.removesuffix(" 2>&1")
    inline = program == "python" and rest.startswith("-c ")
    alone = program == "python" or rest.startswith("cutile ")  # which changes its process for good
    if not inline and (alone or PLAIN.fullmatch(first) is None):
        python = shlex.quote(sys.executable)
        command = f"{ {'python': python, 'tileir': f'{python} -m tileir'}[program] } {rest}"
        return both(in_shell(command, folder))
    with contextlib.chdir(folder):
        done = call(inline_code if inline else main, *shlex.split(first))
    if not filters:
        return both(done)
    piped = both(done) if together else done.stdout
    return both(in_shell(filters, folder, piped)) + ("" if together else done.stderr)


def inline_code(arguments: Sequence[str]) -> int:
    """Do what ``python -c CODE`` does."""
    exec(arguments[1], {"__name__": "__main__"})
    return 0


def in_shell(
    command: str, folder: Path, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a line of shell where tileir and the folders of the checkout can be imported."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
    )


def both(done: subprocess.CompletedProcess[str]) -> str:
    """What went to standard output, then what went to standard error."""
    return done.stdout + done.stderr
