"""Compiled modules on disk: found again, bounded, and never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import tileir
from tileir.codegen import fresh
from tileir.codegen.cache import folder as cache_folder
from tileir.codegen.cache import own_code
from tileir.codegen.cache.key import Key, bytes_of, facts_of
from tileir.codegen.cache.store import Cache
from tileir.codegen.host.machine.machine_code import MachineCode
from tileir.codegen.host.running.kernel_info import KernelInfo
from tileir.errors import VerifyError
from tileir.types import Pointer, Scalar

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures" / "13.4"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "made" / "when needed"
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(place))
    return place


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The symbols that were verified, and so really compiled."""
    seen: list[str] = []
    original = fresh.check_rules

    def check(bytecode, functions) -> None:
        seen.extend(function.name for function in functions)
        original(bytecode, functions)

    monkeypatch.setattr(fresh, "check_rules", check)
    return seen


def parse(name: str = "vector_add") -> tileir.Bytecode:
    return tileir.Bytecode.parse((FIXTURES / f"{name}.tileirbc").read_bytes())


def adds(compilation) -> bool:
    x, y = np.random.default_rng(1).standard_normal((2, 3000), np.float32)
    z = np.zeros_like(x)
    sizes = [3000, 1]
    compilation["vector_add"].launch(3, [x, *sizes, y, *sizes, z, *sizes])
    return bool((z == x + y).all())


def test_the_second_time_nothing_is_compiled(folder: Path, compiled: list[str]) -> None:
    first = tileir.compile(parse())
    assert compiled == ["vector_add"]
    second = tileir.compile(parse())
    assert compiled == ["vector_add"]
    assert adds(first)
    assert adds(second)
    assert second.llvm_ir == first.llvm_ir
    assert second.assembly == first.assembly
    assert second["vector_add"].info == first["vector_add"].info
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("name", ["dense_table", "fma_scalar", "pointer_kinds", "two_entries"])
def test_kernels_from_the_cache_are_the_same(name: str, folder: Path, compiled: list[str]) -> None:
    first = tileir.compile(parse(name))
    known = len(compiled)
    second = tileir.compile(parse(name))
    assert len(compiled) == known
    assert {symbol: kernel.info for symbol, kernel in first.items()} == {
        symbol: kernel.info for symbol, kernel in second.items()
    }


def test_only_what_decides_the_code_is_another_entry(folder: Path, compiled: list[str]) -> None:
    two = parse("two_entries")
    names = [function.name for function in two.functions]
    for symbols in (None, names, names[:1], names[1:], names[:1]):
        assert list(tileir.compile(two, symbols=symbols)) == (symbols or names)
    assert compiled == [*names, *names, names[0], names[1]]
    with pytest.raises(KeyError):
        tileir.compile(two, symbols=["nobody"])


def test_a_changed_module_is_another_entry(folder: Path, compiled: list[str]) -> None:
    bytecode = parse()
    tileir.compile(bytecode)
    for op in bytecode.functions[0].walk():
        if op.name == "addf":
            op.attributes["flush_to_zero"] = True
    text = tileir.compile(bytecode).llvm_ir
    assert len(compiled) == 2
    assert tileir.compile(parse()).llvm_ir != text
    assert len(compiled) == 2


def key_of(machine: str, options: dict, kind: str = "machine code", target: str = "host") -> str:
    """The name of the key that vector_add has."""
    facts = facts_of(bytes_of(parse()), target, machine, options)
    return Key.of(kind, facts).name


def test_another_machine_is_another_key() -> None:
    keys = {key_of(f"machine {number}", {}) for number in range(3)}
    assert len(keys) == 3
    assert key_of("machine 0", {}) in keys
    assert key_of("machine 0", {"check": "memory"}) not in keys
    assert key_of("machine 0", {}, kind="PTX") not in keys
    assert key_of("machine 0", {}, target="sm_90") not in keys


def test_the_code_that_counts_is_all_of_ours() -> None:
    """A file that is forgotten would let machine code of an older compiler run."""
    layers = ("formats", "tileir", "codegen")
    files = {path for layer in layers for path in (ROOT / layer).rglob("*.py")}
    found = {Path(source.path).resolve() for source in own_code.sources()}
    assert found == {path.resolve() for path in files}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sources of ours, instead of all, and where their hash is kept beside it."""
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "one.py").write_text("1")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(own_code, "sources", lambda: list(own_code._in(str(tmp_path / "ours"))))
    path = tmp_path / "kept" / "own_code.sources"
    monkeypatch.setattr(own_code, "_kept", lambda: path)
    return path


def test_the_hash_of_our_code_is_remembered(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    original = own_code._hashed
    monkeypatch.setattr(own_code, "_hashed", lambda files: hashed.append(1) or original(files))
    first = own_code.digest()
    assert not kept.exists(), "a file that has just changed may change again within a tick"
    monkeypatch.setattr(own_code, "_SETTLED", 0)
    assert own_code.digest() == own_code.digest() == own_code.digest() == first
    assert len(hashed) == 2
    for damaged in ("", "x", f"{kept.read_text().split()[0]} short", "\0\xff"):
        kept.write_text(damaged, "latin-1")
        assert own_code.digest() == first
    source = kept.parents[1] / "ours" / "one.py"
    times = source.stat()
    source.write_text("2")  # as long as before
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert own_code.digest() != first


def test_the_hash_is_not_kept_where_python_keeps_nothing(kept: Path, monkeypatch) -> None:
    monkeypatch.setattr(own_code, "_SETTLED", 0)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert own_code.digest() == own_code.digest()
    assert not kept.exists()


def test_other_code_of_ours_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of("machine", {})
    monkeypatch.setattr("tileir.codegen.cache.key._own_code", lambda: "another version")
    assert key_of("machine", {}) != before
    monkeypatch.setattr("tileir.codegen.cache.key._own_code", lambda: None)
    assert facts_of(bytes_of(parse()), "host", "machine", {}) is None


def test_what_is_wrong_is_told_every_time(folder: Path) -> None:
    broken = tileir.Bytecode.parse(
        (ROOT / "fixtures" / "invalid" / "rules" / "same-type.tileirbc").read_bytes()
    )
    for _ in range(2):
        with pytest.raises(VerifyError):
            tileir.compile(broken)
    assert not folder.exists()


def test_nothing_is_kept_without_being_asked(
    folder: Path, compiled: list[str], monkeypatch
) -> None:
    tileir.compile(parse(), cache=False)
    for off in ("", "off", "OFF"):
        monkeypatch.setenv("TILEIR_CACHE_DIR", off)
        tileir.compile(parse())
    assert len(compiled) == 4
    assert not folder.exists()
    tileir.compile(parse(), "sm_90")


DAMAGES = {
    "truncated": lambda data: data[:-5], "empty": lambda data: b"", "short": lambda data: data[:20],
    "longer": lambda data: data + b"\0", "another format": lambda data: b"hello\n" * 100,
    "one bit": lambda data: data[:99] + bytes([data[99] ^ 4]) + data[100:],
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_compiled_again(damage: str, folder: Path, compiled: list[str]) -> None:
    tileir.compile(parse())
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(DAMAGES[damage](whole))
    assert adds(tileir.compile(parse()))
    assert len(compiled) == 2
    assert adds(tileir.compile(parse()))
    assert len(compiled) == 2
    assert [len(path.read_bytes()) for path in folder.iterdir()] == [len(whole)]


def test_a_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path / "file", "/dev/null/nowhere"):
        monkeypatch.setenv("TILEIR_CACHE_DIR", str(place))
        with pytest.warns(RuntimeWarning, match=f"TILEIR_CACHE_DIR: {place}: ") as caught:
            assert adds(tileir.compile(parse()))
        assert caught[0].filename == __file__
        assert adds(tileir.compile(parse())), "the second time without a warning"
    (tmp_path / "entries").mkdir()
    cache = Cache(tmp_path / "entries", 1 << 20)
    (tmp_path / "entries" / f"{'a' * 64}.tileir").mkdir()
    assert not cache.put("a" * 64, b"what cannot be written")
    assert cache.put("b" * 64, b"what can")
    (tmp_path / "entries" / f"{'b' * 64}.tileir").unlink()
    assert cache.get("a" * 64) is None
    assert len(list((tmp_path / "entries").iterdir())) == 1, "something was left behind"


def key(number: int) -> str:
    return f"{number:064x}"


def test_what_was_used_least_recently_makes_room(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 16_000)
    (tmp_path / "letter.tileir").write_bytes(b"from the owner of the folder" * 1000)
    for number in range(12):
        cache.put(key(number), b"x" * 968)  # and a checksum: 1000
        os.utime(tmp_path / f"{key(number)}.tileir", (number, number))
    assert cache.get(key(0)) is not None
    for number in range(12, 20):
        cache.put(key(number), b"x" * 968)
    kept = {number for number in range(20) if cache.get(key(number)) is not None}
    assert {0, *range(12, 20)} <= kept
    assert not kept & {1, 2, 3, 4}
    sizes = [path.stat().st_size for path in tmp_path.iterdir() if len(path.stem) == 64]
    assert 14_000 <= sum(sizes) <= 16_000
    assert (tmp_path / "letter.tileir").exists()


def test_what_a_killed_process_left_is_removed(tmp_path: Path, monkeypatch) -> None:
    def killed(source: str, target: Path) -> None:
        raise KeyboardInterrupt

    cache = Cache(tmp_path, 16_000)
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killed)
        patched.setattr(os, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            cache.put(key(1), b"x" * 9000)
    (left,) = tmp_path.iterdir()
    os.utime(left, (1, 1))
    cache.put(key(2), b"x" * 9000)
    assert [path.name for path in tmp_path.iterdir()] == [f"{key(2)}.tileir"]


def test_what_is_larger_than_everything_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1000)
    assert not cache.put(key(1), b"x" * 5000)
    assert cache.get(key(1)) is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("platform", "environment", "place"),
    [
        ("linux", {}, "~/.cache/tileir"),
        ("linux", {"XDG_CACHE_HOME": "/var/my"}, "/var/my/tileir"),
        ("linux", {"XDG_CACHE_HOME": "not/absolute"}, "~/.cache/tileir"),
        ("darwin", {"XDG_CACHE_HOME": "/var/my"}, "~/Library/Caches/tileir"),
        ("win32", {"LOCALAPPDATA": "/Local"}, "/Local/tileir/Cache"),
        ("win32", {}, "~/AppData/Local/tileir/Cache"),
        ("linux", {"TILEIR_CACHE_DIR": "~/mine"}, "~/mine"),
        ("win32", {"TILEIR_CACHE_DIR": "/mine"}, "/mine"),
    ],
)
def test_places(platform: str, environment: dict, place: str, monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    found = cache_folder.find_cache(environment)
    assert found is not None
    assert found.folder == Path(place).expanduser().absolute()


SIZES = {
    None: 1 << 30, "": 1 << 30, "0": 0, "12345": 12345, "500M": 500 << 20, "2 GiB": 2 << 30,
    "1t": 1 << 40, "7kb": 7 << 10,
}  # fmt: skip


@pytest.mark.parametrize("text", SIZES)
def test_sizes(text: str | None) -> None:
    environment = {} if text is None else {"TILEIR_CACHE_SIZE": text}
    assert cache_folder.find_cache(environment).limit == SIZES[text]


@pytest.mark.parametrize("text", ["many", "-1", "1.5G", "10X"])
def test_a_size_that_is_none(text: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cache = cache_folder.find_cache({"TILEIR_CACHE_SIZE": text})
    assert cache.limit == 1 << 30
    assert str(caught[0].message).startswith(f"TILEIR_CACHE_SIZE={text!r} is no size")


def test_all_that_is_known_of_a_kernel_survives() -> None:
    elements = (Pointer(Scalar("f32")), Pointer(Scalar("f8E5M2"), "multicast"), Scalar("bf16"))
    known = {"op": "print_tko", "kernel": "k", "function": "k", "location": ""}
    tile = {"element": "i32", "shape": [4, 2], "offset": 16}
    sites = (
        {"kind": "print", **known, "format": "x = %d\n", "arguments": [tile]},
        {"kind": "assert", **known, "message": "", "shape": []},
    )
    info = KernelInfo("näme \udc80", elements, (0, 8, 16), 18, frozenset({1}), 640, False, sites)
    assert KernelInfo.from_json(json.loads(json.dumps(info.to_json()))) == info
    code = MachineCode((info, info), b"\n{not text\0", "; what LLVM read\n" * 100)
    assert MachineCode.from_bytes(code.to_bytes()) == code
    assert len(code.to_bytes()) < len(code.llvm_ir)


PROGRAM = """\
import sys
import tileir
from tileir.codegen import fresh
fresh.check_rules = lambda *_: print("compiling")
tileir.compile(open(sys.argv[1], "rb").read())
"""


LOADED = """\
import sys
import tileir
tileir.compile(open(sys.argv[1], "rb").read())
print(*(name for name in sys.modules if name.startswith("tileir.")))
"""


def test_what_is_kept_needs_neither_verifier_nor_lowering(folder: Path) -> None:
    command = [sys.executable, "-c", LOADED, str(FIXTURES / "check_values.tileirbc")]
    first, second = (
        set(subprocess.check_output(command, cwd=ROOT, text=True).split()) for _ in range(2)
    )
    compiling = {
        "tileir.verifier.module",
        "tileir.text.printer.disassembly",
        "tileir.codegen.host.lowering.block_lowering",
        "tileir.codegen.host.planning.storage",
        "tileir.codegen.scalar.elementwise",
    }
    assert compiling <= first
    assert not compiling & second


def test_processes_share_the_folder(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(FIXTURES / "vector_add.tileirbc")]
    printed = [
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert printed == ["compiling\n", ""]
    (entry,) = folder.iterdir()
    if os.name != "nt":
        assert entry.stat().st_mode & 0o077 == folder.stat().st_mode & 0o077 == 0
