"""Prints, assertions and the heap of the block IR on the emulator."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.block.kernels_by_hand import BlockKernel
from tests.codegen.build import tile
from tests.codegen.nvptx.passes import finished
from tests.codegen.nvptx.passes.finished import finish, names
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.emulator import EmulationError
from tileir.codegen.layouts.linear_layout import blocked
from tileir.codegen.nvptx.passes import expand_slices
from tileir.ir import Body, Value
from tileir.types import FunctionType, Token

THREADS = 64


def printed(
    text: str, array: np.ndarray, capsys: pytest.CaptureFixture[str]
) -> tuple[list[str], str]:
    """Print an array and a number, 7, by a format; return the ops that do, and the output."""
    kernel = BlockKernel("ptr<i32>", "i32", threads=THREADS)
    pointer, number = kernel.parameters
    value = kernel.load(pointer, array.shape, blocked(array.size, 1, THREADS))
    kernel.op("print_tko", [Token()], attributes={"str": text}, args=(value, number))
    body = finish(kernel)
    kernel.run(array, 7)
    return names(body), capsys.readouterr().out


def spelled(array: np.ndarray) -> str:
    return str(array.tolist())


def test_what_one_call_takes_is_printed_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    array = np.arange(8, dtype=np.int32).reshape(2, 4)
    ops, output = printed("100%% of %d and %d\n", array, capsys)
    assert ops == ["shared_alloc", "store_shared", "barrier", "print_tko"]
    assert output == f"100% of {spelled(array)} and 7\n"


def test_more_elements_are_printed_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    array = np.arange(64, dtype=np.int32).reshape(4, 16)
    ops, output = printed("100%% of %d and %d\n", array, capsys)
    assert [name for name in ops if name != "barrier"] == [
        *["print_tko", "shared_alloc", "store_shared", "print_elements"],
        *["print_tko", "print_tko", "print_tko"],
    ]
    assert output == f"100% of {spelled(array)} and 7\n"


def test_a_large_tile_is_printed_in_parts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expand_slices, "PIECE_BYTES", 64)
    array = np.arange(64, dtype=np.int32).reshape(4, 16)
    ops, output = printed("%d: %d", array, capsys)
    assert ops.count("print_elements") == 4
    assert output == f"{spelled(array)}: 7"


def test_a_token_comes_out_of_all_prints(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = BlockKernel("ptr<i32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], (64,), blocked(64, 1, THREADS))
    token = kernel.op("print_tko", [Token()], attributes={"str": "%d"}, args=(value,))
    kernel.op("print_tko", [Token()], attributes={"str": " end"}, token=token)
    finish(kernel)
    kernel.run(np.zeros(64, np.int32))
    assert capsys.readouterr().out == f"{[0] * 64} end"


@pytest.mark.parametrize("wrong", [None, 0, 63, 200])
def test_an_assertion_names_the_block(
    wrong: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = BlockKernel("ptr<i32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], (256,), blocked(256, 1, THREADS))
    zero = kernel.constant(value.type, 0)
    holds = kernel.op(
        "cmpi", [_like(value)],
        attributes={"comparison_predicate": "equal", "signedness": "signed"}, lhs=value, rhs=zero,
    )  # fmt: skip
    kernel.op("assert", condition=holds, attributes={"message": "100% zero"})
    array = np.zeros(256, np.int32)
    if wrong is None:
        kernel.run(array)
        return
    array[wrong] = 1
    with pytest.raises(EmulationError, match="100% zero"):
        kernel.run(array)
    assert "block [0, 0, 0]: 100% zero" in capsys.readouterr().out


def _like(value: Value) -> Frag:
    """The type of truth values like the elements of a tile."""
    return Frag(tile("i1").element, value.type.shape, layout=value.type.layout)


def test_the_heap_is_allocated_by_one_thread() -> None:
    """Every thread gets the same address, which is aligned, and what is there can be freed."""
    kernel = BlockKernel("ptr<i64>", threads=THREADS)
    place = kernel.allocate(Shared(tile("i64").element, (), ()))
    kernel.op("heap_alloc", destination=place, attributes={"bytes": 4096})
    kernel.op("barrier", attributes={"pairs": ()})
    address = kernel.op("load_shared", [tile("i64")], source=place)
    kernel.store(kernel.parameters[0], address)
    kernel.op("heap_free", address=address)
    kernel.op("return")
    finished.place(kernel, Body(FunctionType(kernel.types, ()), kernel.outermost).block)
    found = np.zeros(1, np.int64)
    kernel.run(found)
    assert found[0]
    assert found[0] % 16 == 0
