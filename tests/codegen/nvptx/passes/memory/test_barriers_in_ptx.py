"""Barriers of whole kernels: none twice, none at the end, none that one thread would need alone."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.codegen.build import TOKEN, Kernel
from tests.codegen.nvptx.compiled import compiled
from tests.codegen.nvptx.decided import decided
from tests.lab.bench import generated
from tileir import assemble
from tileir.codegen import compile
from tileir.codegen.kernel import KernelIR
from tileir.gpus import TARGETS


def ptx_of(name: str) -> list[str]:
    """The lines of a fixture with barriers, accesses of memory, and ends."""
    steps = re.compile(r"\tbar\.|\b(ld|st|atom|red)\.(?!param)|\tret")
    return [line for line in compiled(name, "sm_90").ptx.splitlines() if steps.search(line)]


@pytest.mark.parametrize("name", ["atomic_modes", "atomic_swap", "histogram", "ordered_flags"])
def test_nobody_waits_twice_or_at_the_end(name: str) -> None:
    lines = ptx_of(name)
    after = {line.split()[0] for before, line in pairwise(lines) if "bar." in before}
    assert after
    assert not after & {"bar.sync", "ret;"}


def test_a_scalar_is_stored_by_the_same_thread_in_every_iteration() -> None:
    lines = ptx_of("loop_steps")
    assert any("st.global" in line for line in lines)
    assert not any("bar." in line for line in lines)


def test_a_fence_for_aliases_needs_one_barrier() -> None:
    assert sum("bar." in line for line in ptx_of("alias_fence")) == 1


def test_a_barrier_in_shared_memory_orders_other_memory_too() -> None:
    """A tile is loaded, transposed through shared memory, and stored to what may be the same."""
    kernel = Kernel("k", "ptr<f32>")
    view = kernel.view(kernel.parameters[0], [256, 64], [64, 64])
    weak, (zero,) = {"memory_ordering_semantics": "weak"}, kernel.zeros(1)
    here, there, _ = kernel.op("get_tile_block_id", results=["i32"] * 3)
    tile, token = kernel.op(
        "load_view_tko", view, (here, zero), results=["64x64xf32", TOKEN], **weak
    )
    turned = kernel.op("permute", tile, results=["64x64xf32"], permutation=(1, 0))
    kernel.op("store_view_tko", turned, view, (there, zero), token, results=[TOKEN], **weak)
    state = decided(KernelIR.of(kernel.module().functions[0]), "sm_90", "place_barriers")
    (barrier,) = [op for op in state.kernel.walk() if op.name == "barrier"]
    assert barrier.attributes["pairs"] == (
        "1: store_shared before load_shared",
        "load_view_tko before store_view_tko",
    )


def test_no_block_less_is_resident_where_threads_have_few_registers() -> None:
    """ptxas gives 56 registers to a thread of this product: nine blocks of 128 threads."""
    module = assemble(generated.product("f16", 16, 32, 64))
    plan = compile(module, target="sm_90").plan["product"]
    assert plan["block"][0] == 128
    assert plan["dynamic_shared_memory"] <= TARGETS["sm_90"].shared_of_each(9)
