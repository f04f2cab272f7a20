"""Handlers of the reports of run-time checks: they raise errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.codegen.host.running.messages import number_of, patterns, unravel
from tileir.codegen.host.running.report import Handler, Report
from tileir.errors import KernelError
from tileir.ir.arrays import DTYPES


def _finding(site: Mapping[str, Any]) -> Handler:
    """Make the handler of an undefined result: the error names the operands' values."""

    def handle(report: Report) -> None:
        operands = patterns(report.data, len(site["values"]))
        values = [
            f"{value['name']} = {_spelled(pattern, value)}"
            for pattern, value in zip(operands, site["values"], strict=True)
        ]
        given = f" ({', '.join(values)})" if values else ""
        raise _error(site, report, f"{site['problem']}{given}")

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
            where = f"at offset {address - low} of parameter {number}, which has {size} bytes"
            where += _claimed(site["claims"])
        elif site["any"]:
            where = f"at {address:#x}, which is not within any known memory"
        elif site["parameters"]:
            numbers = ", ".join(map(str, site["parameters"]))
            where = f"at {address:#x}, which is not within any of the parameters {numbers}"
        else:
            where = f"at {address:#x}, outside of the memory of the kernel's own that it points to"
        raise _error(site, report, f"{what} {where}")

    return handle


def _claimed(parameters: list[int]) -> str:
    """Return which parameters say that a view reaches further than its memory does."""
    if not parameters:
        return ""
    *first, last = map(str, parameters)
    named = f"s {', '.join(first)} and {last}" if first else f" {last}"
    return f", fewer than parameter{named} say{'' if first else 's'},"


def _error(site: Mapping[str, Any], report: Report, problem: str) -> KernelError:
    return KernelError(
        problem,
        op=site["op"],
        kernel=site["kernel"],
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
