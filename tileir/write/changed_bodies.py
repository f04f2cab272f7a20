"""The check that a changed body still keeps the rules of Tile IR.

An op can be edited in place, so that, for example, the type of its result no longer follows from
its operands. A file that breaks a rule already may still be changed elsewhere: only violations that
the original body does not have are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tileir.errors import BuildError
from tileir.ir import Block, Body, Op
from tileir.messages.texts import display
from tileir.read.function import Function, Global
from tileir.verifier.constraints import Problem, signature, type_problem
from tileir.verifier.malformed import malformed
from tileir.verifier.rules.control_flow import (
    Frame,
    ending_problem,
    placement_problem,
    region_problem,
)
from tileir.verifier.rules.debug import Scopes, function_problem
from tileir.verifier.rules.symbols import entry_problems, use_problem
from tileir.verifier.single import own_problem

from .built_function import BuiltFunction

Violation = tuple[str, str]
"""A path below the body, and what is wrong there."""


Entry = Function | BuiltFunction
"""A function that is written."""

Globals = Mapping[str, Global]
"""The globals of a module by name."""


def check_edited(
    name: str,
    body: Body,
    original: Body | None = None,
    variables: Globals | None = None,
    before: Globals | None = None,
) -> None:
    """Raise BuildError for the first rule that a function's body breaks, naming the op.

    `original` is the body as the file has it; violations that it has, too, are accepted. The module
    has the globals `variables`, and had those of `before`; if None, uses of them are not checked.
    """
    violations = list(_violations(name, body, variables))
    had = _violations(name, original, before) if violations and original is not None else ()
    known = Counter(what for _, what in had)
    for path, what in violations:
        if known[what]:
            known[what] -= 1
            continue
        raise BuildError(f"function {display(name)}: {path}: {what}")


def check_entry(function: Entry, original: Function | None = None) -> None:
    """Raise BuildError for the first rule about entries or locations that a function breaks.

    `original` is the function as the file has it; what is wrong with it, too, is accepted.
    """
    wrong = list(_entry_violations(function))
    known = Counter(_entry_violations(original) if wrong and original is not None else ())
    for what in wrong:
        if known[what]:
            known[what] -= 1
            continue
        raise BuildError(f"function {display(function.name)}: {what}")


def _entry_violations(function: Entry) -> Iterator[str]:
    for problem in entry_problems(function):
        yield _words(problem)
    problem = function_problem(function.name, function.location)
    if problem:
        yield _words(problem)
    scopes = Scopes(function.name, function.location)
    for op in function.body.walk():
        problem = scopes.problem(op.location)
        if problem:
            yield f"{op.name}: {_words(problem)}"


def _violations(name: str, body: Body, variables: Globals | None) -> Iterator[Violation]:
    """Yield everything that is wrong, in pre-order; without recursion, since nesting is deep."""
    outermost = Frame(None)
    alike: dict[tuple, Problem | None] = {}
    yield from _ended(body.block, "body", outermost)
    waiting = [_ops(body.block, "body", outermost)]
    while waiting:
        following = next(waiting[-1], None)
        if following is None:
            waiting.pop()
            continue
        op, path, last, frame = following
        problem = _problem(name, op, last, frame, variables, alike)
        if problem:
            yield path, f"{op.name}: {problem}"
        regions = list(enumerate(zip(op.spec.regions, op.regions, strict=True)))
        for index, (row, region) in reversed(regions):
            for number, block in enumerate(region.blocks):
                inside = f"{path}.{row.name}" + (f"[{number}]" if number else "")
                within = frame.inside(op, index)
                yield from _ended(block, inside, within)
                waiting.append(_ops(block, inside, within))


def _ops(block: Block, path: str, frame: Frame) -> Iterator[tuple[Op, str, bool, Frame]]:
    for index, op in enumerate(block.ops):
        yield op, f"{path}[{index}]", op is block.ops[-1], frame


def _ended(block: Block, path: str, frame: Frame) -> Iterator[Violation]:
    problem = ending_problem(block, frame)
    if problem:
        yield path, _words(problem)


def _problem(
    name: str,
    op: Op,
    last: bool,
    frame: Frame,
    variables: Globals | None,
    alike: dict[tuple, Problem | None],
) -> str:
    """Return what is wrong with an op; `alike` has what is known of the types of such ops."""
    missing = [slot.name for slot in op.spec.attributes if slot.name not in op.attributes]
    if missing:
        return f"{missing[0]} is missing"
    problem = malformed(op) or _types_problem(op, alike) or own_problem(op)
    if problem is None and variables is not None and op.name == "get_global":
        problem = use_problem(op, variables)
    if problem is None and op.regions:
        problem = region_problem(op)
    if problem is None and (op.spec.terminator or frame.combining):
        problem = placement_problem(op, frame, last, name)
    return _words(problem)


def _types_problem(op: Op, alike: dict[tuple, Problem | None]) -> Problem | None:
    key = signature(op)
    if key not in alike:
        alike[key] = type_problem(op)
    return alike[key]


def _words(problem: Problem | None) -> str:
    if problem is None:
        return ""
    _, text, hint = problem
    return f"{text} ({hint})" if hint else text
