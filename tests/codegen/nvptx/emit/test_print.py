"""print and assert on a GPU: the same words as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.codegen.emulator import EmulationError
from tileir.codegen.nvptx.passes import expand_slices


def both(kernel: Kernel, arrays: list, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """What a kernel prints on the emulator and on the CPU."""
    bytecode = tileir.assemble(kernel.module())
    found = launch(bytecode, "k", 1, arrays).output
    assert capsys.readouterr().out == found
    compile(bytecode)["k"].launch(1, arrays)
    return found, capsys.readouterr().out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("spelled", ["%d", "%5u", "%-6x|", "%+.3d", "%f", "%.2e", "%hhd", "%llu"])
@pytest.mark.parametrize("dtype", ["i4", "i1", "i8", "f4", "f8", "f2"])
def test_numbers(spelled: str, dtype: str, capsys: pytest.CaptureFixture[str]) -> None:
    array = np.array([[-3, 100, 0, 7]], dtype)
    if dtype == "i8" and spelled[-1] in "fe":
        array = abs(array)  # read as a float, -3 is a NaN, whose sign not all printf write
    kernel = Kernel()
    value = kernel.load(array)
    kind = {"i4": "i32", "i1": "i8", "i8": "i64", "f4": "f32", "f8": "f64", "f2": "f16"}[dtype]
    kernel.line(f'%p = print_tko "100%% {spelled}\\0A", {value} : tile<1x4x{kind}> -> token')
    found, expected = both(kernel, [array], capsys)
    assert found == expected
    assert found.startswith("100% [[")


def test_tiles_and_single_numbers_in_one_print(capsys: pytest.CaptureFixture[str]) -> None:
    arrays = [np.arange(64, dtype="i4").reshape(8, 8), np.arange(4, dtype="f4"),
              np.arange(300, 332, dtype="i2")]  # fmt: skip
    kernel = Kernel()
    a, b, c = (kernel.load(array) for array in arrays)
    kernel.line(
        f'%p = print_tko "%d and %d, %f %i\\0A", {a}, %zero, {b}, {c} : tile<8x8xi32>, tile<i32>,'
        " tile<4xf32>, tile<32xi16> -> token"
    )
    found, expected = both(kernel, arrays, capsys)
    assert found == expected
    assert "[0, 1, 2" in found


def test_a_tile_that_is_printed_in_pieces(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expand_slices, "PIECE_BYTES", 64)
    array = np.arange(4 * 16, dtype="i8").reshape(4, 1, 16)
    kernel = Kernel()
    value = kernel.load(array)
    kernel.line(f'%p = print_tko "%u\\0A", {value} : tile<4x1x16xi64> -> token')
    found, expected = both(kernel, [array], capsys)
    assert found == expected


def test_what_one_call_can_take_is_written_at_once() -> None:
    """Blocks run in lock-step here, so that what they print would be mixed otherwise."""
    array = np.arange(32, dtype="i4").reshape(4, 8)
    kernel = Kernel()
    value = kernel.load(array)
    kernel.line(f'%p = print_tko "%d\\0A", {value} : tile<4x8xi32> -> token')
    bytecode = tileir.assemble(kernel.module())
    assert launch(bytecode, "k", 3, [array]).output == f"{array.tolist()}\n" * 3


@pytest.mark.parametrize("failing", [[2], [1, 3]])
def test_an_assertion_that_fails_ends_the_launch(failing: list[int]) -> None:
    array = np.ones(4, bool)
    array[failing] = False
    kernel = Kernel()
    value = kernel.load(array)
    kernel.line(f'assert {value}, "all % of them" : tile<4xi1>')
    bytecode = tileir.assemble(kernel.module())
    with pytest.raises(EmulationError) as caught:
        launch(bytecode, "k", 1, [array])
    assert caught.value.kind == "assert"
    assert "assertion failed: all % of them" in str(caught.value)
    lines = caught.value.output.splitlines()
    assert len(lines) == len(failing)
    assert lines[0].endswith("block [0, 0, 0]: all % of them")
    array[:] = True
    assert launch(bytecode, "k", 1, [array]).output == ""
