"""`tileir strip`: a module without what its kernels do not need to run."""

from __future__ import annotations

import argparse

from .edited import compacted, editable
from .module_output import KEYS, STATUS, add_module_arguments, module_given, write_module
from .strip import DEFAULT, PARTS, strip_in_place

EXAMPLES = f"""\
examples:
  tileir strip k.tileirbc -o k.tileirbc.out    without locations and producer
  tileir strip --all k.tileirbc -o small.tileirbc
  tileir strip --names k.tileirbc -o k2.tileirbc
                                               lines and columns stay, names and paths are gone
  tileir strip --debug --emit text k.tileirbc

What is removed is gone from the bytes. Names of entries and of public globals stay, because the
host finds them by these; what asserts and prints say stays, too.

the keys of --json: {KEYS}
removed, an object: of each part how many things (locations, names, the producer)

{STATUS}
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Remove what the kernels of a Tile IR module do not need to run."
    parser.epilog = EXAMPLES
    add_module_arguments(parser)
    for name, part in PARTS.items():
        default = " (default)" if name in DEFAULT else ""
        parser.add_argument(f"--{name}", action="store_true", help=f"{part.what}{default}")
    parser.add_argument("--all", action="store_true", help="all of these")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    given = module_given(arguments)
    named = [name for name in PARTS if arguments.all or getattr(arguments, name)]
    made = editable(given)
    removed = strip_in_place(made, named or DEFAULT)
    write_module(arguments, given, compacted(made), removed=removed)
    return 0
