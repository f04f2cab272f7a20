"""What a GPU target refuses: all of it in one error, before LLVM sees anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.codegen.build import Kernel
from tests.corpus import FIXTURES
from tileir.bytecode import Bytecode
from tileir.codegen import compile
from tileir.errors import UnsupportedError
from tileir.gpus import TARGETS


def test_an_unknown_target_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnsupportedError, match=r"sm_91.*host, sm_75, sm_80.*sm_121"):
        compile(Kernel("k").module(), "sm_91")


def test_ops_that_a_target_cannot_have_are_one_error() -> None:
    data = (FIXTURES / "13.5/multimem.tileirbc").read_bytes()
    with pytest.raises(UnsupportedError, match="these do: sm_90, sm_100") as caught:
        compile(Bytecode.parse(data), "sm_80")
    assert len(caught.value.diagnostics) == 5
    assert all(item.severity == "error" for item in caught.value.diagnostics)


def test_a_tile_larger_than_all_threads_is_refused() -> None:
    kernel = Kernel("copy", "ptr<f64>", "ptr<f64>")
    size = 1 << 20
    views = [kernel.view(pointer, [size], [size]) for pointer in kernel.parameters]
    kernel.store(kernel.load(views[0], *kernel.zeros(1)), views[1], *kernel.zeros(1))
    with pytest.raises(UnsupportedError) as caught:
        compile(kernel.module(), "sm_90")
    (found,) = caught.value.diagnostics
    assert found.op == "load_view_tko"
    assert found.message.startswith("tile<1048576xf64> does not fit")


def test_more_shared_memory_than_a_block_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(TARGETS["sm_90"], shared_bytes=4)
    monkeypatch.setitem(TARGETS, "sm_90", small)
    module = Bytecode.parse((FIXTURES / "13.4/softmax.tileirbc").read_bytes())
    with pytest.raises(UnsupportedError, match=r"takes \d+ bytes of shared memory; .* has 4"):
        compile(module, "sm_90")
