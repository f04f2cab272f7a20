"""A Pygments lexer for Tile IR text.

`tileir dis` colours with it, and editors, Sphinx and other users of Pygments get it by the name
`tileir`. Mnemonics and types come from the tables; every other word counts as an attribute. The
lexer accepts any text, so that unfinished text is coloured as far as possible.
"""

from __future__ import annotations

import re

from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from tileir.text.words import END, OP, TYPE_NAME


class TileIRLexer(RegexLexer):
    """Tile IR as text, as tileir and NVIDIA's tileirdisasm print it.

    ``Keyword`` is an op, ``Keyword.Type`` a type, ``Name.Variable`` a value, ``Name.Function`` a
    symbol, ``Name.Label`` an alias such as ``#loc3``, ``Name.Attribute`` any other word.
    """

    name = "Tile IR"
    aliases = ["tileir", "cuda-tile"]
    filenames = ["*.tileir"]
    mimetypes = ["text/x-tileir"]
    url = "https://docs.nvidia.com/cuda/tile-ir/"
    flags = re.MULTILINE | re.ASCII

    tokens = {
        # Here an op may start. Some mnemonics are also words in the syntax of other ops.
        "root": [
            (OP, Keyword, "op"),
            (r"\s+", Whitespace),
            include("anything"),
        ],
        "op": [
            (r"\n", Whitespace, "#pop"),
            (r"[^\S\n]+", Whitespace),
            (r"[{}]", Punctuation, "#pop"),
            include("anything"),
        ],
        "anything": [
            (r"%[\w$.-]+(?:#\d+)?", Name.Variable),
            (r"->", Operator),
            (r"[][(){}<>,:?*+]", Punctuation),
            (r"=", Operator),
            (rf"({TYPE_NAME})(<)", bygroups(Keyword.Type, Punctuation), "type"),
            (rf"{TYPE_NAME}{END}(?!\s*=)", Keyword.Type),
            (r"(?:true|false)\b", Keyword.Constant),
            (r"[A-Za-z_][\w.$]*", Name.Attribute),
            (r"[#!][\w$.-]*", Name.Label),
            (r"-?0[xX][0-9a-fA-F]+", Number.Hex),
            (r"-?\d+(?:\.\d*(?:[eE][-+]?\d+)?|[eE][-+]?\d+)", Number.Float),
            (r"-?\d+", Number.Integer),
            (r"@[\w$.-]+", Name.Function),
            (r'@"', Name.Function, "symbol"),
            (r'"', String.Double, "string"),
            (r"//[^\n]*", Comment.Single),
            (r"[-/]", Operator),
        ],
        # Between the angle brackets of a type, where 0x4xf32 is a shape. An unclosed bracket ends
        # with the line, as a string does: Pygments restarts at a line end that no rule matches.
        "type": [
            (r"[^\S\n]+", Whitespace),
            (r"(\d+|\?)(x?)", bygroups(Number.Integer, Punctuation)),
            (r"<", Punctuation, "#push"),
            (r">", Punctuation, "#pop"),
            include("anything"),
        ],
        "string": [
            (r'[^"\\\n]+', String.Double),
            (r"\\(?:[0-9a-fA-F]{2}|.)", String.Escape),
            (r'"', String.Double, "#pop"),
        ],
        "symbol": [
            (r'(?:[^"\\\n]|\\.)+', Name.Function),
            (r'"', Name.Function, "#pop"),
        ],
    }
