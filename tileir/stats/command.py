"""`tileir stats`: what is in a module, which versions can hold it, and the work of its kernels."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tileir.command_line.exit_codes import OK, UsageError, called, fail_at
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.commands.modules import add_assume_version, open_module, version_given
from tileir.errors import Feature, TileIRError
from tileir.messages.tables import aligned
from tileir.messages.texts import display, printable
from tileir.messages.wording import counted

from .formula import Formula
from .module_stats import FunctionStats, Stats, stats_of

JSON_SCHEMA = 1
_MOST_TERMS = 16
"""Terms of a formula that are shown."""
_WIDTH = 98
"""Columns of lists, which may be indented by two more."""

EXAMPLES = """\
examples:
  tileir stats kernel.tileirbc                     ops, types, bytes, versions, work
  tileir stats a.tileirbc b.mlir                   a line for each of several files
  tileir stats --json k.tileirbc | jq '.files[].functions[].flops'
  cat k.tileirbc | tileir stats -                  standard input

Work is that of one tile block; a launch has as many as its tile grid. Formulas have the trips of
loops as factors, in terms of the kernel's parameters (arg0, arg1, ...), of the tile block's number
(block.x) and of the grid (grid.x) where that is known; else a symbol stands for them, and so for
how often a branch is taken. A factor below zero is a loop that does not run. In nests of more than
eight of these one symbol stands for how often all of that runs. Of a formula the first 16 terms are
shown; --json has all. FLOPs: one for each result of an arithmetic op or elementary function, none
for negf, absf, ceil and floor, two for fma, 2 m n k for products, which are told apart by the
type of their factors. Bytes: those of all elements asked for, masked ones too.

the keys of --json: schema; files, each with file, version, lowest (the lowest version that can hold
the module; null for a file of a newer version), features (of the module that 13.1 lacks: owner,
slot, since, until, function, times), size, sections (bytes by name), globals and functions, each
with name, ops, types, attributes (how many of each), flops and bytes (kind: text, and terms with
number and symbols), where (what symbols stand for), opaque (what ends a body that cannot be read,
or "")

exit status: 0, 2 wrong use or no such file, 3 a file is not readable, 4 its version is not
supported; the highest of several files"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = (
        "Count what is in Tile IR bytecode or text files: ops, types, attributes, bytes, versions\n"
        "and the work of kernels."
    )
    parser.epilog = EXAMPLES
    parser.add_argument("files", metavar="FILE", nargs="+", help="bytecode or text, - for stdin")
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    assumed = version_given(arguments.assume_version)
    code, found = OK, list[tuple[str, Stats]]()
    for path in arguments.files:
        try:
            found.append((path, stats_of(open_module(path, assumed))))
        except (UsageError, TileIRError, OSError) as error:
            code = max(code, fail_at("stats", path, error))
    with stdout_text() as out:
        if arguments.json:
            files = [{"file": called(path)} | as_json(stats) for path, stats in found]
            document = {"schema": JSON_SCHEMA, "files": files}
            out.write(json_line(document))
        elif len(arguments.files) > 1:
            out.writelines(f"{line}\n" for line in _table(found))
        else:
            for path, stats in found:
                out.writelines(f"{line}\n" for line in _lines(called(path), stats))
    return code


# Text -------------------------------------------------------------------------------------------


def _lines(file: str, stats: Stats) -> Iterator[str]:
    yield f"{file}: {stats.size:,} bytes, {_versions(stats)}"
    for feature in stats.features:
        yield f"  {_feature(feature)}"
    yield from _listed("bytes of sections", stats.sections)
    if stats.globals:
        yield f"{counted(stats.globals, 'global')}"
    for function in stats.functions:
        yield ""
        yield from _of_function(function)


def _versions(stats: Stats) -> str:
    if stats.lowest is None:
        return f"version {stats.version}, newer than those known here"
    if stats.lowest == stats.version:
        return f"version {stats.version}, the lowest that can hold it"
    return f"version {stats.version}; {stats.lowest} can hold it"


def _feature(feature: Feature) -> str:
    where = f" in {display(feature.function)}" if feature.function else ""
    times = f", {feature.times} times" if feature.times != 1 else ""
    return f"{display(str(feature))}{where}{times}"


def _of_function(function: FunctionStats) -> Iterator[str]:
    yield f"kernel {display(function.name)}: {counted(sum(function.ops.values()), 'op')}"
    if function.opaque:
        yield f"  the rest of its body cannot be read: {printable(function.opaque)}"
    rows = [(f"FLOPs, {kind}", formula) for kind, formula in function.flops.items()]
    rows += [(f"bytes {kind}", formula) for kind, formula in function.bytes.items()]
    width = max((len(title) for title, _ in rows), default=0)
    used: set[str] = set()
    for title, formula in rows:
        first, left_out = formula.cut(_MOST_TERMS)
        used.update(first.symbols)
        more = f" + ... and {counted(left_out, 'more term')}" if left_out else ""
        yield f"  {title.ljust(width)}  {first}{more}"
    for symbol, place in function.where.items():
        if symbol in used:
            yield f"  {symbol}: {printable(place)}"
    for title, counts in (
        ("ops", function.ops), ("types", function.types), ("attributes", function.attributes)
    ):  # fmt: skip
        yield from (f"  {line}" for line in _listed(title, counts))


def _listed(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield counts in lines of `_WIDTH`, the title in front of the first."""
    texts = (f"{number:,} {display(name)}".replace(" ", "\0") for name, number in counts.items())
    wrapped = textwrap.wrap(
        ", ".join(texts), _WIDTH, break_long_words=False, break_on_hyphens=False,
        initial_indent=f"{title}: ", subsequent_indent="  ",
    )  # fmt: skip
    return (line.replace("\0", " ") for line in wrapped)


def _table(found: Sequence[tuple[str, Stats]]) -> Iterator[str]:
    """Yield a line for each file."""
    heads = ("file", "bytes", "version", "lowest", "kernels", "ops")
    rows = [heads] + [
        (
            called(path), f"{stats.size:,}", str(stats.version), str(stats.lowest or "?"),
            f"{len(stats.functions):,}",
            f"{sum(sum(each.ops.values()) for each in stats.functions):,}",
        )
        for path, stats in found
    ]  # fmt: skip
    yield from aligned(rows)


# JSON -------------------------------------------------------------------------------------------


def as_json(stats: Stats) -> dict[str, Any]:
    """Return a module as JSON; its keys are in the help."""
    return {
        "version": str(stats.version),
        "lowest": None if stats.lowest is None else str(stats.lowest),
        "features": [feature.to_json() for feature in stats.features],
        "size": stats.size,
        "sections": dict(stats.sections),
        "globals": stats.globals,
        "functions": [
            {
                "name": printable(function.name),
                "ops": dict(function.ops),
                "types": dict(function.types),
                "attributes": dict(function.attributes),
                "flops": {kind: _formula(each) for kind, each in function.flops.items()},
                "bytes": {kind: _formula(each) for kind, each in function.bytes.items()},
                "where": {name: printable(place) for name, place in function.where.items()},
                "opaque": printable(function.opaque),
            }
            for function in stats.functions
        ],
    }


def _formula(formula: Formula) -> dict[str, Any]:
    terms = [
        {"number": number, "symbols": list(symbols)} for symbols, number in formula.terms.items()
    ]
    return {"text": str(formula), "terms": terms}
