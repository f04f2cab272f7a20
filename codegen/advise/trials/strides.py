"""Trials of strides: which dimension of a tensor is contiguous, and whether the kernel knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from tileir.attributes import DivBy
from tileir.builder import Editor, splat
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.analysis.view_geometry import dimensions
from tileir.codegen.nvptx.schedule.pointer_facts import pointers_of
from tileir.codegen.nvptx.schedule.view_facts import SECTOR_BYTES
from tileir.codegen.ops import Family, family_of, writes_memory
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.read.function import Function
from tileir.types import TensorView

from .parameters import Called, constant_of, origin, slice_of
from .tensors import tensor_of
from .trial import Trial, at_ops

Size = int | Value
"""A stride: a constant, or the value that is it."""


def strides_of(view: Op) -> list[Size]:
    """Return the strides of a make_tensor_view, in elements."""
    dynamic = iter(view.operands["dynamicStrides"])
    kind = cast(TensorView, view.result.type)
    return [next(dynamic) if each is None else each for each in kind.strides]


def set_strides(view: Op, strides: Sequence[Size]) -> None:
    """Give a make_tensor_view other strides, and all views of the tensor their type."""
    kind = cast(TensorView, view.result.type)
    static = tuple(each if isinstance(each, int) else None for each in strides)
    view.operands["dynamicStrides"] = tuple(e for e in strides if isinstance(e, Value))
    retype(view.result, replace(kind, strides=static))


def retype(tensor: Value, kind: TensorView) -> None:
    """Give a tensor view, and all views that are made of it, another type."""
    tensor.type = kind
    for use in tensor.uses:
        for made in use.op.results:
            if use.op.name == "assume":
                retype(made, kind)
            elif hasattr(made.type, "view"):
                made.type = replace(made.type, view=kind)


def _of_view(op: Op) -> tuple[Op, Sequence[int]] | None:
    """Return the make_tensor_view behind an access, and the tensor's dimension of each of its."""
    view = tensor_of(op)
    return None if view is None else (view, dimensions(op.operands["view"].type))


Change = Callable[[list[Size], int, Function], str | None]
"""Changes the strides of a tensor in place, for tiles that have this dimension of it last (or as
their longest, if they have one element along the last), in this function; returns that as a piece
of advice, None if there is nothing to change."""


def _is_turned(op: Op) -> bool:
    """Whether a kernel turns the last dimension of the tile of a load or store: to transpose is
    what it is for.

    Then the contiguous dimension of one side is not that of the other, whatever is passed.
    """
    kind = op.operands["view"].type
    dims = dimensions(kind)
    if dims[-1] != max(dims):
        return True
    waiting, seen = [op], set[Op]()
    down = writes_memory(op)
    while waiting:
        each = waiting.pop()
        if each in seen or each.name in ("mmaf", "mmai", "reduce", "scan"):
            continue
        seen.add(each)
        if each.name == "permute" and _turns_last(each):
            return True
        near = (value.owner for value in each.operand_list()) if down else _users(each)
        waiting += [other for other in near if isinstance(other, Op) and not other.regions]
    return False


def _turns_last(permute: Op) -> bool:
    """Whether the last dimension of a tile becomes another one; those of one element aside."""
    shape = permute.operands["source"].type.shape
    order = [dim for dim in permute.attributes["permutation"] if shape[dim] > 1]
    return bool(order) and order[-1] != max(order)


def _users(op: Op) -> list[Op]:
    return [use.op for use in op.results[0].uses] if op.results else []


def _strides_changed(change: Change, unless: Callable[[Op], bool] = lambda op: False) -> Trial:
    """Return the trial of tensors with other strides, changed once for all accesses of each.

    Accesses for which `unless` is true change nothing.
    """

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        told: dict[Site, str] = {}
        changed: dict[Op, str] = {}
        for site in sites:
            assert site.number is not None
            found = _of_view(copy.ops[site.number])
            if found is None or unless(copy.ops[site.number]):
                continue
            view, dims = found
            if view not in changed:
                strides = strides_of(view)
                tile = copy.ops[site.number].operands["view"].type.tile
                last = tile.index(max(tile)) if tile[-1] == 1 < max(tile) else -1
                advice = change(strides, dims[last], copy.functions[site.number])
                if advice is None:
                    continue
                changed[view] = advice
                set_strides(view, strides)
            told[site] = changed[view]
        return told

    return Trial(edit, cause=tensor_of)


def _known_unit(strides: list[Size], last: int, function: Function) -> str | None:
    """Let the last stride be a constant 1, where none is known to be."""
    if 1 in strides:
        return None
    was, strides[last] = strides[last], 1
    called = Called(function.body)(was) if isinstance(was, Value) else str(was)
    return f"let the stride along dimension {last} be a constant 1, not {called}"


def _transposed(strides: list[Size], last: int, function: Function) -> str | None:
    """Let the last dimension be the contiguous one, where another is."""
    if 1 not in strides or strides[last] == 1:
        return None
    unit = strides.index(1)
    strides[unit], strides[last] = strides[last], 1
    return f"pass an array of which dimension {last} is contiguous, not {unit}"


def loads_across(product: Op) -> Iterator[Op]:
    """Yield the loads of a product's operands whose tensors are not contiguous along K.

    Of a K of one element nothing is contiguous.
    """
    for slot, dim in (("lhs", -1), ("rhs", -2)):
        value = product.operands[slot]
        found = _loaded(value, dim % len(value.type.shape))
        if found is None:
            continue
        load, dim = found
        of_view = _of_view(load)
        if of_view is not None:
            view, dims = of_view
            strides = strides_of(view)
            along = load.operands["view"].type.tile[dim]
            if along > 1 and 1 in strides and strides[dims[dim]] != 1:
                yield load


def _loaded(value: Value, dim: int) -> tuple[Op, int] | None:
    """Return the load that a value comes from, and which of its dimensions one of the value is."""
    while isinstance(op := value.owner, Op):
        if op.name == "load_view_tko":
            return op, dim
        source = next(op.operand_list(), None)
        if source is None:
            return None
        if op.name == "permute":
            dim = op.attributes["permutation"][dim]
        elif op.name == "reshape":
            long = [[n for n, e in enumerate(v.type.shape) if e > 1] for v in (value, source)]
            if dim not in long[0] or len(long[0]) != len(long[1]):
                return None
            dim = long[1][long[0].index(dim)]
        elif family_of(op) is not Family.ELEMENT_WISE:
            return None
        value = source
    return None


def _k_major(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Let the tensors of a product's operands be contiguous along K."""
    told: dict[Site, str] = {}
    wanted = {copy.ops[site.number]: site for site in sites if site.number is not None}
    for op in copy.ops.values():
        for load in loads_across(op) if op.name in ("mmaf", "mmai") else ():
            found = _of_view(load)
            if found is None or load not in wanted:
                continue
            view, dims = found
            strides, unit = strides_of(view), strides_of(view).index(1)
            tile = load.operands["view"].type.tile
            other = next(d for at, d in enumerate(dims) if d != unit and tile[at] > 1)
            strides[unit], strides[other] = strides[other], 1
            set_strides(view, strides)
            told[wanted[load]] = (
                f"pass an array of which dimension {other} is contiguous, not {unit}"
            )
    return told


def _unit_factor(which: int) -> Trial:
    """Return the trial of a constant 1 for the `which`-th integer parameter that scales offsets."""

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        told: dict[Site, str] = {}
        replaced: set[Value] = set()
        for site in sites:
            assert site.number is not None
            op, function = copy.ops[site.number], copy.functions[site.number]
            if op.operands.get("view") is not None:
                continue
            factors = _factors(pointers_of(op), function)
            if which >= len(factors):
                continue
            factor = factors[which]
            if copy.arguments.get(factor.index, 1) != 1:
                continue
            called = Called(function.body)(factor)
            if factor not in replaced:
                replaced.add(factor)
                one: Any = splat(1, factor.type)
                made = copy.editor(site.number).at_start(function.body.block).constant(one)
                factor.replace_all_uses_with(made)
            told[site] = f"let {called} be a constant 1"
        return told

    return Trial(edit)


def _factors(pointers: Value, function: Function) -> list[Value]:
    """Return the integer parameters by which offsets are multiplied, in order."""
    found: dict[Value, None] = {}
    for op in slice_of(pointers):
        if op.name == "muli":
            for value in op.operand_list():
                source = origin(value)
                if source in function.body.block.arguments:
                    found[source] = None
    return [each for each in found if _multiple(each) == 1]


def _multiple(stride: Value) -> int:
    """Return what a number is promised to be a multiple of, as far as `assume` says."""
    found = 1
    for promised in (use.op for use in stride.uses if use.op.name == "assume"):
        predicate = promised.attributes["predicate"]
        own = predicate.divisor if isinstance(predicate, DivBy) else 1
        found = max(found, own, _multiple(promised.result))
    return found


def _side_by_side(op: Op, editor: Editor) -> str | None:
    """Let offsets of neighbours differ by 1, where a constant or the grid says by how much."""
    found = _scaling(op)
    if found is None:
        return None
    scaling, slot, apart = found
    one: Any = splat(1, scaling.operands[slot].type)
    scaling.operands[slot] = editor.before(scaling).constant(one)
    return f"let neighbours in the tile lie side by side in memory: they are {apart}"


def _scaling(op: Op) -> tuple[Op, str, str] | None:
    """Return the op that scales the offsets of neighbours, by which operand, and how far apart
    that lets them be; None for accesses of views."""
    if op.operands.get("view") is not None:
        return None
    pointers = pointers_of(op)
    if sum(size > 1 for size in pointers.type.shape) != 1:
        return None  # which of several dimensions has the neighbours is not asked
    least = SECTOR_BYTES // memory_bytes(pointers.type.pointee)
    for made in slice_of(pointers):
        for slot, other in (("lhs", "rhs"), ("rhs", "lhs")) if made.name == "muli" else ():
            apart = _apart(made.operands[slot], least)
            if apart and any(each.name == "iota" for each in slice_of(made.operands[other])):
                return made, slot, apart
    return None


def _apart(factor: Value, least: int) -> str | None:
    """Return how far apart a factor that is a constant, at least so much, or the grid's puts
    neighbours; None for others."""
    number, made = constant_of(factor), origin(factor).owner
    if number is not None:
        return f"{number} elements apart" if number >= least else None
    of_grid = isinstance(made, Op) and family_of(made) is Family.QUERY
    return f"as many elements apart as {made.name} gives" if of_grid else None


def _scaled_by(op: Op) -> Op | None:
    found = _scaling(op)
    return found and found[0]


SIDE_BY_SIDE = at_ops(_side_by_side, alone=True, cause=_scaled_by)
"""Neighbours in a tile of pointers are neighbours in memory."""
KNOWN_UNIT = _strides_changed(_known_unit)
"""The kernel knows that the last dimension of a tile is contiguous."""
TRANSPOSED = _strides_changed(_transposed, unless=_is_turned)
"""The tensor is stored with the last dimension of the tile contiguous."""
K_MAJOR = Trial(_k_major, cause=tensor_of)
"""Operands of products are contiguous along K, in which products add up."""
UNIT_FACTORS = tuple(map(_unit_factor, range(3)))
"""One of the parameters that scale offsets is 1."""
