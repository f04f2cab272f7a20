"""What NVIDIA's disassembler prints is read back: the module is the same, for its tools too."""

from __future__ import annotations

from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture
from tests.tileir.text.assembler.texts import GOLDEN, TEXTS, version_of
from tests.tileir.text.printer.test_disassembly import golden
from tileir.formats.version import LATEST, SUPPORTED
from tileir.sampler import sample
from tileir.text.assembler import assemble
from tileir.text.printer import disassemble

PLAIN = [path for path in TEXTS if not path.stem.endswith(".g")]
SAMPLES = [(seed, version) for version in SUPPORTED for seed in range(6)]


def text_of(path: Path) -> str:
    return path.read_text("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def kept(fixture: Fixture) -> list[Path]:
    """The texts that are kept of a fixture: without locations, and of some with them."""
    plain = golden(fixture.path)
    located = golden(fixture.path, debug=True)
    return [plain, located] if located in TEXTS else [plain]


@every_fixture(files=OLDEST_AND_NEWEST)
def the_assembled_text_prints_as_the_text(fixture: Fixture) -> None:
    for path in kept(fixture):
        text = text_of(path)
        bytecode = assemble(text, version_of(path), path.name)
        assert str(bytecode.version) == version_of(path)
        assert not bytecode.touch(strict=True).warnings
        assert disassemble(bytecode, debug=path.stem.endswith(".g")) == text


@every_fixture(files=OLDEST_AND_NEWEST, oracle=True)
def the_tool_prints_the_assembled_text_the_same(fixture: Fixture) -> None:
    """The one with locations, where there is one."""
    path = kept(fixture)[-1]
    written = fixture.folder / "assembled.tileirbc"
    written.write_bytes(assemble(text_of(path), version_of(path)).build())
    done = fixture.tool("tileirdisasm", *(["-g"] if path.stem.endswith(".g") else []), written)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == encoded(text_of(path))


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["vector_add", "softmax", "matmul", "module_globals"])
def test_the_compiler_takes_it(name: str, tool, tmp_path: Path) -> None:
    text = text_of(GOLDEN / "13.4" / f"{name}.txt")
    written, made = tmp_path / "module.tileirbc", tmp_path / "module.cubin"
    written.write_bytes(assemble(text).build())
    done = tool("tileiras", "--gpu-name=sm_100", "-o", made, written)
    assert done.returncode == 0, done.stderr.decode()
    assert made.read_bytes()


@pytest.mark.parametrize(("seed", "version"), SAMPLES, ids=str)
def test_random_modules_come_back(seed: int, version) -> None:
    text = disassemble(sample(seed, version).build(), debug=True)
    assert disassemble(assemble(text, version), debug=True) == text


def test_nothing_but_what_the_text_says_is_written() -> None:
    """Assembling what was assembled gives the same bytes."""
    for path in PLAIN[::7]:
        data = assemble(text_of(path), version_of(path)).build()
        again = assemble(disassemble(data), version_of(path)).build()
        assert again == data, path


def test_every_version_and_the_latest() -> None:
    for version in SUPPORTED:
        assert tileir.assemble("entry @f() {}", version).version == version
        assert tileir.assemble("entry @f() {}", str(version)).version == version
    assert tileir.assemble("entry @f() {}").version == LATEST
    for wrong in ("13.0", "99.1", (1, 2)):
        with pytest.raises(tileir.BuildError, match=r"is not one of 13\.1 to"):
            tileir.assemble("entry @f() {}", wrong)
    for wrong in (13.4, "9"):
        with pytest.raises(tileir.BuildError, match=f"{wrong!r} is not a version such as '13.4'"):
            tileir.assemble("entry @f() {}", wrong)


def test_only_text_is_read() -> None:
    with pytest.raises(TypeError, match="expected a str, got bytes"):
        tileir.assemble((FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes())
