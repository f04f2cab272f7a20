"""Spaces: names of options and constants, each with the values that there are to choose among."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, cast

from tileir.errors import UnsupportedError
from tileir.launch.compile_options import CompileOptions
from tileir.messages.wording import did_you_mean

Configuration = dict[str, Any]
"""Name -> the value that was chosen."""

OPTIONS = frozenset(CompileOptions.__annotations__)
"""The names that `tileir.compile` takes; all others are the frontend's."""


def configurations(
    space: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
) -> Iterator[Configuration]:
    """Yield all configurations of a space, the last name varying fastest.

    A space is a mapping from names to values, or has the configurations themselves. TypeError for
    values that are no sequence, such as a text; ValueError for a name without any.
    """
    if not isinstance(space, Mapping):
        yield from ({**each} for each in space)
        return
    named = cast(Mapping[str, Sequence[Any]], space)
    for name, values in named.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise TypeError(f"{name} needs a list of values to choose among, not {values!r}")
    choices = {name: list(values) for name, values in named.items()}
    for name, values in choices.items():
        if not values:
            raise ValueError(f"{name} has no values to choose among")
    for chosen in product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))


def divided(configuration: Mapping[str, Any], made: bool) -> tuple[Configuration, Configuration]:
    """Return what `tileir.compile` takes of a configuration, and what the frontend does.

    `made` says whether there is a frontend; without one, UnsupportedError for what is no option.
    """
    options = {name: value for name, value in configuration.items() if name in OPTIONS}
    constants = {name: value for name, value in configuration.items() if name not in OPTIONS}
    if constants and not made:
        name = next(iter(constants))
        hint = did_you_mean(name, sorted(OPTIONS))
        raise UnsupportedError(
            f"there is no option {name!r}{hint}; constants need a function that makes the module"
        )
    return options, constants


def spelled(configuration: Mapping[str, Any]) -> str:
    """Return a configuration for people, such as ``num_warps=4 maxnreg=none``."""
    return " ".join(f"{name}={value_spelled(value)}" for name, value in configuration.items())


def value_spelled(value: object) -> str:
    """Return a value as the command line takes it."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return "none" if value is None else str(value)
