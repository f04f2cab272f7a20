"""The trial of branches of loops that only the first or last iteration takes: made outside."""

from __future__ import annotations

from typing import NamedTuple

from tileir.builder import Editor
from tileir.ir import Op, Region, Value

from .loops import counted_loop, runs, same
from .trial import at_ops

_THEN, _ELSE = 0, 1
_FIRST, _LAST = "first", "last"
_RARE = {
    ("equal", _FIRST): _THEN,
    ("equal", _LAST): _THEN,
    ("not_equal", _FIRST): _ELSE,
    ("not_equal", _LAST): _ELSE,
    ("greater_than", _FIRST): _ELSE,
    ("less_than_or_equal", _FIRST): _THEN,
    ("less_than", _LAST): _ELSE,
    ("greater_than_or_equal", _LAST): _THEN,
}
"""How the iteration variable compares with its value in an iteration -> side only taken there."""


class Rare(NamedTuple):
    """A branch of a loop, its side that one iteration takes, and which iteration that is."""

    loop: Op
    branch: Op
    side: int
    iteration: str


def rare(branch: Op) -> Rare | None:
    """Return what only the first or last iteration of a loop does; None for other branches."""
    loop = counted_loop(branch) if branch.name == "if" else None
    if loop is None:
        return None
    asked = branch.operands["condition"].owner
    if not isinstance(asked, Op) or asked.name != "cmpi":
        return None
    variable = loop.regions[0].block.arguments[0]
    given = asked.operands["lhs"], asked.operands["rhs"]
    predicate = asked.attributes["comparison_predicate"]
    if given[1] is variable and predicate in ("equal", "not_equal"):
        given = given[::-1]
    iteration = _iteration(given[1], loop) if given[0] is variable else None
    side = None if iteration is None else _RARE.get((predicate, iteration))
    ends = [r.block.ops[-1].name for r in branch.regions if r.blocks]
    if side is None or iteration is None or any(name != "yield" for name in ends):
        return None
    return Rare(loop, branch, side, iteration)


def _iteration(value: Value, loop: Op) -> str | None:
    if same(value, loop.operands["lowerBound"]):
        return _FIRST
    op, upper = value.owner, loop.operands["upperBound"]
    if not isinstance(op, Op) or op.name != "subi" or not value.is_visible_to(loop):
        return None
    step = loop.operands["step"]
    less = same(op.operands["lhs"], upper) and same(op.operands["rhs"], step)
    return _LAST if less and _is_one(step) else None


def _is_one(value: Value) -> bool:
    """Whether a number is 1: with larger steps, the last iteration may be nearer to the bound."""
    made = value.owner
    return (
        isinstance(made, Op) and made.name == "constant" and made.attributes["value"].value() == 1
    )


def _peeled(op: Op, editor: Editor) -> str | None:
    """Make the iteration that takes the rare side before or behind the loop."""
    found = rare(op)
    if found is None:
        return None
    loop, branch, side, iteration = found
    block = loop.regions[0].block
    first = iteration == _FIRST
    if_it_runs = "" if runs(loop) else ", if the loop runs at least once"
    lower, upper, step = (loop.operands[slot] for slot in ("lowerBound", "upperBound", "step"))
    editor.before(loop)
    bound = editor.addi(lower, step) if first else editor.subi(upper, step)
    given = loop.operands["initValues"] if first else tuple(loop.results)
    at = lower if first else bound
    values = dict(zip(block.arguments, (at, *given), strict=True))
    made: list[Op] = []
    for each in block.ops:
        if each is not branch:
            made.append(each.clone(values))
            continue
        chosen = branch.regions[side]
        taken = [inner.clone(values) for inner in chosen.block.ops] if chosen.blocks else []
        made += taken[:-1]
        ended = list(taken[-1].operand_list()) if taken else []
        values |= dict(zip(branch.results, ended, strict=True))
    end = made.pop()
    results = list(end.operand_list())
    last = loop
    for each in made:
        if first:
            each.insert_before(loop)
        else:
            each.insert_after(last)
            last = each
    inside = {inner for each in made for inner in each.walk()}
    if first:
        loop.operands["initValues"] = tuple(results)
    else:
        for result, value in zip(loop.results, results, strict=True):
            result.replace_all_uses_with(value, where=lambda use: use.op not in inside)
    loop.operands["lowerBound" if first else "upperBound"] = bound
    _leave(branch, branch.regions[1 - side])
    where = "before" if first else "behind"
    return f"make the {iteration} iteration {where} the loop, which needs no `if` then{if_it_runs}"


def _leave(branch: Op, kept: Region) -> None:
    """Put what is in a region in the place of its branch."""
    ops = list(kept.block.ops) if kept.blocks else []
    for each in ops[:-1]:
        each.move_before(branch)
    for result, value in zip(branch.results, ops[-1].operand_list() if ops else (), strict=True):
        result.replace_all_uses_with(value)
    branch.remove()


PEELED = at_ops(_peeled, alone=True)
"""The first or last iteration, which does something else, is made outside of the loop."""
