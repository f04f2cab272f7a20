"""What is advised, without a limit of time."""

from __future__ import annotations

from typing import Any

from tileir import Bytecode
from tileir.codegen.advise.finding import Finding
from tileir.codegen.advise.search import advice


def advise(bytecode: Bytecode, target: str | None = None, **asked: Any) -> list[Finding]:
    """Return the findings of `advice`."""
    return advice(bytecode, target, **asked).findings
