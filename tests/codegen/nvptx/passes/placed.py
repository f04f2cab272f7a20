"""Run the passes that order accesses, on bodies put together by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.codegen.block.problems import block_problem
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.make import make
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.passes.memory.allocate_memory import allocate_memory
from tileir.codegen.nvptx.passes.memory.place_barriers import place_barriers
from tileir.gpus import TARGETS
from tileir.ir import Body, Op

TARGET = TARGETS["sm_90"]


def placed(body: Body, room: int = TARGET.shared_bytes, resident: Sequence[int] = ()) -> int:
    """Place the barriers of a body, allocate its memory; return the bytes."""
    place_barriers(body, Divisibility(), room, resident)
    return allocate_memory(KernelIR("k", None, body), TARGET)


def barriers(body: Body) -> list[Op]:
    return [op for op in body.walk() if op.name == "barrier"]


def followers(body: Body) -> list[str]:
    """The names of the ops behind barriers."""
    return [op.parent.ops[op.index + 1].name for op in barriers(body)]


def without_each(body: Body) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """Take out each barrier in turn; yield its pairs, and the problem without it."""
    for barrier in barriers(body):
        behind = barrier.parent.ops[barrier.index + 1]
        barrier.erase()
        yield barrier.attributes["pairs"], block_problem(body, ordered=True)
        make("barrier", attributes={"pairs": barrier.attributes["pairs"]}).insert_before(behind)
