"""Tile IR text on a terminal: the words in colour, and nothing that the terminal would obey."""

from __future__ import annotations

from typing import TextIO

from .references import printable

BLUE, CYAN, GREEN, GREY, MAGENTA, RED, YELLOW = (
    "brightblue", "cyan", "green", "brightblack", "magenta", "red", "yellow"
)  # fmt: skip


def write_coloured(text: str, out: TextIO) -> None:
    """Write text to a terminal, each word in the colour of what it is."""
    from pygments.formatters.terminal import TerminalFormatter

    from .pygments_lexer import TileIRLexer

    words = TileIRLexer().get_tokens_unprocessed(harmless(text))
    formatter = TerminalFormatter(colorscheme=_scheme())
    formatter.format(((kind, word) for _, kind, word in words), out)


def paint(colour: str, text: str) -> str:
    """A piece of text in a colour; asterisks around its name make it bold."""
    from pygments.console import ansiformat

    return ansiformat(colour, text) if text else ""


def harmless(text: str) -> str:
    """Lines of text without control characters or bytes that are no text: those are escaped."""
    lines = text.split("\n")
    return "\n".join([line if line.isprintable() else printable(line) for line in lines])


def _scheme() -> dict[object, tuple[str, str]]:
    """Kind of word -> colours before a light and a dark background: the same, both can be read."""
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
        Number: YELLOW,
        String: YELLOW,
        Name.Variable: GREEN,
    }
    return {kind: (colour, colour) for kind, colour in colours.items()}
