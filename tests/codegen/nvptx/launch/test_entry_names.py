"""What entries are called in PTX."""

from __future__ import annotations

import pytest

import tileir
from tests.codegen.build import Kernel
from tileir.codegen import compile


@pytest.mark.parametrize("name", ["add", "_x", "a$b", "entry", "Kernel_2"])
def test_names_are_kept(name: str) -> None:
    assert f".entry {name}(" in compile(Kernel(name).module(), "sm_90").ptx


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("a.b", "a_b"), ("1st", "_1st"), ("_", "__"), ("WARP_SZ", "_WARP_SZ"), ("über", "_ber"),
        ("a b", "a_b"), ("malloc", "_malloc"), ("vprintf", "_vprintf"),
        ("tileir$shared", "_tileir$shared"),
    ],
)  # fmt: skip
def test_other_names_are_changed(name: str, spelled: str, tool, tmp_path) -> None:
    compiled = compile(Kernel(name).module(), "sm_90")
    assert compiled.plan[name]["entry"] == spelled
    assert f".entry {spelled}(" in compiled.ptx
    assert compiled[name].symbol == name
    source = tmp_path / "named.ptx"
    source.write_text(compiled.ptx)
    done = tool("ptxas", "-arch=sm_90", "-o", str(tmp_path / "named.cubin"), str(source))
    assert done.returncode == 0, done.stderr


def test_names_stay_different() -> None:
    text = "".join(f'entry @"{name}"() {{ return }}\n' for name in ("a.b", "a b", "a_b", "_a_b"))
    plans = compile(tileir.assemble(text), "sm_90").plan
    assert [plan["entry"] for plan in plans.values()] == ["__a_b", "___a_b", "a_b", "_a_b"]
