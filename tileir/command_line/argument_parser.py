"""Arguments of commands: a parser whose errors are one line, and the types of numbers."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from tileir.messages.wording import choice, did_you_mean

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

from .exit_codes import UsageError


class _Store(argparse.Action):
    """Stores what an option is given, and raises UsageError if it is given a second time.

    Else the last one would win, and what was asked before it be passed over in silence.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(parser, Parser)
        if self.option_strings:
            if self in parser.stored:
                parser.error(f"{'/'.join(self.option_strings)} can be given once")
            parser.stored.append(self)
        setattr(namespace, self.dest, values)


_NEGATIVE = re.compile(r"-(\.?\d.*|inf(inity)?$|nan$)", re.IGNORECASE)
"""How a word begins that is a number, not an option; argparse alone does not know -1e-3, -inf."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UsageError, so that its errors are one line like others.

    An option that takes one value can be given once. A help that cannot be written is an error as
    well, which argparse passes over. `stored` are the options that the parsing has come by.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.stored: list[argparse.Action] = []
        self._negative_number_matcher = _NEGATIVE
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments as argparse does, from a clean slate.

        What looks like a negative number is the value of an option, where an option is called -0 as
        well: then its own check says what is wrong with it.
        """
        self.stored.clear()
        self._has_negative_number_optionals.clear()
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say of a value that is none of the choices what is meant; UsageError."""
        if action.choices is None or value in action.choices:
            return
        known = [*map(str, action.choices)]
        meant = did_you_mean(str(value), known)
        if action.option_strings:
            option = action.option_strings[-1]
            self.error(f"{option} takes {choice(known, quoted=False)}, not {value!r}{meant}")
        what = str(action.metavar or action.dest).lower()
        self.error(f"there is no {what} {value!r}{meant}; known are {', '.join(known)}")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help to a file, standard output if it is None; OSError."""
        (file or sys.stdout).write(self.format_help())

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the program, when what was printed is written; OSError."""
        sys.stdout.flush()
        super().exit(status, message)


MOST_SECONDS = 1 << 22
"""Windows waits for no more milliseconds than fit in 32 bits."""


def whole_number(text: str, least: int = 0) -> int:
    """Return the number from `least` on that an option is given: the `type` of an argument."""
    digits = text.isascii() and text.isdecimal()
    if digits and len(text) > 18:  # what has fewer fits into 64 bits
        raise argparse.ArgumentTypeError("a number has at most 18 digits here")
    if not digits or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} on")
    return int(text)


def counting_number(text: str) -> int:
    """The same from 1 on."""
    return whole_number(text, 1)


def number_of_seconds(text: str) -> float:
    """Return the seconds that an option is given, for which every system can wait."""
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= MOST_SECONDS:
            return float(text)
    problem = f"{text!r} is not a number of seconds above 0, up to {MOST_SECONDS:,}"
    raise argparse.ArgumentTypeError(problem)


def number_of_mebibytes(text: str) -> int:
    """Return the MiB that an option is given, of which a system can count the bytes."""
    number = counting_number(text)
    if number > sys.maxsize >> 20:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {sys.maxsize >> 20:,} MiB")
    return number
