"""The tool that compares suites: its faults are faults, and it sees who notices them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path

import pytest

from .changing import change
from .draw import draw
from .mutation import Mutation, read, write
from .operators import compiles, mutations
from .table import standing, summary

ROOT = Path(__file__).parents[3]

PRODUCT = '''\
"""A product, of one page."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nowhere import Nothing

TABLE = {"one": 1, "two": 2}


def clamp(x: "int | None", low=0, high=10):
    """Between 3 and 4."""
    if x < low:
        return low
    if x > 999:
        raise ValueError("more than 999")
    return min(x,
               high)


def forever(count):
    while count > 0:
        count -= 1
    return count


def unused(x):
    return x + 1
'''
OLD = """\
from tileir.page import TABLE, clamp, forever


def test_table():
    assert TABLE["two"] == 2


def test_clamp():
    assert clamp(-1) == 0
    assert clamp(11) == 10


def test_forever():
    assert forever(3) == 0
"""
NEW = OLD.replace('    assert TABLE["two"] == 2\n', "    assert TABLE\n")


def of(source: str) -> list[Mutation]:
    return mutations("file.py", source)


def changes(source: str) -> set[tuple[str, str, str]]:
    return {(m.operator, m.original, m.mutated) for m in of(source)}


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("a < b", ("comparison", "a < b", "(a <= b)")),
        ("a << b", ("arithmetic", "a << b", "(a >> b)")),
        ("f(7)", ("constant", "7", "6")),
        ("a and b", ("and/or", "a and b", "(a or b)")),
        ("a and b", ("one condition less", "a and b", "(b)")),
        ("if a: f()", ("not condition", "a", "(not (a))")),
        ("def f(): return x", ("return nothing", "return x", "return None")),
        ("def f(): x.y = 1", ("no assignment", "x.y = 1", "pass")),
        ("def f(): g()", ("no call", "g()", "pass")),
        ("f(a, b)", ("swapped arguments", "f(a, b)", "(f(b, a))")),
        ("x = {'a': 1, 'b': 2}", ("neighbour's string", "'a'", "'b'")),
        ("x = {'a': 1, 'b': 2}", ("no row", "'a': 1", "**{}")),
        ("x = [a, b, c]", ("no row", "b", "*()")),
        ("for x in y: continue", ("no continue", "continue", "pass")),
        ("max(x, 1)", ("twin", "max", "min")),
        ("a if b else c", ("only one branch", "a if b else c", "(a)")),
    ],
)
def test_each_operator(source: str, change: tuple[str, str, str]) -> None:
    assert change in changes(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""In 3 words."""',
        "def f(x: int | 3) -> a < b: pass",
        "if TYPE_CHECKING:\n    x = a < b",
        "__all__ = ['a', 'b', 'c']",
        "x = f'{a < b}'",
        "isinstance(a, b)",
        "def f(): x = g()",  # what comes after has no x
    ],
)
def test_what_is_left_alone(source: str) -> None:
    assert not of(source)


def test_of_an_error_only_that_it_is_raised() -> None:
    assert changes("raise E('a' + b, 3)") == {("no raise", "raise E('a' + b, 3)", "pass")}


def test_a_fault_is_one_and_moves_no_line() -> None:
    path = ROOT / "codegen" / "launch_terms.py"
    if not path.exists():  # any file of the product would do
        path = next((ROOT / "tileir").rglob("*.py"))
    source = path.read_text(encoding="utf-8")
    before = ast.dump(ast.parse(source))
    found = [m for m in mutations("a.py", source) if compiles(m, source)]
    assert len(found) > 30
    for mutation in found:
        after = mutation.applied(source)
        assert ast.dump(ast.parse(after)) != before
        assert after.count("\n") == source.count("\n")


def test_a_fault_belongs_where_it_was_found() -> None:
    (mutation,) = of("x = not y")
    assert mutation.applied("x = not y") == "x = (y)"
    with pytest.raises(ValueError, match="is not 'not y'"):
        mutation.applied("x = not z")


def test_lists_are_read_as_they_are_written(tmp_path: Path) -> None:
    found = of("f('\\t\\n', x < 'é')\n")
    write(tmp_path / "list.tsv", ["a list"], found)
    assert read(tmp_path / "list.tsv") == found
    assert len(read(Path(__file__).with_name("drawn.tsv"))) >= 300


def test_the_draw_is_in_proportion_and_its_seed_decides(tmp_path: Path) -> None:
    for layer, lines in (("formats", 100), ("tileir", 300), ("codegen", 600)):
        (tmp_path / layer).mkdir()
        (tmp_path / layer / "a.py").write_text("x = a < b\n" * lines)
    drawn = draw(tmp_path, 100, seed=1)
    shares = Counter(m.path.partition("/")[0] for m in drawn)
    assert shares == {"formats": 10, "tileir": 30, "codegen": 60}
    assert len({(m.path, m.line) for m in drawn}) == 100
    assert draw(tmp_path, 100, seed=1) == drawn != draw(tmp_path, 100, seed=2)


def test_functions_that_exist_get_the_fault() -> None:
    before = "def f():\n    def g(x):\n        return x < 3\n    return g\ndef other(): return 1\n"
    after = before.replace("x < 3", "x <= 3")
    module = types.ModuleType("m")
    exec(compile(before, "m.py", "exec", dont_inherit=True), module.__dict__)
    made = module.f()
    assert change({"m.py": [made, module.f, module.other]}, "m.py", before, after) == 2
    assert made(3)
    assert module.f()(3)


def test_who_noticed() -> None:
    killed, limit, survived, unreached = (
        {"verdict": verdict, "complete": True}
        for verdict in ("killed", "limit", "survived", "unreached")
    )
    assert standing(killed, limit) == "both"
    assert standing(killed, survived) == "old only"
    assert standing(survived, killed) == "new only"
    assert standing(survived, unreached) == "neither"
    assert standing(survived | {"complete": False}, survived) == "neither yet"
    assert standing(unreached, unreached) == "does not run"
    assert standing(killed, None) == "not tried"
    drawn = of("a < b\nc < d\n")[:2]
    text, lost = summary(drawn, {0: killed, 1: killed}, {0: killed, 1: survived})
    assert lost == 1
    assert "2 mutants run" in text


def test_from_the_draw_to_the_table(tmp_path: Path) -> None:
    """Two small suites of a small product: what only the old one notices is found, and said."""
    for name, tests in (("before", OLD), ("after", NEW)):
        for layer in ("formats", "codegen", "tileir", "tests"):
            (tmp_path / name / layer).mkdir(parents=True)
        (tmp_path / name / "tileir" / "__init__.py").touch()
        (tmp_path / name / "tileir" / "page.py").write_text(PRODUCT)
        (tmp_path / name / "tests" / "test_page.py").write_text(tests)
    drawn = [
        m
        for m in mutations("tileir/page.py", PRODUCT)
        if (m.original, m.mutated)
        in {
            ("2", "1"),
            ("min", "max"),
            ("count -= 1", "pass"),
            ("x + 1", "(x - 1)"),
            ("x < low", "(x <= low)"),
        }
    ]
    write(tmp_path / "drawn.tsv", [], drawn)
    steps = [
        *(
            ["cover", suite, str(tmp_path / tree), "--parts", "1"]
            for suite, tree in (("old", "before"), ("new", "after"))
        ),
        *(
            ["run", suite, str(tmp_path / tree)]
            for suite, tree in (("old", "before"), ("new", "after"))
        ),
        ["check", "old", str(tmp_path / "before")],
        ["table"],
    ]
    program = (
        "import json, sys\n"
        "from tests.lab.mutants import trying, reach\n"
        "from tests.lab.mutants.__main__ import main\n"
        "reach.PATIENCE = 1.0\n"
        f"files = {str(tmp_path / 'drawn.tsv')!r}, {str(tmp_path / 's')!r}\n"
        "common = ['--list', files[0], '--state', files[1]]\n"
        f"print(json.dumps([main([*step, *common]) for step in json.loads({json.dumps(steps)!r})]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [0, 0, 0, 0, 0, 1], done.stdout
    rows = (tmp_path / "results.tsv").read_text().splitlines()
    found = {
        (row.split("\t")[4], row.split("\t")[6]): row.split("\t")[7:]
        for row in rows
        if not row.startswith("#")
    }
    assert {key: value[0].partition(" ")[0] for key, value in found.items()} == {
        ('"2"', "old only"): "killed",
        ('"min"', "both"): "killed",
        ('"count -= 1"', "both"): "limit",
        ('"x + 1"', "does not run"): "unreached",
        ('"x < low"', "neither"): "survived",
    }
    assert found['"min"', "both"][1] == "tests/test_page.py::test_clamp"
    assert found['"x < low"', "neither"][0] == "survived 3 tests"
