"""Traces: every chosen value is shown where it is computed, and nothing else changes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.corpus import NEWEST
from tests.launches import Launch, newest
from tileir.codegen import compile
from tileir.errors import UnsupportedError


def traced(kernel: Kernel, *names: str, grid: int = 1, threads: int = 1) -> list[tuple]:
    """What the callback of a launch is given."""
    seen = []
    arrays = kernel.arrays
    compiled = compile(tileir.assemble(kernel.module()), trace=names)
    compiled["k"].launch(
        grid, arrays, threads=threads, on_trace=lambda *given: seen.append(given)
    )  # fmt: skip
    return seen


def test_a_tile_that_is_never_stored() -> None:
    array = np.arange(8, dtype=np.float32).reshape(2, 4)
    result = np.zeros_like(array)
    kernel = Kernel()
    name = kernel.load(array)
    kind = kernel.type((2, 4), "f32")
    kernel.line(f"%double = addf {name}, {name} : {kind}")
    kernel.line(f"%square = mulf %double, %double : {kind}")
    kernel.store("%square", result)
    text = tileir.disassemble(tileir.assemble(kernel.module()))
    assert "%0 = addf" in text
    ((found, tile, block),) = traced(kernel, "%0")
    assert (found, block) == ("%0", (0, 0, 0))
    np.testing.assert_array_equal(tile, array + array)
    assert tile.dtype == np.float32
    np.testing.assert_array_equal(result, (2 * array) ** 2)


def test_it_is_printed_unless_somebody_listens(capsys: pytest.CaptureFixture) -> None:
    kernel = Kernel()
    kernel.line("%i = iota : tile<4xi32>")
    kernel.line("%b = constant <i1: true> : tile<i1>")
    kernel.line('%t = print_tko "%d\\0A", %i : tile<4xi32> -> token')
    kernel.line('%u = print_tko "%d\\0A", %b : tile<i1> -> token')
    kernel.run(trace=["0", "true"])
    assert capsys.readouterr().out == (
        "block (0, 0, 0): %0 = [0, 1, 2, 3]\nblock (0, 0, 0): %true = True\n[0, 1, 2, 3]\n1\n"
    )


def test_what_a_loop_carries_and_counts() -> None:
    result = np.zeros(4, np.int32)
    kernel = Kernel()
    kernel.line("%n = constant <i32: 3> : tile<i32>")
    kernel.line("%one = constant <i32: 1> : tile<i32>")
    kernel.line("%start = iota : tile<4xi32>")
    kernel.line("%r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%c = %start) -> "
                "(tile<4xi32>) {")  # fmt: skip
    kernel.line("%d = addi %c, %c : tile<4xi32>")
    kernel.line("continue %d : tile<4xi32>")
    kernel.line("}")
    kernel.store("%r", result)
    seen = traced(kernel, "loopIdx", "iterArg0", "for")
    assert [name for name, _, _ in seen] == ["%loopIdx", "%iterArg0"] * 3 + ["%for"]
    assert [int(tile) for name, tile, _ in seen if name == "%loopIdx"] == [0, 1, 2]
    for step, (_, tile, _) in enumerate(seen[1:6:2]):
        np.testing.assert_array_equal(tile, np.arange(4) << step)
    np.testing.assert_array_equal(seen[-1][1], np.arange(4) << 3)
    np.testing.assert_array_equal(result, np.arange(4) << 3)


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.int64, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
)
def test_every_type_keeps_its_bits(dtype: type) -> None:
    array = np.array([0, 1, 1, 0]).astype(dtype)
    kernel = Kernel()
    kernel.store(kernel.load(array), np.zeros_like(array))
    ((_, tile, _),) = traced(kernel, "tile")
    assert tile.dtype == array.dtype
    np.testing.assert_array_equal(tile.view(np.uint8), array.view(np.uint8))


def test_each_block_says_which_it_is() -> None:
    kernel = Kernel()
    kernel.line("%x, %y, %z = get_tile_block_id : tile<i32>")
    kernel.line("%e = cmpi equal %x, %x, signed : tile<i32> -> tile<i1>")
    kernel.line('assert %e, "" : tile<i1>')
    seen = traced(kernel, "blockId_x", grid=5, threads=2)
    assert sorted((int(tile), block) for _, tile, block in seen) == [
        (x, (x, 0, 0)) for x in range(5)
    ]


def test_the_bytecode_is_left_alone() -> None:
    data = NEWEST["softmax"].read_bytes()
    bytecode = tileir.Bytecode.parse(data)
    before = tileir.disassemble(bytecode)
    plain = compile(bytecode).llvm_ir
    names = ["%reduce", "%bcast", "%arg1"]
    compile(bytecode, trace=names)
    assert tileir.disassemble(bytecode) == before
    assert bytecode.build() == data
    assert compile(bytecode, cache=False).llvm_ir == plain


def test_a_softmax_step_by_step() -> None:
    about = Launch("softmax")
    seen: dict[tuple, dict[str, np.ndarray]] = {}
    compile(newest("softmax"), trace=["tile", "reduce", "%2", "reduce_10"])["softmax"].launch(
        about.grid, about.arguments(about.arrays()),
        on_trace=lambda name, tile, block: seen.setdefault(block, {}).update({name: tile}),
    )  # fmt: skip
    assert len(seen) == np.prod(about.grid)
    for values in seen.values():
        most = values["%tile"].max(1)
        np.testing.assert_array_equal(values["%reduce"], most)
        np.testing.assert_allclose(values["%2"], np.exp(values["%tile"] - most[:, None]), 1e-6)
        np.testing.assert_allclose(values["%reduce_10"], values["%2"].sum(1), 1e-6)


def test_a_sum_that_is_traced_is_formed_in_the_same_order() -> None:
    array = np.random.default_rng(4).standard_normal(4096).astype(np.float32)
    sums = []
    for names in ((), ("1",)):
        kernel = Kernel()
        name = kernel.load(array)
        kernel.line(
            f"%sum = reduce {name} dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32>"
            "(%a: tile<f32>, %b: tile<f32>) {\n%next = addf %a, %b : tile<f32>\n"
            "yield %next : tile<f32>\n}\n%one = reshape %sum : tile<f32> -> tile<1xf32>"
        )
        sums.append(np.zeros(1, np.float32))
        kernel.store("%one", sums[-1])
        assert len(traced(kernel, *names)) == (4095 if names else 0)
    assert sums[0] == sums[1]


def test_an_exception_from_the_callback_ends_the_launch() -> None:
    kernel = Kernel()
    array = np.zeros(4, np.int32)
    kernel.store(kernel.load(array), array)
    compiled = compile(tileir.assemble(kernel.module()), trace=["tile"])

    def stop(name: str, tile: np.ndarray, block: tuple) -> None:
        raise ZeroDivisionError(name)

    with pytest.raises(ZeroDivisionError, match="%tile"):
        compiled["k"].launch(1, [array, array], on_trace=stop)


def test_a_name_that_nobody_has() -> None:
    module = tileir.assemble("entry @k() { return }")
    with pytest.raises(KeyError, match="no tile is called %nobody"):
        compile(module, trace=["nobody"])
    printing = tileir.assemble('entry @k() { %0 = print_tko "" -> token return }')
    with pytest.raises(KeyError, match="%0 is a token, not a tile"):
        compile(printing, trace=["%0"])
    with pytest.raises(UnsupportedError, match="traces are for target host"):
        compile(module, "sm_90", trace=["x"])
