"""What tests of the shared store compile, and the entries that they make by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tileir
from tests.corpus import FIXTURES
from tileir.codegen.cache.key import Key

NAMES = ("raw_offsets", "two_entries", "vector_add", "print_values")

Machine = Callable[..., None]
"""Makes this process one on a new machine, with an empty cache; takes a URL and a key's file."""


def module(name: str = NAMES[0]) -> bytes:
    return (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()


def everything(made: Any) -> tuple[Any, ...]:
    return made.target, made.ptx, made.llvm_ir, made.plan, list(made)


def compile_all(target: str = "sm_90") -> list[Any]:
    return [everything(tileir.compile(module(name), target)) for name in NAMES]


def entry_of(kind: str, contents: bytes = b"contents") -> tuple[str, bytes]:
    key = Key.of(kind, {"target": "any", "number": 1})
    return key.name, key.line + b"\n" + contents
