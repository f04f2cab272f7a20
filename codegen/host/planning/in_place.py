"""Which loaded tiles are read in their tensors, by all loops that use them.

A tile that several loops read is copied to a buffer when it is loaded, unless they all come before
anything that may change memory. The last of them may be such an op, a store of a view: whether it
writes to what was loaded is found out when the kernel runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from tileir.codegen.host.lowering.rows import is_inline
from tileir.codegen.scalar.types import is_packed
from tileir.formats.ops.control_flow import PASSING_ON
from tileir.formats.ops.spec import RECURSIVE, SILENT, TERMINATES
from tileir.ir import Op
from tileir.types import GatherScatterView

from .buffers import Fusion
from .order import Order
from .tiles import is_tile

_LOADS = ("load_ptr_tko", "load_view_tko")
_STORES = ("store_ptr_tko", "store_view_tko")

_READERS = ("reduce", "scan", *_STORES)
"""Ops whose loops read elements one by one, beside those that are inline."""

_UNCHANGING = SILENT | {RECURSIVE, TERMINATES}
"""Effects of ops that change no memory, apart from those in their regions."""

Routes = Mapping[int, set[tuple[tuple[int, int], ...]]]


def read_in_place(order: Order, fusion: Fusion, routes: Routes) -> None:
    """Decide about the loads that are not deferred to a loop."""
    changes = [number for number, op in enumerate(order.ops) if op.spec.effects not in _UNCHANGING]
    by_id = {id(op): op for op in order.ops}
    for op in order.ops:
        if op.name not in _LOADS or id(op) in fusion.deferred_loads:
            continue
        result = op.results[0]
        taken = [[by_id[each] for each, _ in route] for route in routes.get(id(result), ())]
        if not taken or not is_tile(result) or not _is_weak(op):
            continue
        if not all(_is_read(order, op, route) for route in taken):
            continue
        last = max((route[-1] for route in taken), key=lambda reader: order.index[id(reader)])
        number = order.index[id(last)]
        change = bisect_right(changes, order.index[id(op)])
        if change == len(changes) or changes[change] >= number:
            fusion.in_place.add(id(op))
            if last.spec.effects not in _UNCHANGING:
                fusion.stored_from.setdefault(id(last), []).append(op)


def _is_read(order: Order, load: Op, route: list[Op]) -> bool:
    """Whether the op at the end of a route reads the elements where they are in the tensor."""
    *moves, reader = route
    if order.block[id(reader)] is not order.block[id(load)]:
        return False
    if any(move.name == "permute" for move in moves):
        return False
    if reader.name in PASSING_ON:  # a tile that is passed on is loaded where it goes to
        return load.results[0] not in reader.operand_list()
    if reader.name in _STORES and not _is_weak(reader):
        return False
    return is_inline(reader) or reader.name in _READERS


def _is_weak(op: Op) -> bool:
    """Whether the elements of an access are where a loop can find them, with weak ordering."""
    if "view" in op.operands:
        return is_plain(op)
    if op.attributes["memory_ordering_semantics"] != "weak":
        return False
    if op.name == "store_ptr_tko":
        return True
    result = op.results[0].type  # rows of several, each with its address, are not asked for
    return not is_packed(result.element) and sum(extent > 1 for extent in result.shape) == 1


def is_plain(op: Op) -> bool:
    """Whether an op accesses whole bytes at addresses independent of data, with weak ordering."""
    if "view" not in op.operands:
        return True
    view = op.operands["view"].type
    whole = not isinstance(view, GatherScatterView) and not is_packed(view.view.element)
    return whole and op.attributes["memory_ordering_semantics"] == "weak"
