"""The rule about exact functions: what takes most of a kernel's time, and nothing else."""

from __future__ import annotations

import pytest

from .test_computing import ONE, T, advice

FIXES = {
    "exp": "use exp2 with flush_to_zero",
    "tanh": "let tanh be approximate",
    "exp2": "let exp2 take subnormal numbers for zero",
    "rsqrt": "let rsqrt take subnormal numbers for zero",
}


def _applied(op: str, times: int, mode: str = "") -> str:
    made = [f"%b{n + 1} = {op} %b{n}{mode} : {T}" for n in range(times)]
    return "\n".join([ONE.replace("%t", "%b0"), *made, f"%r = addf %b{times}, %b0 : {T}\n"])


@pytest.mark.parametrize(("op", "fix"), FIXES.items())
def test_an_exact_function_is_found_where_the_kernel_computes(op: str, fix: str) -> None:
    found = [each for each in advice(_applied(op, 24)) if each.rule == "exact-function"]
    assert found
    assert all(each.fix.startswith(fix) and each.after < each.before for each in found)


@pytest.mark.parametrize(
    ("op", "times", "mode"),
    [
        ("exp", 1, ""),
        ("exp2", 1, ""),
        ("exp2", 24, " flush_to_zero"),
        ("rsqrt", 24, " flush_to_zero"),
        ("tanh", 24, " rounding<approx>"),
    ],
)
def test_a_kernel_that_waits_for_memory_or_is_quick_is_left_alone(
    op: str, times: int, mode: str
) -> None:
    assert "exact-function" not in {each.rule for each in advice(_applied(op, times, mode))}
