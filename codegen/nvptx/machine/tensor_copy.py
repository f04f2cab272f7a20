"""Tensor copies: one thread has a box of a tensor copied, and an mbarrier counts the bytes.

An mbarrier is 8 bytes of shared memory. Its phase ends when as many threads have arrived as it was
initialised for, and all bytes that they expect have arrived; then the next phase begins. A thread
waits for the end of a phase by its parity. See "Asynchronous copy" and "mbarrier" in the PTX ISA.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

_VOID = ir.VoidType()
_I16 = ir.IntType(16)
_I32 = ir.IntType(32)
_LETTERS = {"i16": "h", "i32": "r"}
"""Type -> the constraint of its registers; others have 64 bits."""
_BOTH = 0b11
"""The mask of the blocks of a cluster of two."""


def initialise(builder: ir.IRBuilder, address: ir.Value, count: int) -> None:
    """Initialise an mbarrier for so many arrivals, and have tensor copies see it."""
    _run(builder, f"mbarrier.init.shared::cta.b64 [$0], {count};", [address])


def fence_initialised(builder: ir.IRBuilder) -> None:
    """Have the other blocks of the cluster see mbarriers as initialised, once threads have met."""
    _run(builder, "fence.mbarrier_init.release.cluster;", [])


def meet_cluster(builder: ir.IRBuilder) -> None:
    """Wait for all threads of the cluster; whole warps do it."""
    text = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
    function = ir.FunctionType(_VOID, [])
    made = builder.asm(function, text, "~{memory}", [], True)
    made.attributes.add("convergent")


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


def arrive_at_block_if(
    builder: ir.IRBuilder, barrier: ir.Value, block: ir.Value, condition: ir.Value
) -> None:
    """Arrive at the mbarrier in the same place of a block of the cluster, by its number (i32).

    It tells that this thread has read something, not that it has written: so it has no scope of the
    cluster, for which the whole warp would wait until its stores are visible everywhere.
    """
    text = (
        "{ .reg .pred arrives; .reg .b32 there; setp.ne.b32 arrives, $2, 0;"
        " mapa.shared::cluster.u32 there, $0, $1;"
        " @arrives mbarrier.arrive.shared::cluster.b64 _, [there]; }"
    )
    _run(builder, text, [barrier, block, builder.zext(condition, _I32)])


def copy(
    builder: ir.IRBuilder,
    destination: ir.Value,
    tensor_map: ir.Value,
    coordinates: Sequence[ir.Value],
    barrier: ir.Value,
    *,
    multicast: bool = False,
) -> None:
    """Start to copy a box; its first element is at the coordinates (i32), innermost first.

    With `multicast`, it goes to the same place in both blocks of a cluster of two, and the
    mbarriers of both count its bytes.
    """
    rank = len(coordinates)
    numbers = ", ".join(f"${index}" for index in range(3, 3 + rank))
    how, mask = (".multicast::cluster", f", ${3 + rank}") if multicast else ("", "")
    text = (
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        f"{how} [$0], [$1, {{{numbers}}}], [$2]{mask};"
    )
    if multicast:
        coordinates = [*coordinates, ir.Constant(_I16, _BOTH)]
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
    letters = [_LETTERS.get(str(kind), "l") for kind in kinds]
    function = ir.FunctionType(_VOID, kinds)
    builder.asm(function, text, ",".join([*letters, "~{memory}"]), arguments, True)
