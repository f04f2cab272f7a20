"""Prefetches, in the text of the IR: what is prefetched, into which cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from llvmlite import ir

from tileir.codegen import llvm
from tileir.codegen.host import lowering
from tileir.codegen.host.lowering.prefetch import prefetch_line
from tileir.codegen.scalar.types import OPAQUE


@pytest.mark.parametrize(("level", "locality"), [(1, 3), (2, 2)])
def test_a_line_into_a_level_of_the_cache(level: int, locality: int) -> None:
    """A read of data; to LLVM the first level is 3. One declaration is enough for all."""
    module = ir.Module()
    kind = ir.FunctionType(ir.VoidType(), [OPAQUE])
    function = ir.Function(module, kind, "f")
    builder = ir.IRBuilder(function.append_basic_block())
    for _ in range(2):
        prefetch_line(builder, function.args[0], level)
    builder.ret_void()
    text = str(llvm.parse(module))
    assert text.count(f"call void @llvm.prefetch.p0(ptr %.1, i32 0, i32 {locality}, i32 1)") == 2
    assert text.count("declare void @llvm.prefetch") == 1


def test_nobody_else_emits_them() -> None:
    """The intrinsic stands in one file."""
    folder = Path(lowering.__file__).parent
    files = [path.name for path in folder.rglob("*.py") if "llvm.prefetch" in path.read_text()]
    assert files == ["prefetch.py"]
