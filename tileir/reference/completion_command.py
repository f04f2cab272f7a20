"""`tileir completion`: a script by which a shell completes commands, options, targets and files."""

from __future__ import annotations

import argparse
import re
from typing import Any

from tileir.command_line.command_table import COMMANDS
from tileir.command_line.exit_codes import OK, UsageError
from tileir.command_line.files import write_output
from tileir.gpus import TARGETS
from tileir.messages.missing_packages import is_installed, missing
from tileir.messages.wording import did_you_mean

from .parsers import parser_into, verbs
from .schemas.catalogue import SCHEMAS

SHELLS = ("bash", "zsh", "fish", "tcsh")
_CHOICES = {"GPU": TARGETS, "TARGET": TARGETS, "COMMAND": SCHEMAS, "SHELL": SHELLS}
"""What an argument is called -> the words that it may be."""
_FILES = ("FILE", "PATH", "JSON", "VALUE", "N=FILE")
_FOLDERS = ("FOLDER", "DIR")

EXAMPLES = """\
examples:
  eval "$(tileir completion bash)"                                  in ~/.bashrc
  tileir completion zsh > ~/.zfunc/_tileir                          a folder in zsh's fpath
  tileir completion fish > ~/.config/fish/completions/tileir.fish
  tileir completion tcsh > ~/.tileir.csh                            and source it in ~/.tcshrc

The script is made by the package shtab, and asks nobody later: after an update of tileir, make it
once more.

exit status: 0, 2 wrong use, 5 shtab is not installed
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Print a script by which a shell completes the words of tileir's commands."
    parser.epilog = EXAMPLES
    parser.add_argument("shell", metavar="SHELL", help=f"one of {', '.join(SHELLS)}")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    shell = arguments.shell
    if shell not in SHELLS:
        raise UsageError(f"{shell!r} is none of {', '.join(SHELLS)}{did_you_mean(shell, SHELLS)}")
    if not is_installed("shtab"):
        raise missing(["shtab"], "shell completion")
    import shtab

    write_output(None, shtab.complete(_whole(shtab), shell=shell).encode())
    return OK


def _whole(shtab: Any) -> argparse.ArgumentParser:
    """Return one parser for all commands; what is a file or a folder in it says so."""
    whole = argparse.ArgumentParser(prog="tileir")
    whole.add_argument("-V", "--version", action="store_true", help="the versions")
    commands = whole.add_subparsers(dest="command")
    for name, (_, summary) in COMMANDS.items():
        parser = commands.add_parser(name, help=summary)
        parser_into(parser, name)
        _annotate(parser, shtab)
    return whole


def _annotate(parser: argparse.ArgumentParser, shtab: Any) -> None:
    for own in verbs(parser).values():
        _annotate(own, shtab)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        if action.help:  # in the script it stands between quotes of a shell, and shtab writes no $(
            action.help = re.sub(r"[`$\\]", "'", action.help)
        metavar = str(action.metavar)
        if action.choices is None and metavar in _CHOICES:
            action.choices = list(_CHOICES[metavar])
        elif metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
