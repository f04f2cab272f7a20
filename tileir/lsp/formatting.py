"""Layout of a text: it is assembled and printed, and names and comments are put back.

The printer makes up names, and knows no comments; whoever wrote the text chose both. Names are put
back one by one, because both texts have the same names in the same order. Comments are put back to
the op or item that they stand above or behind. Where that is not so, as with packs of results, or
where the printed text would not be the same module, the text stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import tileir
from tileir.bytecode import Bytecode
from tileir.errors import AssemblyError
from tileir.formats.ops.assembly import IMPLIED

from .occurrences import Occurrences, occurrences

_COMMENT = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|(//[^\n]*+)')
_PRODUCER = "// Producer: "
_LOCATION = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|(\bloc\s*\()')


def formatted(given: str, found: Occurrences, bytecode: Bytecode) -> str | None:
    """Return a text laid out anew, given its names and its module; None if that would change.

    Errors are those of `tileir.disassemble`.
    """
    debug = any(match[1] for match in _LOCATION.finditer(given))
    printed = tileir.disassemble(bytecode, debug=debug)
    text = _with_names(found, printed)
    text = text and _with_comments(given, found, text)
    return text if text and _same(bytecode, text) else None


def _same(bytecode: Bytecode, text: str) -> bool:
    """Whether a text is the module again, launch attributes included."""
    try:
        again = tileir.assemble(text)
    except AssemblyError:
        return False
    stated = bytecode.launch_attributes.spelled()
    return bytes(again.data) == bytes(bytecode.data) and (
        list(again.launch_attributes.spelled()) == list(stated)
    )


def _with_names(found: Occurrences, printed: str) -> str | None:
    """Return a printed text with the names of values of the text that it was made from."""
    values = [each for each in found.names if each.text[0] == "%"]
    other = [each for each in occurrences(printed).names if each.text[0] == "%"]
    if len(values) != len(other):
        return None
    pieces, end = [], 0
    for given, made in zip(values, other, strict=True):
        if (given.start == given.definition) != (made.start == made.definition):
            return None
        pieces += printed[end : made.start], given.text
        end = made.end
    return "".join([*pieces, printed[end:]])


# Comments -----------------------------------------------------------------------------------------


Anchor = tuple[int, str]
"""The offset and the word of what comments may belong to: an op or an item."""
_LEFT_OUT = frozenset(IMPLIED.values())


def _anchors(found: Occurrences) -> list[Anchor]:
    ops = [(each.start, each.name) for each in found.statements]
    return sorted([*ops, *((item.start, item.word) for item in found.items)])


def _aligned(given: list[Anchor], made: list[Anchor]) -> list[int | None] | None:
    """Return which anchor of another text each one is; None if the texts have different ones.

    A terminator may be written in one text and implied in the other.
    """
    found: list[int | None] = []
    at = 0
    for _, word in given:
        while at < len(made) and made[at][1] != word and made[at][1] in _LEFT_OUT:
            at += 1
        if at < len(made) and made[at][1] == word:
            found.append(at)
            at += 1
        elif word in _LEFT_OUT:
            found.append(None)
        else:
            return None
    return found


def _with_comments(given: str, found: Occurrences, printed: str) -> str | None:
    """Return a text with the comments of another one, which has the same ops and items."""
    comments = [match for match in _COMMENT.finditer(given) if match[1]]
    if comments and comments[0].start() == 0 and comments[0][0].startswith(_PRODUCER):
        del comments[0]  # it is part of the module
    if not comments:
        return printed
    before, after = _anchors(found), _anchors(occurrences(printed))
    same = _aligned(before, after)
    if same is None:
        return None
    lines = printed.split("\n")
    ends = [end.start() for end in re.finditer("\n", printed)]
    line_of = [bisect_left(ends, at) for at, _ in after]
    places = [at for at, _ in before]
    above: dict[int, list[str]] = {}
    behind: dict[int, str] = {}
    for match in comments:
        begin = given.rfind("\n", 0, match.start()) + 1
        own_line = not given[begin : match.start()].strip()
        which = _next(places, match.start()) if own_line else _in_line(places, begin, match.start())
        number = None if which is None else same[which]
        if number is None:
            return None
        line, comment = line_of[number], match[1].rstrip()
        if own_line:
            above.setdefault(line, []).append(comment)
        elif line in behind:
            return None
        else:
            behind[line] = comment
    return "\n".join(_joined(lines, above, behind))


def _next(places: list[int], at: int) -> int | None:
    """Return the first anchor behind an offset, given the offsets of all in order."""
    number = bisect_right(places, at)
    return number if number < len(places) else None


def _in_line(places: list[int], begin: int, end: int) -> int | None:
    """Return the only anchor of a line."""
    first = bisect_left(places, begin)
    return first if bisect_left(places, end) - first == 1 else None


def _joined(lines: list[str], above: dict[int, list[str]], behind: dict[int, str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        yield from (f"{indent}{comment}" for comment in above.get(number, ()))
        yield f"{line}  {behind[number]}" if number in behind else line
