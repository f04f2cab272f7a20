"""Tiles that several loops read where they were loaded: what is written meanwhile, and edges."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tileir.codegen import compile

ROWS, WIDTH = 4, 64
SUM = """
    %r = reduce {tile} dim={dim} identities=[0 : i32] : tile<{shape}xi32> -> tile<{kept}i32>
        (%e: tile<i32>, %a: tile<i32>) {{
        %s = addi %e, %a : tile<i32>
        yield %s : tile<i32>
    }}"""


@pytest.mark.parametrize("apart", [0, 1, 16, 63, WIDTH, 2 * WIDTH + 5, ROWS * WIDTH, 9 * WIDTH])
def test_views_of_memory_that_is_written(apart: int) -> None:
    """The sums of rows are added to the elements, from and to parts of one memory."""
    memory = np.random.default_rng(1).integers(-99, 99, 16 * WIDTH).astype(np.int32)
    given = memory[WIDTH:][: ROWS * WIDTH].reshape(ROWS, WIDTH)
    result = memory[WIDTH + apart :][: ROWS * WIDTH].reshape(ROWS, WIDTH)
    expected = given + given.sum(1, keepdims=True)
    kernel = Kernel()
    tile, shape = kernel.load(given), f"{ROWS}x{WIDTH}"
    kernel.line(SUM.format(tile=tile, dim=1, shape=shape, kept=f"{ROWS}x"))
    kernel.line(f"%c = reshape %r : tile<{ROWS}xi32> -> tile<{ROWS}x1xi32>")
    kernel.line(f"%b = broadcast %c : tile<{ROWS}x1xi32> -> tile<{shape}xi32>")
    kernel.line(f"%w = addi {tile}, %b : tile<{shape}xi32>")
    kernel.store("%w", result)
    kernel.run()
    np.testing.assert_array_equal(result, expected)


POINTERS = f"""entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %n: tile<i32>) {{
    %i = iota : tile<{WIDTH}xi32>
    %one = reshape %n : tile<i32> -> tile<1xi32>
    %bound = broadcast %one : tile<1xi32> -> tile<{WIDTH}xi32>
    %in = cmpi less_than %i, %bound, unsigned : tile<{WIDTH}xi32> -> tile<{WIDTH}xi1>
    %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
    %x2 = broadcast %x1 : tile<1xptr<i32>> -> tile<{WIDTH}xptr<i32>>
    %x3 = offset %x2, %i : tile<{WIDTH}xptr<i32>>, tile<{WIDTH}xi32> -> tile<{WIDTH}xptr<i32>>
    %pad = constant <i32: 7> : tile<{WIDTH}xi32>
    %t, %k = load_ptr_tko weak %x3, %in, %pad : tile<{WIDTH}xptr<i32>>, tile<{WIDTH}xi1>, tile<{WIDTH}xi32> -> tile<{WIDTH}xi32>, token
    {SUM.format(tile="%t", dim=0, shape=WIDTH, kept="")}
    %c = reshape %r : tile<i32> -> tile<1xi32>
    %b = broadcast %c : tile<1xi32> -> tile<{WIDTH}xi32>
    %w = addi %t, %b : tile<{WIDTH}xi32>
    %y1 = reshape %y : tile<ptr<i32>> -> tile<1xptr<i32>>
    %y2 = broadcast %y1 : tile<1xptr<i32>> -> tile<{WIDTH}xptr<i32>>
    %y3 = offset %y2, WHERE : tile<{WIDTH}xptr<i32>>, tile<{WIDTH}xi32> -> tile<{WIDTH}xptr<i32>>
    %o = store_ptr_tko weak %y3, %w, %in : tile<{WIDTH}xptr<i32>>, tile<{WIDTH}xi32>, tile<{WIDTH}xi1> -> token
    return
}}"""  # noqa: E501
BACKWARDS = f"""%last = constant <i32: {WIDTH - 1}> : tile<{WIDTH}xi32>
    %j = subi %last, %i : tile<{WIDTH}xi32>
    %y1 ="""


@pytest.fixture(scope="module", params=["a row", "backwards"])
def scattered(request: pytest.FixtureRequest):
    """The kernel, and whether it stores elements in a row."""
    row = request.param == "a row"
    text = POINTERS.replace("WHERE", "%i" if row else "%j")
    text = text if row else text.replace("%y1 =", BACKWARDS)
    return compile(tileir.assemble(text))["k"], row


@pytest.mark.parametrize("count", [WIDTH, WIDTH - 1, 20])
@pytest.mark.parametrize("apart", [0, 1, 40, WIDTH, 3 * WIDTH])
def test_rows_of_memory_that_is_written(scattered, apart: int, count: int) -> None:
    kernel, row = scattered
    memory = np.random.default_rng(2).integers(-99, 99, 8 * WIDTH).astype(np.int32)
    tile = np.where(np.arange(WIDTH) < count, memory[:WIDTH], 7)
    expected, places = memory.copy(), np.arange(WIDTH)[:count]
    places = places if row else WIDTH - 1 - places
    expected[apart + places] = (tile + tile.sum())[:count]
    kernel.launch(1, [memory, memory[apart:], count])
    np.testing.assert_array_equal(memory, expected)


def test_what_orders_memory_comes_between() -> None:
    """A tile is as it was loaded, whatever is stored before it is read."""
    first, second = np.arange(WIDTH, dtype=np.int32), np.zeros(WIDTH, np.int32)
    kernel = Kernel()
    tile = kernel.load(first)
    kernel.line(f"%twice = addi {tile}, {tile} : tile<{WIDTH}xi32>")
    kernel.store("%twice", first)
    kernel.store(tile, second)
    kernel.run()
    np.testing.assert_array_equal(first, 2 * np.arange(WIDTH))
    np.testing.assert_array_equal(second, np.arange(WIDTH))
