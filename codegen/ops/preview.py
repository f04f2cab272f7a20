"""Traits of the ops of the chapter Preview, of which nothing here lowers any."""

from __future__ import annotations

from .spec import Family, Traits

ROWS = (Traits("preview$call", Family.OTHER),)
