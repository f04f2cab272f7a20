"""The parsers of all commands: what each takes, as `--help` shows it."""

from __future__ import annotations

import argparse
import importlib

from tileir.command_line.argument_parser import Parser
from tileir.command_line.command_table import COMMANDS
from tileir.formats.forks import not_forking


def parser_into(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments of a command to a parser."""
    with not_forking:
        command = importlib.import_module(COMMANDS[name][0])
    command.configure(parser)


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all commands, in the order of `tileir --help`."""
    made: dict[str, argparse.ArgumentParser] = {}
    for name in COMMANDS:
        form = argparse.RawDescriptionHelpFormatter
        made[name] = Parser(prog=f"tileir {name}", formatter_class=form)
        parser_into(made[name], name)
    return made


def verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands of a command: ``list`` and ``prune`` of ``cache``."""
    found = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return {name: own for each in found for name, own in each.choices.items()}
