"""`tileir package`: kernels compiled for several GPUs in one file, and what such a file has."""

from __future__ import annotations

import argparse
import json
from typing import Any

from tileir.command_line.exit_codes import UsageError
from tileir.command_line.files import check_output, write_output
from tileir.commands.launch_options import add_options, named_as_written, options_given
from tileir.commands.modules import add_assume_version, check_entry, open_module, version_given
from tileir.errors import PackageError
from tileir.gpus import TARGETS, unknown
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import display

from .making import CODE, make_package
from .package import Package, load

EXAMPLES = """\
examples:
  tileir package k.tileirbc --target sm_80 --target sm_90 -o kernels.tilepack
  tileir package k.tileirbc --target sm_90 --emit ptx --emit cubin -o kernels.tilepack
  tileir package --list kernels.tilepack          what it has; every hash is checked
  tileir package --list --json kernels.tilepack   its manifest
  python -c "help('tileir.tilepack')"             the format

A package is read by `tileir.load_package`, which launches its kernels where NVIDIA's driver and
NumPy are, without a compiler; it is a zip file with PTX or cubins, launch plans and a manifest, so
other launchers can read it, too.

exit status: 0, 1 an entry cannot be compiled, 2 wrong use or no such file, 3 a file is not
readable, 4 a version or target is not supported, 5 a package or ptxas is missing
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Compile kernels for several GPUs into one file, or list such a file."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", help="bytecode or text, - for standard input; a package for --list")
    add("-o", "--output", metavar="FILE", help="the package to write")
    add("--target", metavar="GPU", action="append", help=f"once for each of {', '.join(TARGETS)}")
    add("--entry", metavar="NAME", action="append", help="once for each (default: all)")
    add("--emit", choices=CODE, action="append", help="once for each (default: ptx)")
    add("--lineinfo", action="store_true", help="source lines in PTX and cubins")
    add("--portable", action="store_true", help="PTX that all later GPUs run too")
    add("--list", action="store_true", help="say what is in a package")
    add("--json", action="store_true", help="with --list, the manifest")
    add_options(parser)
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.list:
        package = _opened(arguments.file)
        text = json.dumps(package.manifest, indent=1) if arguments.json else _listed(package)
        write_output(None, (text + "\n").encode())
        return 0
    if arguments.json:
        raise UsageError("--json is for --list")
    if arguments.output is None:
        raise UsageError("-o is needed, such as -o kernels.tilepack")
    if not arguments.target:
        raise UsageError("--target is needed, such as --target sm_90, once for each GPU")
    check_output(arguments.output, arguments.file)
    for target in arguments.target:
        if target == "host":
            raise UsageError("a package is for GPUs, not for this machine's CPU")
        if target not in TARGETS:
            raise unknown(target, TARGETS)
    with compiling():
        given: dict[str, Any] = options_given(arguments)
    bytecode = open_module(arguments.file, version_given(arguments.assume_version))
    for name in arguments.entry or ():
        check_entry(bytecode, name)
    for name, value in (
        ("symbols", arguments.entry),
        ("lineinfo", arguments.lineinfo),
        ("portable", arguments.portable),
    ):
        if value:
            given[name] = value
    with named_as_written():
        data = make_package(bytecode, arguments.target, given, arguments.emit or ("ptx",))
    write_output(arguments.output, data)
    return 0


def _opened(path: str) -> Package:
    if path == "-":
        raise UsageError("--list needs a file")
    try:
        return load(path)
    except PackageError as error:
        raise PackageError(f"{display(path)}: {error}") from None


def _listed(package: Package) -> str:
    """Return what a package has, a line for each file."""
    module = package.manifest.get("module")
    lines = []
    if isinstance(module, dict):
        lines.append(f"bytecode {display(str(module.get('sha256')))}")
    for row in package.manifest["targets"]:
        names = ", ".join(map(display, package[row["target"]]))
        lines.append(f"{row['target']}: {names}")
        for file in row["files"].values():
            lines.append(f"  {file['bytes']:>9,}  {file['sha256'][:16]}  {file['name']}")
    return "\n".join(lines)
