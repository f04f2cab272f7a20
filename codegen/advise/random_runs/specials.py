"""Ops that are not element-wise: each returns its results, or None if they are drawn by lot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from tileir.codegen.ops import BY_NAME
from tileir.ir import Op, Value
from tileir.types import PartitionView, Pointer, TensorView

from .elements import FLOATS, INTEGERS, SIGNED, Array, from_whole, read, wrapped
from .memory import Access, array_of
from .state import RUNS, State, View

STORES = ("store_ptr_tko", "store_view_tko")
FOLDS: dict[str, np.ufunc] = {
    name: function
    for name, function in {**FLOATS, **INTEGERS, **SIGNED}.items()
    if BY_NAME[name].commutes and isinstance(function, np.ufunc)
}
"""Op that folds combine with -> what it computes."""
_BLOCKS = (4, 8, 40, 40)
"""Numbers of blocks are less than that in the first runs."""
_MIXED_BLOCKS = (1, 4, 40, 200)
"""How large they may be in the others, along each axis."""
Special = Callable[[State, Op], "Sequence[Any] | None"]


def _same(state: State, op: Op) -> Sequence[Any] | None:
    return (state.env[next(op.operand_list())],)


def _constant(state: State, op: Op) -> Sequence[Any] | None:
    constant, kind = op.attributes["value"], op.result.type
    if constant.is_splat:
        number = constant.value()
        if number is None:
            return None
        array = np.full((RUNS, *kind.shape), number)
    else:
        array = np.broadcast_to(np.asarray(constant.array()).reshape(kind.shape),
                                (RUNS, *kind.shape))  # fmt: skip
    element = kind.element
    if element.is_float:
        return (array.astype(np.float64),)
    return (wrapped(array, element.bits),)


def _iota(state: State, op: Op) -> Sequence[Any] | None:
    kind = op.result.type
    row = wrapped(np.arange(kind.size), kind.element.bits)
    return (np.broadcast_to(row, (RUNS, kind.size)),)


def _broadcast(state: State, op: Op) -> Sequence[Any] | None:
    shape = (RUNS, *op.result.type.shape)
    return (np.broadcast_to(state.env[op.operands["source"]], shape),)


def _reshape(state: State, op: Op) -> Sequence[Any] | None:
    return (state.env[op.operands["source"]].reshape(RUNS, *op.result.type.shape),)


def _permute(state: State, op: Op) -> Sequence[Any] | None:
    order = (0, *(dim + 1 for dim in op.attributes["permutation"]))
    return (state.env[op.operands["source"]].transpose(order),)


def _cat(state: State, op: Op) -> Sequence[Any] | None:
    parts = [state.env[value] for value in op.operand_list()]
    return (np.concatenate(parts, axis=op.attributes["dim"] + 1),)


def _extract(state: State, op: Op) -> Sequence[Any] | None:
    source, shape = state.env[op.operands["source"]], op.result.type.shape
    return (np.stack([source[place] for place in _slices(state, op, source.shape[1:], shape)]),)


def _insert(state: State, op: Op) -> Sequence[Any] | None:
    made = np.array(state.env[op.operands["destination"]])
    part = state.env[op.operands["source"]]
    for place in _slices(state, op, made.shape[1:], part.shape[1:]):
        made[place] = part[place[0]]
    return (made,)


def _slices(state: State, op: Op, whole: tuple[int, ...], part: tuple[int, ...]) -> list:
    at = [state.env[value] for value in op.operands["indices"]]
    rows = []
    for run in range(RUNS):
        first = [int(i[run]) % (w // p) * p for i, w, p in zip(at, whole, part, strict=True)]
        rows.append((run, *(slice(f, f + p) for f, p in zip(first, part, strict=True))))
    return rows


def _offset(state: State, op: Op) -> Sequence[Any] | None:
    size = max(op.result.type.pointee.bits // 8, 1)
    pointers, far = (state.env[value] for value in op.operand_list())
    return (pointers + far.astype(np.int64) * size,)


def _select(state: State, op: Op) -> Sequence[Any] | None:
    return (np.where(*(state.env[value] for value in op.operand_list())),)


def _product(state: State, op: Op) -> Sequence[Any] | None:
    lhs, rhs, acc = (state.env[op.operands[slot]] for slot in ("lhs", "rhs", "acc"))
    if op.name == "mmai":
        element = op.operands["lhs"].type.element
        lhs = read(lhs, element, op.attributes["signedness_lhs"])
        rhs = read(rhs, element, op.attributes["signedness_rhs"])
        return (wrapped(lhs @ rhs + acc, op.result.type.element.bits),)
    return (lhs @ rhs + acc,)


def _from_whole(state: State, op: Op) -> Sequence[Any] | None:
    return (from_whole(op, state.env[op.operands["from"]]),)


def folded_by(op: Op) -> str | None:
    """Return the op that a reduction or scan of one tile combines with; None for any other body.

    None for the larger or smaller of unsigned numbers and bits, too.
    """
    ops, arguments = op.regions[0].block.ops, op.regions[0].block.arguments
    if len(ops) != 2 or len(arguments) != 2 or ops[0].name not in FOLDS:
        return None
    if {*ops[0].operand_list()} != {*arguments} or [*ops[1].operand_list()] != [ops[0].result]:
        return None
    if ops[0].name in ("maxi", "mini"):
        signed = ops[0].attributes["signedness"] == "signed"
        return ops[0].name if signed and arguments[0].type.element.bits > 1 else None
    return ops[0].name


def _numbers(state: State, value: Value) -> Array:
    """Return what is folded; bits as numbers that can be added."""
    array = state.env[value]
    return array.astype(np.int64) if array.dtype == bool else array


def _fitting(array: Array, op: Op) -> Array:
    element = op.results[0].type.element
    return array if element.is_float else wrapped(array, element.bits)


def _reduce(state: State, op: Op) -> Sequence[Any] | None:
    name = folded_by(op)
    if name is None:
        return None
    (source,) = op.operands["operands"]
    axis = op.attributes["dim"] + 1
    return (_fitting(FOLDS[name].reduce(_numbers(state, source), axis=axis), op),)


def _scan(state: State, op: Op) -> Sequence[Any] | None:
    name = folded_by(op)
    if name is None:
        return None
    (source,) = op.operands["operands"]
    array, axis = _numbers(state, source), op.attributes["dim"] + 1
    total = _fitting(FOLDS[name].reduce(array, axis=axis), op)
    state.found.scans.setdefault(state.fingerprint(total.reshape(RUNS, -1)), op)
    if op.attributes["reverse"]:
        array = np.flip(array, axis)
    made = _fitting(FOLDS[name].accumulate(array, axis=axis), op)
    return (np.flip(made, axis) if op.attributes["reverse"] else made,)


def _tensor_view(state: State, op: Op) -> Sequence[Any] | None:
    kind = cast(TensorView, op.result.type)
    shape, strides = iter(op.operands["dynamicShape"]), iter(op.operands["dynamicStrides"])
    env = state.env
    extents = [env[next(shape)] if e is None else np.full(RUNS, e) for e in kind.shape]
    steps = [env[next(strides)] if e is None else np.full(RUNS, e) for e in kind.strides]
    size = max(kind.element.bits // 8, 1)
    return (View(env[op.operands["base"]], extents, steps, size),)


def _view(state: State, op: Op) -> Sequence[Any] | None:
    return (state.env.get(next(op.operand_list())),)


def _extents(state: State, op: Op) -> Sequence[Any] | None:
    source = next(op.operand_list())
    made, kind = state.env.get(source), source.type
    if not isinstance(made, View):
        return None
    if op.name == "get_tensor_shape":
        return made.shape
    if not isinstance(kind, PartitionView):
        return None
    sizes = zip(kind.tile, kind.dim_map, strict=True)
    return [-(-made.shape[along] // size) for size, along in sizes]


def _blocks(state: State, op: Op) -> Sequence[Any] | None:
    least = 0 if op.name == "get_tile_block_id" else 8
    random = np.random.default_rng(least + state.seed)
    drawn = []
    for _ in op.results:
        most = [*_BLOCKS, *random.choice(_MIXED_BLOCKS, RUNS - len(_BLOCKS))]
        drawn.append(random.integers(least, np.array(most) + least))
    return drawn


def _load(state: State, op: Op) -> Sequence[Any] | None:
    if op.attributes["memory_ordering_semantics"] not in (None, "weak", "relaxed"):
        state.memory.changed()
    found = state.access(op)
    element = op.results[0].type.element
    if found is None or isinstance(element, Pointer):
        return None
    access, padding = found
    array = state.memory.load(access, element)
    if access.mask is not None:
        array = np.where(access.mask, array, 0 if padding is None else padding).astype(array.dtype)
    return array, None


def _store(state: State, op: Op) -> Sequence[Any] | None:
    found = state.access(op)
    given = op.operands.get("tile") or op.operands.get("value")
    value = None if given is None else state.env.get(given)
    if found is None or value is None or op.attributes["memory_ordering_semantics"] == "release":
        state.memory.changed()
    else:
        state.memory.store(found[0], value)
    return (None,) * len(op.results)


def _atomic(state: State, op: Op) -> Sequence[Any] | None:
    given = op.operands.get("pointers")
    pointers = None if given is None else state.env.get(given)
    order = op.attributes.get("memory_ordering_semantics")
    if pointers is None or order != "relaxed":
        state.memory.changed()
    else:
        state.memory.changed({array_of(Access(pointers, None))})
    return None


def _fence(state: State, op: Op) -> Sequence[Any] | None:
    state.memory.changed()
    return None


def _nothing(state: State, op: Op) -> Sequence[Any] | None:
    return (None,) * len(op.results)


SPECIAL: dict[str, Special] = {
    **dict.fromkeys(("assume", "ftof", "ptr_to_int", "ptr_to_ptr", "int_to_ptr"), _same),
    **dict.fromkeys(("make_partition_view", "make_strided_view"), _view),
    **dict.fromkeys(("get_tensor_shape", "get_index_space_shape"), _extents),
    **dict.fromkeys(("get_tile_block_id", "get_num_tile_blocks"), _blocks),
    **dict.fromkeys(("load_view_tko", "load_ptr_tko"), _load),
    **dict.fromkeys(STORES, _store),
    **dict.fromkeys(("atomic_rmw_tko", "atomic_cas_tko", "atomic_red_view_tko"), _atomic),
    **dict.fromkeys(("memory_fence_alias_tko", "gdc_wait_tko"), _fence),
    **dict.fromkeys(("mmaf", "mmai"), _product),
    **dict.fromkeys(("make_token", "join_tokens", "print_tko", "assert"), _nothing),
    "constant": _constant,
    "iota": _iota,
    "itof": _from_whole,
    "broadcast": _broadcast,
    "reshape": _reshape,
    "permute": _permute,
    "cat": _cat,
    "extract": _extract,
    "insert": _insert,
    "offset": _offset,
    "select": _select,
    "reduce": _reduce,
    "scan": _scan,
    "make_tensor_view": _tensor_view,
}
