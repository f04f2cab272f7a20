"""Ops in public preview: calls of functions that another language implements, with threads.

NVIDIA publishes no specification of them; layouts and rules are those of tileirdisasm 13.5.37.
"""

from __future__ import annotations

from tileir.formats.attributes import ATTRIBUTE, ATTRIBUTE_LIST, DICTIONARY, STRING_INDEX
from tileir.formats.enums import SYNCHRONIZATION
from tileir.formats.leaves import EnumValue
from tileir.formats.nodes import RowRecord, field
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import PREVIEW

from .spec import ANY, SIDE_EFFECT, SYMBOL, Attribute, Op, Region, Result, many

SCRATCH = RowRecord(
    field("size", ATTRIBUTE, "An expression: its size in bytes."),
    field("alignment", ATTRIBUTE, "An expression: its alignment in bytes."),
)
"""A ScratchRequest without its tag."""

OPS = (
    Op(
        "preview$call",
        opcode=0x4002,
        doc="Call an extern function of the module.",
        operands=(many("operands", ANY, "A value for each parameter."),),
        results=(Result("results", ANY, doc="What it returns.", arity="many"),),
        attributes=(
            Attribute("callee", STRING_INDEX, "The name of the function."),
            Attribute("const_args", ATTRIBUTE_LIST, "An expression for each constant parameter."),
            Attribute("arg_attrs", ATTRIBUTE_LIST, "A dictionary for each operand.", optional=True),
            Attribute("res_attrs", ATTRIBUTE_LIST, "A dictionary for each result.", optional=True),
        ),
        effects=SIDE_EFFECT,
        since=PREVIEW,
        format="",
    ),
    Op(
        "preview$extern_impl",
        opcode=0x4004,
        doc="An implementation of an extern function, by a symbol of a library.",
        attributes=(
            Attribute("sym_name", STRING_INDEX, "The name, also of the symbol in the library."),
            Attribute("implements", STRING_INDEX, "The name of the extern function."),
            Attribute("const_params", ATTRIBUTE_LIST, "Its ConstParam attributes.", optional=True),
            Attribute("const_args", ATTRIBUTE_LIST, "What it implements it for.", optional=True),
            Attribute("function_type", TYPE_INDEX, "Fragments as parameters, no results."),
            Attribute(
                "arg_attrs", ATTRIBUTE_LIST, "A dictionary for each parameter.", optional=True
            ),
            Attribute("res_attrs", ATTRIBUTE_LIST, "A dictionary for each result.", optional=True),
            Attribute("scratch_smem", SCRATCH, "Shared memory that it needs.", optional=True),
            Attribute("config", DICTIONARY, "Not allowed so far.", optional=True),
            Attribute("arch", ATTRIBUTE_LIST, "The architectures it is for.", optional=True),
            Attribute("frontendABI", DICTIONARY, "For the frontend.", optional=True),
            Attribute(
                "synchronization",
                EnumValue(SYNCHRONIZATION),
                "Which threads it synchronises.",
                optional=True,
            ),
        ),
        regions=(Region("body", "Empty: the library has the code.", may_be_empty=True),),
        effects=SYMBOL,
        in_body=False,
        since=PREVIEW,
        format="",
    ),
)
