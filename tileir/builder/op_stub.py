"""The stub `op_methods.pyi`: the op methods of a kernel, for editors and type checkers.

    python -m tileir.builder.op_stub [FILE]     print it, or write it to FILE

It is printed from the op table, so that nothing is said twice; a test compares the file with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from inspect import Parameter
from pathlib import Path
from textwrap import fill

from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.leaves import EnumValue, VarInt
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Attribute, Op, Operand

from .calls import documentation, python_name, shown_default, signature

PATH = Path(__file__).with_name("op_methods.pyi")
"""The checked-in stub."""

WIDTH = 100

HEAD = '''\
"""The op methods of kernels and editors, with the types of their arguments and results.

Printed from the op table: ``python -m tileir.builder.op_stub FILE``.
"""

# ruff: noqa: N803  the names of slots are those of the specification

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from tileir.attributes import Attribute, Hints
from tileir.ir import Value
from tileir.ir.constants import Constant
from tileir.ir.locations import Location
from tileir.types import Type

from .regions import Nested
from .result_types import Stated

class OpMethods:
    """The op methods of a `Kernel` and of an `Editor`."""
'''

OPERANDS = {"one": "Value", "optional": "Value | None", "many": "Value | Sequence[Value]"}
"""Arity of an operand slot -> what a call takes there."""

ATTRIBUTES = (
    (STRING_INDEX, "str"),
    (CONSTANT_INDEX, "Constant | ArrayLike"),
    (ATTRIBUTE, "Attribute"),
    (ATTRIBUTE_LIST, "Sequence[Attribute | int]"),
    (BOOL_LIST, "Sequence[bool]"),
    (INT_LIST, "Sequence[int]"),
    (DICTIONARY, "Hints | Mapping[str, Mapping[str, object]]"),
)
"""Layout of an attribute in the file -> what a call takes there."""

EXTRA = {
    "result": "Stated",
    "results": "Sequence[Type | str] | None",
    "location": "Location | None",
}
"""Parameters of every call besides the slots of its row -> what it takes there."""


def stub() -> str:
    """Return the text of the stub."""
    methods = (_method(spec) for spec in OPS if spec.in_body)
    return "\n".join([HEAD, *methods])


def _method(spec: Op) -> str:
    slots = {python_name(slot.name): slot for slot in (*spec.operands, *spec.attributes)}
    lines = [f"    def {python_name(spec.mnemonic)}(", "        self,"]
    star = False
    for parameter in signature(spec).parameters.values():
        if parameter.kind is Parameter.POSITIONAL_ONLY:
            continue
        if parameter.kind is Parameter.KEYWORD_ONLY and not star:
            lines.append("        *,")
            star = True
        slot = slots.get(parameter.name)
        taken = annotation(slot) if slot else EXTRA[parameter.name]
        lines += _parameter(parameter, taken)
    lines.append(f"    ) -> {returned(spec)}:")
    return "\n".join([*lines, *_docstring(spec), ""])


def _parameter(parameter: Parameter, taken: str) -> Iterator[str]:
    """Yield the lines of one parameter; cases that do not fit a line have one each."""
    default = "" if parameter.default is Parameter.empty else f" = {_spelled(parameter.default)}"
    line = f"        {parameter.name}: {taken}{default},"
    if len(line) <= WIDTH:
        yield line
        return
    listed, _, rest = taken.removeprefix("Literal[").partition("]")
    yield f"        {parameter.name}: Literal["
    for case in listed.split(", "):
        yield f"            {case},"
    yield f"        ]{rest}{default},"


def _spelled(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def annotation(slot: Operand | Attribute) -> str:
    """Return the type of what a call takes for a slot."""
    if isinstance(slot, Operand):
        return OPERANDS[slot.arity]
    taken = _attribute(slot)
    return f"{taken} | None" if shown_default(slot) is None else taken


def _attribute(slot: Attribute) -> str:
    node = slot.node
    if isinstance(node, EnumValue):
        return f"Literal[{_quoted(slot.cases)}]"
    for known, taken in ATTRIBUTES:
        if known is node:
            return taken
    return "int" if isinstance(node, VarInt) else "bool"  # without a layout, it is a flag bit


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def returned(spec: Op) -> str:
    """Return the type of what a call returns, in whatever version it writes."""
    if spec.regions:
        return "Nested"
    if any(slot.arity == "many" for slot in spec.results):
        return "Any"  # one value or several: the caller says how many
    counts = {
        sum(slot.since <= since for slot in spec.results)
        for since in {spec.since, *(slot.since for slot in spec.results)}
    }
    return " | ".join(_values(count) for count in sorted(counts, reverse=True))


def _values(count: int) -> str:
    return ("None", "Value")[count] if count < 2 else f"tuple[{', '.join(['Value'] * count)}]"


def _docstring(spec: Op) -> Iterator[str]:
    first, *rest = documentation(spec).splitlines()
    indent, deeper = " " * 8, " " * 12
    yield fill(f'"""{first}', WIDTH, initial_indent=indent, subsequent_indent=indent)
    for line in rest:
        yield "" if not line else fill(line, WIDTH, initial_indent=indent, subsequent_indent=deeper)
    yield f'{indent}"""'


def main(arguments: list[str]) -> None:
    """Print the stub, or write it to the file that is named."""
    if len(arguments) > 1:
        sys.exit("usage: python -m tileir.builder.op_stub [FILE]")
    if arguments:
        Path(arguments[0]).write_text(stub(), encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(stub())


if __name__ == "__main__":
    main(sys.argv[1:])
