"""Defects of layouts, and of what is computed across registers, lanes and warps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.ir import Body, Op, Value

from .defect import EMULATOR, VERIFIER, Site, defect, ops

_ANY_LAYOUT = ("convert_layout", "store_shared", "store_view_tko")
"""Ops that work in whatever layout their tile has."""


def _excuse(tile: Value) -> str:
    if all(use.op.name in _ANY_LAYOUT for use in tile.uses):
        return "who uses the tile does so in any layout"
    return ""


def _relaid(body: Body, other: Callable[[LinearLayout], LinearLayout | None]) -> Iterator[Site]:
    """What an op gives has another layout than those who use it think."""
    for op in ops(body, "convert_layout", "load_shared", "load_slice"):
        kind = op.result.type
        if isinstance(kind, Frag) and (layout := other(kind.layout)) is not None:

            def change(value: Value = op.result, layout: LinearLayout = layout) -> None:
                value.type = replace(value.type, layout=layout)

            yield Site(op, change, _excuse(op.result))


@defect("a register's base and a lane's swapped", VERIFIER)
def register_and_lane(body: Body) -> Iterator[Site]:
    def other(layout: LinearLayout) -> LinearLayout | None:
        if not layout.register or not layout.lane[0]:
            return None
        (low, *registers), (first, *lanes) = layout.register, layout.lane
        return replace(layout, register=(first, *registers), lane=(low, *lanes))

    return _relaid(body, other)


@defect("a lane's base and a warp's swapped", VERIFIER)
def lane_and_warp(body: Body) -> Iterator[Site]:
    def other(layout: LinearLayout) -> LinearLayout | None:
        if not layout.warp or layout.lane[-1] == layout.warp[0]:
            return None
        *lanes, last = layout.lane
        first, *warps = layout.warp
        return replace(layout, lane=(*lanes, first), warp=(last, *warps))

    return _relaid(body, other)


@defect("convert_layout dropped", VERIFIER)
def conversion_dropped(body: Body) -> Iterator[Site]:
    for op in ops(body, "convert_layout"):

        def change(op: Op = op) -> None:
            for use in op.result.uses:
                use.set(op.operands["source"])
            op.erase()

        yield Site(op, change, _excuse(op.result))


def _attribute(op: Op, **values: object) -> Callable[[], None]:
    return lambda: op.attributes.update(values)


@defect("a fold in the other order", VERIFIER)
def fold_order(body: Body) -> Iterator[Site]:
    for op in ops(body, "fold"):
        if op.attributes["ordered"] and len(op.attributes["over"]) > 1:
            yield Site(op, _attribute(op, over=op.attributes["over"][::-1]))


@defect("a fold that is not said to be ordered", VERIFIER)
def fold_unordered(body: Body) -> Iterator[Site]:
    for op in ops(body, "fold"):
        if op.attributes["ordered"]:
            yield Site(op, _attribute(op, ordered=False))


@defect("a bit that is not folded", VERIFIER)
def fold_less(body: Body) -> Iterator[Site]:
    for op in ops(body, "fold"):
        yield Site(op, _attribute(op, over=op.attributes["over"][:-1]))


@defect("a scan from the other end", EMULATOR)
def scan_reversed(body: Body) -> Iterator[Site]:
    for op in ops(body, "scan_warp", "scan_across"):
        yield Site(op, _attribute(op, reverse=not op.attributes["reverse"]))


@defect("a scan without the sums of warps", VERIFIER)
def scan_alone(body: Body) -> Iterator[Site]:
    for op in ops(body, "scan_across"):
        if op.operands["warps"]:
            yield Site(op, lambda op=op: op.operands.update(warps=()))


def _pieces(body: Body) -> Iterator[tuple[Op, int, int, int]]:
    """Yield the products, with their first and last element along k, and all of k."""
    for op in ops(body, "mma", "mma_scaled"):
        along = op.operands["lhs"].type.shape[-1]
        end = op.attributes["end"]
        yield op, op.attributes["first"] or 0, along if end is None else end, along


@defect("a product with a gap along k", VERIFIER)
def gap(body: Body) -> Iterator[Site]:
    for op, first, end, _ in _pieces(body):
        if end - first >= 32:
            yield Site(op, _attribute(op, first=(first + end) // 2))


@defect("a product of some elements twice", VERIFIER)
def twice(body: Body) -> Iterator[Site]:
    for op, first, end, along in _pieces(body):
        if first:
            yield Site(op, _attribute(op, first=0))
        elif end < along:
            yield Site(op, _attribute(op, end=along))


def _conversions(body: Body) -> Iterator[tuple[Op, str, str]]:
    """Yield the products whose operands are converted when they are read, with slot and way."""
    for op in ops(body, "mma", "mma_scaled"):
        for slot in ("lhs_conversion", "rhs_conversion"):
            if op.attributes[slot]:
                yield op, slot, op.attributes[slot]


@defect("a conversion of an operand forgotten", VERIFIER)
def conversion_forgotten(body: Body) -> Iterator[Site]:
    for op, slot, _ in _conversions(body):
        yield Site(op, _attribute(op, **{slot: None}))


@defect("an operand read as of the other sign", EMULATOR)
def other_sign(body: Body) -> Iterator[Site]:
    other = {"signed": "unsigned", "unsigned": "signed"}
    for op, slot, way in _conversions(body):
        if way in other:
            yield Site(op, _attribute(op, **{slot: other[way]}))


@defect("all copies of an element accessed", VERIFIER)
def every_copy(body: Body) -> Iterator[Site]:
    for op in body.walk():
        if op.attributes.get("owner"):
            yield Site(
                op,
                _attribute(op, owner=False),
                "" if op.name.startswith("atomic") else "all copies do the same",
            )


@defect("only owners have the result", VERIFIER)
def owners_alone(body: Body) -> Iterator[Site]:
    for op in body.walk():
        if "owner" in op.attributes and not op.attributes["owner"] and op.results:
            kind = op.results[0].type
            stored = all(use.op.name == "store_shared" for use in op.results[0].uses)
            if isinstance(kind, Frag) and kind.layout.replicas and not stored:
                yield Site(op, _attribute(op, owner=True))
