"""The rows of roles, which warps of a block have, and of the slots that one role fills for another.

Nothing of SSA crosses from one role to another. A ring has two mbarriers a slot: the *full* one
counts the bytes of copies that arrive, the *empty* one the warps that have read the slot.
"""

from __future__ import annotations

from tileir.formats.ops.spec import (
    NO_MEMORY_EFFECT,
    RECURSIVE,
    SIDE_EFFECT,
    Attribute,
    Operand,
    Region,
    Result,
    many,
    optional,
    scalar,
    unit,
)

from .attributes import INTEGER, TEXT
from .block_row import Row
from .slots import MBARRIER, SHARED, TURN

_FULL = Operand("barriers", MBARRIER, "The full mbarriers.")
_EMPTY = Operand("barriers", MBARRIER, "The empty mbarriers.")
_TURN = Operand("turn", TURN, "The slot, and the phase in which it is filled.")
_RINGS = many("rings", SHARED, "The rings that have the slot.")
_SLOT_FORMAT = "{barriers}, {rings}[[{turn}]] : {barriers:type}, {turn:type}, {rings:type}"

ROLES = (
    Row(
        "role",
        "What some warps of the block do from here on, beside those of other roles.\n"
        "Roles are the last ops of a body but one. Barriers in a role are of its warps only. Of"
        " its warps, only the first `working` ones do anything but hand over registers.",
        attributes=(
            Attribute("name", TEXT, "What it is for."),
            Attribute("first", INTEGER, "Its first warp."),
            Attribute("warps", INTEGER, "How many warps it has: those of whole warpgroups."),
            Attribute("working", INTEGER, "How many of them do something."),
            Attribute("registers", INTEGER, "The registers of each of its threads."),
            unit("frees", "Its threads give registers up; otherwise they take them."),
        ),
        regions=(Region("body", "What it does.", terminators=("return",)),),
        effects=RECURSIVE,
        format="",
    ),
    Row(
        "acquire_slot",
        "Wait until a slot may be filled: the other role has released what was in it before.",
        operands=(_EMPTY, _RINGS, _TURN),
        effects=SIDE_EFFECT,
        format=_SLOT_FORMAT,
    ),
    Row(
        "commit_slot",
        "One thread starts the copies to these tiles; the slot's full mbarrier counts their bytes.",
        operands=(
            many("tiles", SHARED, "Where they go."),
            _FULL,
            _TURN,
        ),
        effects=SIDE_EFFECT,
        format="{barriers}[[{turn}]], {tiles} : {barriers:type}, {turn:type}, {tiles:type}",
    ),
    Row(
        "wait_slot",
        "Every thread of the role waits until a slot has been filled. The results are its tiles.",
        operands=(_FULL, _RINGS, _TURN),
        results=(Result("tiles", SHARED, None, "The tiles.", "many"),),
        effects=SIDE_EFFECT,
        same_memory="rings",
        format=_SLOT_FORMAT + " -> {tiles:type}",
    ),
    Row(
        "held_slot",
        "The tile of a ring in a slot that the role has waited for, and has not released yet.",
        operands=(Operand("ring", SHARED, "A ring."), _TURN),
        results=(Result("tile", SHARED, doc="The tile."),),
        effects=NO_MEMORY_EFFECT,
        same_memory="ring",
        format="{ring}[[{turn}]] : {ring:type}, {turn:type} -> {tile:type}",
    ),
    Row(
        "release_slot",
        "Each warp of the role has read a slot, which may be filled again when all of them have.\n"
        "Nothing is released where the predicate behind `if` is false.",
        operands=(
            _EMPTY,
            _RINGS,
            _TURN,
            optional("predicate", scalar("i1"), "Whether there is a slot to release."),
        ),
        effects=SIDE_EFFECT,
        format="{barriers}, {rings}[[{turn}]][ if {predicate}] : {barriers:type}, {turn:type},"
        " {rings:type}",
    ),
    Row(
        "order_start",
        "From here on, the warpgroups of the role start products one after the other: the first one"
        " begins.",
        effects=SIDE_EFFECT,
        format="",
    ),
    Row(
        "order_wait",
        "Wait until the warpgroup before this one has passed its place in the order on.",
        effects=SIDE_EFFECT,
        format="",
    ),
    Row(
        "order_pass",
        "The products of this warpgroup have been started: the next one may start its own.",
        effects=SIDE_EFFECT,
        format="",
    ),
    Row(
        "order_end",
        "The first warpgroup waits until the last one has passed its place on: nobody is waiting.",
        effects=SIDE_EFFECT,
        format="",
    ),
)

ORDERS = ("order_start", "order_wait", "order_pass", "order_end")
"""The rows by which warpgroups take turns, in the order in which they are executed."""
