"""Func section: one record for each function, whose body stays bytes until its ops are wanted."""

from __future__ import annotations

from construct import Construct

from .attributes import ATTRIBUTE, STRING_INDEX
from .cursor import Cursor, Path
from .leaves import FlagWord, Index
from .nodes import (
    UNANNOUNCED,
    Counted,
    If,
    Record,
    Since,
    Sized,
    Unless,
    UntilEnd,
    Versioned,
    field,
)
from .ops import BY_NAME
from .ops.wire import OP, fields
from .types import TYPE_INDEX
from .version import PREVIEW, V13_1, V13_5

PRIVATE = 1
KERNEL = 2
HINTS = 4

IMPLEMENTATION = 4
"""What the bit of `HINTS` says in functions that are no kernels."""

FORM_SINCE = V13_5
"""First version in which a kernel's flags have no other bits than `private` and `kernel`."""

BODY = UntilEnd(OP)

EXTERN_IMPL = Record(*fields(BY_NAME["preview$extern_impl"])[1:])
"""What makes a function an implementation: the fields of its op, which has no results."""


class FunctionFlags(FlagWord):
    """One byte. 13.5 redefined bits 2 and 3 as a form, of which ordinary files use only 0.

    Functions that are no kernels are in public preview: declarations of extern functions (form 0)
    and implementations of them (form 1).
    """

    def __init__(self) -> None:
        super().__init__("private", "kernel", "hints", one_byte=True)

    def read(self, cursor: Cursor, path: Path) -> int:
        """Read the byte; which of its values are allowed depends on the version."""
        start = cursor.position
        value = super().read(cursor, path)
        if cursor.version >= FORM_SINCE and value >> 4:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected="bits 4 to 7 to be 0",
                found=f"{value:#04x}",
            )
        if value & KERNEL and cursor.version >= FORM_SINCE and value >> 2:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected="a kernel's flags",
                found=f"{value:#04x}",
                hint="from 13.5 on, bits 2 and 3 are the form of a function that is no kernel",
            )
        if not value & KERNEL and cursor.version < PREVIEW:
            raise cursor.error(
                "preview",
                path,
                offset=start,
                expected="a kernel entry point",
                found=f"function flags {value:#04x}",
                hint=UNANNOUNCED,
            )
        if not value & KERNEL and value >> 2 > 1:
            raise cursor.error(
                "bad_value",
                path,
                offset=start,
                expected="an extern function or an implementation",
                found=f"function flags {value:#04x}",
            )
        return value

    def describe(self, value: int) -> str:
        """Return the names of the bits that are set, and what a function without a body is."""
        if value & KERNEL:
            return super().describe(value)
        kind = "implementation" if value & IMPLEMENTATION else "extern"
        return f"private {kind}" if value & PRIVATE else kind


FUNCTION = Record(
    field("name", STRING_INDEX, "The symbol by which the host launches it."),
    field("signature", TYPE_INDEX, "A func type: the parameters; no results, if it is a kernel."),
    field(
        "flags",
        FunctionFlags(),
        "With `kernel`, except for functions in public preview; from 13.5 on, bit 2 is not "
        "`hints` but says that a function is an implementation of an extern one.",
    ),
    field("location", Index("debug list"), "Its list in the Debug section, 1-based; 0 is none."),
    field(
        "hints",
        Versioned(
            (V13_1, If("flags", KERNEL, If("flags", HINTS, ATTRIBUTE))),
            (V13_5, If("flags", KERNEL, ATTRIBUTE)),
        ),
        "Optimization hints.",
    ),
    field(
        "argument_attributes",
        Versioned(
            (V13_1, None),
            (V13_5, If("flags", KERNEL, ATTRIBUTE)),
            (PREVIEW, Unless("flags", IMPLEMENTATION, ATTRIBUTE)),
        ),
        "An array with a dictionary for each parameter, or an empty array.",
    ),
    field(
        "implementation",
        Since(PREVIEW, If("flags", IMPLEMENTATION, EXTERN_IMPL)),
        "What an implementation implements, and how.",
    ),
    field("body", Sized(BODY), "Its ops, in order; none if it is no kernel."),
    field(
        "const_params",
        Since(PREVIEW, Unless("flags", KERNEL | IMPLEMENTATION, ATTRIBUTE)),
        "An array with a ConstParam for each constant parameter of an extern function.",
    ),
)

_LAYOUTS = {
    part.name: part.subcon.layouts
    for part in FUNCTION.subcons
    if isinstance(part.subcon, Versioned)
}


def _announced(node: Construct | None) -> bool:
    """Whether hints of a layout are announced by a flag bit."""
    return isinstance(node, If) and (node.mask == HINTS or _announced(node.subcon))


HINTS_SINCE = min(version for version, node in _LAYOUTS["hints"] if not _announced(node))
"""First version in which every kernel has hints, which may be empty, and no bit announces them."""

ARGUMENT_ATTRIBUTES_SINCE = min(v for v, node in _LAYOUTS["argument_attributes"] if node)
"""First version in which every kernel has argument attributes, which may be empty."""

FUNCTIONS = Counted(FUNCTION, item_size=5, partial=True)
