"""`tileir diff`: what differs between two modules, or between what is compiled from them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import TextIO

from tileir.bytecode import Bytecode
from tileir.command_line.argument_parser import whole_number
from tileir.command_line.exit_codes import (
    NO,
    OK,
    UNREADABLE,
    UsageError,
    called,
    explained,
    fail,
    fail_at,
)
from tileir.command_line.files import open_input, write_output
from tileir.command_line.standard_output import (
    json_line,
    reader_may_leave,
    stdout_text,
    wants_colour,
)
from tileir.commands.colour import CYAN, GREEN, GREY, RED, YELLOW, escaped, paint
from tileir.commands.modules import add_assume_version, module_of, version_given
from tileir.commands.progress import progress_bar
from tileir.errors import BytecodeError, TileIRError, UnsupportedError, VerifyError
from tileir.gpus import HOST

from .comparing import compare
from .compiled import language_of, listing
from .hunks import GONE, MOVED, NEW, NOTE, OTHER
from .listings import Language, compare_listings
from .report import KEYS, as_json, listings_as_json, stat, stat_of_listings
from .unified import CONTEXT, unified, unified_listing

EXAMPLES = """\
examples:
  tileir diff a.tileirbc b.tileirbc           what differs, with three lines around it
  tileir diff --stat a.tileirbc b.mlir        how much, by function; text and bytecode mix
  tileir as k.mlir | tileir diff old.tileirbc -
  tileir diff -q a.tileirbc b.tileirbc        nothing but the exit code
  tileir diff --ptx sm_90 a.tileirbc b.tileirbc     the PTX that is made of both
  tileir diff --sass sm_90 --stat a.tileirbc b.tileirbc   instructions, by ptxas and nvdisasm
  tileir diff --stage fuse --target host a.tileirbc b.tileirbc
  tileir diff a.ptx b.ptx                     PTX or cubins as they are

Ops are matched by what they say and where their operands come from. Value numbers, names of
values, source locations, the order of tables, version and producer do not count, and an attribute
that an older version leaves unsaid has its default. Which of several equal ops without effects a
value comes from does not count either.

Lines begin with - (only in A), + (only in B), ~ (an op that moved, where it is in B), * (an op that
reads the same but uses other values) and ! (what changed in the op above). Names of values and line
numbers are those of `tileir dis` of each file; unchanged lines are those of B.

Exit code: 0 they are equal, 1 they differ, 2 and more: it could not be told.

"""

STRUCTURE = ("locations", "tables", "any-order")
"""Options that say what counts in the structure of modules."""

COLOURS = {GONE: RED, NEW: GREEN, MOVED: YELLOW, OTHER: YELLOW, NOTE: GREY, "@": CYAN}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Compare two Tile IR modules by their structure."
    parser.epilog = EXAMPLES + KEYS
    add = parser.add_argument
    add("a", metavar="A", help="bytecode or text, or - for standard input")
    add("b", metavar="B", help="the same, to compare it with")
    add(
        "-U",
        "--unified",
        metavar="N",
        type=whole_number,
        default=CONTEXT,
        help="lines around (default: 3)",
    )
    add("-q", "--quiet", action="store_true", help="print nothing")
    add("--stat", action="store_true", help="only how many ops, or instructions")
    add("--json", action="store_true", help="an object instead of lines")
    add("--locations", action="store_true", help="source locations count, too")
    add("--tables", action="store_true", help="so do header, sections and tables of the files")
    add("--any-order", action="store_true", help="places of ops without effects do not count")
    add("--ptx", metavar="GPU", help="compare the PTX for a GPU")
    add("--sass", metavar="GPU", help="compare the machine code for a GPU")
    add("--stage", metavar="NAME", help="compare the text after a stage of compiling")
    add("--target", metavar="TARGET", help="what --stage compiles for")
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    asked = [name for name in ("ptx", "sass", "stage") if getattr(arguments, name) is not None]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two comparisons; choose one")
    if arguments.target is not None and asked != ["stage"]:
        raise UsageError("--target is for --stage")
    if HOST in (arguments.ptx, arguments.sass):
        raise UsageError(f"--{asked[0]} needs a GPU, for example sm_90")
    paths = arguments.a, arguments.b
    if paths == ("-", "-"):
        raise UsageError("standard input can only be one of the two")
    version_given(arguments.assume_version)
    contents: list[bytes] = []
    for path in paths:
        try:
            contents.append(open_input(path))
        except OSError as error:
            return fail_at("diff", path, error)
    if asked == ["stage"]:
        _check_stage(arguments.stage, arguments.target)
    what = asked[0] if asked else None
    kinds = [language_of(what, arguments.stage, data) for data in contents]
    if kinds[0] is not kinds[1]:
        raise UsageError("a module is compared with a module; --ptx and --sass compile both")
    if kinds[0] is None:
        return _modules(arguments, paths, contents)
    for option in STRUCTURE:
        if getattr(arguments, option.replace("-", "_")):
            raise UsageError(f"--{option} is for modules that are compared by structure")
    return _listings(arguments, paths, contents, kinds[0])


def _modules(arguments: argparse.Namespace, paths: tuple[str, str], contents: list[bytes]) -> int:
    modules: list[Bytecode] = []
    for path, data in zip(paths, contents, strict=True):
        try:
            modules.append(_module(arguments, path, data).touch())
        except (UsageError, TileIRError) as error:
            return _trouble(path, error)
    try:
        with progress_bar("comparing") as progress:
            difference = compare(
                *modules,
                locations=arguments.locations,
                tables=arguments.tables,
                any_order=arguments.any_order,
                progress=progress,
            )
        names = called(paths[0]), called(paths[1])
        _tell(
            arguments,
            document=lambda: as_json(difference, names),
            counts=lambda: stat(difference),
            lines=lambda: unified(difference, arguments.unified, names),
        )
    except TileIRError as error:
        return _trouble(None, error)
    return NO if difference else OK


def _listings(
    arguments: argparse.Namespace,
    paths: tuple[str, str],
    contents: list[bytes],
    language: Language,
) -> int:
    texts: list[str] = []
    target = arguments.target or arguments.ptx or arguments.sass
    with progress_bar("compiling") as progress:
        for number, (path, data) in enumerate(zip(paths, contents, strict=True)):
            if progress is not None:
                progress(number, len(paths))
            module = partial(_module, arguments, path, data)
            try:
                texts.append(listing(data, language, target, arguments.stage, module))
            except (UsageError, TileIRError) as error:
                return _trouble(path, error)
    difference = compare_listings(texts[0], texts[1], language)
    names = called(paths[0]), called(paths[1])
    _tell(
        arguments,
        document=lambda: listings_as_json(difference, names),
        counts=lambda: stat_of_listings(difference),
        lines=lambda: unified_listing(difference, arguments.unified, names),
    )
    return NO if difference else OK


def _tell(
    arguments: argparse.Namespace,
    *,
    document: Callable[[], dict[str, object]],
    counts: Callable[[], Iterable[str]],
    lines: Callable[[], Iterable[str]],
) -> None:
    """Print what differs in the way that was asked for; the other ways are not worked out."""
    with reader_may_leave():
        if arguments.quiet:
            return
        if arguments.json:
            _print_json(document())
        else:
            _print(counts() if arguments.stat else lines())


def _module(arguments: argparse.Namespace, path: str, data: bytes) -> Bytecode:
    return module_of(data, path, version_given(arguments.assume_version))


def _check_stage(stage: str, target: str | None) -> None:
    from tileir.codegen.pipeline import unknown_stage
    from tileir.codegen.targets import package_of

    target = target or HOST
    if problem := unknown_stage(package_of(target), stage):
        raise UsageError(f"compiling for {target} {problem}")


def _trouble(path: str | None, error: UsageError | TileIRError) -> int:
    """Report an error; returns its exit code, which is never that of files that differ."""
    named = isinstance(error, BytecodeError | UnsupportedError | VerifyError)
    message, code = explained(error, path if named else None)  # others say it themselves
    return fail("diff", message, UNREADABLE if code == NO else code)


def _print(lines: Iterable[str]) -> None:
    """Print lines as they are made; on a terminal coloured by their marks, and escaped."""
    with stdout_text() as out:
        if out.isatty():
            _show(lines, out)
            return
    for line in lines:
        write_output(None, f"{line}\n".encode("utf-8", "surrogateescape"))


def _show(lines: Iterable[str], out: TextIO) -> None:
    coloured = wants_colour(out)
    for line in lines:
        text = escaped(line)
        out.write((paint(_colour(line), text) if coloured else text) + "\n")


def _colour(line: str) -> str:
    return "" if line.startswith(("--- ", "+++ ")) else COLOURS.get(line[:1], "")


def _print_json(tree: dict[str, object]) -> None:
    write_output(None, json_line(tree).encode("utf-8", "backslashreplace"))
