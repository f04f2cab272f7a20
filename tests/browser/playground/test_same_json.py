"""The playground says of every fixture, to the letter, what the command line says of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import FIXTURES, INVALID, PREVIEW, VALID
from tests.programs import call
from tileir.__main__ import main

RULES = sorted((FIXTURES / "invalid" / "rules").glob("*.tileirbc"))
ALL = [*VALID, *PREVIEW, *INVALID, *RULES]
COMMANDS = (
    ("inspect", "--json"),
    ("dis", "--json"),
    ("verify", "--json"),
    ("stats", "--json"),
    ("report", "--json", "--paths"),
)
TOGETHER = 20
"""Files of a case."""


def groups() -> Iterator[list[Path]]:
    """The fixtures, some at a time, from all over the list, so that one case has all kinds."""
    count = -(-len(ALL) // TOGETHER)
    for number in range(count):
        yield ALL[number::count]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("paths", list(groups()), ids=lambda paths: paths[0].stem)
def test_same_json(page: Any, paths: list[Path], tmp_path: Path) -> None:
    script = """async ([argv, name, data]) => {
      const given = { [name]: new Uint8Array(data) };
      const done = await playground.python.command([...argv, name], given);
      return [done.code, done.stdout, done.stderr];
    }"""
    with chdir(tmp_path):
        for path, argv in product(paths, COMMANDS):
            data = path.read_bytes()
            Path(path.name).write_bytes(data)
            done = call(main, *argv, path.name)
            got = page.evaluate(script, [argv, path.name, list(data)])
            assert got == [done.returncode, done.stdout, done.stderr], (path, argv)
