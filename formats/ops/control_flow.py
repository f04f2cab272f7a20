"""Control flow: structured regions and the terminators that leave them.

Between a `break` or `continue` and its loop there are only `if` ops.
"""

from __future__ import annotations

from tileir.formats.attributes import STRING_INDEX
from tileir.formats.version import V13_2

from .spec import (
    ANY,
    BOOLEAN_TILE,
    INTEGERS,
    RECURSIVE,
    SIDE_EFFECT,
    TERMINATES,
    Attribute,
    Constraint,
    Like,
    Op,
    Operand,
    Region,
    Result,
    many,
    scalar,
    unit,
)

CARRIED = Constraint(("tile", "token"))
"""Types of values that regions take and give: all but views."""

YIELDED = (("yield", Like("results")),)
CARRIED_ON = ("continue", Like("initValues"))
PASSING_ON = ("yield", "break", "continue")
"""Terminators whose operands become results of an op around, or what a loop carries."""
BRANCH_ENDS = (*PASSING_ON, "return")
INDEX = scalar(*INTEGERS)
INITIAL_VALUES = many("initValues", CARRIED, "Carried values of the first iteration.")


def _terminator(mnemonic: str, opcode: int, doc: str, values: Constraint, values_doc: str) -> Op:
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(many("operands", values, values_doc),),
        effects=TERMINATES,
        format="[ {operands} : {operands:type}]",
    )


OPS = (
    Op(
        "assert",
        opcode=0x05,
        doc="Report every element that is 0: the message is printed and the launch fails.\n"
        "The kernel may run on.",
        operands=(Operand("condition", BOOLEAN_TILE, "1 where all is well."),),
        attributes=(Attribute("message", STRING_INDEX, "The text to print."),),
        effects=SIDE_EFFECT,
        format="{condition}, {message} : {condition:type}",
    ),
    _terminator(
        "break", 0x0A, "Leave the innermost loop op.", CARRIED, "The results of that loop."
    ),
    _terminator(
        "continue",
        0x11,
        "Continue with the next iteration of the innermost for or loop.",
        CARRIED,
        "The carried values of the next iteration.",
    ),
    Op(
        "for",
        opcode=0x29,
        doc="Run the region for lowerBound, lowerBound + step, ... below upperBound.\n"
        "A step that is not positive, or a sum that overflows, is undefined behaviour.",
        operands=(
            Operand("lowerBound", INDEX, "The first value."),
            Operand("upperBound", INDEX, "The exclusive end."),
            Operand("step", INDEX, "The increment of each iteration."),
            INITIAL_VALUES,
        ),
        results=(
            Result(
                "resultValues", CARRIED, Like("initValues"), "Carried values at the end.", "many"
            ),
        ),
        attributes=(unit("unsignedCmp", "Compare with the bound as unsigned.", V13_2),),
        regions=(
            Region(
                "region",
                "One iteration.",
                "the induction variable, then one for each initial value",
                ("continue",),
                takes=(Like("lowerBound"), Like("initValues")),
                gives=(CARRIED_ON,),
            ),
        ),
        effects=RECURSIVE,
        same_type=(("lowerBound", "upperBound", "step"), ("initValues", "resultValues")),
        format="",
        prefix="for",
    ),
    Op(
        "if",
        opcode=0x32,
        doc="Run one of two regions.",
        operands=(Operand("condition", scalar("i1"), "1 runs thenRegion, 0 elseRegion."),),
        results=(
            Result(
                "results", CARRIED, doc="The values that the region that ran yields.", arity="many"
            ),
        ),
        regions=(
            Region(
                "thenRegion", "Runs if the condition is 1.", terminators=BRANCH_ENDS, gives=YIELDED
            ),
            Region(
                "elseRegion",
                "Runs if the condition is 0; required if there are results.",
                terminators=BRANCH_ENDS,
                may_be_empty=True,
                gives=YIELDED,
            ),
        ),
        effects=RECURSIVE,
        format="",
    ),
    Op(
        "loop",
        opcode=0x41,
        doc="Run the region again and again, until a break.",
        operands=(INITIAL_VALUES,),
        results=(Result("resultValues", CARRIED, doc="The operands of the break.", arity="many"),),
        regions=(
            Region(
                "region",
                "One iteration.",
                "one for each initial value",
                ("continue", "break", "return"),
                takes=(Like("initValues"),),
                gives=(CARRIED_ON, ("break", Like("resultValues"))),
            ),
        ),
        effects=RECURSIVE,
        format="",
    ),
    _terminator("return", 0x5C, "End the kernel for this tile block.", ANY, "None in a kernel."),
    _terminator(
        "yield",
        0x6D,
        "End a region of if, reduce or scan with its values.",
        CARRIED,
        "The results of the if, or the new accumulators.",
    ),
)
