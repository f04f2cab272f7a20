"""Whether a body that was changed still keeps the rules of Tile IR.

An op can be edited in place, and then its result may have a type that its operands do not give.
What breaks a rule in the file already may stay: a file can be odd in one place and be changed in
another. So only what is new is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tileir.errors import BuildError
from tileir.ir import Block, Body, Op
from tileir.messages.texts import display
from tileir.verifier.constraints import Found
from tileir.verifier.rules.control_flow import Frame, ending_problem, place_problem, region_problem
from tileir.verifier.single import op_problem

Finding = tuple[str, str]
"""Where below the body, and what is wrong there."""


def check_edited(name: str, body: Body, found: Body | None = None) -> None:
    """Raise BuildError for the first rule that a function's body breaks, naming the op.

    `found` is the body as the file has it; what is wrong there too is let be.
    """
    wrong = list(_findings(name, body))
    before = _findings(name, found) if wrong and found is not None else ()
    known = Counter(what for _, what in before)
    for place, what in wrong:
        if known[what]:
            known[what] -= 1
            continue
        raise BuildError(f"function {display(name)}: {place}: {what}")


def _findings(name: str, body: Body) -> Iterator[Finding]:
    """Everything that is wrong, in pre-order; blocks can be nested deeper than calls."""
    outermost = Frame(None)
    yield from _ended(body.block, "body", outermost)
    waiting = [_ops(body.block, "body", outermost)]
    while waiting:
        following = next(waiting[-1], None)
        if following is None:
            waiting.pop()
            continue
        op, place, last, frame = following
        problem = _problem(name, op, last, frame)
        if problem:
            yield place, f"{op.name}: {problem}"
        regions = list(enumerate(zip(op.spec.regions, op.regions, strict=True)))
        for index, (row, region) in reversed(regions):
            for number, block in enumerate(region.blocks):
                inside = f"{place}.{row.name}" + (f"[{number}]" if number else "")
                within = frame.inside(op, index)
                yield from _ended(block, inside, within)
                waiting.append(_ops(block, inside, within))


def _ops(block: Block, place: str, frame: Frame) -> Iterator[tuple[Op, str, bool, Frame]]:
    for index, op in enumerate(block.ops):
        yield op, f"{place}[{index}]", op is block.ops[-1], frame


def _ended(block: Block, place: str, frame: Frame) -> Iterator[Finding]:
    problem = ending_problem(block, frame)
    if problem:
        yield place, _words(problem)


def _problem(name: str, op: Op, last: bool, frame: Frame) -> str:
    missing = [slot.name for slot in op.spec.attributes if slot.name not in op.attributes]
    if missing:
        return f"{missing[0]} is missing"
    problem = op_problem(op)
    if problem is None and op.regions:
        problem = region_problem(op)
    if problem is None and (op.spec.terminator or frame.combining):
        problem = place_problem(op, frame, last, name)
    return _words(problem)


def _words(problem: Found) -> str:
    if problem is None:
        return ""
    _, text, hint = problem
    return f"{text} ({hint})" if hint else text
