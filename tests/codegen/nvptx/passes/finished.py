"""Bodies of block IR made ready to run: the simplest places in shared memory, and barriers."""

from __future__ import annotations

from typing import Any

from tests.codegen.block.kernels_by_hand import BlockKernel
from tileir.codegen.block.areas import area_bytes
from tileir.codegen.block.make import make
from tileir.codegen.nvptx.passes.choose_copies import choose_copies
from tileir.codegen.nvptx.passes.expand_folds import EXPANSIONS
from tileir.codegen.nvptx.reasons import Reasons
from tileir.formats.ops import BY_NAME
from tileir.ir import Block, Body, Op, Region, Value
from tileir.types import FunctionType, Type

READERS = ("insert_slice", "load_shared", "load_slice", "print_elements", "print_tko")
ROOM = 48 << 10


def tile_op(
    kernel: BlockKernel, name: str, results: list[Type], regions: tuple = (),
    attributes: dict[str, Any] | None = None, **operands: Any,
) -> list[Value]:  # fmt: skip
    """Append an op of Tile IR that the block IR does not have; return its results."""
    row = BY_NAME[name]
    defaults = {slot.name: slot.default for slot in row.attributes}
    op = Op(row, operands, defaults | (attributes or {}), regions=list(regions))
    op.results = [Value(kind, op, index) for index, kind in enumerate(results)]
    kernel.block.append(op)
    return op.results


def finish(kernel: BlockKernel, room: int = ROOM) -> Body:
    """Expand all ops of a kernel, and give it barriers and places; returns its body."""
    kernel.op("return")
    body = Body(FunctionType(kernel.types, ()), kernel.outermost)
    for op in list(body.walk()):
        if op.name in EXPANSIONS:
            EXPANSIONS[op.name](op)
    choose_copies(body, room, Reasons())
    place(kernel, body.block)
    return body


def place(kernel: BlockKernel, block: Block) -> None:
    """Give every allocation bytes of its own; put barriers between accesses of a block."""
    state = ""
    for op in list(block.ops):
        if op.name == "shared_alloc":
            op.attributes["offset"] = kernel.shared
            kernel.shared += -(-area_bytes(op) // 128) * 128
        now = "stored" if op.name == "store_shared" else "read" if op.name in READERS else ""
        if now and state and now != state:
            made = make("barrier", attributes={"pairs": ()})
            made.insert_before(op)
        state = now or state


def body_of(kernel: BlockKernel, kinds: list[Type], yielded: Any) -> Region:
    """The region of a fold: `yielded` makes the results from its arguments."""
    with kernel.inside(*[kind for kind in kinds for _ in range(2)]) as (region, arguments):
        kernel.op("yield", operands=tuple(yielded(*arguments)))
    return region


def names(body: Body) -> list[str]:
    """The mnemonics of a body's outermost ops about memory, layouts and folds."""
    chosen = {
        "barrier", "convert_layout", "fold", "insert_slice", "load_shared", "load_slice",
        "print_elements", "print_tko", "scan_across", "scan_warp", "shared_alloc", "shared_view",
        "store_shared",
    }  # fmt: skip
    return [op.name for op in body.block.ops if op.name in chosen]
