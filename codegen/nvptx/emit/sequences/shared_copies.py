"""Copies of tiles from one place in shared memory to another, through registers of the threads.

Elements may lie in another order there, for which four are accessed at once in either place (see
`layouts.shared_copies`). Of elements of one byte that is a word, in a register: so a thread turns
blocks of four words.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.context import Context, Fragment
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.operand_conversions import IN_ORDER, operand_conversion
from tileir.ir import Op

from .shared_accesses import SharedAccesses

_BYTES = 4
_HALVES = (0, 4, 1, 5), (2, 6, 3, 7)
"""The bytes of two words, alternately: the lower halves, or the upper ones."""
_PAIRS = (0, 1, 4, 5), (2, 3, 6, 7)
"""The lower halves of two words, or the upper ones."""


def copy_shared(ctx: Context, op: Op) -> None:
    """Lower copy_shared: every thread loads its elements, and owners store them."""
    source, destination = op.operands["source"], op.operands["destination"]
    layout: LinearLayout = op.attributes["threads"]
    reads = SharedAccesses(ctx, ctx.values[source], source.type, layout)
    writes = SharedAccesses(ctx, ctx.values[destination], destination.type, layout)
    words: dict[int, ir.Value] = {}
    shape = _of_words(reads.shape)
    for offset in reads.starts:
        together = reads.together(offset)[:: len(reads.together(offset)) // shape.elements]
        loaded = access.load(ctx.builder, shape, *reads.at(offset), None, None, access.SHARED)
        words |= zip(together, loaded, strict=True)
    by, kinds = op.attributes["conversion"], (source.type.element, destination.type.element)
    if conversion := operand_conversion(kinds[0].name, kinds[1].name, by or ""):
        for offset, word in words.items():
            (words[offset],) = conversion.emit(ctx.builder, word, IN_ORDER)
    shape, owner = _of_words(writes.shape), ctx.owner(layout)
    if reads.shape.bits == 8:
        words = {**_turned(ctx.builder, words, reads.together(0), writes.together(0))}
    for offset in writes.starts:
        together = writes.together(offset)[:: len(writes.together(offset)) // shape.elements]
        stored = [words[each] for each in together]
        access.store(ctx.builder, shape, *writes.at(offset), owner, stored, access.SHARED)


def _of_words(shape: access.AccessShape) -> access.AccessShape:
    """Return an access as one of words: of several elements, if these have fewer bits."""
    return access.AccessShape(access.WORD_BITS, shape.bits * shape.elements // access.WORD_BITS)


def _turned(
    builder: ir.IRBuilder, words: Fragment, columns: Sequence[int], rows: Sequence[int]
) -> Fragment:
    """Return words of four bytes along rows, given words of four bytes along columns.

    `columns` and `rows` begin with the offsets of the bytes of the first word of either; words are
    known by the offsets of their first bytes.
    """
    columns, rows = columns[:_BYTES], rows[:_BYTES]
    if columns == rows:
        return words
    turned: Fragment = {}
    for start in words:
        if any(start & each for each in (*rows[1:3], *columns[1:3])):
            continue
        pairs = []
        for first, second in (rows[:2], rows[2:]):
            both = words[start ^ first], words[start ^ second]
            pairs.append([access.permute_bytes(builder, *both, each) for each in _HALVES])
        for half, (low, high) in enumerate(zip(*pairs, strict=True)):
            for each in (0, 1):
                turned[start ^ columns[2 * half + each]] = access.permute_bytes(
                    builder, low, high, _PAIRS[each]
                )
    return turned
