"""The playground says of every fixture, to the letter, what the command line says of it.

The command line has the limit on nested regions here that WebAssembly has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import FIXTURES, INVALID, PREVIEW, VALID
from tests.formats.bombs import module, nested_ifs
from tests.programs import call
from tileir.__main__ import main
from tileir.formats.limits import DEFAULT, REGIONS_IN_WASM
from tileir.playground.door import findings

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


@pytest.fixture(autouse=True)
def nested_as_in_wasm() -> Iterator[None]:
    """Limits hold for a whole process, so this one has those of the browser for a while."""
    before = DEFAULT.region_depth
    object.__setattr__(DEFAULT, "region_depth", REGIONS_IN_WASM)
    yield
    object.__setattr__(DEFAULT, "region_depth", before)


def both(page: Any, argv: tuple[str, ...], name: str, data: bytes) -> tuple[list, list]:
    """Give a file to a command: exit code, standard output and errors, in the browser and here."""
    script = """async ([argv, name, data]) => {
      const given = { [name]: new Uint8Array(data) };
      const done = await playground.python.command([...argv, name], given);
      return [done.code, done.stdout, done.stderr];
    }"""
    Path(name).write_bytes(data)
    done = call(main, *argv, name)
    got = page.evaluate(script, [argv, name, list(data)])
    return got, [done.returncode, done.stdout, done.stderr]


def groups() -> Iterator[list[Path]]:
    """The fixtures, some at a time, from all over the list, so that one case has all kinds."""
    count = -(-len(ALL) // TOGETHER)
    for number in range(count):
        yield ALL[number::count]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("paths", list(groups()), ids=lambda paths: paths[0].stem)
def test_same_json(page: Any, paths: list[Path], tmp_path: Path) -> None:
    with chdir(tmp_path):
        for path, argv in product(paths, COMMANDS):
            got, expected = both(page, argv, path.name, path.read_bytes())
            assert got == expected, (path, argv)


@pytest.mark.parametrize("depth", [REGIONS_IN_WASM, REGIONS_IN_WASM + 1])
def test_regions_nest_up_to_the_limit(page: Any, depth: int, tmp_path: Path) -> None:
    """The engine's stack in a worker is large enough for what the limit allows."""
    data, starts = module(nested_ifs(depth)), page.evaluate("playground.python.starts")
    with chdir(tmp_path):
        for argv in (*COMMANDS, ("convert", "--json", "--to-version", "13.1", "-o", "made")):
            got, expected = both(page, argv, "k.tileirbc", data)
            assert got == expected, argv
            assert got[0] == (0 if depth == REGIONS_IN_WASM else 3), argv
    text = "entry @k(%a: tile<i1>) {\n" + "if %a {\n" * depth + "}\n" * depth + "return\n}\n"
    found = page.evaluate("text => playground.python.ask('findings', { text })", text)
    assert found == json.loads(findings(text))
    assert bool(found) == (depth > REGIONS_IN_WASM)
    assert page.evaluate("playground.python.starts") == starts
