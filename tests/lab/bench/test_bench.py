"""What is measured is the same: every decoder gives equal rows, and generated modules are valid."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

import pytest

from tests.corpus import VALID
from tests.debug_lists import list_length
from tests.every_fixture import Fixture, every_fixture
from tests.lab.bench import by_hand, kernels, memory, rates
from tests.lab.bench.__main__ import main
from tests.lab.bench.modules import huge_constant, large_module
from tileir import Bytecode
from tileir.formats import codec
from tileir.formats.cursor import Environment, Slice
from tileir.formats.functions import BODY
from tileir.formats.ops import OPS
from tileir.formats.specialised.rows import pack
from tileir.formats.specialised.runtime import REFUSALS, Reading
from tileir.formats.version import SUPPORTED
from tileir.verifier.module import check

USUAL = [path for path in VALID if path.stem != "row_max_f64"]
"""Without the file that has a varint of 65 bits, which is for the traced decoder."""

BY_HAND_REFUSES = (by_hand.Refused, IndexError, KeyError, RecursionError)


def plain(value):
    """Rows without the difference between lists, tuples and bytes."""
    if isinstance(value, list | tuple | bytes):
        return [plain(part) for part in value]
    return value


def both(bytecode: Bytecode, data: bytes) -> tuple:
    """What the decoder by hand and the specialised one read, None for what they refuse."""
    version, tags = bytecode.version, bytecode.types.tags
    try:
        ours = by_hand.decode(data, version.minor, tags)
    except BY_HAND_REFUSES:
        ours = None
    try:
        reader = codec.specialised(version).fast.reader(BODY)
        where = Slice(0, data)
        theirs, _ = reader(data, 0, Reading(where, Environment(version, tags)))
    except REFUSALS:
        theirs = None
    return plain(ours), plain(theirs)


@every_fixture
def by_hand_and_specialised_read_the_same(fixture: Fixture) -> None:
    for function in fixture.bytecode.functions:
        ours, theirs = both(fixture.bytecode, bytes(function.code.data))
        assert ours == theirs
        assert (theirs is not None) == (fixture.path in USUAL)


def test_by_hand_knows_every_op() -> None:
    public = [op for op in OPS if op.in_body and not op.since.preview]
    assert {op.opcode: op.since.minor for op in public} == {
        opcode: since for opcode, (_, since) in by_hand.READERS.items()
    }


@pytest.mark.parametrize("seed", range(40))
def test_by_hand_and_specialised_refuse_the_same(seed: int) -> None:
    """The yardstick checks what the specialised decoder checks: it would be no fair one else."""
    choice = random.Random(seed)
    bytecode = Bytecode.parse(choice.choice(USUAL).read_bytes())
    refused = 0
    for _ in range(100):
        data = bytearray(bytecode.functions[0].code.data)
        for _ in range(choice.choice((1, 1, 2, 5))):
            position = choice.randrange(len(data))
            data[position] = choice.choice((choice.randrange(128), choice.randrange(256), 0x80))
        ours, theirs = both(bytecode, bytes(data))
        assert ours == theirs
        refused += theirs is None
    assert 0 < refused < 100


@pytest.mark.parametrize("wide", [False, True], ids=["narrow", "wide"])
@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_large_modules_are_valid(version, wide: bool) -> None:
    bytecode = Bytecode.parse(large_module(300, str(version), wide), strict=True)
    assert bytecode.version == version
    assert sum(1 for function in bytecode.functions for _ in function.walk()) >= 300
    check(bytecode)
    for function in bytecode.functions:
        assert function.hints is not None
        assert list_length(function) == sum(1 for _ in function.walk()) + 1
        assert function.location.scope.linkage_name == function.name
        assert both(bytecode, bytes(function.code.data))[0] is not None


def test_large_modules_are_large_and_always_the_same() -> None:
    narrow, wide = large_module(5000), large_module(5000, wide=True)
    assert narrow == large_module(5000)
    for data, least, most in ((narrow, 0.0, 0.1), (wide, 0.4, 1.0)):
        bytecode = Bytecode.parse(data)
        numbers = [value.number for f in bytecode.functions for op in f.walk()
                   for value in op.operand_list()]  # fmt: skip
        assert least <= sum(number > 127 for number in numbers) / len(numbers) <= most
    assert len(Bytecode.parse(narrow).functions) > 40


@pytest.mark.oracle
@pytest.mark.parametrize("wide", [False, True], ids=["narrow", "wide"])
@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_nvidia_reads_large_modules(version, wide: bool, tmp_path: Path, tool) -> None:
    path = tmp_path / "large.tileirbc"
    path.write_bytes(large_module(2000, str(version), wide))
    done = tool("tileirdisasm", path)
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout.count(b"entry @kernel_") == len(Bytecode.parse(path.read_bytes()).functions)


@pytest.mark.parametrize("size", [0, 1, 200, 1 << 20])
def test_a_huge_constant_is_a_constant(size: int, tmp_path: Path) -> None:
    path = tmp_path / "huge.tileirbc"
    huge_constant(path, size)
    bytecode = Bytecode.parse(path.read_bytes(), strict=True)
    assert [len(entry.data) for entry in bytecode.constants] == [size]
    assert [op.name for op in bytecode.functions[0].walk()] == ["return"]


@pytest.fixture(scope="module")
def small() -> rates.Bodies:
    """The bodies of a generated module that is not large."""
    return rates.bodies(Bytecode.parse(large_module(600)))


def test_every_way_of_reading_gives_the_same(small: rates.Bodies) -> None:
    expected = plain(rates.specialised(small))
    assert plain(rates.by_hand_decoder(small)) == expected
    assert plain(rates.traced(small)) == expected
    packed = [pack(BODY, rows, small.bytecode.version) for rows in rates.construct(small)]
    assert plain(packed) == expected


def test_every_way_of_writing_gives_the_same(small: rates.Bodies) -> None:
    expected = [bytes(where.data) for where in small.slices]
    assert rates.encoder(small, rates.specialised(small)) == expected
    assert rates.construct_encoder(small, rates.construct(small)) == expected


def test_kaitai_reads_the_same_ops(small: rates.Bodies) -> None:
    root = rates.kaitai_root(small)
    if root is None:
        pytest.skip("the Kaitai parser is not built")
    found = [[op.opcode.value for op in body.items] for body in rates.kaitai(small, root)]
    assert found == [[row[0] for row in rows] for rows in rates.specialised(small)]


def test_ops_are_counted(small: rates.Bodies) -> None:
    functions = small.bytecode.functions
    assert small.ops == sum(1 for function in functions for _ in function.walk())
    assert small.part(2).ops < small.ops == small.part(1).ops


def test_the_command_measures_what_it_names(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["codec", "--ops", "300", "--repeat", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    measured = [rate["way"] for rate in report["codec"] if rate["rate"]]
    assert {rates.CONSTRUCT, rates.BY_HAND, "specialised", "resolved IR"} <= set(measured)
    made = [rates.Rate(way, 1, 1, 1.0, 1.0) for way in (rates.CONSTRUCT, rates.BY_HAND)]
    monkeypatch.setattr(rates, "measure", lambda data, repeat: made)
    assert main(["codec", "--ops", "300", "--repeat", "1"]) == 0
    assert rates.CONSTRUCT in capsys.readouterr().out


def test_kernels_of_the_race_are_those_of_their_source() -> None:
    pytest.importorskip("cuda.tile")
    from tests.lab.bench.kernels import source

    folder = Path(kernels.__file__).parent
    assert {path.stem for path in folder.glob("*.mlir")} == set(source.KERNELS)
    for name in source.KERNELS:
        assert (folder / f"{name}.mlir").read_text() == source.text_of(name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--version 99", "--version: invalid choice: '99'"),
        ("--ops 0", "--ops: 0 is not positive"),
        ("--ops many", "--ops: invalid number value: 'many'"),
        ("--repeat 0", "--repeat: 0 is not positive"),
        ("--constant -1", "--constant: -1 is not positive"),
        ("codec --constant 1", "unrecognized arguments: --constant 1"),
        ("codecs", "invalid choice: 'codecs'"),
        ("static --target sm_75", "argument --target: invalid choice: 'sm_75'"),
        ("static --set all", "argument --set: invalid choice: 'all'"),
        ("shapes --type f64", "argument --type: invalid choice: 'f64'"),
        ("compile --only matmull", "no kernel 'matmull', did you mean matmul?"),
        ("static --only add", "argument --only: no kernel 'add'"),
    ],
)
def test_wrong_arguments(arguments: str, message: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments.split())
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("", ["codec", "open", "memory", "host", "all", "static", "shapes", "compile", "gpu"]),
        ("all", ["--ops", "--version", "--wide", "--constant", "--repeat", "--json"]),
        ("host", ["--only", "--threads", "--repeat", "--save", "--json"]),
        ("static", ["--target", "--only", "--repeat", "--set", "--alone", "--against", "--json"]),
        ("shapes", ["--target", "--type", "--m", "--n", "--k", "--against", "--all", "--json"]),
        ("compile", ["--set", "--only", "--target", "--other", "--fits", "--repeat", "--json"]),
        ("gpu", ["prepare", "run", "keep"]),
        ("gpu prepare", ["folder", "--target", "--only", "--small"]),
        ("gpu run", ["folder", "--dry-run", "--only", "--budget"]),
    ],
)
def test_help(arguments: str, options: list[str], capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*arguments.split(), "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    rows = re.findall(r"^ +(--[\w-]+|\w+)(?: |$)", shown, re.MULTILINE)
    assert [option for option in options if option not in rows] == []
    assert arguments != "host" or "--ops" not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="nothing tells the resident size there")
def test_a_mapped_constant_stays_where_it_is(tmp_path: Path) -> None:
    """Not a time, but memory: reading a file copies no constant."""
    growth = memory.measure(tmp_path, 256 << 20, 1)
    assert growth.constant == 256 << 20
    assert growth.touch < 64 << 20
