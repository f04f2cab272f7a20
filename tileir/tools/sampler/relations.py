"""Relations between the types of an op's slots that rows cannot express.

`RELATIONS` has a function for each op that needs one. It decides some slots of a draft, and the
attributes that their types depend on; the rest follows from the row. The source of each rule is
what NVIDIA's verifier accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from tileir.formats.limits import MAX_TILE_ELEMENTS
from tileir.formats.ops.spec import INTEGERS, NUMBERS
from tileir.types import GatherScatterView, Pointer, Scalar, TensorView, Tile, View
from tileir.verifier.rules.atomics import ELEMENTS as ATOMIC_ELEMENTS
from tileir.verifier.rules.atomics import WORDS
from tileir.verifier.rules.core import byte_size
from tileir.verifier.rules.floating_point import ACCUMULATORS, BLOCKS
from tileir.verifier.rules.memory import natural_size
from tileir.verifier.rules.views import accessible, transferable

from .draft import Draft, Unfit
from .pool import element_name, legal


def _bits(name: str) -> int:
    return Scalar(name).bits


def _numbers(draft: Draft) -> list[str]:
    """Return the names of the element types that have scalars, and numbers for an identity."""
    names = [name for name in draft.pool.scalars if name in NUMBERS]
    return [name for name in names if legal(Tile(Scalar(name)))]


# Shapes -------------------------------------------------------------------------------------------


def _cat(draft: Draft) -> None:
    part = draft.tile("lhs", least=1, fits=lambda tile: 2 * tile.size <= MAX_TILE_ELEMENTS)
    dim = draft.draws.below(part.rank)
    shape = tuple(size * (1 + (index == dim)) for index, size in enumerate(part.shape))
    draft.attributes["dim"] = dim
    draft.set("rhs", part)
    draft.set("result", Tile(part.element, shape))


def _broadcast(draft: Draft) -> None:
    source = draft.tile("source", fits=lambda tile: 1 in tile.shape or not tile.rank)
    room, sizes = MAX_TILE_ELEMENTS // source.size, []
    for size in source.shape:
        grown = draft.draws.power(min(5, room.bit_length() - 1)) if size == 1 else 1
        room //= grown
        sizes.append(size * grown)
    draft.set("result", Tile(source.element, tuple(sizes)))


def _reshape(draft: Draft) -> None:
    source = draft.tile("source")
    exponent = source.size.bit_length() - 1
    shape = draft.pool.shape()
    if source.size != Tile(source.element, shape).size:
        sizes = [1] * draft.draws.between(1 if exponent else 0, 4)
        for _ in range(exponent):
            sizes[draft.draws.below(len(sizes))] *= 2
        shape = tuple(sizes)
    draft.set("result", Tile(source.element, shape))


def _permute(draft: Draft) -> None:
    source = draft.tile("source", least=2)
    order = tuple(draft.draws.shuffled(range(source.rank)))
    draft.attributes["permutation"] = order
    draft.set("result", Tile(source.element, tuple(source.shape[dim] for dim in order)))


def _slice(draft: Draft, whole: str, part: str) -> None:
    """Decide a tile and a slice of it, with an index for each dimension."""
    tile = draft.tile(whole)
    sizes = tuple(size // draft.draws.power(size.bit_length() - 1) for size in tile.shape)
    draft.set(part, Tile(tile.element, sizes))
    draft.set("indices", *[Tile(Scalar("i32"))] * tile.rank)


def _iota(draft: Draft) -> None:
    draft.tile("result", fits=lambda tile: tile.size <= 1 << tile.element.bits)


def _bytes(draft: Draft, wide: str, narrow: str) -> None:
    """Decide a tile of wide elements, and the bytes that they take (tf32 takes four)."""
    names = [name for name in draft.admitted(wide) if _bits(name) != 8]

    tile = draft.tile(
        wide, elements=names, fits=lambda tile: 1 <= byte_size(tile) <= MAX_TILE_ELEMENTS
    )
    draft.set(narrow, Tile(Scalar("i8"), (byte_size(tile),)))


def _combining(draft: Draft) -> None:
    """Decide tiles of one shape, and the dimension along which they are combined."""
    draft.elements["operands"] = _numbers(draft)
    types = draft.many("operands", 1, 3, least_rank=1)
    draft.set("operands", *types)
    draft.attributes["dim"] = draft.draws.below(types[0].rank)


# Element types ------------------------------------------------------------------------------------


def _converted(draft: Draft, fits: Callable[[str, str], bool], source: str, to: str) -> None:
    """Decide two tiles whose element types fit together: first the fixed one, then the other."""
    first, second = (to, source) if draft.type(to) is not None else (source, to)
    follows = fits if first == source else lambda a, b: fits(b, a)
    others = draft.admitted(second)
    starts = [a for a in draft.admitted(first) if any(follows(a, b) for b in others)]
    known = draft.tile(first, elements=starts, fits=lambda tile: tile.element.name in starts)
    ends = [b for b in others if follows(known.element.name, b)]
    draft.tile(second, elements=ends)


def _of_same_width(a: str, b: str) -> bool:
    return _bits(a) == _bits(b)


def _wider(a: str, b: str) -> bool:
    return _bits(a) < _bits(b)


def _narrower(a: str, b: str) -> bool:
    return _bits(a) > _bits(b)


def _different(a: str, b: str) -> bool:
    return a != b


# Matrices -----------------------------------------------------------------------------------------


def _matrices(draft: Draft) -> tuple[tuple[int, ...], int, int, int]:
    """Decide operands A and B of a product, and return its sizes: batch, M, K, N."""
    left = draft.tile("lhs", least=2, most=3)
    *batch, rows, inner = left.shape
    columns = draft.draws.power(4)
    draft.set("rhs", Tile(left.element, (*batch, inner, columns)))
    return tuple(batch), rows, inner, columns


def _product(draft: Draft) -> None:
    batch, rows, _, columns = _matrices(draft)
    accumulator = draft.draws.pick(ACCUMULATORS[draft.type("lhs").element.name])
    draft.set("acc", Tile(Scalar(accumulator), (*batch, rows, columns)))


def _scaled_product(draft: Draft) -> None:
    pairs = [pair for pair in BLOCKS if all(name in draft.pool.scalars for name in pair)]
    operand, scale = pair = draft.draws.pick(pairs)
    block = draft.draws.pick(BLOCKS[pair])
    batch = tuple(draft.draws.power(2) for _ in range(draft.draws.below(2)))
    inner = block * draft.draws.power(3)
    draft.tile("lhs", shape=(*batch, draft.draws.power(5), inner), elements=(operand,))
    batch, rows, inner, columns = _matrices(draft)
    draft.set("acc", Tile(Scalar("f32"), (*batch, rows, columns)))
    draft.set("lhs_scale", Tile(Scalar(scale), (*batch, rows, inner // block)))
    draft.set("rhs_scale", Tile(Scalar(scale), (*batch, inner // block, columns)))


# Memory -------------------------------------------------------------------------------------------


def _pointer(tile: Tile) -> Pointer:
    """Return the element type of a tile of pointers."""
    return cast("Pointer", tile.element)


def _through_pointers(draft: Draft, pointers: str) -> None:
    """Decide the pointers of an access, which do not point to multicast memory."""
    draft.tile(pointers, fits=lambda tile: _pointer(tile).attribute != "multicast")


def _mode(draft: Draft, value: str) -> None:
    """Decide the mode of an atomic, and with it the element types of its operand."""
    slot = draft.spec.attribute("mode")
    mode = draft.draws.pick(slot.cases)
    draft.attributes["mode"] = mode
    draft.elements[value] = ATOMIC_ELEMENTS.get(mode, WORDS)


def _atomic(draft: Draft) -> None:
    _mode(draft, "arg")
    _through_pointers(draft, "pointers")


def _alloca(draft: Draft) -> None:
    natural = natural_size(_pointer(draft.tile("result")).pointee.bits)
    draft.attributes["alignment"] = (1 << (natural - 1).bit_length()) * draft.draws.power(7)
    draft.attributes["num_elem"] = draft.draws.below(200)


def _get_global(draft: Draft) -> None:
    variable = draft.draws.pick(draft.around.globals)
    draft.set("result", Tile(Pointer(variable.type.element)))
    draft.attributes["name"] = variable.name


def _join_tokens(draft: Draft) -> None:
    draft.set("tokens", *draft.many("tokens", 2, 4))


def _assume(draft: Draft) -> None:
    def countable(type: object) -> bool:
        if not isinstance(type, Tile):
            return isinstance(type, TensorView)
        return element_name(type.element) in (*INTEGERS, "ptr")

    for value in draft.around.some_visible(16):
        if countable(value.type):
            return draft.set("value", value.type)
    draft.set("value", Tile(Scalar(draft.draws.pick(INTEGERS)), draft.pool.shape()))
    return None


# Views --------------------------------------------------------------------------------------------


def _counts(draft: Draft, count: int) -> list[Tile]:
    """Draw scalar tiles of one integer type."""
    return [Tile(Scalar(draft.draws.pick(INTEGERS)))] * count


def _make_tensor_view(draft: Draft) -> None:
    view = cast("TensorView", draft.type("result") or draft.tensor())
    draft.set("result", view)
    draft.set("base", Tile(Pointer(view.element, view.attribute)))
    sizes = view.shape.count(None)
    scalars = _counts(draft, sizes + view.strides.count(None))
    draft.set("dynamicShape", *scalars[:sizes])
    draft.set("dynamicStrides", *scalars[sizes:])


def _make_view(draft: Draft) -> None:
    draft.set("tensor_view", draft.view("result").view)


def _measured(draft: Draft) -> None:
    """Decide a view of rank 1 or more: NVIDIA's disassembler crashes on a tensor of rank 0."""
    source = draft.other("src")
    if isinstance(source, TensorView) and not source.shape:
        raise Unfit("nothing to measure")
    rank = len(source.shape if isinstance(source, TensorView) else cast("View", source).tile)
    draft.set("result", *_counts(draft, rank))


def _accessible(view: View) -> bool:
    return accessible(view) is None


def _transferable(view: View) -> bool:
    return transferable(view) is None


def _access(draft: Draft, multicast: bool = False) -> None:
    """Decide a view and its index, which in a gather/scatter view has a tile for one dimension."""
    view = draft.view("view", multicast, _transferable if multicast else _accessible)
    index = _counts(draft, len(view.tile))
    if isinstance(view, GatherScatterView):
        element = Scalar(draft.draws.pick(INTEGERS))
        index[view.sparse_dim] = Tile(element, (view.tile[view.sparse_dim],))
    draft.set("index", *index)


def _atomic_access(draft: Draft) -> None:
    _mode(draft, "value")
    _access(draft)


def _reduction(draft: Draft, value: str, extremes: tuple[str, ...] = ()) -> None:
    """Decide a reduction: all types add, integers do all, `extremes` have min and max too."""
    kind = draft.draws.pick(draft.spec.attribute("reduction").cases)
    draft.attributes["reduction"] = kind
    if kind != "add":
        draft.elements[value] = ("i32", "i64", *(extremes if kind in ("min", "max") else ()))
    _access(draft, multicast=True)


RELATIONS: dict[str, Callable[[Draft], None]] = {
    "alloca": _alloca,
    "assume": _assume,
    "atomic_red_view_tko": _atomic_access,
    "atomic_cas_tko": partial(_through_pointers, pointers="pointers"),
    "atomic_rmw_tko": _atomic,
    "bitcast": partial(_converted, fits=_of_same_width, source="source", to="result"),
    "broadcast": _broadcast,
    "cat": _cat,
    "exti": partial(_converted, fits=_wider, source="from", to="to"),
    "extract": partial(_slice, whole="source", part="result"),
    "ftof": partial(_converted, fits=_different, source="from", to="to"),
    "get_global": _get_global,
    "get_index_space_shape": _measured,
    "get_tensor_shape": _measured,
    "insert": partial(_slice, whole="destination", part="source"),
    "iota": _iota,
    "join_tokens": _join_tokens,
    "load_ptr_tko": partial(_through_pointers, pointers="source"),
    "load_view_tko": _access,
    "make_gather_scatter_view": _make_view,
    "make_partition_view": _make_view,
    "make_strided_view": _make_view,
    "make_tensor_view": _make_tensor_view,
    "mmaf": _product,
    "mmaf_scaled": _scaled_product,
    "mmai": _product,
    "multimem_load_reduce_view_tko": partial(
        _reduction, value="reduced_values", extremes=("f16", "bf16")
    ),
    "multimem_reduce_view_tko": partial(_reduction, value="tile"),
    "multimem_store_view_tko": partial(_access, multicast=True),
    "pack": partial(_bytes, wide="source", narrow="result"),
    "permute": _permute,
    "reduce": _combining,
    "reshape": _reshape,
    "scan": _combining,
    "store_ptr_tko": partial(_through_pointers, pointers="destination"),
    "store_view_tko": _access,
    "trunci": partial(_converted, fits=_narrower, source="from", to="to"),
    "unpack": partial(_bytes, wide="result", narrow="source"),
}
