"""Whether values that came from disk have the form in which they were written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
