"""Ops about the kernel itself rather than what it computes."""

from __future__ import annotations

from tileir.formats.attributes import ATTRIBUTE, STRING_INDEX
from tileir.formats.version import V13_2

from .spec import (
    ANY,
    SIDE_EFFECT,
    TILE,
    TOKEN,
    UNDECLARED,
    Attribute,
    Like,
    Op,
    Operand,
    Result,
    many,
    optional,
)

OPS = (
    Op(
        "assume",
        opcode=0x06,
        doc="Promise that a predicate holds for a value, which is the result.\n"
        "Undefined behaviour if the predicate does not hold.",
        operands=(
            Operand("value", ANY, "A tile of integers or pointers; for DivBy also a tensor view."),
        ),
        results=(Result("result", ANY, Like("value")),),
        attributes=(
            Attribute("predicate", ATTRIBUTE, "A DivBy, SameElements or Bounded attribute."),
        ),
        effects=UNDECLARED,
        same_type=(("value", "result"),),
        format="{predicate}, {value} : {value:type}",
        prefix="assume",
    ),
    Op(
        "print_tko",
        opcode=0x55,
        doc="Print tiles to the standard output of the host, as printf does.",
        operands=(
            many("args", TILE, "A tile for each conversion in the format."),
            optional(
                "token", TOKEN, "A token of operations that must have happened before.", V13_2
            ),
        ),
        results=(
            Result(
                "result_token",
                TOKEN,
                doc="A token that orders operations that take it after this op.",
                since=V13_2,
            ),
        ),
        attributes=(Attribute("str", STRING_INDEX, "The format; %% stands for a percent sign."),),
        effects=SIDE_EFFECT,
        aliases=("print",),
        format="{str}[, {args}][ token={token}][ : {args:type}] -> {result_token:type}",
    ),
)
