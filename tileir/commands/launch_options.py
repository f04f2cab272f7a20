"""The options about launching a kernel, which commands share."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tileir.command_line.exit_codes import UsageError
from tileir.errors import UnsupportedError
from tileir.launch.grid_limits import MAX_EXTENT
from tileir.messages.texts import shorten
from tileir.messages.wording import did_you_mean

if TYPE_CHECKING:
    from tileir.codegen.launch_terms import Name

_NAMED = re.compile(r"\boption (\w+)")
"""An option's name in the messages of `tileir.compile`."""

_EXTENT = re.compile(r"\s*0*(\d+)\s*", re.ASCII)
_SHOWN = 40
"""Most characters of a wrong grid that a message repeats."""
GRID = "X[,Y[,Z]]"
"""What --grid takes, as `--help` shows it."""


def grid_given(text: str, least: int = 0) -> tuple[int, ...]:
    """Return the grid that --grid names, of one to three extents from `least` on; UsageError."""
    parts = [_EXTENT.fullmatch(part) for part in text.split(",")]
    digits = [part[1] for part in parts if part]
    if len(parts) > 3 or not all(parts) or (least and "0" in digits):
        given, numbers = shorten(text, _SHOWN), "numbers from 1" if least else "numbers"
        raise UsageError(f"--grid takes one to three {numbers} such as 4,1,1, not {given!r}")
    for extent in digits:
        if len(extent) > len(str(MAX_EXTENT)) or int(extent) > MAX_EXTENT:
            given = shorten(extent, _SHOWN)
            raise UsageError(f"--grid takes up to {MAX_EXTENT} blocks along an axis, not {given}")
    return tuple(map(int, digits))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tileir.compile` that are about launching."""
    from tileir.codegen.launch_terms import OPTIONS

    for option in OPTIONS:
        how = {"metavar": option.example, "type": _value(option)}
        if not option.example:
            how = {"action": "store_const", "const": True}
        parser.add_argument(flag(option.name), dest=option.name, help=f"GPUs: {option.help}", **how)


def read_setting(name: str, text: str) -> object:
    """Return the value of an option, as it is written, but numbers of one value separated by ``x``.

    ``none`` is None, which asks nothing; ``true`` is for what has no value. UsageError for an
    option that there is not, or a value that cannot be.
    """
    from tileir.codegen.launch_terms import OPTIONS

    named = {option.name: option for option in OPTIONS}
    if name not in named:
        known = ", ".join(named)
        raise UsageError(f"no option {name!r}{did_you_mean(name, named)}; there are {known}")
    if text == "none":
        return None
    if not named[name].example:
        if text != "true":
            raise UsageError(f"{name} is true or none, not {text!r}")
        return True
    try:
        return _value(named[name])(text.replace("x", ","))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{name}: {error}") from None


def options_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a command line; UsageError if some contradict each other."""
    from tileir.codegen.launch_terms import OPTIONS, check_options

    said = {option.name: getattr(arguments, option.name) for option in OPTIONS}
    try:
        return check_options({name: value for name, value in said.items() if value is not None})
    except UnsupportedError as problem:
        raise UsageError(as_written(str(problem))) from None


def flag(name: str) -> str:
    """Return an option as it is written on a command line."""
    return f"--{name.replace('_', '-')}"


def as_written(message: str) -> str:
    """Return a message with the names of options as they are written on a command line."""
    return _NAMED.sub(lambda match: flag(match[1]), message)


@contextmanager
def named_as_written(set_names: Sequence[str] = ()) -> Iterator[None]:
    """Change an UnsupportedError raised inside, so that it names options as on a command line.

    set_names  those that were given by ``--set``
    """

    def written(text: str) -> str:
        text = as_written(text)
        for name in set_names:
            text = text.replace(flag(name), f"--set {name}")
        return text

    try:
        yield
    except UnsupportedError as error:
        reasons = [replace(each, message=written(each.message)) for each in error.diagnostics]
        head = str(error).partition("\n")[0] if reasons else str(error)
        raise UnsupportedError(written(head), reasons) from None


def _value(option: Name) -> Callable[[str], object]:
    """Return a function that reads the option's value: numbers separated by commas."""

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
