"""Traits of the ops of the chapter Control Flow."""

from __future__ import annotations

from .spec import Family, Traits

ROWS = (
    Traits("assert", Family.MESSAGE),
    Traits("break", Family.TERMINATOR),
    Traits("continue", Family.TERMINATOR),
    Traits("for", Family.LOOP),
    Traits("if", Family.BRANCH),
    Traits("loop", Family.LOOP),
    Traits("return", Family.TERMINATOR),
    Traits("yield", Family.TERMINATOR),
)
