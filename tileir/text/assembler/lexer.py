"""The tokens of the text: names, numbers, strings, punctuation.

There is no list of tokens. A reader is at the start of a token, and one regular expression matches
the expected token together with the blanks and comments behind it, which is fast. None of the
expressions backtracks over blanks, so all take linear time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from tileir.formats.errors import shorten
from tileir.messages.texts import printable

from .diagnostics import Refused

SKIP = r"(?>(?:[ \t\r\n]++|//[^\n]*+)*+)"
"""Blanks and comments."""

LONGEST_SHOWN = 40
"""The most characters of a token in a message."""

LONGEST_NUMBER = 2000
"""The most digits of a number; no element type needs as many to be exact."""


def token(pattern: str) -> re.Pattern[str]:
    """Return the expression for a token and the blanks behind it; its group 1 is the token."""
    return re.compile(f"({pattern}){SKIP}", re.ASCII)


VALUE = token(r"%(?:[0-9]++|[A-Za-z$._-][\w$.-]*+)(?:#[0-9]++)?")
NAME = r"%(?:[0-9]++|[A-Za-z$._-][\w$.-]*+)(?::[0-9]++)?"
RESULTS = rf"{NAME}{SKIP}(?:,{SKIP}{NAME}{SKIP})*+"
"""The pattern of the names in front of an op."""

SOME_RESULTS = rf"{NAME}{SKIP}(?:,{SKIP}{NAME}{SKIP}){{0,64}}+"
"""The same for fewer names, more than any op has, because it is tried at every line."""

NAMES = re.compile(rf"{RESULTS}=", re.ASCII)
WORD = token(r"[A-Za-z_][\w$.]*+")
RAW_KEY = token(r'[^\s,={}<>"/]++(?:(?:[ \t]++|/(?!/))[^\s,={}<>"/]++)*+(?=[ \t]*+=)')
"""A key of hints as disassemblers print it: as it is, whatever it is, without quotes."""
SYMBOL = token(r'@(?:[A-Za-z_][\w$.]*+|"(?:[^"\\\n]++|\\.)*+")')
STRING = token(r'"(?:[^"\\\n]++|\\.)*+"')
INTEGER = token(r"-?(?:0[xX][0-9a-fA-F]++|[0-9]++)(?![\w.])")
NUMBER = r"-?(?:0[xX][0-9a-fA-F]++|[0-9]++(?:\.[0-9]*+)?(?:[eE][-+]?[0-9]++)?)(?!\w)"
"""The pattern of a number of any kind."""

LITERAL = token(rf"true\b|false\b|{NUMBER}")
NOT_FINITE = re.compile(r"[-+]?(?:nan|inf|infinity)\b", re.ASCII | re.IGNORECASE)
ALIAS = token(r"[#!](?:[0-9]++|[A-Za-z_$-][\w$-]*+)(?![.\w])")
BLANKS = re.compile(SKIP)
ANYTHING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|->|[%#!@]?[\w$.-]++|.', re.ASCII | re.DOTALL)
NAME_PART = re.compile(r"[%#!@]?[\w$.-]*+", re.ASCII)
SYMBOL_BEHIND = re.compile(r"@([\w$.-]*+)\Z", re.ASCII)
ANY_NAME = re.compile(r"[\w$.-]*+[^\x00-\x7f]?[\w$.-]*+")
LINE_OF_CODE = re.compile(r'(?:[^"/\n]++|"(?:[^"\\\n]++|\\.)*+"?|/(?!/))*+')
"""A line up to the comment at its end."""

ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}
PIECES = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|->|[][(){}<>]', re.ASCII)
NO_ATTRIBUTES = "bytecode cannot hold attributes of an op"
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
PHRASE = re.compile(r"->|[#!@]?[A-Za-z_][\w.]*|\S")


class Phrase:
    """Fixed words and punctuation, with or without blanks between them."""

    __slots__ = ("first", "match", "tokens")

    def __init__(self, text: str) -> None:
        self.tokens = PHRASE.findall(text)
        patterns = [re.escape(t) + (r"(?![\w$.])" if t[-1].isalnum() else "") for t in self.tokens]
        self.match = re.compile(SKIP.join([*patterns, ""]), re.ASCII).match
        self.first = re.compile(patterns[0], re.ASCII).match


@cache
def phrase(text: str) -> Phrase:
    """Return the phrase of some words; cached."""
    return Phrase(text)


class Reader:
    """A position in a text, always at the start of a token. An unexpected token raises Refused."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = past(BLANKS, text)

    def skip(self) -> None:
        """Skip blanks and comments."""
        self.at = past(BLANKS, self.text, self.at)

    # Errors -------------------------------------------------------------------------------------

    def refused(self, message: str, at: int | None = None) -> Refused:
        """Return an error about the token at a position, by default the next one."""
        at = self.at if at is None else at
        match = ANYTHING.match(self.text, at)
        return Refused(message, at, len(match[0]) if match else 1)

    def expected(self, what: str, after: bool = True) -> Refused:
        """Return an error about the next token, which is not the expected one.

        What should come `after` the last token, if that ends a line, is reported as missing there
        and not at the start of the next line.
        """
        if what == "':'" and self.text.startswith("{", self.at):
            return self.refused(NO_ATTRIBUTES)
        foreign = self._foreign()
        if foreign is not None:
            return foreign
        end = end_of_line(self.text, self.at) if after and self.at < len(self.text) else None
        if end is not None:
            return Refused(f"expected {what}, found the end of the line", end)
        return self.refused(f"expected {what}, found {self.next_token()}")

    def _foreign(self) -> Refused | None:
        """Return an error if the next token has a character for strings and comments only."""
        at = past(NAME_PART, self.text, self.at)
        char = self.text[at : at + 1]
        if not char or char.isascii():
            return None
        if "\udc80" <= char <= "\udcff":
            return Refused(f"the byte 0x{ord(char) - 0xDC00:02X} is no UTF-8", at)
        name = unicodedata.name(char, "")
        shown_char = f"'{printable(char)}' (U+{ord(char):04X}{name and ', '}{name})"
        symbol = SYMBOL_BEHIND.search(self.text[max(0, at - LONGEST_SHOWN) : at])
        how = ""
        if symbol:
            rest = self.text[at : past(ANY_NAME, self.text, at)][:LONGEST_SHOWN]
            how = f'; write @"{symbol[1]}{printable(rest)}"'
        return Refused(f"{shown_char} can only stand in strings and comments{how}", at)

    def next_token(self) -> str:
        """Return the next token as messages show it."""
        match = ANYTHING.match(self.text, self.at)
        if match is None:
            return "the end of the text"
        return f"'{printable(shorten(match[0], LONGEST_SHOWN))}'"

    # Tokens -------------------------------------------------------------------------------------

    def take(self, pattern: re.Pattern[str], what: str) -> str:
        """Read the token of a pattern; `what` describes it in messages."""
        match = pattern.match(self.text, self.at)
        if match is None:
            raise self.expected(what)
        self.at = match.end()
        return match[1]

    def expect(self, wanted: Phrase) -> None:
        """Read a phrase."""
        match = wanted.match(self.text, self.at)
        if match is None:
            for part in wanted.tokens:
                match = phrase(part).match(self.text, self.at)
                if match is None:
                    raise self.expected(f"'{part}'")
                self.at = match.end()
        else:
            self.at = match.end()

    def accept(self, wanted: Phrase) -> bool:
        """Read a phrase if it comes next; return whether it did."""
        match = wanted.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        return True

    def sees(self, wanted: Phrase) -> bool:
        """Whether the next token is the first of a phrase."""
        return wanted.first(self.text, self.at) is not None

    def literal(self) -> str:
        """Read a number, ``true`` or ``false``."""
        self.check_finite()
        return self.take(LITERAL, "a number")

    def check_finite(self) -> None:
        """Refuse words for infinity and NaN, which are written as bits."""
        match = NOT_FINITE.match(self.text, self.at)
        if match is not None:
            how = "is written as its bits, for f32 as 0x7F800000 (inf) or 0x7FC00000 (nan)"
            raise self.refused(f"{match[0]} {how}")

    def word(self, what: str = "a word") -> str:
        """Read a bare word."""
        return self.take(WORD, what)

    def symbol(self) -> str:
        """Read a symbol, ``@name`` or ``@"any name"``, and return its name."""
        at = self.at
        name = self.take(SYMBOL, "a symbol such as @name")[1:]
        if name.startswith('"'):
            name = self.unescaped(name, at + 1)
        if not name:
            raise self.refused("a symbol has a name", at)
        return name

    def string(self, what: str = "a string") -> str:
        """Read a string, and return its contents."""
        at = self.at
        return self.unescaped(self.take(STRING, what), at)

    def unescaped(self, quoted: str, at: int) -> str:
        """Return the contents of a quoted string, which is at position `at`."""
        if "\\" not in quoted:
            return quoted[1:-1]

        def plain(match: re.Match[str]) -> str:
            if match[1]:
                return bytes((int(match[1], 16),)).decode("latin-1")
            if match[2] not in ESCAPED:
                raise Refused(f"{match[0]!r} stands for nothing", at + match.start(), 2)
            return ESCAPED[match[2]]

        pieces, end = [], 1
        for match in ESCAPE.finditer(quoted, 1, len(quoted) - 1):
            pieces += quoted[end : match.start()].encode("utf-8", "surrogateescape"), b""
            pieces[-1] = plain(match).encode("latin-1")
            end = match.end()
        pieces.append(quoted[end:-1].encode("utf-8", "surrogateescape"))
        return b"".join(pieces).decode("utf-8", "surrogateescape")

    def integer(self, what: str = "an integer", low: int = -(1 << 63), high: int = 1 << 64) -> int:
        """Read an integer of `low` or more and less than `high`."""
        at = self.at
        literal = self.take(INTEGER, what)
        number = integer_of(literal)
        if number is None or not low <= number < high:
            raise self.refused(f"{shown(literal)} is not {what} from {low} to {high - 1}", at)
        return number

    def integers(self, what: str, low: int, high: int) -> tuple[int, ...]:
        """Read integers up to a closing bracket, after the opening one."""
        numbers: list[int] = []
        while not self.accept(phrase("]")):
            if numbers:
                self.expect(phrase(","))
            numbers.append(self.integer(what, low, high))
        return tuple(numbers)

    def balanced(self) -> str:
        """Read a bracket and everything up to its counterpart, and return that text."""
        start, open_brackets = self.at, []
        for match in PIECES.finditer(self.text, start):
            piece = match[0]
            if piece in CLOSING:
                open_brackets.append(CLOSING[piece])
            elif piece in CLOSING.values():
                if not open_brackets or open_brackets.pop() != piece:
                    raise self.refused(f"unexpected '{piece}'", match.start())
                if not open_brackets:
                    self.at = past(BLANKS, self.text, match.end())
                    return self.text[start : match.end()]
        raise self.refused("this is never closed", start)


def past(pattern: re.Pattern[str], text: str, at: int = 0) -> int:
    """Return the end of a match at a position; the position itself if there is none."""
    match = pattern.match(text, at)
    return match.end() if match else at


def end_of_line(text: str, at: int) -> int | None:
    """Return the end of the last line with a token before `at`; None if `at` is in that line."""
    start = text.rfind("\n", 0, at) + 1
    if text[start:at].strip():
        return None
    while start:
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
        match = LINE_OF_CODE.match(text, start, end)
        code = match[0].rstrip() if match else ""
        if code.strip():
            return start + len(code)
    return None


def line_of(text: str, at: int) -> int:
    """Return the line number of a position, from 1."""
    return text.count("\n", 0, at) + 1


def shown(literal: str) -> str:
    """Return a token as messages show it."""
    return printable(shorten(literal, LONGEST_SHOWN))


def integer_of(literal: str) -> int | None:
    """Return the value of a decimal or hexadecimal integer; None if it has far too many digits."""
    if len(literal) > LONGEST_NUMBER:
        return None
    return int(literal, 16 if "x" in literal or "X" in literal else 10)
