"""`python -m tests.lab.textmate`: whether the TextMate grammar calls words what the lexer does."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Token

from tests.corpus import PREVIEW, VALID, name_of
from tileir import disassemble, load
from tileir.formats.version import SUPPORTED
from tileir.pygments_lexer import TileIRLexer
from tileir.sampler import sample
from tileir.text.textmate import grammar_text

HERE = Path(__file__).parent
EXAMPLES = """\
examples:
  npm ci --prefix tests/lab/textmate     the engine, once
  python -m tests.lab.textmate           all fixtures, and texts that are broken off

Exit code: 0 every character of every text has the same kind in both, 1 not so.
"""
KINDS = {
    Keyword: "keyword.other",
    Keyword.Type: "storage.type",
    Keyword.Constant: "constant.language",
    Name.Variable: "variable.other",
    Name.Function: "entity.name.function",
    Name.Label: "entity.name.label",
    Name.Attribute: "entity.other.attribute-name",
    Number.Hex: "constant.numeric.hex",
    Number.Float: "constant.numeric.float",
    Number.Integer: "constant.numeric.integer",
    String.Double: "string.quoted.double",
    String.Escape: "constant.character.escape",
    Comment.Single: "comment.line.double-slash",
    Operator: "keyword.operator",
    Punctuation: "punctuation.separator",
}
"""What the lexer calls a word -> its scope."""

ODD = [
    '%0 = constant "abc\n%1 = iota : tile<4xf32\n%2 = addf %0, %1\n',
    '%5:2 = op "a \\22b\\0A" : tensor_view<0x4x?xf32, strides=[?,1]> loc(#loc3)\n',
    'entry @"odd \\" name"(%a#1: !cuda_tile.tile<2x!cuda_tile.ptr<i8, <unicast>>>, -0x1F, -1.5e-3)',
    "%0 = atomic_rmw_tko relaxed device %1, addf, %2 global\n%1 = addf %a, %b { addf\n}",
    '"\n@"\ntile<\naddf {} addf\nf32 = 3 f32=3 \n// addf tile<4xf32>\n-> = -1.5 1e9 true falsetto',
]
"""Texts with what a printer does not write."""

Kinds = list[tuple[str, str]]
"""Characters that are no blanks, each with its kind."""


def texts() -> Iterator[tuple[str, str]]:
    """Names and texts: of all fixtures, of random modules, and odd ones."""
    for path in [*VALID, *PREVIEW]:
        yield name_of(path), disassemble(load(path), debug=True)
    for seed, version in enumerate(SUPPORTED):
        yield f"sample {version}", disassemble(sample(seed, version))
    for number, text in enumerate(ODD):
        yield f"odd {number}", text


def by_lexer(text: str) -> Kinds:
    """What the Pygments lexer calls each character."""
    found = TileIRLexer().get_tokens_unprocessed(text)
    return [
        (each, KINDS.get(kind, str(kind)))
        for _, kind, word in found
        if kind is not Token.Text.Whitespace
        for each in word
        if not each.isspace()
    ]


def by_engine(lines: list[str]) -> Iterator[Kinds]:
    """What the grammar calls each character of some texts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tileir.tmLanguage.json")
        path.write_text(grammar_text())
        done = subprocess.run(
            ["node", HERE / "scopes.mjs", path],
            input=json.dumps(lines), capture_output=True, text=True, check=True,
        )  # fmt: skip
    for line in done.stdout.splitlines():
        rows = json.loads(line)
        yield [
            (each, scope.removesuffix(".tileir"))
            for word, scope in rows
            for each in word
            if not each.isspace()
        ]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.textmate",
        description=__doc__.partition(": ")[2],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(arguments)
    if not (HERE / "node_modules").exists():
        parser.error("the engine is missing: npm ci --prefix tests/lab/textmate")
    named = list(texts())
    wrong, kinds = 0, Counter[str]()
    for (name, text), found in zip(named, by_engine([text for _, text in named]), strict=True):
        expected = by_lexer(text)
        kinds.update(kind for _, kind in expected)
        if expected != found:
            wrong += 1
            at = next(
                (
                    n
                    for n, (one, two) in enumerate(zip(expected, found, strict=False))
                    if one != two
                ),
                min(len(expected), len(found)),
            )
            around = "".join(each for each, _ in expected[max(0, at - 30) : at + 30])
            print(f"{name}: {around!r}: {expected[at : at + 1]}, the grammar {found[at : at + 1]}")
    print(f"{len(named)} texts, {wrong} differ; {sum(kinds.values()):,} characters")
    for kind in KINDS.values():
        print(f"{kinds[kind]:>12,}  {kind}")
    return 1 if wrong or set(kinds) - set(KINDS.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
