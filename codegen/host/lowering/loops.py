"""Loop nests in LLVM IR, in the form that its vectoriser recognises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.llvm.folding_builder import FoldingBuilder

from .position import INDEX, ZERO, Position

Bound = int | ir.Value


@contextmanager
def loop(builder: FoldingBuilder, bound: Bound) -> Iterator[ir.Value]:
    """Code inside runs for the index 0 up to, not including, `bound`, which may be zero."""
    before = builder.block
    body = builder.append_basic_block("loop")
    after = builder.append_basic_block("end")
    if isinstance(bound, int):
        bound = ir.Constant(INDEX, bound)
    else:
        builder.cbranch(builder.icmp_signed(">", bound, ZERO), body, after)
    builder.enter_loop(body)
    index = builder.phi(INDEX)
    index.add_incoming(ZERO, before)
    yield index
    following = builder.add(index, ir.Constant(INDEX, 1), flags=("nuw", "nsw"))
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, bound), body, after)
    builder.leave_loop(body, after)


@contextmanager
def nest(
    builder: FoldingBuilder,
    shape: tuple[int, ...],
    bounds: Sequence[Bound] | None = None,
    inner: int | None = None,
    fixed: Mapping[int, ir.Value] | None = None,
) -> Iterator[Position]:
    """Code inside runs for every element of a tile, or of its first `bounds` along each dimension.

    `inner` is the dimension that varies fastest, by default the last one. `fixed` maps dimensions
    that enclosing loops run over to their indices.
    """
    bounds = shape if bounds is None else bounds
    fixed = fixed or {}
    order = [
        d
        for d in range(len(shape))
        if d not in fixed and not (isinstance(bounds[d], int) and bounds[d] == 1)
    ]
    if inner in order:
        order.remove(inner)
        order.append(inner)
    indices = [fixed.get(d, ZERO) for d in range(len(shape))]
    yield from _nested(builder, shape, bounds, order, indices)


def _nested(
    builder: FoldingBuilder,
    shape: tuple[int, ...],
    bounds: Sequence[Bound],
    order: list[int],
    indices: list[ir.Value],
) -> Iterator[Position]:
    if not order:
        yield Position(builder, shape, indices)
        return
    with loop(builder, bounds[order[0]]) as index:
        indices[order[0]] = index
        yield from _nested(builder, shape, bounds, order[1:], indices)
