"""The model of a page says what other commands say, and of broken files as much as can be read."""

from __future__ import annotations

import base64
import json
from itertools import accumulate
from pathlib import Path

import pytest

import tileir
from tests.corpus import INVALID, PREVIEW, ROOT, VALID, name_of
from tests.tileir.report.hostile import module
from tileir.builder import Module
from tileir.errors import BytecodeError
from tileir.explain.annotate import Leaf, annotate, salvage
from tileir.inspect import as_json
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram
from tileir.report.columns import LEVELS
from tileir.report.comparison import comparison
from tileir.report.model import KEYS, model

UNREADABLE = [path for path in INVALID if path.stem != "no_return"]  # which breaks a rule only
RULES = sorted(Path(INVALID[0].parent, "rules").glob("*.tileirbc"))


def of(path: Path, **options) -> dict:
    """The model of one file."""
    (file,) = model(path.read_bytes(), path.name, **options)["files"]
    return file


def fields(file: dict) -> list[tuple]:
    """Offset, length, path, kind and meaning of each field."""
    columns, texts = file["fields"], file["texts"]
    starts = accumulate(columns["length"], initial=0)
    return [
        (start, length, texts[head] + texts[name], texts[kind], texts[meaning])
        for start, length, head, name, kind, meaning in zip(
            starts,
            *(columns[key] for key in ("length", "head", "name", "kind", "meaning")),
            strict=False,
        )
    ]


@pytest.mark.sampled(40)
@pytest.mark.parametrize("path", [*VALID, *PREVIEW], ids=name_of)
def test_it_says_what_inspect_and_dis_say(path: Path) -> None:
    data = path.read_bytes()
    file, bytecode = of(path, paths=True), tileir.Bytecode.parse(data)
    shown = [as_json(line) for line in annotate(bytecode) if isinstance(line, Leaf)]
    keys = ("offset", "length", "path", "kind", "meaning")
    assert fields(file) == [tuple(one[key] for key in keys) for one in shown]
    assert file["text"]["form"] == "text"
    assert "\n".join([*file["text"]["lines"], ""]) == tileir.disassemble(bytecode)
    assert base64.b64decode(file["bytes"]) == data
    check_ops(file, bytecode)
    sections = [(one["name"], one["payload"], one["end"]) for one in file["sections"][1:-1]]
    assert sections == [
        (one.name, one.payload.offset, one.payload.offset + one.size) for one in bytecode.sections
    ]


def check_ops(file: dict, bytecode: tileir.Bytecode) -> None:
    """Ops are those of the module, at their bytes and lines."""
    columns, texts, lines = file["ops"], file["texts"], file["text"]["lines"]
    ops = [op for function in bytecode.functions for op in function.walk()]
    assert [texts[name] for name in columns["name"]] == [op.name for op in ops]
    starts = list(accumulate(file["fields"]["length"], initial=0))
    firsts = [starts[file["nodes"]["first"][node]] for node in columns["node"]]
    assert firsts == [op.offset for op in ops]
    for number, op in enumerate(ops):
        within = [*op.walk()] if op.regions else [op]
        following = firsts[number + len(within) :]
        assert columns["end"][number] <= min(following[:1], default=starts[-1])
        assert columns["end"][number] > within[-1].offset
        line = columns["line"][number]
        assert line < 0 or op.spec.mnemonic in lines[line]
        assert line >= 0 or not op.results


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", UNREADABLE, ids=name_of)
def test_a_broken_file_is_shown_up_to_where_it_breaks(path: Path) -> None:
    data = path.read_bytes()
    file = of(path, paths=True)
    with pytest.raises(BytecodeError) as raised:
        tileir.Bytecode.parse(data).touch()
    assert not file["whole"]
    first = file["problems"][0]
    assert (first["offset"], first["message"]) == (raised.value.offset, str(raised.value))
    assert sum(file["fields"]["length"]) == len(data)
    known = list(salvage(memoryview(data)))
    assert [row[:2] for row in fields(file)] == (
        [(one.offset, one.length) for one in known] or [(0, len(data))] * bool(data)
    )
    opcodes = [one.meaning.partition(" ")[2] for one in known if one.kind == "opcode"]
    assert [file["texts"][name] for name in file["ops"]["name"]] == opcodes
    assert file["text"]["form"] == "outline"


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", RULES, ids=name_of)
def test_problems_are_those_of_verify(path: Path) -> None:
    file = of(path, paths=True)
    assert file["whole"]
    told = [(each.severity, each.rule, each.offset) for each in tileir.verify(path.read_bytes())]
    shown = [(one["severity"], one["rule"], one["offset"]) for one in file["problems"]]
    assert [one for one in shown if one[1] != "text"][: len(told)] == told
    assert (file["text"]["form"] == "outline") == ("text" in {one[1] for one in shown})


def test_the_tree_is_one() -> None:
    """Parents come before their nodes, and a field is inside of its node."""
    for path in (VALID[0], INVALID[-1]):
        file = of(path)
        nodes = file["nodes"]
        for node, parent in enumerate(nodes["parent"]):
            assert parent < node
            depth = nodes["depth"][parent] + 1 if parent >= 0 else 0
            assert nodes["depth"][node] == depth
            assert (parent < 0) == (LEVELS[nodes["level"][node]] == "section")
        for field, node in enumerate(file["fields"]["node"]):
            assert nodes["first"][node] <= field


def test_tables_name_their_uses() -> None:
    path = next(path for path in VALID if name_of(path) == "13.4/vector_add")
    bytecode, file = tileir.load(path), of(path, paths=True)
    tables, texts = file["tables"], file["texts"]
    assert [texts[text] for text in tables["types"]["text"]] == list(map(str, bytecode.types))
    assert [texts[text] for text in tables["strings"]["text"]] == [
        f'"{text}"' for text in bytecode.strings
    ]
    assert len(tables["constants"]["field"]) == len(bytecode.constants)
    name = list(bytecode.strings).index("vector_add")
    assert tables["strings"]["uses"][name] == 3  # a function, and two names of its Subprogram
    assert 0 in tables["debug"]["uses"] or min(tables["debug"]["uses"]) > 0


@pytest.mark.sampled(40)
@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_directories_are_nowhere(path: Path) -> None:
    hidden, shown = (json.dumps(of(path, paths=paths)) for paths in (False, True))
    data = base64.b64decode(json.loads(hidden)["bytes"])
    assert "/tileir/" not in hidden
    assert b"/tileir/" not in data
    if b"/tileir/" in path.read_bytes():
        assert "/tileir/" in shown
        assert ".../" in hidden
    assert json.loads(hidden)["sha256"] == json.loads(shown)["sha256"]


def test_empty_strings_are_listed() -> None:
    data = module()
    (file,) = model(data)["files"]
    table, strings = file["tables"]["strings"], [*tileir.Bytecode.parse(data).strings]
    at = strings.index("")
    assert file["texts"][table["text"][at]] == '""'
    assert table["uses"][at] > 0
    assert len(table["field"]) == len(strings)


def test_two_files_have_the_lines_of_both() -> None:
    paths = [path for path in VALID if path.stem == "integer_flags"]
    one, two = paths[0], paths[-1]
    made = comparison((one.read_bytes(), "a"), (two.read_bytes(), "b"))
    rows, files = made["diff"]["rows"], made["files"]
    for side in (0, 1):
        numbers = [row[1 + side] for row in rows if row[1 + side] is not None]
        assert numbers == list(range(len(files[side]["text"]["lines"])))
    marks = {row[0] for row in rows}
    assert {"-", "+", "!"} <= marks
    assert not made["diff"]["equal"]
    for mark, before, after, _ in rows:
        if mark == " ":
            lines = files[0]["text"]["lines"][before], files[1]["text"]["lines"][after]
            assert lines[0].split("=")[-1].split() == lines[1].split("=")[-1].split()
    same = comparison((one.read_bytes(), "a"), (one.read_bytes(), "b"))["diff"]
    assert same["equal"]
    assert {row[0] for row in same["rows"]} == {" "}


def test_of_a_broken_file_there_is_no_diff() -> None:
    made = comparison((INVALID[0].read_bytes(), "a"), (VALID[0].read_bytes(), "b"))
    assert made["diff"] is None
    assert [file["whole"] for file in made["files"]] == [False, True]


def test_source_files_are_those_of_a_folder(tmp_path: Path) -> None:
    path = next(path for path in VALID if name_of(path) == "13.4/vector_add")
    file = of(path, folder=ROOT)
    (source,) = file["sources"]
    assert source["name"] == "fixtures/kernels/elementwise.py"
    text = (ROOT / source["name"]).read_text("utf-8")
    assert "\n".join(source["lines"]) == text
    ops = [op for function in tileir.load(path).functions for op in function.walk()]
    lines = {number: op.location.innermost.line for number, op in enumerate(ops) if op.location}
    line_of = dict(zip(source["frames"], [row + 1 for row in source["rows"]], strict=True))
    assert [line_of.get(frame) for frame in file["ops"]["frame"]] == [
        lines.get(number) or None for number in range(len(ops))
    ]
    assert of(path, folder=tmp_path)["sources"] == []
    assert of(path)["sources"] == []


def test_no_file_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    """Whatever a module names: paths from the root, with `..`, through links, of no file."""
    inside, secret = tmp_path / "inside", tmp_path / "secret"
    inside.mkdir()
    secret.write_text("password")
    (inside / "link").symlink_to(secret)
    (inside / "k.py").write_text("one\ntwo\n")
    names = [str(secret), "../secret", "link", "a/../../secret", "", ".", "/", "\0", "a" * 9999]
    made = Module("13.4")
    for number, name in enumerate([*names, "/else/where/k.py"]):
        kernel = made.function(f"f{number}", [])
        file = File(name, "")
        scope = Subprogram(file, 1, "f", "f", CompileUnit(file), 1)
        kernel.return_()
        for op in kernel.body.walk():
            op.location = SourceLocation(scope, name, 2, 1)
    (file,) = model(made.build(check=False), folder=inside)["files"]
    (source,) = file["sources"]
    assert source == {
        "name": "k.py",
        "lines": ["one", "two", ""],
        "frames": [len(names)],
        "rows": [1],
    }
    assert "password" not in json.dumps(file["sources"])


def test_all_keys_are_listed() -> None:
    made = comparison((VALID[0].read_bytes(), "a"), (VALID[-1].read_bytes(), "b"))
    names = {*made, *made["diff"]}
    for file in made["files"]:
        names |= {*file, *file["fields"], *file["nodes"], *file["ops"], *file["frames"]}
        names |= {*file["tables"]}
        names |= {
            key for part in ("functions", "sections", "problems") for x in file[part] for key in x
        }
    assert not {name for name in names if name not in KEYS} - {"head"}
