"""Footprints are what NumPy says of the index arithmetic of the kernels."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tileir
from tests.corpus import NEWEST
from tests.programs import call
from tileir.__main__ import main
from tileir.report.pictures.footprints import MOST_BOXES, footprints, touching


def masks(made: dict[str, Any], block: int) -> dict[tuple[int, str], np.ndarray]:
    """Which elements of each array a block accesses, and how."""
    found = {}
    for array in made["arrays"]:
        for each in array["touched"]:
            if each["block"] == block:
                mask = np.zeros(array["shape"], bool)
                table = mask.reshape(-1, mask.shape[-1])
                for top, bottom, left, right in each["boxes"]:
                    assert not table[top:bottom, left:right].any()
                    table[top:bottom, left:right] = True
                assert each["elements"] == mask.sum() + each["others"]
                found[array["array"], each["kind"]] = mask
    return found


def sized(array: np.ndarray) -> list[Any]:
    """An array of cuTile: the address, extents and strides, in elements."""
    return [array, *array.shape, *(stride // array.itemsize for stride in array.strides)]


def test_rows_and_columns_of_a_matrix_product() -> None:
    """A block has 64 rows of A, 64 columns of B, and a tile of C; at the edge there are fewer."""
    m, n, k = 150, 130, 70
    arrays = [np.zeros(shape, np.float16) for shape in ((m, k), (k, n), (m, n))]
    values = [each for array in arrays for each in sized(array)]
    made = footprints(tileir.load(NEWEST["matmul"]), "matmul", (3, 3), values, (2, 1, 0))
    assert made["problem"] is None
    assert made["blocks"] == [[2, 1, 0], [1, 1, 0], [2, 0, 0], [2, 2, 0]]
    for number, (x, y, _) in enumerate(made["blocks"]):
        expected = {(0, "read"): (m, k), (1, "read"): (k, n), (2, "written"): (m, n)}
        found = masks(made, number)
        assert found.keys() == expected.keys()
        rows, columns = np.arange(m) // 64 == x, np.arange(n) // 64 == y
        assert np.array_equal(found[0, "read"], np.broadcast_to(rows[:, None], (m, k)))
        assert np.array_equal(found[1, "read"], np.broadcast_to(columns, (k, n)))
        assert np.array_equal(found[2, "written"], rows[:, None] & columns)


def test_rows_that_an_array_of_indices_chooses() -> None:
    """Of 13 columns, 5 are left from the eighth on; an array that is written stays as it was."""
    x, z = np.ones((10, 13), np.float32), np.full((8, 8), 7, np.float32)
    rows = np.array([9, 2, 3, 3, 0, 10, 7, -1], np.int32)
    values = [*sized(x), *sized(rows), *sized(z)]
    made = footprints(tileir.load(NEWEST["gather_rows"]), "gather_rows", (1,), values, (0, 0, 0))
    found = masks(made, 0)
    chosen = np.isin(np.arange(10), rows)
    assert np.array_equal(found[0, "read"], chosen[:, None] & (np.arange(13) >= 8))
    assert found[1, "read"].all()
    assert found[2, "written"].all()
    assert np.array_equal(z, np.full((8, 8), 7, np.float32))


def test_what_is_scattered_is_counted_where_it_is_not_drawn() -> None:
    """Rectangles are limited; all elements are counted."""
    columns = 3 * MOST_BOXES
    mask = np.zeros((2, columns), bool)
    mask[0, ::2] = mask[1, 1::2] = True
    row = touching(0, "read", mask)
    assert len(row["boxes"]) == MOST_BOXES
    assert row["elements"] == mask.sum()
    drawn = sum((bottom - top) * (right - left) for top, bottom, left, right in row["boxes"])
    assert row["others"] == mask.sum() - drawn > 0


def test_the_command_takes_a_launch_as_run_does() -> None:
    given = ["--target", "sm_80", "--grid", "3", "--block", "1"]
    arrays = ["--array", "zeros:2500:f32"] * 3
    done = call(main, "report", "--json", NEWEST["vector_add"], *given, *arrays)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["files"][0]["kernels"]
    made = record["footprints"]
    assert made["blocks"] == [[1, 0, 0], [0, 0, 0], [2, 0, 0]]
    boxes = [[each["boxes"] for each in array["touched"]] for array in made["arrays"]]
    assert boxes == [[[[0, 1, 1024, 2048]], [[0, 1, 0, 1024]], [[0, 1, 2048, 2500]]]] * 3
    assert [array["touched"][0]["kind"] for array in made["arrays"]] == ["read", "read", "written"]


@pytest.mark.parametrize(("extent", "tiles"), [(1000, "one tile"), (0, "no tiles")])
def test_a_block_that_goes_wrong_has_no_footprint(extent: int, tiles: str) -> None:
    values = [each for _ in range(3) for each in sized(np.zeros(extent, np.float32))]
    made = footprints(tileir.load(NEWEST["vector_add"]), "vector_add", (2,), values, (1, 0, 0))
    assert f"is outside the view, which has {tiles} there" in made["problem"]
    touched = {each["block"] for array in made["arrays"] for each in array["touched"]}
    assert touched == ({1} if extent else set())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--arg", "3"], "--grid has to be given"),
        (["--block", "1"], "--block needs --grid"),
        (["--grid", "2"], "--grid needs --target"),
        (["--grid", "0", "--target", "sm_80"], "--grid takes one to three numbers from 1"),
        (["--grid", "2", "--block", "2", "--target", "sm_80"], "not in a grid of 2x1x1 blocks"),
        (["--grid", "2", "--block", "x", "--target", "sm_80"], "--block takes one to three"),
        (["--grid", "2", "--target", "sm_80"], "takes 9 arguments, not 0"),
        (["--grid", "2", "--target", "sm_80", "--entry", "no"], "no"),
    ],
)
def test_what_does_not_fit_is_refused(given: list[str], said: str) -> None:
    done = call(main, "report", "--json", NEWEST["vector_add"], *given)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
