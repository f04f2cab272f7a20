"""The parameters of methods: what each is, and the error for what it is not."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tileir.command_line.exit_codes import UsageError
from tileir.messages.texts import display
from tileir.messages.wording import did_you_mean


class ParameterError(UsageError):
    """The parameters of a request are wrong; the message says which and why."""


class Parameter(NamedTuple):
    """What a parameter may be: `read` returns its value, or raises ValueError."""

    what: str
    read: Callable[[Any], Any]
    needed: bool = False


def read_parameters(known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of parameters by their names; ParameterError if one is wrong or missing.

    What is left out, or null, is None.
    """
    for name in given:
        if name not in known:
            meant = did_you_mean(name, known)
            raise ParameterError(f"there is no parameter {display(name)}{meant}")
    values = {}
    for name, each in known.items():
        value = given.get(name)
        if value is None:
            if each.needed:
                raise ParameterError(f"{name} is missing: {each.what}")
            values[name] = None
            continue
        try:
            values[name] = each.read(value)
        except ValueError:
            raise ParameterError(f"{name} is not {each.what}") from None
    return values


def _bytes(value: object) -> bytes:
    return base64.b64decode(_of(str, value), validate=True)


def _texts(value: object) -> list[str]:
    return [_of(str, each) for each in _of(list, value)]


def _of(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError
    return value


BYTES = Parameter("bytes, as text in base64", _bytes, needed=True)
TEXT = Parameter("a text", lambda value: _of(str, value))
FLAG = Parameter("true or false", lambda value: _of(bool, value))
TEXTS = Parameter("a list of texts", _texts)
OPTIONS = Parameter("an object", lambda value: _of(dict, value))
