"""What is known of one version of a text: what is wrong with it, and the names in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import tileir
from tileir.bytecode import Bytecode
from tileir.errors import AssemblyError, TileIRError
from tileir.formats.forks import Lock
from tileir.messages.texts import printable
from tileir.read.once import once
from tileir.verifier.catalogue import ERROR
from tileir.verifier.module import verify

from .documentation import OPS, attribute_page, op_page, type_page
from .formatting import formatted
from .occurrences import Name, Occurrences, occurrences

_TOKEN = re.compile(r'"(?:[^"\\n]++|\\.)*+"?|[%#!@]?[\w$.]++|\S')
_WORD = re.compile(r"[A-Za-z_][\w$.]*")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong from `start` to `end`; `rule` is its id, empty for the syntax."""

    start: int
    end: int
    severity: str
    message: str
    rule: str = ""


class Analysis:
    """One version of a text."""

    _lock = Lock()

    def __init__(self, text: str, name: str = "<text>") -> None:
        self.text = text
        self.name = name

    @once
    def found(self) -> Occurrences:
        """The names and ops in it."""
        return occurrences(self.text)

    @once
    def _assembled(self) -> Bytecode | TileIRError:
        try:
            return tileir.assemble(self.text, name=self.name)
        except TileIRError as error:
            return error

    @property
    def bytecode(self) -> Bytecode | None:
        """The module, if the text has no errors of syntax."""
        return self._assembled if isinstance(self._assembled, Bytecode) else None

    @once
    def findings(self) -> list[Finding]:
        """Everything that is wrong: of the syntax, or else what `tileir verify` says."""
        if not self.text.strip():
            return []
        made = self._assembled
        if isinstance(made, AssemblyError):
            return [
                self._finding(each.line, each.column, ERROR, each.message, length=each.length)
                for each in made.problems
            ]
        if isinstance(made, TileIRError):  # about all of it
            return [self._finding(1, 1, ERROR, str(made))]
        found = []
        for one in verify(made):
            message = f"{one.op}: {one.message}" if one.op else one.message
            message = f"{message}\n{one.hint}" if one.hint else message
            place = (one.text.line, one.text.column) if one.text else (1, 1)
            found.append(self._finding(*place, one.severity, message, one.rule))
        return found

    def _finding(
        self, line: int, column: int, severity: str, message: str, rule: str = "", length: int = 0
    ) -> Finding:
        start = self._line_starts[min(line, len(self._line_starts)) - 1] + column - 1
        token = _TOKEN.match(self.text, start)
        end = start + length if length else token.end() if token else start + 1
        return Finding(start, min(end, len(self.text)), severity, printable(message), rule)

    @once
    def _line_starts(self) -> list[int]:
        """The offsets at which lines begin, as the assembler counts them: by line feeds."""
        shift = self.text.startswith("\ufeff")
        return [shift, *(end.end() for end in re.finditer("\n", self.text))]

    # What is at a place ---------------------------------------------------------------------------

    def word_at(self, offset: int) -> tuple[str, int, int] | None:
        """Return the bare word around an offset, and where it begins and ends."""
        start = offset
        while start and re.match(r"[\w$.]", self.text[start - 1]):
            start -= 1
        match = _WORD.match(self.text, start)
        return (match[0], match.start(), match.end()) if match and match.end() >= offset else None

    def hover(self, offset: int) -> tuple[str, int, int] | None:
        """Return what there is to say of the word at an offset, in Markdown, and its extent."""
        name = self.found.name_at(offset)
        if name is not None:
            said = self._of_name(name)
            return (said, name.start, name.end) if said else None
        found = self.word_at(offset)
        if found is None:
            return None
        word, start, end = found
        plain = word.removeprefix("cuda_tile.")
        statement = self.found.statement_at(offset)
        said = None
        if plain in OPS and (statement is None or statement.start <= start < statement.end):
            said = op_page(OPS[plain])
        elif statement is not None and statement.name in OPS:
            said = attribute_page(OPS[statement.name], plain)
        said = said or type_page(plain) or (op_page(OPS[plain]) if plain in OPS else None)
        return None if said is None else (said, start, end)

    def _of_name(self, name: Name) -> str:
        if name.text[0] == "%":
            return f"```tileir\n{name.text} : {name.type}\n```" if name.type is not None else ""
        if name.definition is None:
            return ""
        begin = self.text.rfind("\n", 0, name.definition) + 1
        end = self.text.find("\n", name.definition)
        line = self.text[begin : end if end >= 0 else None].strip()
        return f"```tileir\n{line.rstrip('{').rstrip()}\n```"

    def formatted(self) -> str | None:
        """Return the text as the printer lays it out; None if it has to stay as it is."""
        if self.bytecode is None:
            return None
        try:
            return formatted(self.text, self.found, self.bytecode)
        except TileIRError:  # such as a module that breaks rules so that it has no text
            return None
