"""`tileir run --count`: what is counted on the CPU and on the emulator, as text and as JSON."""

from __future__ import annotations

import json
import re

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main

RUN = ["run", FIXTURES / "13.4" / "vector_add.tileirbc", "--grid", 2]
RUN += ["--zeros", "1500:f32", "--arg", 1500, "--arg", 1] * 3


def words_of_the_help() -> set[str]:
    return set(re.findall(r"\w+", call(main, "run", "--help").stdout))


def test_on_the_cpu() -> None:
    done = call(main, *RUN, "--count")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "vector_add, 2x1x1 blocks: bytes"
    assert lines[2].split() == ["0", "ptr<f32>", "6,000", "6,000", "0", "0", "0", "0"]
    assert "2,048 FLOPs of f32" in lines
    counts = json.loads(call(main, *RUN, "--count", "--json").stdout)["counts"]
    assert (counts["bytes_read"], counts["total_flops"]) == (12000, 2048)
    assert counts["bytes_per_block"]["block_of_least"] == [1, 0, 0]
    assert {*counts, *counts["arrays"][0]} <= words_of_the_help()
    assert "counts" not in json.loads(call(main, *RUN, "--json").stdout)


def test_on_the_emulator() -> None:
    """Each array is 6,000 bytes, which are 188 sectors, the last of them half full."""
    done = call(main, *RUN, "--emulate", "sm_90", "--count")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "vector_add, 2x1x1 blocks: instructions"
    assert "global memory: 564 sectors of 32 bytes, 564 at least: 0 uncoalesced" in lines
    counts = json.loads(call(main, *RUN, "--emulate", "sm_90", "--count", "--json").stdout)[
        "counts"
    ]
    assert {*counts} <= words_of_the_help()
    assert counts["excess_sectors"] == counts["bank_conflicts"] == 0
    assert sum(row["transactions"] for row in counts["accesses"]) == 564
    assert all("elementwise.py:16" in row["source"] for row in counts["accesses"])


@pytest.mark.parametrize("options", [["--time", 2], ["--target", "sm_90"]])
def test_where_nothing_is_counted(options: list[object]) -> None:
    done = call(main, *RUN, "--count", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--count is for --target host or --emulate, without --time" in done.stderr


def test_a_module_without_lines_of_source() -> None:
    """Nothing is said of the missing lines; those of the table have none."""
    zeros = ["--zeros", "64:i32"]
    file = FIXTURES / "13.4" / "no_debug.tileirbc"
    done = call(main, "run", file, *zeros, *zeros, "--emulate", "sm_90", "--count")
    assert (done.returncode, done.stderr) == (0, "")
    assert ".py" not in done.stdout
