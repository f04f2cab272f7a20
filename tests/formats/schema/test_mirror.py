"""The mirror is fresh, its compiled parser too, and that parser finds the same leaves as we do."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.corpus import INVALID, PREVIEW, ROOT, VALID, name_of
from tests.every_fixture import Fixture, every_fixture
from tests.formats.mutants import TOO_LENIENT, tally, verdict
from tests.formats.small import EMPTY_SIGNATURE, debug, file, kernel, varint
from tileir.formats import reference
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.cursor import Environment
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.leaves import WideInt
from tileir.formats.mirror import PATH, document, ksy
from tileir.formats.mirror.names import KEYWORDS, RESERVED, identifier
from tileir.formats.ops.wire import OP
from tileir.formats.types import INTEGER_TAGS, SCALAR_BITS, TYPE
from tileir.formats.version import LATEST, SUPPORTED

from .mirrored import mirrored, ours, theirs

TOOLS = ROOT / "tests" / "ksy"
PARSER = TOOLS / "tile_ir_bytecode.py"
SET_UP = "npm ci --prefix tests/ksy"


def node(script: str, *arguments: object) -> str:
    """What a script of tests/ksy prints; skips where node or its packages are missing."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (TOOLS / "node_modules").is_dir():
        pytest.skip(f"the packages that compile the mirror are not installed ({SET_UP})")
    command = ["node", TOOLS / script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_mirror_is_fresh(update: bool) -> None:
    if update:
        PATH.write_text(ksy(), encoding="utf-8", newline="\n")
    assert PATH.read_text(encoding="utf-8") == ksy(), "run with --update"


def test_the_compiled_parser_is_fresh(update: bool, tmp_path: Path) -> None:
    folder = TOOLS if update else tmp_path
    node("compile.mjs", "python", folder)
    assert (folder / PARSER.name).read_text() == PARSER.read_text(), "run with --update"


@pytest.mark.parametrize("language", ["cpp_stl", "csharp", "go", "java", "javascript", "rust"])
def test_other_languages_accept_it(language: str, tmp_path: Path) -> None:
    assert node("compile.mjs", language, tmp_path).strip()


@every_fixture
def both_readers_find_the_same_leaves(fixture: Fixture) -> None:
    leaves = theirs(fixture.data)
    assert leaves == {mirrored(path): value for path, value in fixture.leaves.items()}
    assert sum(name.endswith(".opcode") for name in leaves) >= 1


def extremes(bits: int) -> list[int]:
    """Bit patterns at the ends and in the middle of a width."""
    return sorted({0, 1, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1})


def numbers() -> list[bytes]:
    """Number attributes of every type, a 65-bit f64 among them; types are in the order of tags."""
    tags = list(SCALAR_BITS)
    made = []
    for index, (tag, bits) in enumerate(SCALAR_BITS.items()):
        variant = "Integer" if tag in INTEGER_TAGS else "Float"
        patterns = extremes(bits)
        if variant == "Float" and bits == 64:
            patterns.append(WideInt(0xFFF0 << 48, 10, 0xFFF0 << 49))
        for pattern in patterns:
            record = {"variant": variant, "type": index, "bits": pattern}
            made.append(reference.build(ATTRIBUTE, record, Environment(LATEST, tags)))
    return made


OTHERS = [
    b"\x04\x00",  # Type
    b"\x05\x01",  # String
    b"\x07\x00\x00",  # DenseElements
    b"\x09\x02" + bytes(8) + b"\xff" * 8,  # SameElements
    b"\x0d\x07",  # MultimemReductionKind
]
"""Attributes that no fixture has."""


def rare() -> bytes:
    """A 13.5 file with what no fixture has."""
    attributes = numbers() + OTHERS
    hints = b"\x06" + varint(len(attributes)) + b"".join(attributes)
    types = [*map(varint, SCALAR_BITS), EMPTY_SIGNATURE]
    strings, table, _ = kernel(types)
    body = b"\x5c\x00\x00"
    entry = b"\x00" + varint(len(SCALAR_BITS)) + b"\x02\x00" + hints + b"\x06\x00"
    functions = b"\x01" + entry + varint(len(body)) + body
    records = debug([b"\x00", b"\xc8\x01", b"\x05\x01\x02\x00\x01\x03\x04\x01"])
    return file((2, 8, functions), records, strings, table, version=LATEST)


@pytest.mark.parametrize("path", PREVIEW, ids=name_of)
def test_preview_content_is_read_alike(path: Path) -> None:
    assert theirs(path.read_bytes()) == ours(path.read_bytes())


def test_what_no_fixture_has_is_read_alike() -> None:
    data = rare()
    leaves = theirs(data)
    assert leaves == ours(data)
    patterns = [value for path, value in leaves.items() if path.endswith(".bits.pattern")]
    wanted = [pattern for bits in SCALAR_BITS.values() for pattern in extremes(bits)]
    assert sorted(patterns) == sorted([*wanted, 0xFFF0 << 48])


@pytest.mark.slow
def test_every_op_type_attribute_and_record_was_compared() -> None:
    met: dict[str, set[int]] = {"opcode": set(), "tag": set()}
    for data in (rare(), *(path.read_bytes() for path in (*VALID, *PREVIEW))):
        for path, value in ours(data).items():
            if path.endswith(".opcode"):
                met["opcode"].add(value)
            elif path.endswith(".tag"):
                table = re.fullmatch(r"(type|debug)[a-z_.]*\[\d+\]\.tag", path)
                met.setdefault(table[1] if table else "attribute", set()).add(value)
    assert met["opcode"] == OP.arms.keys()
    assert met["type"] == TYPE.arms.keys()
    assert met["attribute"] >= ATTRIBUTE.arms.keys()
    assert met["debug"] >= DEBUG_RECORD.arms.keys()


@pytest.mark.slow
def test_mutants_are_read_or_refused_alike() -> None:
    counts, examples = tally(400)
    allowed = {f"only the mirror accepts: {kind}" for kind in TOO_LENIENT}
    unknown = counts.keys() - {"equal", "refused"} - allowed
    assert not unknown, {word: examples[word][0] for word in unknown}
    assert counts["equal"] > 100
    assert counts["refused"] > 100


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_what_the_mirror_does_not_refuse_is_known(path: Path) -> None:
    """Files that break a rule between tables are equal: indices are resolved in another layer."""
    word, detail = verdict(path.read_bytes())
    lenient = [f"only the mirror accepts: {kind}" for kind in TOO_LENIENT]
    assert word in ("equal", "refused", *lenient), detail


def test_javascript_finds_the_same_leaves(tmp_path: Path) -> None:
    """Numbers above 2^53 are close: JavaScript has doubles, its runtime may err in the 32nd bit."""
    (parser,) = node("compile.mjs", "javascript", tmp_path).split()
    rarity = tmp_path / "rare.tileirbc"
    rarity.write_bytes(rare())
    files = [rarity, *VALID, *PREVIEW]
    lines = node("read.mjs", parser, *files).splitlines()
    assert len(lines) == len(files)
    for path, line in zip(files, lines, strict=True):
        expected = {camel(name): value for name, value in theirs(path.read_bytes()).items()}
        found = json.loads(line)
        assert found.keys() == expected.keys(), path
        for name, value in expected.items():
            same = bytes.fromhex(found[name]) if isinstance(value, bytes) else found[name]
            assert same == value or large(value, same), (path, name)


def large(value: int, found: int) -> bool:
    """Whether a number is too large for JavaScript, and what was found is near enough."""
    return abs(value) > 1 << 53 and math.isclose(found, value, rel_tol=1e-9)


def camel(path: str) -> str:
    """The path as JavaScript spells it."""
    return re.sub(r"(?<=[a-z0-9])_([a-z0-9])", lambda match: match[1].upper(), path)


def test_identifiers_avoid_the_keywords_of_every_target() -> None:
    assert len(KEYWORDS) == 6
    made = re.findall(r"^ +(?:- )?id: (\w+)$", PATH.read_text(), re.MULTILINE)
    assert len(made) > 500
    assert not RESERVED & set(made)
    assert identifier("from") == "from_field"
    assert identifier("for", "op") == "for_op"
    assert identifier("DICompileUnit") == "di_compile_unit"
    assert identifier("f8E4M3FN") == "f8e4m3fn"


def test_everything_has_a_doc() -> None:
    made = document()
    assert made["types"].keys() >= {"varint", "function", "op_addf", "type_tile", "attribute_float"}
    structure = {"fields", "tag", "opcode", "count", "padding", "offsets", "raw"}
    for name, type in made["types"].items():
        assert type["doc"], name
        if name.startswith(("op_", "type_", "attribute_", "debug_", "function")):
            for field in type.get("seq", ()):
                assert field.get("doc") or field["id"] in {*structure, "items", "window"}, field
    for name, cases in made["enums"].items():
        for case in cases.values():
            assert case["doc"], name


def test_versions_are_gated() -> None:
    text = PATH.read_text()
    for version in SUPPORTED[1:]:
        assert f"_root.version >= 13{version.minor:02}" in text
