"""The trial of a view in place of pointers that a kernel computes for a block of a tensor.

Offsets and masks are read as sums of products of numbers and iotas. If the offset is a sum over the
dimensions of the tile, of a stride times an index that the mask bounds, that is a tensor view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tileir.attributes import DivBy
from tileir.builder import Editor
from tileir.codegen.nvptx.schedule.pointer_facts import pointers_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.messages.wording import counted
from tileir.types import PartitionView, Pointer, Scalar, TensorView

from .parameters import origin
from .promises import Promise
from .trial import Trial

if TYPE_CHECKING:
    from tileir.codegen.advise.evidence import Site
    from tileir.codegen.advise.numbered import Copy

Factors = tuple["Value | int", ...]
"""Numbers that are multiplied: scalars of the kernel, and iotas, by the tile's dimension."""
Sum = Mapping[Factors, int]
"""Products -> how often each is added."""

_SAME = ("assume", "exti", "trunci", "broadcast")
_INDEX = Scalar("i32")
_ALIGNED = 16
_LEADING = -1
"""The dimension of an index of which a tile has one."""


@dataclass(frozen=True)
class Block:
    """A block of a tensor: where its pointers begin, and, by dimension, what a view takes.

    `bounds` are the extents of the tensor, `strides` are in elements, and `starts` are the indices
    of the first element of the tile. The first `leading` dimensions are those of which a block has
    one index, such as a batch's; the others are those of the tile.
    """

    base: Value
    leading: int
    bounds: tuple[Value | int, ...]
    strides: tuple[Value | int, ...]
    starts: tuple[Sum, ...]


def _product(one: Sum, other: Sum) -> Sum:
    found = Counter[Factors]()
    for left, often in one.items():
        for right, more in other.items():
            found[tuple(sorted((*left, *right), key=_order))] += often * more
    return found


def _order(factor: Value | int) -> tuple[bool, int]:
    return (False, factor) if isinstance(factor, int) else (True, id(factor))


def _added(one: Sum, other: Sum, times: int = 1) -> Sum:
    found = Counter[Factors](one)
    for each, often in other.items():
        found[each] += times * often
    return {each: often for each, often in found.items() if often}


def _sum_of(value: Value, dims: Sequence[int]) -> Sum | None:
    """Return what the elements of a tile are; `dims` are the dimensions of the access that it has.

    None if they are something else than such a sum.
    """
    op = value.owner if isinstance(value.owner, Op) else None
    if op is None or op.name not in (*_SAME, "addi", "subi", "muli", "constant", "iota", "reshape"):
        return {(origin(value),): 1} if value.type.shape == () else None
    if op.name == "constant":
        number = op.attributes["value"]
        return _added({}, {(): int(number.value())}) if number.is_splat else None
    if op.name == "iota":
        return {(dims[0],): 1} if value.type.size > 1 else {}
    if op.name in ("addi", "subi", "muli"):
        lhs, rhs = (_sum_of(op.operands[slot], dims) for slot in ("lhs", "rhs"))
        if lhs is None or rhs is None:
            return None
        if op.name == "muli":
            return _product(lhs, rhs)
        return _added(lhs, rhs, -1 if op.name == "subi" else 1)
    source = next(op.operand_list())
    shaped = _reshaped(value, source, dims) if op.name == "reshape" else dims
    found = None if shaped is None else _sum_of(source, shaped)
    alone = found is None and value.type.shape == ()  # such as a number that was loaded
    return {(value,): 1} if alone else found


def _reshaped(value: Value, source: Value, dims: Sequence[int]) -> list[int] | None:
    """Return the dimensions of what a reshape takes, if it only adds or drops those of one."""
    long = [dim for dim, size in zip(dims, value.type.shape, strict=True) if size > 1]
    wanted = [size for size in source.type.shape if size > 1]
    if wanted != [size for size in value.type.shape if size > 1]:
        return None
    rest = iter(long)
    return [next(rest) if size > 1 else -1 for size in source.type.shape]


def _base_and_offset(pointers: Value) -> tuple[Value, Sum] | None:
    """Return the address that pointers are counted from, and how many elements are added."""
    dims = range(len(pointers.type.shape))
    total: Sum = {}
    while isinstance(op := pointers.owner, Op) and op.name == "offset":
        more = _sum_of(op.operands["offset"], dims)
        if more is None:
            return None
        total = _added(total, more)
        pointers = next(op.operand_list())
    while isinstance(op := pointers.owner, Op) and op.name in ("broadcast", "reshape"):
        pointers = next(op.operand_list())
    return (pointers, total) if pointers.type.shape == () else None


def _bounds(mask: Value, dims: Sequence[int]) -> list[tuple[int, Sum, Value | int]] | None:
    """Return what a mask says: dimension, index of the first element, and what is greater.

    The dimension of what is the same for all elements is `_LEADING`.
    """
    op = mask.owner
    if not isinstance(op, Op):
        return None
    if op.name == "andi":
        parts = [_bounds(op.operands[slot], dims) for slot in ("lhs", "rhs")]
        return None if None in parts else [each for part in parts if part for each in part]
    if op.name in ("broadcast", "reshape"):
        source = next(op.operand_list())
        shaped = _reshaped(mask, source, dims) if op.name == "reshape" else dims
        return None if shaped is None else _bounds(source, shaped)
    if op.name != "cmpi":
        return None
    index, bound = (_sum_of(op.operands[slot], dims) for slot in ("lhs", "rhs"))
    if index is None or bound is None:
        return None
    predicate = op.attributes["comparison_predicate"]
    if predicate == "greater_than_or_equal" and not bound:
        return []
    counted = [(each, often) for each, often in index.items() if _iotas(each)]
    number = _single(bound)
    if predicate != "less_than" or number is None or len(counted) > 1:
        return None
    if not counted:
        return [(_LEADING, index, number)]
    ((factors, often),) = counted
    if len(factors) != 1 or often != 1:
        return None
    (dim,) = _iotas(factors)
    return [(dim, _added(index, {factors: 1}, -1), number)]


def _iotas(factors: Factors) -> list[int]:
    return [each for each in factors if isinstance(each, int)]


def _single(total: Sum) -> Value | int | None:
    """Return a sum that is one number."""
    if len(total) != 1:
        return None
    ((factors, often),) = total.items()
    if not factors:
        return often
    (first, *more) = factors
    return first if isinstance(first, Value) and not more and often == 1 else None


def block_of(op: Op) -> Block | None:
    """Return the block of a tensor that a weak load through pointers takes; None if it is none."""
    mask = op.operands.get("mask")
    weak = op.attributes.get("memory_ordering_semantics") == "weak"
    if op.name != "load_ptr_tko" or mask is None or not weak:
        return None
    pointers = pointers_of(op)
    shape = pointers.type.shape
    found = _base_and_offset(pointers)
    said = _bounds(mask, range(len(shape)))
    if found is None or said is None:
        return None
    if sorted(dim for dim, _, _ in said if dim != _LEADING) != [*range(len(shape))]:
        return None  # also of two bounds of an index, the lesser of which no view can have
    base, offset = found
    strides: list[Value | int] = []
    bounds = {dim: bound for dim, _, bound in said}
    starts = {dim: start for dim, start, _ in said}
    rest = offset
    for dim in range(len(shape)):
        along = {each: often for each, often in offset.items() if dim in each}
        stride = _single({tuple(f for f in each if f != dim): n for each, n in along.items()})
        if stride is None or any(often % shape[dim] for often in starts[dim].values()):
            return None
        strides.append(stride)
        by: Sum = {(): stride} if isinstance(stride, int) else {(stride,): 1}
        rest = _added(rest, _product(by, _added(starts[dim], {(dim,): 1})), -1)
    leading = []
    for index, bound in ((start, bound) for dim, start, bound in said if dim == _LEADING):
        number = _single(index)
        if not isinstance(number, Value):
            return None
        along = {each: often for each, often in rest.items() if number in each}
        stride = _single({_without(each, number): often for each, often in along.items()})
        if not isinstance(stride, Value):
            return None
        leading.append((bound, stride, index))
        rest = _added(rest, along, -1)
    if rest or 1 not in strides:
        return None
    order = range(len(shape))
    return Block(
        base,
        len(leading),
        (*(bound for bound, _, _ in leading), *(bounds[d] for d in order)),
        (*(stride for _, stride, _ in leading), *strides),
        (*(index for _, _, index in leading), *(starts[d] for d in order)),
    )


def _without(factors: Factors, number: Value) -> Factors:
    at = factors.index(number)
    return factors[:at] + factors[at + 1 :]


def _as_views(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Load through views; their base and strides are multiples of 16 bytes."""
    told: dict[Site, str] = {}
    for site in sites:
        assert site.number is not None
        op, function = copy.ops[site.number], copy.functions[site.number]
        block = block_of(op)
        if block is None:
            continue
        many = max(_ALIGNED // memory_bytes(pointers_of(op).type.pointee), 1)
        wanted = [Promise(block.base, DivBy(_ALIGNED))]
        wanted += [Promise(each, DivBy(many)) for each in block.strides if isinstance(each, Value)]
        parameters = function.body.block.arguments
        if all(each.may_hold(parameters, copy.arguments) for each in wanted):
            _load_of_view(op, block, many, copy.editor(site.number).before(op))
            dims = len(block.strides)
            told[site] = (
                f"make a tensor view of {counted(dims, 'dimension')}, with a stride that is a "
                f"constant 1, of a base and strides that are multiples of {_ALIGNED} bytes, and "
                "load its tiles (ct.load, not ct.gather)"
            )
    return told


def _load_of_view(op: Op, block: Block, many: int, editor: Editor) -> None:
    kind, shape = pointers_of(op).type, (1,) * block.leading + pointers_of(op).type.shape
    assert isinstance(kind.element, Pointer)
    tensor = TensorView(kind.pointee, _static(block.bounds), _static(block.strides))
    bounds = [_as_index(each, editor) for each in block.bounds if isinstance(each, Value)]
    strides = [
        editor.assume(_as_index(each, editor), DivBy(many))
        for each in block.strides
        if isinstance(each, Value)
    ]
    base = editor.assume(block.base, DivBy(_ALIGNED))
    view = editor.make_tensor_view(base, bounds, strides, result=tensor)
    tiles = PartitionView(shape, tensor, dim_map=tuple(range(len(shape))), padding="zero")
    index = [_index(start, size, editor) for start, size in zip(block.starts, shape, strict=True)]
    tile, token = editor.load_view_tko(
        editor.make_partition_view(view, result=tiles), index, op.operands.get("token"),
        memory_ordering_semantics="weak", location=op.location,
    )  # fmt: skip
    if block.leading:
        tile = editor.reshape(tile, result=op.results[0].type)
    op.results[0].replace_all_uses_with(tile)
    op.results[1].replace_all_uses_with(token)
    op.remove()


def _static(sizes: Sequence[Value | int]) -> tuple[int | None, ...]:
    return tuple(each if isinstance(each, int) else None for each in sizes)


def _as_index(value: Value, editor: Editor) -> Value:
    """Return a number as i32."""
    bits = value.type.element.bits
    if bits == _INDEX.bits:
        return value
    if bits > _INDEX.bits:
        return editor.trunci(value, result="tile<i32>")
    return editor.exti(value, "signed", result="tile<i32>")


def _index(start: Sum, size: int, editor: Editor) -> Value:
    """Return which tile begins at an element."""
    total: Value | None = None
    for factors, often in start.items():
        term: Value | None = None
        numbers = [_as_index(each, editor) for each in factors if isinstance(each, Value)]
        if often != size or not numbers:
            numbers.append(editor.constant(often // size, result="i32"))
        for each in numbers:
            term = each if term is None else editor.muli(term, each)
        assert term is not None
        total = term if total is None else editor.addi(total, term)
    return editor.constant(0, result="i32") if total is None else total


AS_VIEWS = Trial(_as_views)
"""Loads through pointers that name a block of a tensor are loads of a view."""
AS_VIEW = Trial(_as_views, alone=True)
"""The same of each load, for figures of all of a kernel."""
