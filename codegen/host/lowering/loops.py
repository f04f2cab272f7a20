"""Loop nests in LLVM IR, in the form that its vectoriser recognises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.llvm.folding_builder import FoldingBuilder

from .position import INDEX, ZERO, Position

Bound = int | ir.Value

MAX_UNROLLED_INSTRUCTIONS = 40
"""Loops with more of them in LLVM IR are not unrolled: it gains little, and compiling is slower."""


@contextmanager
def loop(
    builder: FoldingBuilder,
    bound: Bound,
    unrolled: bool = False,
    most: int = MAX_UNROLLED_INSTRUCTIONS,
) -> Iterator[ir.Value]:
    """Code inside runs for the index 0 up to, not including, `bound`, which may be zero.

    If it is to be `unrolled`, LLVM repeats the code of a short loop, of at `most` so many
    instructions, once it is vectorised; arrays on the stack that it indexes then become registers.
    """
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
    back = builder.cbranch(builder.icmp_unsigned("<", following, bound), body, after)
    if unrolled and builder.block is body and len(body.instructions) <= most:
        _unroll_vectorised(back)
    builder.leave_loop(body, after)


def _unroll_vectorised(back: ir.Instruction) -> None:
    """Have LLVM unroll the loop with that back edge completely, but only after vectorising it."""
    module = back.function.module
    unroll = module.add_metadata(["llvm.loop.unroll.full"])
    then = module.add_metadata(["llvm.loop.vectorize.followup_all", unroll])
    # The node of a loop refers to itself, so that no two loops have the same node.
    node = ir.MDValue(module, (), str(len(module.metadata)))
    node.operands = (node, then)
    back.set_metadata("llvm.loop", node)


@contextmanager
def nest(
    builder: FoldingBuilder,
    shape: tuple[int, ...],
    bounds: Sequence[Bound] | None = None,
    inner: int | None = None,
    fixed: Mapping[int, ir.Value] | None = None,
    unrolled: bool = False,
) -> Iterator[Position]:
    """Code inside runs for every element of a tile, or of its first `bounds` along each dimension.

    `inner` is the dimension that varies fastest, by default the last one. `fixed` maps dimensions
    that enclosing loops run over to their indices. `unrolled` is about the innermost loop.
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
    yield from _nested(builder, shape, bounds, order, indices, unrolled)


@contextmanager
def chunks(
    builder: ir.IRBuilder, shape: tuple[int, ...], inner: int, count: int
) -> Iterator[Position]:
    """Code inside runs for the first of every `count` neighbours along `inner`."""
    outer = tuple(n // count if d == inner else n for d, n in enumerate(shape))
    with nest(builder, outer, inner=inner) as position:
        indices = list(position.indices)
        factor = ir.Constant(INDEX, count)
        indices[inner] = builder.mul(indices[inner], factor, flags=("nuw", "nsw"))
        yield Position(builder, shape, indices)


@contextmanager
def chunk_elements(
    builder: ir.IRBuilder,
    first: Position,
    inner: int,
    count: int,
    most: int = MAX_UNROLLED_INSTRUCTIONS,
) -> Iterator[tuple[ir.Value, Position]]:
    """Code inside runs for `count` neighbours along `inner`; yield their numbers and positions.

    It is unrolled if it has at `most` so many instructions.
    """
    with loop(builder, count, unrolled=True, most=most) as number:
        indices = list(first.indices)
        indices[inner] = builder.add(indices[inner], number, flags=("nuw", "nsw"))
        yield number, Position(builder, first.shape, indices)


def _nested(
    builder: FoldingBuilder,
    shape: tuple[int, ...],
    bounds: Sequence[Bound],
    order: list[int],
    indices: list[ir.Value],
    unrolled: bool,
) -> Iterator[Position]:
    if not order:
        yield Position(builder, shape, indices)
        return
    with loop(builder, bounds[order[0]], unrolled and len(order) == 1) as index:
        indices[order[0]] = index
        yield from _nested(builder, shape, bounds, order[1:], indices, unrolled)
