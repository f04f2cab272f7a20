"""Inspect: it explains every byte once, and behaves like a command."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, ROOT, name_of
from tests.every_fixture import Fixture, every_fixture
from tests.programs import call
from tileir import Bytecode
from tileir.command_line.running import main_of
from tileir.explain.annotate import Heading, Leaf, annotate, spans_of

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
GOLDEN = ROOT / "tests" / "golden"


def inspect(*arguments: object, data: bytes | None = None) -> subprocess.CompletedProcess[str]:
    return call(partial(main_of, "inspect"), *arguments, data=data)


@every_fixture
def leaves_tile_the_file_and_every_op_has_a_heading(fixture: Fixture) -> None:
    data, bytecode = fixture.data, fixture.bytecode
    position, headings = 0, []
    for leaf in annotate(bytecode):
        if isinstance(leaf, Heading):
            headings.append(leaf)
            continue
        assert leaf.offset == position
        assert leaf.length > 0
        assert leaf.kind
        assert leaf.path
        assert bytes(leaf.data) == data[position : position + leaf.length]
        position += leaf.length
    assert position == len(data)
    assert sum(heading.level == "op" for heading in headings) == len(fixture.ops)
    entries = [heading.text for heading in headings if heading.level == "function"]
    assert len(entries) == len(bytecode.functions)


def test_bytes_that_nothing_refers_to_are_unused() -> None:
    data = bytearray(VECTOR_ADD.read_bytes())
    position = len(data) - 1
    data[position:position] = bytes([6, 4, 0, 1, 2, 3])  # a Global section: no globals, then bytes
    leaves = [leaf for leaf in annotate(Bytecode.parse(bytes(data))) if isinstance(leaf, Leaf)]
    unused = [leaf for leaf in leaves if leaf.kind == "unused"]
    assert [(leaf.offset, bytes(leaf.data)) for leaf in unused] == [(position + 3, b"\1\2\3")]


def test_strings_in_reverse_order_are_shown() -> None:
    """NVIDIA's reader lets such a string run to the end; all its bytes belong to some string."""
    data = bytearray(VECTOR_ADD.read_bytes())
    offsets = [
        leaf.offset
        for leaf in annotate(Bytecode.parse(bytes(data)))
        if isinstance(leaf, Leaf) and leaf.path.startswith("string.offset")
    ]
    words = [bytes(data[where : where + 4]) for where in offsets]
    for where, word in zip(offsets, reversed(words), strict=True):
        data[where : where + 4] = word
    bytecode = Bytecode.parse(bytes(data))
    leaves = [leaf for leaf in spans_of(bytecode) if leaf.section == "String"]
    assert "unused" not in {leaf.kind for leaf in leaves}
    assert "table_layout" in {warning.kind for warning in bytecode.warnings}


def test_an_ignored_section_is_unused() -> None:
    data = VECTOR_ADD.read_bytes()
    producer = bytes([7, 1, 2])
    doubled = data[:-1] + producer + producer + data[-1:]
    leaves = [leaf for leaf in annotate(Bytecode.parse(doubled)) if isinstance(leaf, Leaf)]
    kinds = [(leaf.path, leaf.kind) for leaf in leaves if leaf.path.startswith("producer")]
    assert kinds == [("producer.unused", "unused"), ("producer.producer", "string")]


@pytest.mark.parametrize("golden", sorted(GOLDEN.glob("*/*.inspect")), ids=name_of)
def test_goldens(golden: Path, update: bool) -> None:
    """`golden/<version>/<fixture>.inspect`: put an empty file there, run with --update."""
    done = inspect((FIXTURES / golden.parent.name / golden.stem).with_suffix(".tileirbc"))
    if update:
        golden.write_text(done.stdout)
    assert done.stdout == golden.read_text()


def test_json_lines_tile_the_file() -> None:
    data = VECTOR_ADD.read_bytes()
    done = inspect("--json", "-", data=data)
    assert done.returncode == 0
    position = 0
    for line in done.stdout.splitlines():
        leaf = json.loads(line)
        assert list(leaf) == [
            "schema",
            "offset",
            "length",
            "path",
            "kind",
            "value",
            "meaning",
            "function",
            "op",
            "location",
        ]
        assert leaf["offset"] == position
        position += leaf["length"]
    assert position == len(data)


def test_json_values_are_the_bytes_own() -> None:
    done = inspect("--json", VECTOR_ADD)
    leaves = {leaf["path"]: leaf for leaf in map(json.loads, done.stdout.splitlines())}
    assert leaves["header.version"]["value"] == "13.4"
    assert leaves["func[0].name"]["value"] == 2
    assert leaves["func[0].name"]["meaning"] == '2 "vector_add"'
    assert leaves["string[2]"]["value"] == "vector_add"


def test_one_function_one_section() -> None:
    two = FIXTURES / "13.4" / "two_entries.tileirbc"
    names = [function.name for function in Bytecode.parse(two.read_bytes()).functions]
    for name in names:
        done = inspect("--function", name, "--json", two)
        paths = [json.loads(line)["path"] for line in done.stdout.splitlines()]
        assert paths
        assert all(path.startswith(f"func[{names.index(name)}]") for path in paths)
    done = inspect("--section", "type", two)
    assert "== Type section" in done.stdout
    assert "== Func" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--function", "nobody", VECTOR_ADD), "there is no function 'nobody'"),
        (("--section", "Nowhere", VECTOR_ADD), "there is no section 'Nowhere'"),
        (("does-not-exist",), "No such file"),
        ((), "required"),
        (("--bogus", VECTOR_ADD), "unrecognized"),
    ],
)
def test_wrong_use_is_one_line(arguments: tuple, message: str) -> None:
    done = inspect(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", 3),
        (b"ML\xefR\x00\x00", 3),
        (VECTOR_ADD.read_bytes()[:50], 3),
        (VECTOR_ADD.read_bytes()[:9] + b"\x00" + VECTOR_ADD.read_bytes()[10:], 4),
    ],
    ids=["empty", "mlir", "truncated", "version"],
)
def test_bad_input_is_one_line_and_a_code(data: bytes, code: int) -> None:
    shown = []
    for options in ((), ("--json",)):
        done = inspect("-", *options, data=data)
        assert done.returncode == code
        assert len(done.stderr.splitlines()) == 1
        assert "Traceback" not in done.stderr
        shown.append(len(done.stdout.splitlines()))
    assert bool(shown[0]) == bool(shown[1]) == (len(data) == 50)


def test_a_broken_file_is_shown_up_to_the_break() -> None:
    data = VECTOR_ADD.read_bytes()
    done = inspect("-", data=data[:-20])
    assert done.returncode == 3
    assert "header.version             13.4" in done.stdout
    assert "func[0].body.length" in done.stdout
    assert "type[1].tag                3 i32" in done.stdout
    broken = FIXTURES / "invalid" / "type_index_out_of_range.tileirbc"
    done = inspect(broken)
    assert "func[0].body[0].result_types[0] 9" in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith("0x")]
    assert rows[-1].split(" | ")[0] == f"0x{len(broken.read_bytes()) - 1:06x}"


def test_a_broken_file_is_shown_in_every_form() -> None:
    """--json and what narrows show the same as far as they go, then the same error."""
    broken = FIXTURES / "invalid" / "type_index_out_of_range.tileirbc"
    whole, error = leaves_of(inspect("--json", broken))
    assert sum(leaf["length"] for leaf in whole) == len(broken.read_bytes())
    for option, fits in {
        ("--section", "type"): lambda leaf: leaf["path"].startswith("type"),
        ("--section", "Func"): lambda leaf: leaf["path"].startswith("func"),
        ("--function", "kern"): lambda leaf: leaf["path"].startswith("func[0]"),
        ("--function", "nobody"): lambda leaf: False,
    }.items():
        done = inspect("--json", *option, broken)
        assert done.returncode == 3
        assert leaves_of(done) == ([leaf for leaf in whole if fits(leaf)], error)
        rows = [line for line in inspect(*option, broken).stdout.splitlines() if " |  " not in line]
        assert len(rows) == len(leaves_of(done)[0])


def leaves_of(done: subprocess.CompletedProcess[str]) -> tuple[list[dict], str]:
    """The objects on standard output, and what standard error says."""
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_what_cannot_be_read_comes_after_what_can() -> None:
    data = bytearray(VECTOR_ADD.read_bytes())
    function = Bytecode.parse(bytes(data)).functions[0]
    data[function.code.offset + len(function.code.data) // 2] = 0xFF  # no opcode, or no end of it
    leaves, error = leaves_of(inspect("--json", "--function", "vector_add", "-", data=bytes(data)))
    assert error.startswith("tileir inspect: <stdin>: at 0x")
    assert leaves[0]["path"] == "func[0].name"
    assert [leaf["kind"] for leaf in leaves].count("unread") == 1
    assert leaves[-1]["kind"] == "unread"
    position = leaves[0]["offset"]
    for leaf in leaves:
        assert leaf["offset"] == position
        position += leaf["length"]


def test_long_blobs_are_folded() -> None:
    path = FIXTURES / "13.4" / "scratch_memory.tileirbc"
    bytecode = Bytecode.parse(path.read_bytes())
    longest = max(len(constant.data) for constant in bytecode.constants)
    assert longest > 64
    assert "more bytes" in inspect(path).stdout
    assert "more bytes" not in inspect("--full", path).stdout


def test_several_files() -> None:
    """Each under its name; what is wrong with one is told, and the others are shown."""
    broken, other = (
        FIXTURES / "invalid" / "bad_magic.tileirbc",
        FIXTURES / "13.4" / "angles.tileirbc",
    )
    each = [inspect(path) for path in (VECTOR_ADD, broken, other)]
    done = inspect(VECTOR_ADD, broken, other)
    titles = [f"=== {path} ===\n" for path in (VECTOR_ADD, broken, other)]
    assert done.stdout == "".join(
        title + one.stdout for title, one in zip(titles, each, strict=True)
    )
    assert (done.returncode, done.stderr) == (3, each[1].stderr)
    rows = [json.loads(line) for line in inspect("--json", VECTOR_ADD, other).stdout.splitlines()]
    assert {row.pop("file") for row in rows} == {str(VECTOR_ADD), str(other)}
    alone = inspect("--json", VECTOR_ADD).stdout + inspect("--json", other).stdout
    assert rows == [json.loads(line) for line in alone.splitlines()]
    wrong = inspect("--function", "angles", VECTOR_ADD, other)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(f"tileir inspect: {VECTOR_ADD}: there is no function 'angles'")
    assert wrong.stdout.startswith(f"=== {other} ===\n")


def test_no_colour_in_a_pipe() -> None:
    assert "\x1b" not in inspect(VECTOR_ADD).stdout
