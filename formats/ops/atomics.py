"""Atomics: each element of memory is read, changed and written as one step.

The op as a whole is not one step, and elements that share an address are all applied, in any order.
"""

from __future__ import annotations

from tileir.formats.enums import ATOMIC_RMW_MODE, MEMORY_SCOPE
from tileir.formats.leaves import EnumValue
from tileir.formats.version import V13_3, V13_5

from .memory import ATOMIC_ORDERS, MASK, SCOPE, TOKEN_IN, TOKEN_OUT, ordering
from .spec import (
    DENSE_VIEW,
    POINTER_TILE,
    READS_WRITES,
    TILE,
    Attribute,
    Op,
    Operand,
    Pointee,
    Result,
    ViewTile,
    tile,
)
from .views import INDEX, inbounds

SWAPPABLE = tile("i32", "i64", "f32", "f64")
MODE_TYPES = "i32 and i64; floats for addf; both, of 32 or 64 bits, for xchg."

POINTERS = Operand("pointers", POINTER_TILE, "The addresses; the pointee is the element type.")


def _mode(*allowed: str) -> Attribute:
    node = EnumValue(ATOMIC_RMW_MODE)
    return Attribute("mode", node, "The operation on the element in memory.", allowed=allowed)


OPS = (
    Op(
        "atomic_cas_tko",
        opcode=0x07,
        doc="Compare and swap: where memory holds `cmp`, bit by bit, store `val`.",
        operands=(
            POINTERS,
            Operand("cmp", SWAPPABLE, "The expected value."),
            Operand("val", SWAPPABLE, "The value to store."),
            MASK,
            TOKEN_IN,
        ),
        results=(
            Result(
                "result", TILE, Pointee("pointers"), "The old value in memory; `cmp` if masked out."
            ),
            TOKEN_OUT,
        ),
        attributes=(ordering(*ATOMIC_ORDERS), SCOPE),
        effects=READS_WRITES,
        same_type=(("cmp", "val", "result"),),
        same_shape=(("pointers", "cmp", "val", "mask", "result"),),
        format=(
            "{memory_ordering_semantics} {memory_scope} {pointers}, {cmp}, {val}[, {mask}][ "
            "token={token}] : {pointers:type}, {val:type}[, {mask:type}] -> {result:type}, "
            "{result_token:type}"
        ),
    ),
    Op(
        "atomic_red_view_tko",
        opcode=0x75,
        doc="Combine a tile into a tile of a view without returning what was there.\n"
        "Elements outside the tensor are left out.",
        operands=(
            Operand("view", DENSE_VIEW, "The view of the memory."),
            INDEX,
            Operand("value", TILE, MODE_TYPES, inference=ViewTile("view")),
            TOKEN_IN,
        ),
        results=(TOKEN_OUT,),
        attributes=(
            ordering("relaxed"),
            Attribute(
                "memory_scope",
                EnumValue(MEMORY_SCOPE),
                "The threads among which it is atomic.",
                allowed=("tl_blk", "device"),
            ),
            _mode("and", "or", "xor", "add", "addf", "max", "min", "umax", "umin"),
            inbounds(V13_5),
        ),
        since=V13_3,
        effects=READS_WRITES,
        format=(
            "{memory_ordering_semantics} {memory_scope} {view}[[{index}]], {mode}, {value}[ "
            "token = {token}][ inbounds = {inbounds}] : {value:type}, {view:type}[, "
            "{index:common}] -> {result_token:type}"
        ),
    ),
    Op(
        "atomic_rmw_tko",
        opcode=0x08,
        doc="Combine an element with what each pointer points to.",
        operands=(POINTERS, Operand("arg", TILE, MODE_TYPES), MASK, TOKEN_IN),
        results=(
            Result(
                "result",
                TILE,
                Pointee("pointers"),
                "The old value in memory; unspecified if masked out.",
            ),
            TOKEN_OUT,
        ),
        attributes=(ordering(*ATOMIC_ORDERS), SCOPE, _mode()),
        effects=READS_WRITES,
        same_type=(("arg", "result"),),
        same_shape=(("pointers", "arg", "mask", "result"),),
        format=(
            "{memory_ordering_semantics} {memory_scope} {pointers}, {mode}, {arg}[, {mask}][ "
            "token={token}] : {pointers:type}, {arg:type}[, {mask:type}] -> {result:type}, "
            "{result_token:type}"
        ),
    ),
)
