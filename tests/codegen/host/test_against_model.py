"""Every op on the CPU against the model, on random types, attributes and values."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.model.kernels.comparing import differences
from tests.model.kernels.program import program
from tests.model.kernels.single import RECIPES, single, uncovered
from tileir.errors import UnsupportedError

EXAMPLES = 3
"""Kernels of each op; `python -m tests.model.kernels --op NAME` tries more."""

PROGRAMS = 20
"""Programs of many ops; `python -m tests.model.kernels` tries more."""

NOT_YET: set[str] = {
    "addf", "alloca", "assert", "atan2", "atomic_cas_tko", "atomic_red_view_tko",
    "atomic_rmw_tko", "break", "cat", "ceil", "continue", "cos", "cosh", "divf", "exp", "exp2",
    "extract", "floor", "fma", "for", "fpowf", "fpowi", "ftof", "ftoi",
    "gdc_launch_dependents_tko", "gdc_wait_tko", "get_global", "get_index_space_shape",
    "get_tensor_shape", "if", "insert", "join_tokens", "load_ptr_tko", "load_view_tko", "log",
    "log2", "loop", "make_gather_scatter_view", "make_partition_view", "make_strided_view",
    "make_tensor_view", "make_token", "memory_fence_alias_tko", "mmaf", "mmaf_scaled", "mmai",
    "mulf", "pack", "print_tko", "reduce", "remf", "return", "rsqrt", "scan", "sin", "sinh",
    "sqrt", "store_ptr_tko", "store_view_tko", "subf", "tan", "tanh", "unpack", "yield",
}  # fmt: skip
"""Ops of which some kernels are refused."""


def test_no_op_is_forgotten() -> None:
    assert not uncovered()
    assert set(RECIPES) >= NOT_YET


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_op_does_what_the_model_does(name: str) -> None:
    refused = []

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip
    @given(st.integers(0, 2**32 - 1))
    def compare(seed: int) -> None:
        try:
            assert not differences(single(name, seed)), f"--op {name} --seed {seed}"
        except UnsupportedError as problem:
            refused.append(problem)

    compare()
    if name in NOT_YET:
        assert refused, f"all kernels of {name} work: it is done"
    elif refused:
        raise refused[0]


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs_do_what_the_model_does(seed: int) -> None:
    try:
        assert not differences(program(seed))
    except UnsupportedError:
        assert NOT_YET, "every op is lowered, so every program is"
        pytest.skip("an op of it is not lowered yet")
