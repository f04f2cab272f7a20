"""The words of Tile IR text, for Pygments.

`tileir dis` colours with it, and Pygments hands it to editors, Sphinx and all else that asks for
`tileir`. Mnemonics and types come from the tables; every other word is taken for an attribute.
Nothing is refused: text that is being written is shown as well as it can be.
"""

from __future__ import annotations

import re

from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from tileir.formats.ops import OPS
from tileir.formats.types import TYPE

MNEMONICS = sorted({name for op in OPS for name in (op.mnemonic, *op.aliases)})
"""Every op of the table, also by the name it once had."""

TYPES = sorted(record.name for record in TYPE.arms.values())
"""Every type, element types included."""

_END = r"(?![\w.$])"
_OP = rf"(?:cuda_tile\.)?(?:{'|'.join(MNEMONICS)}){_END}"
_TYPE = rf"(?:!?cuda_tile\.)?(?:{'|'.join(TYPES)})"


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
        # Where an op may start. Some mnemonics are words of other ops too, behind their own.
        "root": [
            (_OP, Keyword, "op"),
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
            (rf"({_TYPE})(<)", bygroups(Keyword.Type, Punctuation), "type"),
            (rf"{_TYPE}{_END}(?!\s*=)", Keyword.Type),
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
        ],
        # Between the angle brackets of a type, where 0x4xf32 is a shape. What is not closed ends
        # with the line, as strings do: Pygments starts anew where no rule takes a line's end.
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
