"""Products in pieces multiply every element along k once; waits name what products have read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from tileir.codegen.block.areas import behind
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.control_edges import LOOPS, continues
from tileir.codegen.block.op_facts import ENDS
from tileir.codegen.block.types import Shared
from tileir.ir import Body, Op, Value


def product_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the pieces of products that do not go on where others end, and waits for others."""
    for op in body.walk():
        if op.name == "wait_mma":
            named = {behind(value)[0] for value in op.operands["memory"]}
            if not named.issuperset(_read(op.operands["flight"])):
                yield op, "it does not name all memory that its products read until here"
        if op.name not in PRODUCT_NAMES:
            continue
        first, end, along = _piece(op)
        added = _added(op)
        before = _maker(op.operands["acc"] if added is None else added.operands["lhs"])
        if first and not (_is_product(before) and _piece(before)[1:] == (first, along)):
            yield op, f"nothing multiplies the elements along k before {first}"
        if end != along and _first_behind(op, added) != end:
            yield op, f"nothing multiplies the elements along k from {end} on"


def _first_behind(op: Op, added: Op | None) -> int | None:
    """Return the first element along k of the piece that goes on with the sum of a piece."""
    uses = (_last(op) if added is None else added.result).uses
    if len(uses) != 1:
        return None
    if added is not None and uses[0].op.name == "addf" and uses[0].slot == "lhs":
        following = _maker(uses[0].op.result)
    else:
        following = uses[0].op if uses[0].slot == "acc" else None
    return _piece(following)[0] if _is_product(following) else None


def _piece(op: Op) -> tuple[int, int, int]:
    """Return the first element along k that is multiplied, the first one behind, and all of k."""
    along = op.operands["lhs"].type.shape[-1]
    end = op.attributes["end"]
    return op.attributes["first"] or 0, along if end is None else end, along


def _read(flight: Value) -> Iterator[Value]:
    """Yield the areas of shared memory that the products of a flight read."""
    op = flight.owner
    if not isinstance(op, Op):
        return
    if op.name == "mma_async":
        for value in op.operand_list():
            if isinstance(value.type, Shared):
                yield behind(value)[0]
        yield from _read(op.operands["acc"])
    elif op.name in LOOPS:
        yield from _read(op.operands["initValues"][flight.index])
        for end in continues(op.regions[0].block):
            yield from _read(end.operands["operands"][flight.index])


def _maker(value: Value) -> object:
    """Return the op that makes an accumulator: that which a wait waits for, or which is added."""
    op = value.owner
    if isinstance(op, Op) and op.name == "addf":
        op = op.operands["rhs"].owner
    if isinstance(op, Op) and op.name in ENDS:
        return op.operands["flight"].owner
    return op


def _added(op: Op) -> Op | None:
    """Return the op that adds a product to a sum, if its own accumulator begins with a constant."""
    before, uses = op.operands["acc"].owner, _last(op).uses
    if not isinstance(before, Op) or before.name != "constant" or len(uses) != 1:
        return None
    return uses[0].op if uses[0].op.name == "addf" and uses[0].slot == "rhs" else None


def _last(op: Op) -> Value:
    """Return the result of a product: that of the wait for it."""
    waits = [use.op for use in op.result.uses if use.op.name in ENDS]
    return waits[0].result if len(waits) == 1 else op.result


def _is_product(op: object) -> TypeGuard[Op]:
    return isinstance(op, Op) and op.name in PRODUCT_NAMES
