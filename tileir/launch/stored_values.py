"""Whether values that came from disk have the form in which they were written."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tileir.ir.type_kinds import SCALARS
from tileir.types import Element, Pointer, Scalar

Form = type | list[Any] | dict[str, Any] | Callable[[object], bool]
"""A type (an int is never negative); a list with the form of its elements; a dict with that of
each of its fields; or a function that says whether a value is right."""


def conforms(value: object, form: Form) -> bool:
    """Whether a value that JSON held has a form."""
    if isinstance(form, list):
        return isinstance(value, list) and all(conforms(one, form[0]) for one in value)
    if isinstance(form, dict):
        return (
            isinstance(value, dict)
            and value.keys() == form.keys()
            and all(conforms(value[name], form[name]) for name in form)
        )
    if not isinstance(form, type):
        return form(value)
    return type(value) is form and not (isinstance(value, int) and not 0 <= value < 1 << 63)


_POINTER = re.compile(r"ptr<(\w+)(?:, <(unicast|multicast|none)>)?>")


def is_element(text: object) -> bool:
    """Whether a text spells an element type."""
    if not isinstance(text, str):
        return False
    pointer = _POINTER.fullmatch(text)
    return (pointer[1] if pointer else text) in SCALARS


def element_of(text: str) -> Element:
    """Return the element type that a text spells."""
    pointer = _POINTER.fullmatch(text)
    return Pointer(Scalar(pointer[1]), pointer[2]) if pointer else Scalar(text)
