"""The definition of an alias: a type, an attribute, a location, or another alias."""

from __future__ import annotations

from tileir.text.assembler.lexer import ALIAS, WORD, Reader, phrase

from .aliases import Aliases
from .attributes import AttributeReader
from .locations import LocationReader
from .types import Defined, TypeReader


class DefinitionReader:
    """Reads definitions, each with the reader that its first token calls for."""

    def __init__(
        self,
        reader: Reader,
        aliases: Aliases,
        types: TypeReader,
        attributes: AttributeReader,
        locations: LocationReader,
    ) -> None:
        self.reader = reader
        self.aliases = aliases
        self.types = types
        self.attributes = attributes
        self.locations = locations

    def read(self, name: str) -> object:
        """Read the definition of a name, after the ``=``."""
        if name[0] == "!":
            return self.types.read()
        word = WORD.match(self.reader.text, self.reader.at)
        if word is not None and word[1] in self.types.definitions:
            self.reader.at = word.end()
            return Defined(word[1], self.types.definitions[word[1]](self.types))
        match = ALIAS.match(self.reader.text, self.reader.at)
        if match is not None:
            self.reader.at = match.end()
            return self.aliases.value(match[1], match.start())
        if self.reader.sees(phrase("loc")):
            return self.locations.stated()
        record = self.locations.record()
        return self.attributes.aliased() if record is None else record[0]
