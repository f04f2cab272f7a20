"""The texts of the stages of block IR: each reads back as the same kernels, and these verify."""

from __future__ import annotations

from typing import Any

import pytest

from tests.codegen.test_stages import module
from tests.corpus import NEWEST
from tileir import Bytecode, UnsupportedError
from tileir.codegen.block.text.printing import printed
from tileir.codegen.block.text.reading import parsed
from tileir.codegen.fresh import compile_fresh
from tileir.codegen.kernel_diagnostics import kernel_diagnostics
from tileir.codegen.nvptx.stage_printer import BLOCK_STAGES, Printer

OPTIONS = {
    "symbols": None, "checks": [], "trace": [], "launch": {}, "lineinfo": False, "portable": False,
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [*NEWEST, "attention", "matmul_f16", "most"])
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90"])
def test_every_text_reads_back(name: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of values are of a stage's own; otherwise the text is that of the kernels."""
    monkeypatch.delenv("TILEIR_VERIFY", raising=False)  # the same verifier is asked here
    bytecode = module(name)
    variables = {each.name: each for each in bytecode.globals}
    printer, seen = Printer(), {}

    def after(stage: str, state: Any) -> None:
        text = printer.print(stage, state).text
        if stage not in BLOCK_STAGES:
            return
        kernels = [each.kernel for each in printer.kernels(state)]
        plain = printed(kernels)
        assert printed(back := parsed(text)) == plain
        if plain not in seen.values():
            assert printed(parsed(plain)) == plain
            assert [kernel_diagnostics(kernel, variables) for kernel in back] == [[]] * len(back)
        seen[stage] = plain

    try:
        compile_fresh(bytecode, target, **OPTIONS, after_stage=after, until=BLOCK_STAGES[-1])
    except UnsupportedError:
        assert not seen
        return
    assert (*seen,) == BLOCK_STAGES


@pytest.mark.parametrize("name", [
    "matmul", "layer_norm", "softmax", "running_sum", "print_values", "transpose",
])  # fmt: skip
def test_every_op_is_where_its_origin_is_in_source(name: str) -> None:
    """Most files have no locations of terminators."""
    bytecode = Bytecode.parse(NEWEST[name].read_bytes())
    ops = [op for function in bytecode.functions for op in function.body.walk()]
    nowhere = {op.name for op in ops if op.location is None}
    ends: list[Any] = []

    def after(stage: str, state: Any) -> None:
        ends[:] = [op for each in state.kernels for op in each.kernel.walk()]

    compile_fresh(bytecode, "sm_80", **OPTIONS, after_stage=after, until=BLOCK_STAGES[-1])
    assert {op.name for op in ops} - nowhere
    assert {op.name for op in ends if op.location is None} <= nowhere
    assert {op.location for op in ends} <= {op.location for op in ops}
