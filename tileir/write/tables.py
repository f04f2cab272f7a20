"""Tables that grow: the index of every string, type, constant and source location to be written.

What a file has already keeps its index, because the parts of it that nobody touched go on referring
to it. Anything else is appended once, equal things under one index.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.formats.cursor import Slice
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.version import Version
from tileir.read.debug_info import DebugInfo
from tileir.read.type_table import TypeTable

from .blobs import Blobs, encode_text
from .location_table import Locations
from .type_table import Types


class Interning:
    """All tables of a file that is written, starting from those it has."""

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
        self.types = Types(version, types)
        self.constants = Blobs(constants)
        self.locations = Locations(version, self.strings, debug)

    def string(self, text: str) -> int:
        """The index of a text."""
        return self.strings.index(encode_text(text))
