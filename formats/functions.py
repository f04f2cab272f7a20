"""Func section: one record for each function, whose body stays bytes until its ops are wanted."""

from __future__ import annotations

from construct import Construct

from .attributes import ATTRIBUTE, STRING_INDEX
from .cursor import Cursor, Path
from .field import field
from .leaves import FlagWord, Index
from .nodes import Counted, If, Record, Sized, UntilEnd, Versioned
from .ops.wire import OP
from .types import TYPE_INDEX
from .version import V13_1, V13_5

PRIVATE = 1
KERNEL = 2
HINTS = 4

FORM_SINCE = V13_5
"""First version in which a kernel's flags have no other bits than `private` and `kernel`."""

BODY = UntilEnd(OP)


class FunctionFlags(FlagWord):
    """One byte. 13.5 redefined bits 2 and 3 as a form, of which ordinary files use only 0."""

    def __init__(self) -> None:
        super().__init__("private", "kernel", "hints", one_byte=True)

    def read(self, cursor: Cursor, path: Path) -> int:
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
        if not value & KERNEL:
            raise cursor.error(
                "preview",
                path,
                offset=start,
                expected="a kernel entry point",
                found=f"function flags {value:#04x}",
                hint="other functions are preview content, which has no published layout",
            )
        return value


FUNCTION = Record(
    field("name", STRING_INDEX, "The symbol by which the host launches it."),
    field("signature", TYPE_INDEX, "A func type: the parameters; no results."),
    field("flags", FunctionFlags(), "Always with `kernel`; without `hints` from 13.5 on."),
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
        Versioned((V13_1, None), (V13_5, If("flags", KERNEL, ATTRIBUTE))),
        "An array with a dictionary for each parameter, or an empty array.",
    ),
    field("body", Sized(BODY), "Its ops, in order."),
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

FUNCTIONS = Counted(FUNCTION, item_size=5)
