"""What `tileir run` says of a run that went well: how many blocks, and how to see the arrays."""

from __future__ import annotations

import pytest

from .test_run import VECTOR_ADD, ZEROS, tileir


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "one block ran, as no --grid asks for more; --print all shows the arrays, --save "),
        (["--print", 0], "one block ran, as no --grid asks for more\n"),
        (["--grid", 0], "no blocks ran, as --grid 0 has none\n"),
        (["--grid", "2,0", "--print", 0], "no blocks ran, as --grid 2,0 has none\n"),
        (
            ["--grid", "1,2,2"],
            "4 blocks ran; --print all shows the arrays, --save N=FILE writes that",
        ),
        (["--grid", "1,2", "--print", 0], ""),
        (["--time", 1, "--grid", 1], ""),
        (["--json"], ""),
    ],
)
def test_a_user_is_told_what_ran_and_how_to_see_it(given: list, said: str) -> None:
    done = tileir("run", VECTOR_ADD, *ZEROS, *ZEROS, *ZEROS, *given)
    assert done.returncode == 0
    assert done.stderr.startswith(said and f"tileir run: vector_add: {said}")
    assert bool(done.stderr) == bool(said)


def test_one_block_of_a_kernel_that_asks_for_no_index_is_all() -> None:
    done = tileir("run", "-", data=b"entry @k() { return }")
    assert (done.returncode, done.stderr) == (0, "tileir run: k: one block ran\n")
