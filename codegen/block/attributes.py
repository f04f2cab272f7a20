"""Kinds of attribute values in the block IR, as the slots of its rows name them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: `INTEGER` an int, `INTEGERS` a tuple of ints, `TEXT` a str, `TEXTS` a tuple
    of str, `LAYOUT` a `LinearLayout`. A unit attribute has no kind."""

    name: str


INTEGER, INTEGERS = Kind("integer"), Kind("integers")
TEXT, TEXTS = Kind("text"), Kind("texts")
LAYOUT = Kind("layout")
