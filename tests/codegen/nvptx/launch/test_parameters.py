"""Parameters whose elements are narrower than their memory: where they lie, and what arrives."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.errors import UnsupportedError

TEXT = """
entry @k(%a: tile<i4>, %b: tile<tf32>, %c: tile<i4>, %p: tile<ptr<f32>>, %q: tile<ptr<i32>>) {
  %x = ftof %b : tile<tf32> -> tile<f32>
  %i = exti %a signed : tile<i4> -> tile<i32>
  %j = exti %c unsigned : tile<i4> -> tile<i32>
  %k = muli %i, %j : tile<i32>
  %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  %u = store_ptr_tko weak %q, %k : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


@pytest.mark.parametrize("target", ["host", "sm_75", "sm_90"])
def test_numbers_of_4_and_19_bits(target: str) -> None:
    bytecode = tileir.assemble(TEXT)
    p, q = np.zeros(1, "f4"), np.zeros(1, "i4")
    args = [-3, 1.5, 15, p, q]
    if target == "host":
        compile(bytecode)["k"].launch(1, args)
    else:
        launch(bytecode, "k", 1, args, target)
    assert (p[0], q[0]) == (1.5, -45)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("element", "target"),
    [("i1", "sm_90"), ("i4", "sm_100"), ("tf32", "sm_90"), ("bf16", "sm_90"),
     ("f8E8M0FNU", "sm_100"), ("fnv8E5M3FNU", "sm_107")],
)  # fmt: skip
def test_they_lie_where_tileiras_has_them(tool, tmp_path: Path, element: str, target: str) -> None:
    bytecode = tileir.assemble(
        f"entry @k(%a: tile<{element}>, %b: tile<{element}>, %p: tile<ptr<i32>>) {{\n"
        "%c = constant <i32: 1> : tile<i32>\n"
        "%t = store_ptr_tko weak %p, %c : tile<ptr<i32>>, tile<i32> -> token\nreturn }",
        version="13.5",
    )
    source, cubin = tmp_path / "k.tileirbc", tmp_path / "k.cubin"
    source.write_bytes(bytecode.build())
    done = tool("tileiras", f"--gpu-name={target}", source, "-o", cubin)
    assert done.returncode == 0, done.stderr.decode()
    rows = compile(bytecode, target).plan["k"]["parameters"]
    assert parameters_of(cubin.read_bytes()) == {
        (row["index"], row["offset"], row["size"]) for row in rows
    }


def parameters_of(cubin: bytes) -> set[tuple[int, int, int]]:
    """Number, offset and size of the parameters, by a cubin's EIATTR_KPARAM_INFO."""
    found, at = set(), 0
    while (at := cubin.find(b"\x04\x17\x0c\x00", at) + 1) > 0:
        _, number, offset, size = struct.unpack_from("<IHHI", cubin, at + 3)
        found.add((number, offset, size >> 18))
    return found


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("count", "version"), [(544, "7.8"), (545, "8.1"), (4095, "8.1")], ids=["544", "545", "4095"]
)
def test_many_need_a_newer_ptx(count: int, version: str, tool, tmp_path: Path) -> None:
    """ptxas takes as many bytes as a kernel can have, of the version that first has them."""
    compiled = compile(tileir.assemble(with_parameters(count)), "sm_90")
    assert compiled.plan["k"]["ptx_version"] == version
    (tmp_path / "k.ptx").write_text(compiled.ptx)
    done = tool("ptxas", "-arch=sm_90", tmp_path / "k.ptx", "-o", tmp_path / "k.cubin")
    assert done.returncode == 0, done.stderr


def test_more_than_a_kernel_can_have() -> None:
    with pytest.raises(UnsupportedError, match=r"32768 bytes of parameters; .* 32764 \(in k\)"):
        compile(tileir.assemble(with_parameters(4096)), "sm_90")


def with_parameters(count: int) -> str:
    parameters = ", ".join(f"%p{number}: tile<i64>" for number in range(count))
    return f"entry @k({parameters}) {{ return }}"
