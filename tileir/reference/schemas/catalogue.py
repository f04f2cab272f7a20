"""Which command prints JSON of which schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import batches, compiled, launched, made, modules, pages
from .forms import DIALECT, Schema

SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "inspect": modules.inspect,
    "dis": modules.dis,
    "as": modules.assemble,
    "verify": modules.verify,
    "stats": modules.stats,
    "diff": modules.diff,
    "report": pages.report,
    "tilelib": modules.tilelib,
    "opt": made.opt,
    "strip": made.strip,
    "convert": made.convert,
    "extract": made.extract,
    "run": launched.run,
    "dump": launched.dump,
    "compile": compiled.plan,
    "remarks": compiled.remarks,
    "advise": compiled.advise,
    "resources": compiled.resources,
    "package": compiled.package,
    "cache": compiled.cache,
    "batch": batches.batch,
    "smith": made.smith,
    "mutate": made.mutate,
    "reduce": made.reduce,
    "bisect": made.bisect,
    "samples": launched.samples,
    "doctor": launched.doctor,
}
"""Command -> the function that makes its schema; the first line of its docstring is for people."""


def schema_of(command: str) -> Schema:
    """Return the JSON Schema of what a command of `SCHEMAS` prints."""
    make = SCHEMAS[command]
    option = "--emit plan" if command == "compile" else "--json"
    return {
        "$schema": DIALECT,
        "title": f"tileir {command} {option}",
        "description": " ".join((make.__doc__ or "").split()),
        **make(),
    }
