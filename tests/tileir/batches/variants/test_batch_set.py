"""`tileir batch compile --set` makes the variants that `tileir.variants` makes, in its order."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.programs import call
from tests.tileir.batches.inline import Inline
from tests.tileir.batches.test_manifest import INLINE
from tileir.__main__ import main
from tileir.batches.variants.figures import order
from tileir.batches.verbs import find
from tileir.batches.verbs.compile import settings

FILE = FIXTURES / "13.4" / "vector_add.tileirbc"
GIVEN = ("batch", "compile", "--target", "sm_80", *INLINE)


@pytest.mark.oracle
def test_it_makes_the_same_variants_and_goes_on(tool, tmp_path: Path) -> None:
    """PTX of each in a file of its own, in the manifest a line; done once, it is not done again."""
    for name in ("ptxas", "nvdisasm"):
        tool(name, "--version")
    given = (*GIVEN, "-m", tmp_path / "m.jsonl", "-o", tmp_path / "out", FILE, "--json")
    done = call(main, *given, "--set", "num_warps=2,1")
    (row,) = json.loads(done.stdout)["variants"]
    (found,) = tileir.variants(FILE.read_bytes(), "sm_80", [{"num_warps": 1}], executor=Inline())
    told = {each["configuration"]["num_warps"]: each["figures"] for each in row["found"]}
    assert set(told) == {1, 2}
    assert told[1] == found.figures
    orders = [order(each["figures"]) for each in row["found"]]
    assert orders == sorted(orders)
    assert (row["target"], row["dropped"], done.returncode) == ("sm_80", [], 0)
    (folder,) = {path.parent for path in (tmp_path / "out").rglob("*.ptx")}
    for warps in told:
        path = folder / f"{FILE.name}.sm_80.num_warps={warps}.ptx"
        assert f".reqntid {32 * warps}, 1, 1" in path.read_text()
    records = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert sorted(each["options"]["num_warps"] for each in records) == [1, 2]
    assert len({each["key"] for each in records}) == 2
    again = json.loads(call(main, *given, "--set", "num-warps=1,2").stdout)
    assert (again["done"], again["skipped"]) == (0, 2)


def test_what_is_dropped_has_its_reason_and_fails_if_nothing_is_left(tmp_path: Path) -> None:
    """There are no clusters on sm_80."""
    done = call(main, *GIVEN, FILE, "--set", "cluster_dim=2x1x1,4x1x1", "--json")
    (row,) = json.loads(done.stdout)["variants"]
    assert (row["found"], done.returncode) == ([], 1)
    assert [each["configuration"] for each in row["dropped"]] == [
        {"cluster_dim": [2, 1, 1]},
        {"cluster_dim": [4, 1, 1]},
    ]
    assert all("--set cluster_dim" in each["reason"] for each in row["dropped"])
    shown = call(main, *GIVEN, FILE, "--set", "cluster_dim=2x1x1").stdout.splitlines()
    assert shown[1].startswith("dropped: cluster_dim=2,1,1: ")


def test_a_value_that_is_given_twice_is_one() -> None:
    parser = argparse.ArgumentParser()
    find("compile").configure(parser)
    arguments = parser.parse_args(["--set", "num_warps=4,8,4", "--set", "cluster_dim=1x1x1,1x1x1"])
    found = [each["num_warps"] for each in settings(arguments)]
    assert found == [4, 8]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--set", "num_warps"], "--set num_warps: write NAME=VALUE,VALUE, such as num_warps=4,8"),
        (["--set", "num_warp=4"], "no option 'num_warp', did you mean num_warps?"),
        (["--set", "num-warps=4-8"], "num_warps: '4-8' is not a power of two from 1 to 32"),
        (["--set", "num_warps=3"], "num_warps: '3' is not a power of two from 1 to 32"),
        (["--set", "num_warps=4", "--set", "num_warps=8"], "--set num_warps is given twice"),
        (["--set", "num_warps=4", "--num-warps", "8"], "--num-warps and --set num_warps are both"),
        (["--set", "blocksareclusters=4"], "blocksareclusters is true or none, not '4'"),
    ],
)
def test_wrong_use(given: list[str], said: str) -> None:
    done = call(main, *GIVEN, FILE, *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_without_a_gpu_the_option_is_named_as_it_was_given() -> None:
    done = call(main, "batch", "compile", *INLINE, "--set", "num_warps=4", FILE)
    assert done.returncode == 1
    assert "no GPU is named, which --set num_warps needs" in done.stderr
