"""`tileir convert`: a module in another version of the format."""

from __future__ import annotations

import argparse
from typing import cast

from tileir.command_line.exit_codes import UNSUPPORTED, called, explained, fail
from tileir.commands.modules import version_given
from tileir.errors import VersionError
from tileir.formats.version import SUPPORTED, Version

from .module_output import KEYS, add_module_arguments, module_given, print_json, write_module

EXAMPLES = f"""\
examples:
  tileir convert --to-version {SUPPORTED[0]} k.tileirbc -o old.tileirbc
  tileir convert --to-version {SUPPORTED[-1]} old.tileirbc -o new.tileirbc
  tileir convert --to-version {SUPPORTED[0]} --json k.tileirbc -o old.tileirbc | jq .lacks

Nothing is lost: if the version lacks what the module uses, all of that is listed and nothing is
written. Only the format is converted; what else older releases of NVIDIA's tools refuse is left as
it is.

the keys of --json: {KEYS}
from and to, versions; lacks, what the version lacks, each with owner (an op, type, attribute, ...),
slot, since (the first version that has it), until (the last one, or null), function (or null) and
times.
output and bytes_after are null if it lacks anything.

exit status: 0 written, 2 wrong use, 3 not readable, 4 the version lacks what the module uses, or is
not supported; 1 it cannot be written for another reason
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Write a Tile IR module in another version of the format."
    parser.epilog = EXAMPLES
    add_module_arguments(parser)
    parser.add_argument(
        "--to-version",
        metavar="V",
        required=True,
        help=f"one of {', '.join(map(str, SUPPORTED))}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    version = cast("Version", version_given(arguments.to_version, "--to-version"))
    given = module_given(arguments)
    versions = {"from": str(given.version), "to": str(version)}
    try:
        made = given.to_version(version)
    except VersionError as error:
        if arguments.json:
            sizes = {"output": None, "bytes_before": len(given.data), "bytes_after": None}
            lacks = [feature.to_json() for feature in error.features]
            print_json({"file": called(arguments.file), **sizes, **versions, "lacks": lacks})
            return UNSUPPORTED
        return fail("convert", *explained(error, arguments.file))
    write_module(arguments, given, made, **versions, lacks=[])
    return 0
