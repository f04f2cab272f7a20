"""Compilations for GPUs on disk: found again, only for what they are, and made where they lack."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx import test_twins as twins
from tests.codegen.nvptx.compiled import compiled
from tests.corpus import FIXTURES, ROOT
from tileir.codegen import cubins, fresh
from tileir.codegen.cache.store import Cache
from tileir.codegen.nvptx import stages
from tileir.codegen.nvptx.stored import text_from_bytes, text_to_bytes
from tileir.launch.attributes import LaunchAttributes
from tileir.tools import nvidia

MODULE = (FIXTURES / "13.4" / "raw_offsets.tileirbc").read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often modules were really compiled, and LLVM IR emitted."""
    seen: Counter[str] = Counter()
    check, emit = fresh.check_rules, stages.emit_llvm

    def checked(bytecode, functions) -> None:
        seen["compiled"] += 1
        check(bytecode, functions)

    def emitted(state) -> None:
        seen["emitted"] += 1
        emit(state)

    monkeypatch.setattr(fresh, "check_rules", checked)
    monkeypatch.setattr(stages, "emit_llvm", emitted)
    return seen


def everything(made: Any) -> tuple[Any, ...]:
    elements = {symbol: kernel.elements for symbol, kernel in made.items()}
    return made.target, made.ptx, made.llvm_ir, made.plan, elements, list(made)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("two_entries", "sm_80"), ("pointer_kinds", "sm_100"), ("print_values", "sm_75"),
        ("mma_f16", "sm_90"), ("check_values", "sm_90a"),
    ],
)  # fmt: skip
def test_the_second_time_nothing_is_compiled(name, target, folder: Path, times) -> None:
    data = (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()
    first = everything(tileir.compile(data, target))
    assert times == {"compiled": 1, "emitted": 1}
    second = tileir.compile(bytearray(data), target)
    assert everything(second) == first == everything(tileir.compile(data, target, cache=False))
    assert times == {"compiled": 2, "emitted": 2}
    assert {symbol: kernel.plan for symbol, kernel in second.items()} == second.plan


def test_only_what_decides_the_code_is_another_entry(folder: Path, times) -> None:
    def compiles(module: Any = MODULE, target: str = "sm_80", **options: Any) -> bool:
        before = times["compiled"]
        made = tileir.compile(module, target, **options)
        assert everything(made) == everything(
            tileir.compile(module, target, cache=False, **options)
        )
        return times["compiled"] == before + 2

    assert compiles()
    assert compiles(num_warps=4)
    assert not compiles(num_warps=np.int64(4))
    assert not compiles(num_warps=4, lineinfo=None, maxnreg=None)
    assert compiles(num_warps=4, maxnreg=64)
    assert compiles(lineinfo=True)
    assert compiles(target="sm_86")
    assert compiles(symbols=["raw_offsets"])
    assert not compiles(symbols="raw_offsets")
    assert compiles(target="sm_90", cluster_dim=(2, 1, 1))
    assert not compiles(target="sm_90", cluster_dim=[2, 1, 1])
    assert compiles(target="sm_90", num_ctas=2), "the plan says by which name it was asked for"
    assert not compiles(tileir.Bytecode.parse(MODULE))
    assert compiles(tileir.Bytecode.parse(MODULE).to_version("13.5"))
    said = tileir.Bytecode.parse(MODULE)
    said.launch_attributes = LaunchAttributes({"tt.num_warps": 8})
    assert compiles(said), "the bytes do not have them"
    said.launch_attributes = LaunchAttributes({}, {"raw_offsets": {"tt.num_warps": 8}})
    assert compiles(said)
    assert not compiles(said)


def test_attributes_that_no_text_has_are_not_cached(folder: Path, times) -> None:
    said = tileir.Bytecode.parse(MODULE)
    said.launch_attributes = LaunchAttributes({"mine": object()})
    assert list(tileir.compile(said, "sm_80")) == ["raw_offsets"]
    assert not folder.exists()


def test_stages_and_lines_that_nobody_knows(folder: Path, times) -> None:
    """What the cache does not have is made, and what was told is told again."""
    for count in (1, 2):
        made = tileir.compile(MODULE, "sm_80")
        assert times["compiled"] == count
        assert made.stages["emit_ptx"].text == made.ptx
    stripped = FIXTURES / "13.4" / "no_debug.tileirbc"
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="no line information"):
            tileir.compile(stripped.read_bytes(), "sm_80", lineinfo=True)


def test_threads_share_it(folder: Path) -> None:
    """Each gets the same, whoever of them compiles, writes or reads."""
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: everything(tileir.compile(MODULE, "sm_80")), range(12)))
    assert all(each == made[0] for each in made)
    assert everything(tileir.compile(MODULE, "sm_80", cache=False)) == made[0]
    assert {path.suffix for path in folder.iterdir()} == {".tileir"}


# Twins -------------------------------------------------------------------------------------------


def test_text_is_kept_as_it_is_made(folder: Path, times) -> None:
    """Where nobody needs twins they are not emitted, neither before nor behind the cache."""
    source, name = twins.less_is_known(), "gemm_batched"

    def made() -> Any:
        return tileir.compile(tileir.assemble(source), "sm_90")

    first = made()
    twin = first.plan[name]["twin"]["entry"]
    assert times == {"compiled": 1}
    assert made().plan == first.plan
    assert times == {"compiled": 1}, "plans are kept before there is a text"
    alone = first.text.ptx_with(name)
    assert f".entry {twin}(" not in alone
    assert times == {"compiled": 1, "emitted": 1}
    assert made().text.ptx_with(name) == alone
    assert times == {"compiled": 1, "emitted": 1}
    module = tileir.assemble(source)
    edited = tileir.compile(module, "sm_90")
    module.functions.clear()
    whole = edited.text.ptx_with(twin)
    assert times == {"compiled": 2, "emitted": 2}, "of the module as it was when it was compiled"
    assert whole == edited.ptx == first.ptx == made().ptx == made().text.ptx_with(twin)
    assert first.llvm_ir == made().llvm_ir
    assert times == {"compiled": 2, "emitted": 2}, "the first one found what was made behind it"
    assert made().text.ptx_with(name) == alone


# What is on the disk -----------------------------------------------------------------------------

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "gone": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_damaged_part_is_made_again(damage: str, folder: Path, times) -> None:
    expected = everything(tileir.compile(MODULE, "sm_80"))
    parts = sorted(folder.iterdir())
    assert len(parts) == 3
    for number, part in enumerate(parts):
        whole = part.read_bytes()
        part.write_bytes(DAMAGES[damage](whole))
        assert everything(tileir.compile(MODULE, "sm_80")) == expected
        assert times["compiled"] == number + 2
        assert part.read_bytes() == whole


def test_a_right_checksum_of_wrong_contents(folder: Path, times) -> None:
    expected = everything(tileir.compile(MODULE, "sm_80"))
    cache = Cache(folder, 1 << 30)
    assert len(cache.entries()) > 1
    for entry in cache.entries():
        line, _, contents = cache.get(entry.name).partition(b"\n")
        for wrong in (b"", b"{}", b"[" * 100_000, contents[:-1], contents + b"0", b"\xff" * 9):
            cache.put(entry.name, line + b"\n" + wrong)
            assert everything(tileir.compile(MODULE, "sm_80")) == expected
            assert cache.get(entry.name) == line + b"\n" + contents
    others = {entry.name: cache.get(entry.name) for entry in cache.entries()}
    for name in others:
        for other in others.values():
            cache.put(name, other)
            assert everything(tileir.compile(MODULE, "sm_80")) == expected
            assert cache.get(name) == others[name]


def test_a_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="TILEIR_CACHE_DIR: ") as caught:
        made = tileir.compile(MODULE, "sm_80")
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert made.ptx == compiled("raw_offsets", "sm_80").ptx


def test_texts_are_read_as_far_as_they_are_whole() -> None:
    text = "// λ \udc80\n" * 1000
    data = text_to_bytes(text)
    assert text_from_bytes(data) == text
    for wrong in (b"", data[:-1], data + b"x", b"plain", text_to_bytes("")[:-2]):
        assert text_from_bytes(wrong) is None


# Cubins ------------------------------------------------------------------------------------------


def test_cubins_are_kept_for_one_ptxas(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    version = ["13.1"]

    def assemble(ptx: str, target: str, lines: bool) -> bytes:
        ran.append(target)
        return b"\x7fELF" + f"{len(ran)} {target} {lines}".encode() + ptx.encode()

    monkeypatch.setattr(nvidia, "assemble", assemble)
    monkeypatch.setattr(nvidia, "ptxas_version", lambda: version[0])
    text = compiled("raw_offsets", "sm_80").ptx
    first = cubins.assembled(text, "sm_80")
    assert cubins.assembled(text, "sm_80") == first
    assert len(ran) == 1
    for given in ((text, "sm_86"), (text + "\n", "sm_80"), (text, "sm_80", True)):
        assert cubins.assembled(*given) == cubins.assembled(*given) != first
    assert len(ran) == 4
    version[0] = "13.2"
    assert cubins.assembled(text, "sm_80") != first
    cubins.assembled(text, "sm_80", cache=False)
    assert len(ran) == 6
    monkeypatch.setenv("TILEIR_CACHE_DIR", "off")
    cubins.assembled(text, "sm_80")
    assert len(ran) == 7


@pytest.mark.oracle
def test_ptxas_says_its_version(tool, folder: Path) -> None:
    tool("ptxas", "--version")
    assert "release" in nvidia.ptxas_version()
    made = [cubins.assembled(compiled("raw_offsets", "sm_80").ptx, "sm_80") for _ in range(2)]
    assert made[0] == made[1]
    assert len(list(folder.iterdir())) == 1


# In a new process --------------------------------------------------------------------------------

LOADED = """\
import sys
import tileir
made = tileir.compile(open(sys.argv[1], "rb").read(), "sm_90")
made.ptx, made.plan, made.llvm_ir
print(*(name for name in sys.modules if name.startswith("tileir.")))
"""


def test_what_is_kept_needs_neither_verifier_nor_lowering(folder: Path) -> None:
    command = [sys.executable, "-c", LOADED, str(FIXTURES / "13.4" / "vector_add.tileirbc")]
    first, second = (
        set(subprocess.check_output(command, cwd=ROOT, text=True).split()) for _ in range(2)
    )
    compiling = {
        "tileir.verifier.module",
        "tileir.codegen.pipeline",
        "tileir.codegen.nvptx.state",
        "tileir.codegen.nvptx.emit.lowering",
        "tileir.codegen.block.dialect",
    }
    assert compiling <= first
    assert not compiling & second
    if os.name != "nt":
        assert all(entry.stat().st_mode & 0o077 == 0 for entry in folder.iterdir())
