"""Every error that tileir raises on purpose. All derive from `TileIRError`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tileir.formats.errors import BuildError, BytecodeError, TileIRError

from .references import display

if TYPE_CHECKING:
    from .ir import Op

__all__ = [
    "BuildError",
    "BytecodeError",
    "Diagnostic",
    "LaunchError",
    "MissingPackageError",
    "TileIRError",
    "UnsupportedError",
    "VerifyError",
]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, how bad ("error" or "warning"), and where.

    `offset` is absolute in the file, in bytes, or None. `location` is the source position when the
    debug section has one.
    """

    severity: str
    kind: str
    message: str
    offset: int | None = None
    function: str = ""
    location: str = ""

    @classmethod
    def about(cls, op: Op, function: str, kind: str, problem: str) -> Diagnostic:
        """An error in an op: its name in front, its offset and source line."""
        return cls("error", kind, f"{op.name}: {problem}", op.offset, function, op.place)

    def __str__(self) -> str:
        place = f"0x{self.offset:x}: " if self.offset is not None else ""
        where = f" in {display(self.function)}" if self.function else ""
        source = f" ({display(self.location)})" if self.location else ""
        return f"{place}{self.severity}: {self.message}{where}{source}"


class _Listing(TileIRError):
    """A message and every finding that led to it."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join([message, *(f"  {item}" for item in self.diagnostics)]))


class VerifyError(_Listing, ValueError):
    """The module is readable but breaks rules of Tile IR. `diagnostics` lists them."""


class UnsupportedError(_Listing):
    """The module is fine but cannot be compiled for the target (yet). Lists every reason."""


class MissingPackageError(TileIRError, ModuleNotFoundError):
    """An optional package is needed; the message says how to install it."""


class LaunchError(TileIRError, ValueError):
    """The arguments or the grid of a launch do not fit the kernel."""
