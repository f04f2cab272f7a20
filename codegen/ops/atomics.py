"""Traits of the ops of the chapter Atomics."""

from __future__ import annotations

from .spec import Family, Traits

ROWS = (
    Traits("atomic_cas_tko", Family.ATOMIC),
    Traits("atomic_red_view_tko", Family.VIEW_ATOMIC),
    Traits("atomic_rmw_tko", Family.ATOMIC),
)
