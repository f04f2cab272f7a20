"""What has to hold between stages for GPUs, and the sentence about what breaks it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.launches import newest
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.state import KernelState, State
from tileir.codegen.nvptx.state_verifier import state_problem
from tileir.codegen.pipeline import STAGES, stage_of
from tileir.gpus import TARGETS
from tileir.ir import Op


def after(stage: str, name: str) -> KernelState:
    """The state of a fixture's kernel behind a stage."""
    module = newest(name)
    ir = KernelIR.copy_of(module.functions[0], module)
    state = State([KernelState(ir, ir.symbol)], TARGETS["sm_90"], {})
    names = STAGES["nvptx"]
    for each in names[: names.index(stage) + 1]:
        stage_of("nvptx", each)(state)
    return state.kernels[0]


def first(state: KernelState, name: str) -> Op:
    return next(op for op in state.kernel.walk() if op.name == name)


@pytest.mark.parametrize("slot", ["acc", "lhs_scale", "rhs_scale"])
def test_products_take_operands_from_the_layout_of_the_instruction(slot: str) -> None:
    state = after("to_block_ir", "mma_scaled")
    assert state_problem(state) is None
    op = first(state, "mma_scaled")
    layout = op.operands[slot].type.layout
    turned = replace(layout, lane=(*layout.lane[1:], layout.lane[0]))
    op.operands[slot].type = replace(op.operands[slot].type, layout=turned)
    problem = state_problem(state)
    assert f"{slot} is not in the layout in which mma.sync.aligned.m16n8k16" in problem
    assert problem.startswith("mma_scaled at ")


@pytest.mark.parametrize(
    ("name", "area"), [("mma_scaled", "shared_alloc"), ("scratch_memory", "alloca")]
)
def test_areas_end_within_the_memory_of_the_block(name: str, area: str) -> None:
    state = after("allocate_memory", name)
    assert state_problem(state) is None
    state.shared_bytes -= 1
    assert f"beyond the {state.shared_bytes} bytes of the block" in state_problem(state)
    assert state_problem(state).startswith(area)
