"""The frame of a kernel in the block IR, the table of lowerings, and ops on tiles."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from tests.codegen.block.kernels_by_hand import BlockKernel, frag
from tests.codegen.build import tile
from tileir.codegen.block.dialect import ROWS
from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked
from tileir.codegen.nvptx.emit import lowering
from tileir.codegen.nvptx.emit.frame import shared_alignment
from tileir.codegen.nvptx.emit.sequences.shared_symbol import ALIGNMENT
from tileir.ir import Body
from tileir.types import FunctionType, Scalar

HALF = Shared(Scalar("f16"), (16, 16), tuple(1 << bit for bit in range(8)))


def test_every_op_has_one_lowering_at_most() -> None:
    names = Counter(name for chapter in lowering.CHAPTERS for name in chapter.LOWERINGS)
    assert names.keys() <= ROWS.keys()
    assert max(names.values()) == 1


@pytest.mark.parametrize(
    ("slots", "alignment", "expected"), [(1, 0, ALIGNMENT), (3, 0, 128), (1, 64, 64), (2, 512, 512)]
)
def test_shared_memory_is_aligned_for_what_is_there(
    slots: int, alignment: int, expected: int
) -> None:
    kernel = BlockKernel()
    kernel.allocate(Shared(HALF.element, HALF.shape, HALF.offsets, slots))
    if alignment:
        attributes = {"num_elem": 4, "alignment": alignment, "offset": 1024}
        kernel.op("alloca", [tile("ptr<f32>")], attributes=attributes)
        attributes = {"num_elem": 4, "alignment": 2048, "offset": None}  # on the heap
        kernel.op("alloca", [tile("ptr<f32>")], attributes=attributes)
    body = Body(FunctionType((), ()), kernel.outermost)
    assert shared_alignment(body) == expected


def test_operands_of_products_start_at_a_line_of_banks() -> None:
    kernel = BlockKernel("ptr<f32>", threads=32)
    memory = kernel.allocate(HALF)
    assert shared_alignment(Body(FunctionType((), ()), kernel.outermost)) == ALIGNMENT
    acc = kernel.constant("16x16xf32", 0)
    attributes = {"atom": "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "paired": ""}
    kernel.op("mma", [acc.type], attributes=attributes, lhs=memory, rhs=memory, acc=acc)
    assert shared_alignment(kernel.outermost.parent) == 128


def test_barriers_and_clusters() -> None:
    kernel = BlockKernel("ptr<i32>")
    kernel.op("leave_to_first_block")
    kernel.op("barrier", attributes={"pairs": ()})
    x, *_ = kernel.op(
        "get_tile_block_id", [tile("i32")] * 3, attributes={"clusters": True}
    )  # fmt: skip
    kernel.op("barrier", attributes={"pairs": ()})
    kernel.store(kernel.parameters[0], x)
    ptx = kernel.ptx("sm_90")
    assert ptx.count("bar.sync") == 2
    assert {"%clusterid.x", "%cluster_ctarank"} <= set(re.findall(r"%[\w.]+", ptx))
    assert "%ctaid" not in ptx


LAYOUTS = [blocked(64, 4, 64), blocked(64, 1, 64), LinearLayout(6, (32, 4), (1, 2, 8, 16, 0), (0,))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tiles_are_put_together(layout: LinearLayout) -> None:
    """The columns of a table, and those of numbers that are counted along the other dimension."""
    kernel = BlockKernel("ptr<i32>")
    numbers = np.random.default_rng(1).integers(0, 2**31, (8, 4)).astype(np.int32)
    half = layout.compose([1, 2, 0, 4, 8, 16])  # without the bit that chooses one of the two
    kind = frag("8x4xi32", half)
    lhs = kernel.constant(kind, *map(int, numbers.flat))
    counted = kernel.op("iota", [frag("32xi32", _transposed(half))])
    counted = kernel.op("reshape", [frag("4x8xi32", _transposed(half))], source=counted)
    rhs = kernel.op("permute", [kind], attributes={"permutation": (1, 0)}, source=counted)
    joined = kernel.op("cat", [frag("8x8xi32", layout)], attributes={"dim": 1}, lhs=lhs, rhs=rhs)
    kernel.store(kernel.parameters[0], joined)
    found = np.zeros((8, 8), np.int32)
    kernel.run(found)
    expected = np.concatenate([numbers, np.arange(32).reshape(4, 8).T], axis=1)
    np.testing.assert_array_equal(found, expected)


def _transposed(layout: LinearLayout) -> LinearLayout:
    """The layout of a 4x8 tile whose transposed one, 8x4, has this layout."""
    return layout.compose([8, 16, 1, 2, 4])


@pytest.mark.parametrize("layout", LAYOUTS[:2])
def test_bytes_are_packed_and_unpacked(layout: LinearLayout) -> None:
    kernel = BlockKernel("ptr<i32>", "ptr<i8>", "ptr<i32>")
    source, out, doubled = kernel.parameters
    words = kernel.load(source, [64], layout)
    wide = layout.widened(2)
    parts = kernel.op("unpack", [frag("256xi8", wide)], source=words)
    kernel.store(out, parts)
    kernel.store(doubled, kernel.op("pack", [words.type], source=kernel.add(parts, parts)))
    numbers = np.random.default_rng(2).integers(-(2**31), 2**31, 64).astype(np.int32)
    found, after = np.zeros(256, np.int8), np.zeros(64, np.int32)
    kernel.run(numbers, found, after)
    np.testing.assert_array_equal(found, numbers.view(np.int8))
    np.testing.assert_array_equal(after.view(np.uint8), numbers.view(np.uint8) * np.uint8(2))
