"""The error for what has no meaning: a program that does it may do anything."""

from __future__ import annotations

from tileir.ir import Op


class Undefined(Exception):
    """Undefined behaviour, or a value that nothing specifies; `op` is where, once that is known."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.op: Op | None = None

    def __str__(self) -> str:
        where = f" in {self.op}" if self.op is not None else ""
        return f"{self.args[0]}{where}"
