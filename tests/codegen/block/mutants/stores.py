"""Defects of tiles that tensor copies store: waits, their memory, boxes."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.control_edges import loop_block
from tileir.codegen.block.types import Frag
from tileir.codegen.nvptx.machine.matrix_stores import matrix_stores
from tileir.ir import Body, Op

from .defect import EMULATOR, VERIFIER, Site, defect, ops


def _orders_stores(wait: Op) -> bool:
    """Whether a wait only has one store come before another, of other memory."""
    return wait.attributes["complete"] and loop_block(wait.parent) is None


@defect("wait for tensor stores dropped", VERIFIER)
def dropped(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_stores"):
        if not _orders_stores(wait):
            yield Site(wait, wait.erase)


@defect("wait between tensor stores dropped", EMULATOR)
def order_dropped(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_stores"):
        if _orders_stores(wait):
            yield Site(wait, wait.erase)


@defect("wait for tensor stores without their memory", VERIFIER)
def memory_dropped(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_stores"):
        if not _orders_stores(wait):
            yield Site(wait, lambda wait=wait: wait.operands.update(memory=()))


@defect("wait for tensor stores behind the barrier", VERIFIER)
def late(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_stores"):
        following = wait.parent.ops[wait.index + 1]
        if following.name == "barrier":
            yield Site(wait, lambda wait=wait, barrier=following: wait.move_after(barrier))


@defect("tensor stores not known to be complete", EMULATOR)
def incomplete(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_stores"):
        if wait.attributes["complete"]:
            excuse = "" if _orders_stores(wait) else "each iteration stores another tile"
            yield Site(wait, lambda wait=wait: wait.attributes.update(complete=False), excuse)


@defect("narrower boxes than those of the tensor map", VERIFIER)
def narrow(body: Body) -> Iterator[Site]:
    for op in ops(body, "copy_tensor", "store_tensor"):
        columns, *others = op.attributes["box"]
        box = columns // 2, *others
        yield Site(op, lambda op=op, box=box: op.attributes.update(box=box))


@defect("another tensor map", EMULATOR)
def other_map(body: Body) -> Iterator[Site]:
    for op in ops(body, "copy_tensor", "store_tensor"):
        number = op.attributes["tensor_map"]
        other = number - 1 if number else 1
        yield Site(op, lambda op=op, other=other: op.attributes.update(tensor_map=other))


@defect("coordinates of a tile that is stored swapped", EMULATOR)
def swapped(body: Body) -> Iterator[Site]:
    for op in ops(body, "store_tensor"):
        index = op.operands["index"][::-1]
        yield Site(op, lambda op=op, index=index: op.operands.update(index=index))


@defect("tile stored by stmatrix where that does not fit", VERIFIER)
def no_matrices(body: Body) -> Iterator[Site]:
    for op in ops(body, "store_shared"):
        held, memory = op.operands["value"].type, op.operands["destination"].type
        if isinstance(held, Frag) and matrix_stores(held.layout, memory) is None:
            yield Site(op, lambda op=op: op.attributes.update(matrices=True))
