"""`tileir report`: one file of HTML that shows every byte of a module, its fields and its text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import OK, UsageError, called, explained, fail, fail_at
from tileir.command_line.files import check_output, open_input, write_output
from tileir.commands.argument_words import add_launch, entry_given, values_given
from tileir.commands.launch_options import grid_given
from tileir.commands.modules import add_assume_version, module_in, version_given
from tileir.commands.progress import progress_bar
from tileir.errors import BytecodeError
from tileir.formats.version import Version
from tileir.gpus import TARGETS, unknown

from .comparison import comparison
from .kernels import kernels
from .model import KEYS, model, readable_part
from .page import as_json, compressor, page
from .pictures.footprints import footprints

Launched = Callable[[Bytecode], tuple[str, dict[str, Any]]]
"""The function that makes footprints of a module's kernel: its name, and they, as JSON."""

EXAMPLES = """\
examples:
  tileir report kernel.tileirbc -o kernel.html      open it in a browser
  tileir report old.tileirbc new.tileirbc -o diff.html   two files side by side
  tileir report k.tileirbc --target sm_90 -o k.html first what its author asks: is it fast, and why
  tileir report broken.tileirbc -o broken.html      as far as it can be read
  tileir report k.tileirbc --target sm_90 --grid 8,8 --block 2,3 --array zeros:512x512:f16 ...
                                                    also what block (2,3) reads and writes
  tileir report --json k.tileirbc | jq '.files[0].sections'
  tileir dump program.py -o d && for f in d/*.tileirbc; do tileir report $f -o $f.html; done

The page needs no other file, and a browser fetches nothing for it. Bytes, fields and text are
linked: what one points at lights up in all. kernel.html#op=12 and kernel.html#byte=0x1f3 are
addresses of an op and a byte. ? lists the keys.

With --target the kernels are compiled, and the page opens on what their authors ask: a verdict in
a few sentences, the findings of tileir advise, resources and occupancy, what a launch has to keep
to, and Tile IR, the kernel after each stage, PTX and machine code beside each other, linked op by
op, with the number of machine instructions of each line. What is not installed (llvmlite, ptxas,
pyelftools, nvdisasm, tileiras) is named there, and what needs it is left out. An entry that cannot
be compiled is no failure of the report, which says why. Advice on all kernels has one minute, and
so has tileiras; what was left out then is said in the page. Pictures show layouts, banks of shared
memory, fragments of products, and the pipeline of the main loop.

With --grid and the arguments of a launch, given as to `tileir run`, a picture shows the elements of
each array that the block of --block reads and writes, and those of the blocks beside it. Each of
these blocks runs alone, on the CPU. Ctrl-C ends one that waits for others.

--embed-source FOLDER adds the text of source files, linked with the ops of each line; a file
outside of the folder is never read, whatever path the module names.

Directories in the file are blanked, so that the page does not tell them, unless --paths asks for
them.

Of a file that cannot be read to its end the page is written, too.

exit status: 0, 2 wrong use, no such file, or arguments that do not fit the kernel, 3 a file is not
readable to its end, 4 a version or target is not supported, 5 a package is missing

"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = (
        "Write a page that explains Tile IR bytecode: bytes, fields, text and kernels."
    )
    parser.epilog = EXAMPLES + KEYS
    add = parser.add_argument
    add("file", metavar="FILE", help="bytecode or text, or - for standard input")
    add("other", metavar="OTHER", nargs="?", help="a second file, to compare it with")
    add("-o", "--output", metavar="FILE", help="the page (default: standard output)")
    add("--json", action="store_true", help="the model that the page draws, without the page")
    add("--paths", action="store_true", help="keep directories of source files")
    add(
        "--embed-source",
        metavar="FOLDER",
        help="show source files of the module that are in this folder, or below it",
    )
    add(
        "--target",
        metavar="GPU",
        action="append",
        help="compile for it, and show that first; once for each of several",
    )
    add_launch(parser)
    add("--block", metavar="X[,Y[,Z]]", help="with --grid: whose footprint (default: 0,0,0)")
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    given = [path for path in (arguments.file, arguments.other) if path is not None]
    return write_report(
        "report",
        given,
        arguments.output,
        paths=arguments.paths,
        json=arguments.json,
        assumed=version_given(arguments.assume_version),
        folder=_folder(arguments.embed_source),
        targets=_targets(arguments),
        launch=_launch(arguments),
    )


def _targets(arguments: argparse.Namespace) -> list[str]:
    """Return the GPUs asked for; UsageError or UnsupportedError if they cannot be."""
    targets: list[str] = list(dict.fromkeys(arguments.target or ()))
    if targets and arguments.other is not None:
        raise UsageError("--target is for one file, not for two that are compared")
    for target in targets:
        if target not in TARGETS:
            raise unknown(target, TARGETS)
    return targets


def _launch(arguments: argparse.Namespace) -> Launched | None:
    """Return what makes the footprints of a launch; None if no launch is given. UsageError."""
    if arguments.grid is None:
        if arguments.block:
            raise UsageError("--block needs --grid")
        for option in ("entry", "values", "convention"):
            if getattr(arguments, option):
                name = "arguments" if option == "values" else f"--{option}"
                raise UsageError(f"{name} of a launch: --grid has to be given, too")
        return None
    if not arguments.target:
        raise UsageError("--grid needs --target")
    grid = grid_given(arguments.grid, 1)
    block = _block(arguments.block, grid)

    def launched(module: Bytecode) -> tuple[str, dict[str, Any]]:
        function = entry_given(module, arguments.entry)
        values = values_given(function, arguments)
        return function.name, footprints(module, function.name, grid, values, block)

    return launched


def _block(text: str | None, grid: Sequence[int]) -> tuple[int, int, int]:
    """Return the block that --block names; UsageError if the grid does not have it."""
    parts = (text or "0").split(",")
    known = [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 9]
    if len(known) < len(parts) or len(parts) > 3:
        raise UsageError(f"--block takes one to three numbers such as 2,3, not {text!r}")
    x, y, z = (*known, 0, 0)[:3]
    extents = (*grid, 1, 1)[:3]
    if x >= extents[0] or y >= extents[1] or z >= extents[2]:
        raise UsageError(f"--block {text} is not in a grid of {'x'.join(map(str, extents))} blocks")
    return x, y, z


def _folder(given: str | None) -> Path | None:
    if given is not None and not Path(given).is_dir():
        raise UsageError(f"--embed-source expects a folder, and {given} is none")
    return None if given is None else Path(given)


def write_report(
    command: str,
    given: list[str],
    output: str | None,
    *,
    paths: bool = False,
    json: bool = False,
    assumed: Version | None = None,
    folder: Path | None = None,
    targets: Sequence[str] = (),
    launch: Launched | None = None,
) -> int:
    """Write the page of one or two files, or its model as `json`, for a command of that name.

    The kernels of one file are compiled for the `targets`; `launch` makes footprints of one of
    them. Returns the exit code, which is that of the first file that cannot be read.
    """
    check_output(output, *given)
    if given == ["-", "-"]:
        raise UsageError("standard input can only be one of the two")
    if not json and output in (None, "-") and sys.stdout.isatty():
        raise UsageError("a page is nothing for a terminal; -o names a file")
    if not json:
        compressor()  # or nothing could be written of what is computed now
    codes, files, compiled = [], [], list[dict[str, Any]]()
    for path in given:
        try:
            data = open_input(path)
        except OSError as error:
            return fail_at(command, path, error)
        try:
            module = _module(data, path, assumed)
            data = bytes(module.data)
            compiled = _kernels(module, paths, assumed, targets, launch)
        except BytecodeError as error:
            codes.append(fail(command, *explained(error, path)))
        files.append((data, called(path)))
    if len(files) > 1:
        made = comparison(files[0], files[1], paths=paths, assumed=assumed, folder=folder)
    else:
        made = model(*files[0], paths=paths, assumed=assumed, folder=folder, kernels=compiled)
    for path, file in zip(given, made["files"], strict=True):
        if folder is not None and file["whole"] and not file["sources"]:
            note = f"no source file of {called(path)} is in {folder}"
            print(f"tileir {command}: {note}", file=sys.stderr)
    text = as_json(made) + "\n" if json else page(made)
    write_output(output, text.encode())
    return codes[0] if codes else OK


def _kernels(
    module: Bytecode,
    paths: bool,
    assumed: Version | None,
    targets: Sequence[str],
    launch: Launched | None,
) -> list[dict[str, Any]]:
    """Return what is said of a module's kernels, made of what the page may tell alone."""
    if not targets:
        return []
    told = readable_part(bytes(module.data), paths, assumed)
    readable = Bytecode.parse(told, assume_version=assumed).touch()
    readable.launch_attributes = module.launch_attributes
    launched = None if launch is None else launch(readable)
    with progress_bar("compiling") as progress:
        return kernels(readable, targets, progress, launched)


def _module(data: bytes, path: str, assumed: Version | None) -> Bytecode:
    """Return a module, of a text the one that is assembled; BytecodeError if broken."""
    return module_in(data, called(path), assumed).touch()
