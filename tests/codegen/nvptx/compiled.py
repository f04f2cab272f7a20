"""Fixtures compiled for a GPU."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.corpus import FIXTURES
from tileir.bytecode import Bytecode
from tileir.codegen import compile

ELEMENTWISE = (
    "vector_add", "vector_add_aligned", "vector_add_f64", "vector_add_i32", "scaled_copy",
    "fma_scalar",
)  # fmt: skip


@cache
def compiled(name: str, target: str = "sm_90", version: str = "13.4") -> Any:
    """The compilation of a fixture."""
    return compile(Bytecode.parse((FIXTURES / version / f"{name}.tileirbc").read_bytes()), target)
