"""Tile IR text on a terminal: coloured words, and control characters escaped."""

from __future__ import annotations

from typing import TextIO

from tileir.messages.texts import printable

BLUE, CYAN, GREEN, GREY = "brightblue", "cyan", "green", "brightblack"
MAGENTA, RED, YELLOW = "magenta", "red", "yellow"

BUFFERED = 4096
"""Pieces of text that are collected before they are written."""


def write_coloured(text: str, out: TextIO) -> None:
    """Write text to a terminal, each word in the colour of its kind."""
    from tileir.pygments_lexer import TileIRLexer

    codes = _codes()
    words = TileIRLexer().get_tokens_unprocessed(escaped(text))
    pieces: list[str] = []
    for _, kind, word in words:
        before, after = codes[kind]
        pieces += before, word, after
        if len(pieces) > BUFFERED:
            out.write("".join(pieces))
            pieces.clear()
    out.write("".join(pieces))


def paint(colour: str, text: str) -> str:
    """Return a text in a colour; asterisks around the colour's name make it bold."""
    from pygments.console import ansiformat

    return ansiformat(colour, text) if colour else text


def escaped(text: str) -> str:
    """Return lines of text with control characters and lone surrogates escaped."""
    lines = text.split("\n")
    return "\n".join([line if line.isprintable() else printable(line) for line in lines])


class _Codes(dict):
    """Kind of word -> codes for the terminal before and after it; by default, its parent's."""

    def __missing__(self, kind) -> tuple[str, str]:
        self[kind] = self[kind.parent]
        return self[kind]


def _codes() -> _Codes:
    from pygments.token import Comment, Keyword, Name, Number, String, Token

    colours = {
        Token: "",
        Comment: GREY,
        Keyword: f"*{BLUE}*",
        Keyword.Constant: YELLOW,
        Keyword.Type: CYAN,
        Name.Attribute: MAGENTA,
        Name.Function: f"*{GREEN}*",
        Name.Label: GREY,
        Name.Variable: GREEN,
        Number: YELLOW,
        String: YELLOW,
    }
    return _Codes({kind: tuple(paint(name, "\0").split("\0")) for kind, name in colours.items()})
