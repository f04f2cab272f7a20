"""Traits of the ops of the chapter Memory."""

from __future__ import annotations

from .spec import NEVER_AGAIN, Family, Traits

ROWS = (
    Traits("alloca", Family.VARIABLE),
    Traits("gdc_launch_dependents_tko", Family.FENCE),
    Traits("gdc_wait_tko", Family.FENCE),
    Traits("join_tokens", Family.TOKEN),
    Traits("load_ptr_tko", Family.POINTER_LOAD, NEVER_AGAIN),
    Traits("make_token", Family.TOKEN),
    Traits("memory_fence_alias_tko", Family.FENCE),
    Traits("store_ptr_tko", Family.POINTER_STORE),
)
