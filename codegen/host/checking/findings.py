"""Handlers of the reports of run-time checks: they raise errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tileir.codegen.host.running.messages import number_of, patterns, unravel
from tileir.codegen.host.running.report import Handler, Names, Report
from tileir.errors import KernelError
from tileir.ir.arrays import DTYPES
from tileir.messages.wording import counted

_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
"""Where a value stands in a problem."""


def _finding(site: Mapping[str, Any]) -> Handler:
    """Make the handler of an undefined result: the error names the operands' values.

    Where the problem has a place ``{name}`` for a value, the value stands there, as a number or,
    ``{name:noun}``, as a count of things; other values follow it in brackets.
    """

    def handle(report: Report) -> None:
        operands = patterns(report.data, len(site["values"]))
        values = {
            value["name"]: _spelled(pattern, value)
            for pattern, value in zip(operands, site["values"], strict=True)
        }

        def placed(match: re.Match[str]) -> str:
            number, noun = values[match[1]], match[2]
            return counted(int(number), noun) if noun else number

        named = {match[1] for match in _PLACE.finditer(site["problem"])}
        rest = [f"{name} = {value}" for name, value in values.items() if name not in named]
        given = f" ({', '.join(rest)})" if rest else ""
        raise _error(site, report, f"{_PLACE.sub(placed, site['problem'])}{given}")

    return handle


def _access(site: Mapping[str, Any]) -> Handler:
    """Make the handler of an access outside all memory that the launch knows."""

    def handle(report: Report) -> None:
        address, low, high = patterns(report.data, 3)
        count = site["bytes"]
        what = f"access of {count} byte{'s' if count > 1 else ''}"
        if low or high:
            (number,) = site["parameters"]
            size = high - low
            named = _parameters([number], report.names)
            where = f"at offset {address - low} of {named}, which has {size} bytes"
            where += _claimed(site["claims"], number in report.names)
        elif site["any"]:
            where = f"at {address:#x}, which is not within any known memory"
        elif site["parameters"]:
            named = _parameters(site["parameters"], report.names)
            where = f"at {address:#x}, which is not within any of the {named}"
        else:
            where = f"at {address:#x}, outside of the memory of the kernel's own that it points to"
        raise _error(site, report, f"{what} {where}")

    return handle


def _parameters(numbers: list[int], names: Names) -> str:
    """Spell parameters: as the arguments that they are in source, or by their numbers."""
    if all(number in names for number in numbers):
        what, spelled = "argument", [names[number] for number in numbers]
    else:
        what, spelled = "parameter", [str(number) for number in numbers]
    return f"{what}{'s' if len(numbers) > 1 else ''} {', '.join(spelled)}"


def _claimed(parameters: list[int], is_named: bool) -> str:
    """Return which parameters say that a view reaches further than its memory does.

    Those of an argument that `is_named` in source are its extents and strides.
    """
    if not parameters:
        return ""
    if is_named:
        return ", fewer than its extents and strides say,"
    *first, last = map(str, parameters)
    named = f"s {', '.join(first)} and {last}" if first else f" {last}"
    return f", fewer than parameter{named} say{'' if first else 's'},"


def _error(site: Mapping[str, Any], report: Report, problem: str) -> KernelError:
    return KernelError(
        problem,
        op=site["op"],
        kernel=site["kernel"],
        function=site["function"],
        location=site["location"],
        block=report.block,
        indices=[unravel(report.index, site["shape"])],
    )


def _spelled(pattern: int, value: Mapping[str, Any]) -> str:
    number, bits = number_of(pattern, value["element"])
    if value["element"] == "pointer":
        return f"{number:#x}"
    if isinstance(number, float):
        return str(DTYPES[value["element"]].type(number))  # as NumPy prints it
    if isinstance(number, int) and value["signed"] and bits > 1 and number >> (bits - 1):
        number -= 1 << bits
    return str(number)


HANDLERS = {"access": _access, "finding": _finding}
