"""A text and its readers: one for types, one for attributes, and so on."""

from __future__ import annotations

from collections.abc import Mapping

from tileir.formats.limits import Limits
from tileir.formats.version import Version
from tileir.ir.dialect import TILE_IR, Dialect

from .diagnostics import Diagnostics
from .lexer import Reader
from .literals.aliases import Aliases
from .literals.attributes import AttributeReader
from .literals.definitions import DefinitionReader
from .literals.locations import LocationReader
from .literals.types import FORMS, Definition, Form, TypeReader
from .versions import Gate


class Source:
    """The readers of one text, which share its position and the report of problems.

    `alike` caches the checks of ops' types, by the signature of the op; its values keep the types
    alive whose identities are in the keys. `dialect`, `forms` and `definitions` are those of the
    `Grammar`.
    """

    def __init__(
        self,
        text: str,
        name: str,
        version: Version,
        limits: Limits,
        dialect: Dialect = TILE_IR,
        forms: Mapping[str, Form] = FORMS,
        definitions: Mapping[str, Definition] | None = None,
    ) -> None:
        """Make the readers of a text in a dialect."""
        self.dialect = dialect
        self.limits = limits
        self.alike: dict[tuple, tuple] = {}
        self.version = version
        self.reader = Reader(text)
        self.report = Diagnostics(text, name)
        self.gate = Gate(version, self.report)
        self.aliases = Aliases(self.reader, self.report)
        self.types = TypeReader(
            self.reader,
            self.report,
            self.aliases,
            self.gate,
            limits,
            dialect,
            forms,
            definitions or {},
        )
        self.attributes = AttributeReader(self.reader, self.aliases, self.types, limits)
        self.locations = LocationReader(self.reader, self.aliases, limits)
        reading = DefinitionReader(
            self.reader, self.aliases, self.types, self.attributes, self.locations
        )
        self.aliases.definition = reading.read
