"""README.md tells the truth: its examples run and print what it shows."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import call
from tileir.__main__ import main

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()
PLAIN = re.compile(r"[\w ./:,='|%+-]*")
"""Commands in which a shell sees nothing but words, quotes and pipes."""

BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def console_examples() -> list[list[tuple[str, str]]]:
    """Commands with what they print, block by block: later ones use what earlier ones made."""
    blocks = []
    for language, body in BLOCKS:
        if language == "console":
            parts = [
                part.partition("\n") for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
            ]
            blocks.append(
                [
                    (command, shown.rstrip("\n") + "\n" if shown.strip() else "")
                    for command, _, shown in parts
                ]
            )
    return blocks


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


def run(command: str) -> str:
    """Run a line of shell, its first program being this interpreter or its tileir.

    That one is called, not started: others see to it that a program prints the same.
    """
    program, _, rest = command.partition(" ")
    alone = program == "python" or rest.startswith("cutile ")  # which changes its process for good
    if alone or PLAIN.fullmatch(command) is None:
        python = shlex.quote(sys.executable)
        command = f"{ {'python': python, 'tileir': f'{python} -m tileir'}[program] } {rest}"
        return both(subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True))
    first, _, filters = rest.partition(" | ")
    with contextlib.chdir(ROOT):
        done = call(main, *shlex.split(first))
    if not filters:
        return both(done)
    text = subprocess.run(filters, shell=True, input=done.stdout, capture_output=True, text=True)
    return both(text) + done.stderr


def both(done: subprocess.CompletedProcess[str]) -> str:
    """What went to standard output, then what went to standard error."""
    return done.stdout + done.stderr


@pytest.mark.parametrize("examples", console_examples(), ids=lambda block: block[0][0])
def test_console_examples(examples: list[tuple[str, str]]) -> None:
    if any(name in command for command, _ in examples for name in ("tileir cutile", "to_ptx")):
        pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
    for command, shown in examples:
        printed = run(command)
        assert agrees(shown, printed), printed


def test_python_examples(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    """Each Python block runs; what its comments after ``#>`` show is what it prints."""
    monkeypatch.chdir(ROOT)
    for language, body in BLOCKS:
        if language == "python":
            exec(compile(body, "README.md", "exec"), {})
            shown = re.findall(r"#> (.*)$", body, re.MULTILINE)
            assert capsys.readouterr().out.splitlines() == shown


def test_the_kernel_of_cutile_is_that_of_the_example() -> None:
    """Its imports are left out, and cuTile reads kernels from files, so the block cannot be run."""
    (shown,) = [body for language, body in BLOCKS if language == "py" and "@ct.kernel" in body]
    assert (ROOT / "examples" / "to_ptx.py").read_text().endswith("\n\n" + shown)


def test_the_two_commands_are_one_line_each() -> None:
    commands = [body for language, body in BLOCKS if language == "sh"]
    assert [len(command.splitlines()) for command in commands] == [1, 1]


def test_the_tour_prints_what_is_shown() -> None:
    """The output under the first command, without the installation."""
    (first,) = [body for language, body in BLOCKS if language == "text"][:1]
    assert agrees(first, run("python -m fixtures.tour"))
