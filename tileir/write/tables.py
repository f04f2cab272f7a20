"""The tables of a file that is written: strings, types, constants and source locations by index.

The entries that a file already has keep their indices, because its unchanged parts go on referring
to them. New entries are appended; equal ones share an index.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.formats.cursor import Slice
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.version import Version
from tileir.read.debug_info import DebugInfo
from tileir.read.type_table import TypeTable

from .blobs import Blobs
from .location_table import OutputLocations
from .type_table import OutputTypes


class OutputTables:
    """All tables of a file that is written, starting from those that it was read with."""

    def __init__(
        self,
        version: Version,
        strings: Sequence[Slice] = (),
        types: TypeTable | None = None,
        constants: Sequence[Slice] = (),
        debug: DebugInfo | None = None,
        limits: Limits = DEFAULT,
    ) -> None:
        self.version = version
        self.limits = limits
        self.strings = Blobs(strings)
        self.types = OutputTypes(version, types, self.string)
        self.constants = Blobs(constants)
        self.locations = OutputLocations(version, self.strings, debug)

    def string(self, text: str) -> int:
        """Return the index of a string."""
        return self.strings.text(text)
