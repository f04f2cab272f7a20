"""The tables of virtual functions that torch's C++ core is given; torch itself is not needed."""

from __future__ import annotations

import ctypes
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tileir.cutile import torch_stand_in
from tileir.cutile.torch_stand_in import native
from tileir.errors import UnsupportedError

BASE = """
// virtual bool comment() const;
struct Base {
  virtual ~Base() = default;
  virtual bool first() const { return false; }
  virtual Allocator* second(
      [[maybe_unused]] int index = -1) const = 0;
  /* virtual void third(); */
"""
MORE = """
struct More : Base {
  ~More() override = default;
  bool first() const override { return true; }
""" + "".join(f"  virtual const at::Thing& more{n}(int /*unused*/) const;\n" for n in range(9))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "base.h").write_text(BASE)
    (tmp_path / "include" / "more.h").write_text(MORE)
    return tmp_path


def test_positions_are_those_of_declarations(folder: Path) -> None:
    found = native._positions(folder, "base.h", "more.h")
    expected = {"first": 2, "second": 3, **{f"more{n}": 4 + n for n in range(9)}}
    assert found == expected
    with pytest.raises(ValueError, match=r"base\.h declares no interface"):
        native._positions(folder, "base.h")


def test_a_table_is_a_copy_with_other_functions() -> None:
    original = (ctypes.c_uint64 * 16)(*range(100, 116))
    table = native._table(ctypes.addressof(original) + 16, {"a": 0, "b": 3}, {"b": 7})
    copy = (ctypes.c_uint64 * 6).from_address(table - 16)
    assert list(copy) == [100, 101, 102, 103, 104, 7]
    assert original[5] == 105


@pytest.mark.skipif(sys.platform == "win32", reason="no torch there has these symbols")
def test_functions_answer_as_c_does() -> None:
    made = native._compiled()
    assert ctypes.CFUNCTYPE(ctypes.c_bool)(made["one"])() is True
    assert ctypes.CFUNCTYPE(ctypes.c_int8)(made["zero"])() == 0

    class Stream(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int8), ("index", ctypes.c_int8), ("number", ctypes.c_int64)]

    stream = ctypes.CFUNCTYPE(Stream)(made["stream"])()
    assert (stream.type, stream.index, stream.number) == (1, 0, 0)


def test_a_torch_that_is_built_otherwise(folder: Path) -> None:
    torch = SimpleNamespace(__file__=str(folder / "__init__.py"), __version__="9.9")
    with pytest.raises(UnsupportedError, match=r"^torch 9\.9 cannot be given a device: .*c10$"):
        native.install(torch)


def test_programs_without_torch_run_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = ModuleType("torch")
    vars(torch).update(
        __file__=str(folder / "__init__.py"), __version__="9.9", __spec__=ModuleSpec("torch", None)
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    torch_stand_in.install((10, 0))
    said = "tileir cutile: warning: torch 9.9 cannot be given a device: it has no library c10\n"
    assert capsys.readouterr() == ("", said)
