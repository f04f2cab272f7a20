"""Tensor copies: one thread has a box of a tensor copied, and an mbarrier counts the bytes.

An mbarrier is 8 bytes of shared memory. Its phase ends when as many threads have arrived as it was
initialised for, and all bytes that they expect have arrived; then the next phase begins. A thread
waits for the end of a phase by its parity. See "Asynchronous copy" and "mbarrier" in the PTX ISA.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

_VOID = ir.VoidType()
_I32 = ir.IntType(32)


def initialise(builder: ir.IRBuilder, address: ir.Value, count: int) -> None:
    """Initialise an mbarrier for so many arrivals, and have tensor copies see it."""
    _run(builder, f"mbarrier.init.shared::cta.b64 [$0], {count};", [address])


def invalidate(builder: ir.IRBuilder, address: ir.Value) -> None:
    """End the use of an mbarrier."""
    _run(builder, "mbarrier.inval.shared::cta.b64 [$0];", [address])


def expect(builder: ir.IRBuilder, barrier: ir.Value, size: int) -> None:
    """Arrive at an mbarrier, and expect so many bytes in its phase."""
    _run(builder, f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {size};", [barrier])


def arrive_if(builder: ir.IRBuilder, barrier: ir.Value, condition: ir.Value) -> None:
    """Arrive at an mbarrier in threads for which a condition (i1) holds."""
    text = (
        "{ .reg .pred arrives; setp.ne.b32 arrives, $1, 0;"
        " @arrives mbarrier.arrive.shared::cta.b64 _, [$0]; }"
    )
    _run(builder, text, [barrier, builder.zext(condition, _I32)])


def copy(
    builder: ir.IRBuilder,
    destination: ir.Value,
    tensor_map: ir.Value,
    coordinates: Sequence[ir.Value],
    barrier: ir.Value,
) -> None:
    """Start to copy a box; its first element is at the coordinates (i32), innermost first."""
    rank = len(coordinates)
    numbers = ", ".join(f"${index}" for index in range(3, 3 + rank))
    text = (
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        f" [$0], [$1, {{{numbers}}}], [$2];"
    )
    _run(builder, text, [destination, tensor_map, barrier, *coordinates])


def store(
    builder: ir.IRBuilder, source: ir.Value, tensor_map: ir.Value, coordinates: Sequence[ir.Value]
) -> None:
    """Start to store a box, in a group of this thread; coordinates are as for `copy`."""
    rank = len(coordinates)
    numbers = ", ".join(f"${index}" for index in range(2, 2 + rank))
    text = (
        f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group"
        f" [$1, {{{numbers}}}], [$0];"
    )
    _run(builder, text, [source, tensor_map, *coordinates])


def commit_stores(builder: ir.IRBuilder) -> None:
    """Make a group of the boxes that this thread has started to store since its last one."""
    _run(builder, "cp.async.bulk.commit_group;", [])


def wait_stores(builder: ir.IRBuilder, complete: bool) -> None:
    """Wait until this thread's groups have read shared memory; if `complete`, also written."""
    how = "" if complete else ".read"
    _run(builder, f"cp.async.bulk.wait_group{how} 0;", [])


def wait(builder: ir.IRBuilder, barrier: ir.Value, parity: ir.Value) -> None:
    """Wait for the end of the phase of a parity (i32, 0 or 1)."""
    text = (
        "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;"
        " @!done bra.uni again; }"
    )
    _run(builder, text, [barrier, parity])


def _run(builder: ir.IRBuilder, text: str, arguments: Sequence[ir.Value]) -> None:
    kinds = [each.type for each in arguments]
    letters = ["l" if kind != _I32 else "r" for kind in kinds]
    function = ir.FunctionType(_VOID, kinds)
    builder.asm(function, text, ",".join([*letters, "~{memory}"]), arguments, True)
