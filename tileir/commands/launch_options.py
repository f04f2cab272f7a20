"""The options about launching a GPU kernel, which `compile` and `run` take alike."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tileir.errors import UnsupportedError

from .conventions import UsageError

if TYPE_CHECKING:
    from tileir.codegen.launch_terms import Name

_NAMED = re.compile(r"\boption (\w+)")
"""How `tileir.compile` calls an option in its messages."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each of those that `tileir.compile` has about launching."""
    from tileir.codegen.launch_terms import OPTIONS

    for option in OPTIONS:
        how = {"metavar": option.example, "type": _value(option)}
        if not option.example:
            how = {"action": "store_const", "const": True}
        parser.add_argument(flag(option.name), dest=option.name, help=f"GPUs: {option.help}", **how)


def options_given(arguments: argparse.Namespace) -> dict[str, object]:
    """The options of a command line; UsageError for such as contradict each other."""
    from tileir.codegen.launch_terms import OPTIONS, check_options

    try:
        return check_options({option.name: getattr(arguments, option.name) for option in OPTIONS})
    except UnsupportedError as problem:
        raise UsageError(as_written(str(problem))) from None


def flag(name: str) -> str:
    """An option as it is written on a command line."""
    return f"--{name.replace('_', '-')}"


def as_written(message: str) -> str:
    """A message that names options as they are written on a command line."""
    return _NAMED.sub(lambda found: flag(found[1]), message)


@contextmanager
def named_as_written() -> Iterator[None]:
    """Around compiling: what is refused because of options names them as they were written."""
    try:
        yield
    except UnsupportedError as error:
        found = [replace(each, message=as_written(each.message)) for each in error.diagnostics]
        head = str(error).partition("\n")[0] if found else str(error)
        raise UnsupportedError(as_written(head), found) from None


def _value(option: Name) -> Callable[[str], object]:
    """Numbers, separated by commas, as the option takes them."""

    def value(text: str) -> object:
        words = text.split(",")
        whole = all(word.isascii() and word.isdecimal() and len(word) < 10 for word in words)
        numbers = tuple(map(int, words)) if whole else ()
        given: object = numbers[0] if len(numbers) == 1 else numbers or text
        try:
            option.read(given)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text!r} is not {error}") from None
        return given

    return value
