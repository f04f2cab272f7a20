"""Every error that tileir raises on purpose. All derive from `TileIRError`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tileir.formats.errors import BuildError, BytecodeError, TileIRError, shorten
from tileir.formats.version import Version

from .references import display, printable

if TYPE_CHECKING:
    from .ir import Op

__all__ = [
    "BuildError",
    "BytecodeError",
    "Diagnostic",
    "Feature",
    "LaunchError",
    "MissingPackageError",
    "TileIRError",
    "UnsupportedError",
    "VerifyError",
    "VersionError",
]


LONGEST_MESSAGE = 600
"""Characters of a message in a listing: types and names from the file are part of it."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what, how bad ("error" or "warning"), and where.

    kind      id of the rule that is broken, or what sort of oddity it is
    offset    absolute in the file, in bytes, or None
    function  the kernel it is in, "" outside of kernels
    location  the source position, "" when the debug section has none
    op        mnemonic of the op, or the item of the module; "" for neither
    hint      what to do, "" when the message says it
    """

    severity: str
    kind: str
    message: str
    offset: int | None = None
    function: str = ""
    location: str = ""
    op: str = ""
    hint: str = ""

    @property
    def rule(self) -> str:
        """The id of the rule that is broken; another name for `kind`."""
        return self.kind

    @classmethod
    def about(cls, op: Op, function: str, kind: str, problem: str) -> Diagnostic:
        """An error in an op: its name, its offset and source line."""
        return cls("error", kind, problem, op.offset, function, op.place, op.name)

    def __str__(self) -> str:
        place = f"0x{self.offset:x}: " if self.offset is not None else ""
        what = f"{display(self.op)}: " if self.op else ""
        where = f" in {display(self.function)}" if self.function else ""
        source = f" ({display(self.location)})" if self.location else ""
        message = printable(shorten(self.message, LONGEST_MESSAGE))
        return f"{place}{self.severity}: {what}{message}{where}{source}"


class _Listing(TileIRError):
    """A message and every finding that led to it."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join([message, *(f"  {item}" for item in self.diagnostics)]))


class VerifyError(_Listing, ValueError):
    """The module is readable but breaks rules of Tile IR. `diagnostics` lists them."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a module uses and a version of the format lacks.

    owner     the op, type, attribute, debug record or section that has it, by name
    slot      the slot, flag or enum case; empty when it is the owner as a whole
    since     the first version that has it
    until     the last version that has it; None if newer ones still do
    function  name of the kernel that uses it, empty outside of kernels
    times     how often it is used there
    """

    owner: str
    slot: str
    since: Version
    until: Version | None = None
    function: str = ""
    times: int = 1

    def __str__(self) -> str:
        what = f"{self.owner} {self.slot}".rstrip()
        return f"{what} is gone after {self.until}" if self.until else f"{what} needs {self.since}"


class VersionError(BuildError):
    """A module uses what the version asked for lacks. `features` lists all of it, once a kernel."""

    def __init__(self, version: Version, features: Sequence[Feature]) -> None:
        self.version = version
        self.features = tuple(features)
        super().__init__("\n".join([f"version {version} lacks what is used:", *self._lines()]))

    def __reduce__(self):
        return type(self), (self.version, self.features)

    def _lines(self) -> list[str]:
        uses: dict[str, list[Feature]] = {}
        for feature in self.features:
            uses.setdefault(str(feature), []).append(feature)
        return [f"  {text}{self._where(found)}" for text, found in uses.items()]

    @staticmethod
    def _where(found: Sequence[Feature]) -> str:
        """In which kernels, and how often altogether."""
        names = [display(feature.function) for feature in found if feature.function]
        times = sum(feature.times for feature in found)
        parts = [f"{times} times"] if times > 1 else []
        if names:
            parts.append(f"in {', '.join(names[:3])}{', ...' if len(names) > 3 else ''}")
        return f" ({' '.join(parts)})" if parts else ""


class UnsupportedError(_Listing):
    """The module is fine but cannot be compiled for the target (yet). Lists every reason."""


class MissingPackageError(TileIRError, ModuleNotFoundError):
    """An optional package is needed; the message says how to install it."""


class LaunchError(TileIRError, ValueError):
    """The arguments or the grid of a launch do not fit the kernel."""
