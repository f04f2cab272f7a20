"""Kinds of attribute values in the block IR, as the slots of its rows name them.

An `INTEGER` is an int, `INTEGERS` a tuple of ints, a `TEXT` a str, `TEXTS` a tuple of str, a
`LAYOUT` a `LinearLayout`. A unit attribute has no kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.formats.ops.spec import Kind

INTEGER, INTEGERS = Kind("integer"), Kind("integers")
TEXT, TEXTS = Kind("text"), Kind("texts")
LAYOUT = Kind("layout")


def _a(what: type) -> Callable[[Any], str]:
    right = _is(what)
    return lambda value: "" if right(value) else f"expected {_word(what)}, found {value!r}"


def _tuple_of(what: type) -> Callable[[Any], str]:
    right = _is(what)

    def problem(value: Any) -> str:
        if isinstance(value, tuple) and all(map(right, value)):
            return ""
        return f"expected a tuple of {_word(what)}, found {value!r}"

    return problem


def _is(what: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, what) and not isinstance(value, bool)


def _word(what: type) -> str:
    return what.__name__


KINDS = {
    INTEGER: _a(int),
    INTEGERS: _tuple_of(int),
    TEXT: _a(str),
    TEXTS: _tuple_of(str),
    LAYOUT: _a(LinearLayout),
}
"""Kind -> the function that returns why a value is none of that kind; "" if it is one."""
