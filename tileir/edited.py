"""Whether a body that was changed still keeps the rules that the builder asks for at each call.

An op can be edited in place, and then its result may have a type that its operands do not give.
What breaks a rule in the file already may stay: a file can be odd in one place and be changed in
another. So only what is new is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .errors import BuildError
from .ir import Block, Body, Op
from .references import display
from .structure import BODY, Around, ending, handed_over, problems, taken

Finding = tuple[str, str]
"""Where below the body, and what is wrong there."""


def check_edited(name: str, body: Body, found: Body | None = None) -> None:
    """Raise BuildError for the first rule that a function's body breaks, naming the op.

    `found` is the body as the file has it; what is wrong there too is let be.
    """
    wrong = list(_findings(body))
    known = Counter(what for _, what in _findings(found)) if wrong and found is not None else None
    for place, what in wrong:
        if known and known[what]:
            known[what] -= 1
            continue
        raise BuildError(f"function {display(name)}: {place}: {what}")


def _findings(body: Body) -> Iterator[Finding]:
    """Everything that is wrong, in pre-order; blocks can be nested deeper than calls."""
    around: Around = (None, BODY, None)
    for op, text in ending(body.block.ops, "it", " or ".join(BODY.terminators)):
        yield "body", f"{op.name}: {text}" if op else text
    waiting = [_ops(body.block, "body", around)]
    while waiting:
        following = next(waiting[-1], None)
        if following is None:
            waiting.pop()
            continue
        op, place, around = following
        yield from ((place, f"{op.name}: {text}") for text in _wrong(op, around))
        for row, region in reversed(list(zip(op.spec.regions, op.regions, strict=True))):
            for number, block in enumerate(region.blocks):
                inside = f"{place}.{row.name}" + (f"[{number}]" if number else "")
                waiting.append(_ops(block, inside, (op, row, around)))


def _ops(block: Block, place: str, around: Around) -> Iterator[tuple[Op, str, Around]]:
    for index, op in enumerate(block.ops):
        yield op, f"{place}[{index}]", around


def _wrong(op: Op, around: Around) -> list[str]:
    missing = [slot.name for slot in op.spec.attributes if slot.name not in op.attributes]
    if missing:
        return [f"{name} is missing" for name in missing]
    return problems(op) or handed_over(op, around) or list(taken(op))
