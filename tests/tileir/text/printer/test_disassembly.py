"""The text is NVIDIA's, byte for byte: against texts kept here, and against the tool itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import NEWEST, VALID
from tests.every_fixture import Fixture, every_fixture
from tileir import Bytecode, BytecodeError
from tileir.builder import Module
from tileir.formats.version import SUPPORTED
from tileir.sampler import sample
from tileir.text.assembler import assemble
from tileir.text.printer import disassemble

GOLDEN = Path(__file__).parent / "golden"
WITH_LOCATIONS = [path for path in VALID if path.parent.name in ("13.4", "13.5")]
SAMPLES = [(seed, version) for version in SUPPORTED for seed in range(8)]


def golden(path: Path, debug: bool = False) -> Path:
    """The file with what NVIDIA's tool prints for a fixture."""
    return GOLDEN / path.parent.name / f"{path.stem}{'.g' if debug else ''}.txt"


def meant(theirs: bytes, path: Path) -> bytes:
    """NVIDIA's text of a fixture, with the number that cuTile meant to write.

    It writes negative f64 attributes with one bit too many, which NVIDIA's readers drop.
    """
    if path.stem != "row_max_f64":
        return theirs
    assert theirs.count(b"0x7FF0000000000000") == 1
    return theirs.replace(b"0x7FF0000000000000", b"0xFFF0000000000000")


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@every_fixture
def the_text_is_the_one_kept(fixture: Fixture) -> None:
    path = fixture.path
    assert encoded(fixture.texts[False]) == meant(golden(path).read_bytes(), path)


@every_fixture(files=WITH_LOCATIONS)
def the_text_with_locations_is_the_one_kept(fixture: Fixture) -> None:
    path = fixture.path
    assert encoded(fixture.texts[True]) == meant(golden(path, True).read_bytes(), path)


@every_fixture(oracle=True)
def the_tool_prints_the_same(fixture: Fixture) -> None:
    """With locations everywhere; without, texts that are kept are compared in the newest version.

    In older versions they are what `the_text_is_the_one_kept` compares with.
    """
    path = fixture.path
    for debug in (False, True) if fixture.update or path in NEWEST.values() else (True,):
        done = fixture.tool("tileirdisasm", *(["-g"] if debug else []), path)
        assert done.returncode == 0, done.stderr
        kept = golden(path, debug)
        if fixture.update and (not debug or path in WITH_LOCATIONS):
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(done.stdout)
        assert encoded(fixture.texts[debug]) == meant(done.stdout, path)
        if not debug:
            assert kept.read_bytes() == done.stdout


@pytest.mark.oracle
@pytest.mark.parametrize(("seed", "version"), SAMPLES, ids=lambda part: str(part))
def test_the_tool_prints_random_modules_the_same(seed: int, version, tool, tmp_path: Path) -> None:
    data = sample(seed, version).build()
    path = tmp_path / "sample.tileirbc"
    path.write_bytes(data)
    for debug in (False, True):
        done = tool("tileirdisasm", *(["-g"] if debug else []), path)
        assert done.returncode == 0, done.stderr
        assert encoded(disassemble(data, debug)) == done.stdout


def test_every_kept_text_has_its_fixture() -> None:
    kept = {path for path in GOLDEN.rglob("*") if path.is_file()}
    assert kept == {golden(p) for p in VALID} | {golden(p, True) for p in WITH_LOCATIONS}


def test_a_module_or_its_bytes() -> None:
    data = VALID[0].read_bytes()
    assert disassemble(Bytecode.parse(data)) == disassemble(data)


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(BytecodeError, match="magic"):
        disassemble(b"not Tile IR")


@pytest.mark.oracle
@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("producer", [None, "me"])
@pytest.mark.parametrize("variables", [0, 1])
def test_modules_without_kernels(variables, producer, debug, tool, tmp_path: Path) -> None:
    module = Module(producer=producer)
    for number in range(variables):
        module.global_(f"g{number}", [1.0, 2.0], type="2xf32")
    path = tmp_path / "k.tileirbc"
    path.write_bytes(module.build())
    theirs = tool("tileirdisasm", *(["-g"] if debug else []), path)
    assert theirs.returncode == 0
    assert encoded(disassemble(path.read_bytes(), debug=debug)) == theirs.stdout
    assert assemble(theirs.stdout.decode()).build() == path.read_bytes()
