"""The verbs of `tileir batch`, a module for each: what it does with one module's bytes.

A verb is the command of its name on one module: it calls what the command calls. A module has

    SUMMARY             what it does, for the help
    TARGETS             whether it is done for targets: NONE, ONE (at most one), or SEVERAL
    FILES               whether it makes files of a module, for --output
    configure(parser)   adds its options
    options(arguments)  those options in JSON's types; UsageError for what cannot be
    compute(request)    the response; TileIRError and UsageError are told as failures

and, if the verb can do more with a module, or needs more,

    settings(arguments)       configurations to do each module with, for --set
    beside(source, options)   bytes of what lies beside it; OSError if they cannot be read
    left(known, suffixes, options)    names of modules that should have been among those `known`, by
                              their paths below the folders that were given; each with a response
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Protocol, cast

from tileir.batches.protocol import Request, Response
from tileir.command_line.exit_codes import UsageError
from tileir.formats.forks import not_forking
from tileir.messages.wording import did_you_mean

NONE, ONE, SEVERAL = 0, 1, 2
"""For how many targets a verb is done."""

NAMES = ("verify", "dis", "stats", "diff", "compile", "resources", "run")
"""The verbs, as the help lists them."""


class Verb(Protocol):
    """What the module of a verb has."""

    SUMMARY: str
    TARGETS: int
    FILES: bool

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the verb."""

    def options(self, arguments: argparse.Namespace) -> dict[str, Any]:
        """Return the options given, in JSON's types."""
        ...

    def compute(self, request: Request) -> Response:
        """Return what comes of a module."""
        ...


def find(name: str) -> Verb:
    """Return the verb of a name; UsageError if there is none."""
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise UsageError(f"there is no verb {name!r}{did_you_mean(name, NAMES)}; there are {known}")
    with not_forking:
        return cast(Verb, import_module(f"{__name__}.{name}"))


def check_options(name: str, options: Iterable[str]) -> None:
    """Raise UsageError for an option that the verb of a name does not have."""
    parser = argparse.ArgumentParser(add_help=False)
    find(name).configure(parser)
    known = sorted(action.dest for action in parser._actions if action.dest != "set")
    for option in options:
        if option not in known:
            raise UsageError(
                f"{name} has no option {option!r}{did_you_mean(option, known)};"
                f" it has {', '.join(known) or 'none'}"
            )


def given(**options: Any) -> dict[str, Any]:
    """Return the options that say something: what is false or empty is as if it were not there."""
    return {name: value for name, value in options.items() if value}
