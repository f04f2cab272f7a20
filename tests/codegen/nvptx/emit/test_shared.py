"""Places in shared memory, and when threads have to meet for them."""

from __future__ import annotations

import re

import pytest
from llvmlite import ir

from tileir.codegen.nvptx.emit.shared import SharedMemory


def start(kept: int = 0) -> tuple[SharedMemory, ir.Function]:
    module = ir.Module("k")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), []), "k")
    return SharedMemory(ir.IRBuilder(function.append_basic_block()), kept), function


def place(address: ir.Constant) -> int:
    """The offset of an address from the start."""
    found = re.match(r"add \(i32 (\d+),", str(address.constant))
    return int(found[1]) if found else 0


def barriers(function: ir.Function) -> int:
    return str(function).count("barrier.cta")


@pytest.mark.parametrize("kept", [0, 1, 15, 16, 17, 260])
def test_places_are_aligned_to_16_bytes_whatever_is_kept_before(kept: int) -> None:
    shared, _ = start(kept)
    places = [place(shared.reserve(size)) for size in (3, 8)]
    assert all(each % 16 == 0 and each >= kept for each in places)
    assert places[1] - places[0] == 16
    assert shared.size == places[1] + 8


def test_a_barrier_right_after_another_is_the_same_barrier() -> None:
    shared, function = start()
    shared.barrier()
    shared.barrier()
    assert barriers(function) == 1


def _access(function: ir.Function, text: str) -> None:
    kind = ir.FunctionType(ir.VoidType(), [])
    ir.IRBuilder(function.blocks[-1]).asm(kind, text, "", [], True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ld.shared.b32 x;", 1),
        ("@$4 st.shared.v4.b32 x;", 1),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 x;", 1),
        ("st.shared::cta.b32 x;", 1),
        ("st.shared::cluster.b32 x;", 2),
        ("@$4 ld.shared::cluster.v4.b32 x;", 2),
        ("ld.global.b32 x;", 2),
        ("@$4 st.b32 x;", 2),
        ("cp.async.cg.shared.global x;", 2),
        ("fence.proxy.alias;", 2),
    ],
)
def test_order_in_other_memory_is_settled_where_nobody_touched_it(text: str, expected: int) -> None:
    shared, function = start()
    shared.barrier()
    _access(function, text)
    shared.ensure_barrier()
    assert barriers(function) == expected


def test_nobody_waits_at_the_end() -> None:
    shared, function = start()
    shared.barrier()
    shared.end()
    assert barriers(function) == 0
