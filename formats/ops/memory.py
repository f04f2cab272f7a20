"""Memory: access through pointers, and the tokens that order it.

Ops named `_tko` are ordered by tokens only: what depends on the token of another happens after it,
and the order in the file says nothing.
"""

from __future__ import annotations

from tileir.formats.attributes import DICTIONARY
from tileir.formats.enums import MEMORY_ORDERING, MEMORY_SCOPE
from tileir.formats.leaves import EnumValue, VarInt
from tileir.formats.version import V13_3, V13_4

from .spec import (
    ALLOCATES,
    BOOLEAN_TILE,
    NUMBER_TILE,
    POINTER,
    POINTER_TILE,
    READS,
    SIDE_EFFECT,
    TILE,
    TOKEN,
    WRITES,
    Attribute,
    Op,
    Operand,
    Pointee,
    Result,
    many,
    optional,
    scalar,
    unit,
)

LOAD_ORDERS = ("weak", "relaxed", "acquire")
STORE_ORDERS = ("weak", "relaxed", "release")
ATOMIC_ORDERS = ("relaxed", "acquire", "release", "acq_rel")

TOKEN_IN = optional("token", TOKEN, "A token of operations that must have happened before.")
TOKEN_OUT = Result(
    "result_token", TOKEN, doc="A token that orders operations that take it after this op."
)
MASK = optional("mask", BOOLEAN_TILE, "Elements with 0 are left out: no access, no fault.")
OPTIONAL_SCOPE = Attribute(
    "memory_scope",
    EnumValue(MEMORY_SCOPE),
    "The threads among which it is ordered; absent exactly when weak.",
    optional=True,
)
SCOPE = Attribute("memory_scope", EnumValue(MEMORY_SCOPE), "The threads among which it is ordered.")


def ordering(*allowed: str) -> Attribute:
    """Return the slot for the memory ordering of an access."""
    return Attribute(
        "memory_ordering_semantics",
        EnumValue(MEMORY_ORDERING),
        "How strongly the access is ordered beyond what tokens say.",
        allowed=allowed,
    )


def hints(names: str) -> Attribute:
    """Return the slot for the optimization hints of an access."""
    return Attribute(
        "optimization_hints",
        DICTIONARY,
        f"By architecture: {names}. They never change a result.",
        optional=True,
    )


POINTER_HINTS = hints("`latency`")


def _grid_dependency(mnemonic: str, opcode: int, doc: str) -> Op:
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(TOKEN_IN,),
        results=(TOKEN_OUT,),
        since=V13_4,
        effects=SIDE_EFFECT,
        format="[ token = {token}] -> {result_token:type}",
    )


OPS = (
    Op(
        "alloca",
        opcode=0x71,
        doc="Uninitialised memory that lives until the end of the block the op stands in.",
        results=(Result("result", scalar(*POINTER), doc="A pointer to the first element."),),
        attributes=(
            Attribute("num_elem", VarInt(), "The number of elements of the pointee; may be 0."),
            Attribute(
                "alignment", VarInt(), "In bytes: a power of two, at least the element's size."
            ),
            unit("global", "In global memory, rather than private to the tile block."),
        ),
        since=V13_3,
        effects=ALLOCATES,
        format="num_elem = {num_elem}, alignment = {alignment}[ {global}] : {result:type}",
    ),
    _grid_dependency(
        "gdc_launch_dependents_tko",
        0x77,
        "Let the grids that depend on this one start, as far as this tile block is concerned.",
    ),
    _grid_dependency(
        "gdc_wait_tko",
        0x78,
        "Wait until the grids that this one depends on have finished and their writes are visible.",
    ),
    Op(
        "join_tokens",
        opcode=0x3C,
        doc="Join two or more tokens: the result is after all of them.",
        operands=(many("tokens", TOKEN, "Tokens of operations that must have happened before."),),
        results=(Result("result", TOKEN, doc="A token after all of them."),),
        format="{tokens} : {result:type}",
    ),
    Op(
        "load_ptr_tko",
        opcode=0x3D,
        doc="Load an element through each pointer.\n"
        "A pointer that is not naturally aligned or not to live memory is undefined behaviour.",
        operands=(
            Operand("source", POINTER_TILE, "The memory to load from; not multicast."),
            MASK,
            optional(
                "paddingValue",
                NUMBER_TILE,
                "The values of elements that are masked out; otherwise unspecified.",
            ),
            TOKEN_IN,
        ),
        results=(Result("result", TILE, Pointee("source")), TOKEN_OUT),
        attributes=(ordering(*LOAD_ORDERS), OPTIONAL_SCOPE, POINTER_HINTS),
        effects=READS,
        same_type=(("paddingValue", "result"),),
        same_shape=(("source", "mask", "result"),),
        format=(
            "{memory_ordering_semantics}[ {memory_scope}] {source}[, {mask}][, "
            "{paddingValue}][ token={token}][ optimization_hints = {optimization_hints}] : "
            "{source:type}[, {mask:type}][, {paddingValue:type}] -> {result:type}, "
            "{result_token:type}"
        ),
    ),
    Op(
        "make_token",
        opcode=0x44,
        doc="Make a token that depends on no operation.",
        results=(Result("result", TOKEN, doc="The token."),),
    ),
    Op(
        "memory_fence_alias_tko",
        opcode=0x7A,
        doc=(
            "Order accesses to the same memory under different addresses, as multicast and unicast."
        ),
        operands=(Operand("token", TOKEN, "The accesses before the fence."),),
        results=(TOKEN_OUT,),
        since=V13_4,
        effects=SIDE_EFFECT,
        format="{token}",
    ),
    Op(
        "store_ptr_tko",
        opcode=0x65,
        doc="Store an element through each pointer; of two to one address, either may win.\n"
        "A pointer that is not naturally aligned or not to live memory is undefined behaviour.",
        operands=(
            Operand("destination", POINTER_TILE, "The memory to store to; not multicast."),
            Operand("value", TILE, "The value to store.", inference=Pointee("destination")),
            MASK,
            TOKEN_IN,
        ),
        results=(TOKEN_OUT,),
        attributes=(ordering(*STORE_ORDERS), OPTIONAL_SCOPE, POINTER_HINTS),
        effects=WRITES,
        same_shape=(("destination", "value", "mask"),),
        format=(
            "{memory_ordering_semantics}[ {memory_scope}] {destination}, {value}[, {mask}][ "
            "token={token}][ optimization_hints = {optimization_hints}] : {destination:type}, "
            "{value:type}[, {mask:type}] -> {result_token:type}"
        ),
    ),
)
