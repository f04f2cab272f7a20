"""Rules about core ops: constants, and ops that rearrange or combine whole tiles."""

from __future__ import annotations

from math import prod

from tileir.attributes import FloatAttribute, IntegerAttribute
from tileir.ir import Op
from tileir.ir.slot_types import infer, operand_slots
from tileir.types import Scalar, Tile
from tileir.verifier.catalogue import rule
from tileir.verifier.wording import listed, quoted

INTERCHANGEABLE = {"f16", "bf16"}
"""Element types that may take each other's identities."""


def byte_size(tile: Tile) -> int:
    """Return the bytes that the elements of a tile take when they are packed; tf32 takes four."""
    bits = 32 if tile.element.name == "tf32" else tile.element.bits
    return prod(tile.shape) * bits // 8


@rule("constant-value", "constant")
def _constant(op: Op) -> str | None:
    """The value of a constant has the type of its result."""
    value, type = op.attributes["value"], op.result.type.bare
    if getattr(value, "type", None) != type:
        return f"the value is {getattr(value, 'type', value)}, the result {quoted(type)}"
    return None


@rule("broadcast-shape", "broadcast", hint="only dimensions of size 1 grow; reshape first")
def _broadcast(op: Op) -> str | None:
    """A broadcast keeps every dimension as it is, except those of size 1, which may grow."""
    source, result = op.operands["source"].type.shape, op.result.type.shape
    for old, new in zip(source, result, strict=True):
        if old not in (1, new):
            return (
                "expects the shape of source tile to be compatible with that of the result tile, "
                f"but got: {old} and {new}"
            )
    return None


@rule("cat-shape", "cat")
def _cat(op: Op) -> str | None:
    """cat joins two tiles along `dim`, which is below their rank: there the sizes add up, all other
    sizes are equal. As sizes are powers of two, both parts have the same size along `dim`."""
    dim = op.attributes["dim"]
    lhs, rhs, result = op.operands["lhs"].type, op.operands["rhs"].type, op.result.type
    if not 0 <= dim < lhs.rank:
        return f"expect dim to be [0, {lhs.rank}), but got: {dim}"
    if lhs.shape[dim] + rhs.shape[dim] != result.shape[dim]:
        total = lhs.shape[dim] + rhs.shape[dim]
        return f"invalid concat at position {dim}, expected: {total} but got: {result.shape[dim]}"
    for at in range(lhs.rank):
        for name, other in (("rhs", rhs), ("result", result)):
            if at != dim and lhs.shape[at] != other.shape[at]:
                return (
                    f"expect lhs and {name} shapes to match at non-concat position {at}, "
                    f"expected: {lhs.shape[at]} but got: {other.shape[at]}"
                )
    return None


@rule("slice-shape", "extract", "insert")
def _slice(op: Op) -> str | None:
    """extract and insert see a tile as a grid of slices: slice and whole have one rank, each size
    of the slice divides that of the whole, and there is one index for each dimension."""
    inserting = op.name == "insert"
    whole = op.operands["destination" if inserting else "source"].type
    part = op.operands["source"].type if inserting else op.result.type
    names = ("result", "source") if inserting else ("source", "result")
    if whole.rank != part.rank:
        return "source and result must have the same rank"
    for at, (large, small) in enumerate(zip(whole.shape, part.shape, strict=True)):
        if large % small:
            return (
                f"{names[0]} dimension {at} size ({large}) must be evenly divisible by {names[1]} "
                f"dimension {at} size ({small})"
            )
    count = len(op.operands["indices"])
    return None if count == whole.rank else f"expected {whole.rank} indices, but got {count}"


@rule("permutation", "permute")
def _permute(op: Op) -> str | None:
    """permute names every dimension of a tile of rank 2 or more exactly once, and the result has
    the sizes in that order: its dimension i is dimension permutation[i] of the source."""
    source, result = op.operands["source"].type, op.result.type
    order = tuple(op.attributes["permutation"])
    if source.rank < 2:
        return f"expects at least rank 2, but got: {source.rank}"
    if len(order) != source.rank:
        return (
            f"expect permutation size ({len(order)}) to equal the rank of the source "
            f"({source.rank})"
        )
    for at, dim in enumerate(order):
        if not 0 <= dim < source.rank:
            return f"permutation element at index {at} ({dim}) is out of bound [0, {source.rank})"
    if len(set(order)) != len(order):
        return "expect permutation elements to be unique"
    for at, dim in enumerate(order):
        if result.shape[at] != source.shape[dim]:
            return (
                f"result shape invalid at index {at}, expected: {source.shape[dim]}, but got: "
                f"{result.shape[at]}"
            )
    return None


@rule("reshape-size", "reshape")
def _reshape(op: Op) -> str | None:
    """A reshape keeps the number of elements and their row-major order; only the shape changes."""
    source, result = op.operands["source"].type, op.result.type
    if source.size == result.size:
        return None
    return "expected source tile and result tile to have the same number of elements"


@rule("iota-size", "iota", hint="take a wider element type, or a shorter tile")
def _iota(op: Op) -> str | None:
    """The numbers of an iota, read as unsigned, all fit its element type: at most 2^width."""
    tile = op.result.type
    if tile.size <= 1 << tile.element.bits:
        return None
    return (
        f"the number of elements {tile.size} exceeds the maximum value of element type "
        f"{quoted(tile.element)}"
    )


@rule("pack-size", "pack", "unpack")
def _pack(op: Op) -> str | None:
    """pack and unpack keep the number of bytes, and change the width of the elements. Several i1,
    i4 or f4E2M1FN share a byte; tf32 takes four."""
    source, result = op.operands["source"].type, op.result.type
    if source.element.bits == result.element.bits:
        return "expects source and result to have different element type widths"
    for name, tile in (("source", source), ("result", result)):
        if tile.size * tile.element.bits % 8 and tile.element.bits < 8:
            return f"expects {name} tile to be byte-aligned"
    if byte_size(source) != byte_size(result):
        return (
            "expects source and result to have the same size in bytes, but got source tile size "
            f"{byte_size(source)} bytes and result tile size {byte_size(result)} bytes"
        )
    return None


@rule("scalar-identity", "reduce", "scan", hint="convert to f16 first")
def _scalars(op: Op) -> str | None:
    """The region of a reduction works on scalars, and there is no scalar f4E2M1FN."""
    for value in op.operands["operands"]:
        if getattr(value.type.element, "name", "") == "f4E2M1FN":
            return (
                f"a tile of rank 0 of f4E2M1FN does not exist, but operand is {quoted(value.type)}"
            )
    return None


@rule("combined-tiles", "reduce", "scan")
def _combined(op: Op) -> str | None:
    """reduce and scan take one tile or more, all of one shape, work along a dimension below their
    rank, and give one result for each operand: a reduction drops the dimension, a scan keeps it."""
    slots = operand_slots(op)
    operands, dim = slots["operands"], op.attributes["dim"]
    if not operands:
        return "expected 1 or more operands, but found 0"
    if len(operands) != len(op.results):
        return "expect same number of operands and results"
    rank = operands[0].type.rank
    if not 0 <= dim < rank:
        return f"dimension ({dim}) is out of bound [0, {rank})"
    if op.name == "reduce":
        rule = op.spec.results[0].inference
        due = (infer(op, rule, slots) if rule else None) or []
        types = [value.type for value in op.results]
        if due != types:
            return (
                f"inferred type(s) {listed(due)} are incompatible with return type(s) of "
                f"operation {listed(types)}"
            )
    return None


@rule("identities", "reduce", "scan")
def _identities(op: Op) -> str | None:
    """There is one identity for each operand, a number of its element type (f16 and bf16 may stand
    for each other). It must be neutral for what the region computes; nobody can check that."""
    operands, identities = op.operands["operands"], op.attributes["identities"]
    if len(operands) != len(identities):
        return (
            f"expect identities to match the number of operands but got: {len(operands)} operands "
            f"and {len(identities)} identities"
        )
    for at, (value, identity) in enumerate(zip(operands, identities, strict=True)):
        type, given = value.type.element, _type_of(identity)
        both = {getattr(type, "name", ""), getattr(given, "name", "")}
        if type != given and not both <= INTERCHANGEABLE:
            spelled = "'none'" if given is None else quoted(given)
            return (
                f"expect same type for operand at index: {at} and identity at index: {at} but "
                f"got: {quoted(type)} and {spelled}"
            )
    return None


def _type_of(identity: object) -> Scalar | None:
    if isinstance(identity, bool):
        return Scalar("i1")
    return identity.type if isinstance(identity, IntegerAttribute | FloatAttribute) else None


@rule("select-type", "select", hint="select f8 or wider, and convert")
def _select(op: Op) -> str | None:
    """select works on anything but f4E2M1FN, whose elements share bytes."""
    if getattr(op.result.type.element, "name", "") == "f4E2M1FN":
        return "cannot operate on sub-byte type F4E2M1FN"
    return None
