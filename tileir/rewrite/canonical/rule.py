"""What a rule of canonical forms is, and what it may do to an op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tileir.formats.ops import BY_NAME
from tileir.ir import Op, Value
from tileir.ir.constants import Constant


class Edited:
    """What a rule returns that has changed the op itself, which may be looked at again."""


EDITED = Edited()
Outcome = Value | Constant | Edited | None
"""The value that the result of an op is, or the constant, or that the op was edited; None if the
rule does not apply."""


class Rule(NamedTuple):
    """A rule: its name, the ops that it is for, what it does, why that is exact, and the function.

    The function gets an op whose operands are canonical already, and has one result.
    """

    name: str
    ops: tuple[str, ...]
    what: str
    why: str
    apply: Callable[[Op], Outcome]


def made_by(value: Value | Any, name: str) -> Op | None:
    """Return the op that makes a value, if it is of that name."""
    owner = value.owner
    return owner if isinstance(owner, Op) and owner.name == name else None


def new_constant(near: Op, constant: Constant) -> Op:
    """Return an op that makes a constant, with the location of another one; it is in no block."""
    made = Op(
        BY_NAME["constant"],
        {},
        {"value": constant},
        offset=near.offset,
        position=near.position,
        location=near.unread_location or near.location,
    )
    made.results = [Value(constant.type, made, 0)]
    return made


def constant_before(op: Op, constant: Constant) -> Value:
    """Insert a constant before an op, and return its value."""
    made = new_constant(op, constant)
    made.insert_before(op)
    return made.result
