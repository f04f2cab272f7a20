"""`tileir run --array`: what belongs together is passed together, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main

HERE = FIXTURES / "13.4"


@pytest.fixture
def matrix(tmp_path: Path) -> np.ndarray:
    """Numbers that all differ, as x.npy, and as t.npy with the rows as columns."""
    array = np.arange(32 * 64, dtype=np.float32).reshape(32, 64)
    np.save(tmp_path / "x.npy", array)
    np.save(tmp_path / "t.npy", array.T)
    return array


def printed(*arguments: object) -> dict:
    done = call(main, "run", "--json", *arguments)
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout)


def refused(*arguments: object) -> str:
    done = call(main, "run", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    return done.stderr.removeprefix("tileir run: ").strip()


def test_arrays_bring_their_extents(matrix: np.ndarray, tmp_path: Path) -> None:
    given = ["--grid", "2,2", "--array", tmp_path / "x.npy", "--zeros", "32x64:f32"]
    ran = printed(HERE / "scaled_copy.tileirbc", *given, "--print", 5, "--time", 2)
    assert [row.get("value") for row in ran["arguments"][:5]] == [None, 32, 64, 64, 1]
    assert np.array_equal(ran["arguments"][5]["values"], 1.5 * matrix)


def test_a_transposed_array_is_refused(matrix: np.ndarray, tmp_path: Path) -> None:
    given = ["--array", tmp_path / "t.npy", "--array", "zeros:64x32:f32"]
    assert refused(HERE / "scaled_copy.tileirbc", *given) == (
        "scaled_copy: parameter 0 (ptr<f32>): array 0 has a stride of 64 along dimension 1, where"
        " the kernel assumes 1; pass x.copy() or np.ascontiguousarray(x)"
    )


def test_arrays_lie_where_kernels_assume(tmp_path: Path) -> None:
    """Arrays from files start at a multiple of 128, as this kernel wants them; so do copies."""
    given = ["--grid", "2,2", "--array", "random:8x64:i32:1", "--array", "zeros:8x64:i32"]
    ran = printed(HERE / "assumed_layout.tileirbc", *given, "--check", "undefined", "--time", 2)
    assert ran["time"]["runs"] == 2


def test_numbers_between_arrays() -> None:
    arrays = ["--array", "random:64:f32:1", "--random", "64:f32:2", "--zeros", "64:f32"]
    ran = printed(HERE / "fma_scalar.tileirbc", *arrays, "--arg", "2.5", "--print", "all")
    x, b, z = (np.array(ran["arguments"][n]["values"], np.float32) for n in (0, 3, 6))
    assert np.allclose(z, x * 2.5 + b)
    assert ran["arguments"][9]["value"] == 2.5


@pytest.mark.parametrize("word", ["-1e-3", "-5.", "-.5", "-inf", "-Infinity", "-nan", "1_0"])
def test_numbers_are_those_of_python(word: str) -> None:
    arrays = ["--array", "zeros:64:f32"] * 3
    ran = printed(HERE / "fma_scalar.tileirbc", *arrays, "--arg", word)
    np.testing.assert_equal(float(ran["arguments"][9]["value"]), float(word))


def test_an_array_is_counted_among_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "z.npy", np.zeros(64, ">f4"))
    arrays = [*["--array", "zeros:64:f32"] * 2, "--array", tmp_path / "z.npy"]
    message = refused(HERE / "fma_scalar.tileirbc", *arrays, "--arg", 1)
    assert message == "fma_scalar: array 2: expected native byte order, got >f4"


def test_the_convention_of_cutile() -> None:
    arrays = ["--array", "zeros:64:i32", "--array", "zeros:64:i32", "--convention", "cutile"]
    ran = printed(HERE / "histogram.tileirbc", *arrays, "--print", 3)
    assert ran["arguments"][3]["values"] == [64] + [0] * 63
    assert ran["arguments"][4]["value"] == 64


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("scaled_copy", ["--array", "zeros:4x4:f32"],
         "scaled_copy takes 2 arrays; one array was given (`tileir run FILE --list` shows"),
        ("histogram", ["--array", "zeros:64:i32"],
         "4 numbers, or others with --convention cutile; one array was given"),
        ("histogram", ["--array", "zeros:64:i32", "--convention", "cutile"],
         "to which these 1 arguments do not lead by cuTile's convention"),
        ("histogram", ["--array", "zeros:64:i32"] * 3 + ["--convention", "cutile"],
         "to which these 3 arguments do not lead by cuTile's convention"),
        ("scaled_copy", ["--arg", "1", "--convention", "cutile"], "--convention needs --array"),
        ("fma_scalar", ["--array", "zeros:4:f32"] * 4, "argument 9 is of f32, not an array: zeros"),
        ("fma_scalar", ["--array", "zeros:4:f32"] * 2 + ["--arg", "3", "--arg", "2"],
         "argument 6 is a ptr<f32>, which 3 is not"),
        ("fma_scalar", [*["--array", "zeros:4:f32"] * 3, "--arg", "x"], "'x' is not a number"),
        ("fma_scalar", [*["--array", "zeros:4:f32"] * 3, "--arg", "1e999"],
         "argument 9 (f32): 1e999 is out of range"),
        ("fma_scalar", [*["--array", "zeros:4:f32"] * 2, "--array", "", "--arg", "1"],
         "argument 6 is a ptr<f32>, which '' is not; give a .npy file"),
        ("fma_scalar", [*["--array", "zeros:4:f64"] * 3, "--arg", "1"], "array 0 is of float64"),
    ],
)  # fmt: skip
def test_wrong_arguments(name: str, given: list[str], message: str) -> None:
    assert message in refused(HERE / f"{name}.tileirbc", *given)


def test_the_list_shows_what_belongs_together() -> None:
    done = call(main, "run", "--list", "--json", HERE / "fma_scalar.tileirbc")
    (entry,) = json.loads(done.stdout)["entries"]
    assert entry["arrays"][1] == {
        "parameter": 3,
        "shape": [{"parameter": 4, "constant": None}],
        "strides": [{"parameter": 5, "constant": 1}],
    }
    assert entry["assumed"][3]["divisible_by"] == 16
    assert "parameters" in entry
