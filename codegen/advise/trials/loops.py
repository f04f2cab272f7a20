"""Trials of loops: what each iteration does again is done once, before or after the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tileir.builder import splat
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.ir import Op, Value
from tileir.types import Token

from .trial import Trial

_LOOPS = ("for", "loop")


def loops_around(op: Op | None) -> int:
    """Return how many loops are around an op."""
    found = 0
    while op is not None and op.parent is not None:
        op = op.parent.parent_op
        found += op is not None and op.name in _LOOPS
    return found


def innermost_loop(op: Op) -> Op | None:
    """Return the loop whose every iteration executes an op; None if there is none."""
    around = None if op.parent is None else op.parent.parent_op
    return around if around is not None and around.name in _LOOPS else None


def varying(op: Op, loop: Op) -> list[Value]:
    """Return the operands of an op in a loop that change in it; the order of memory aside."""
    return [
        value
        for value in op.operand_list()
        if not isinstance(value.type, Token) and not value.is_visible_to(loop)
    ]


def _before_loop(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Load before the loop what all iterations load."""
    told: dict[Site, str] = {}
    for site in sites:
        assert site.number is not None
        op = copy.ops[site.number]
        while (loop := innermost_loop(op)) is not None and not varying(op, loop):
            token = op.operands.get("token")
            if token is not None and not token.is_visible_to(loop):
                op.operands["token"] = copy.editor(site.number).before(loop).make_token()
            op.move_before(loop)
            told[site] = "load it once, before the loop, if nothing in the loop changes it"
    return told


class Sum(NamedTuple):
    """A reduction in a loop that is only added up there, by the op that it reduces with.

    The loop carries the sum at `index`; `shaped` is the op that gives the reduction's result
    another shape, if there is one.
    """

    loop: Op
    reduction: Op
    shaped: Op | None
    added: Op
    index: int


def sum_of(reduction: Op) -> Sum | None:
    """Return what is added up of a reduction; None if it is used in another way."""
    loop = innermost_loop(reduction)
    if loop is None or loop.name != "for" or len(reduction.results) != 1 or not commutes(reduction):
        return None
    shaped, added = None, _only_user(reduction.results[0])
    if added is not None and added.name == "reshape":
        shaped, added = added, _only_user(added.result)
    combining, end = reduction.regions[0].block.ops[0], loop.regions[0].block.ops[-1]
    if added is None or added.name != combining.name or _only_user(added.result) is not end:
        return None
    index = list(end.operand_list()).index(added.result)
    carried = loop.regions[0].block.arguments[index + 1]
    if carried not in list(added.operand_list()) or _only_user(carried) is not added:
        return None
    return Sum(loop, reduction, shaped, added, index)


def _only_user(value: Value) -> Op | None:
    uses = value.uses
    return uses[0].op if len(uses) == 1 else None


def _behind_loop(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Add up tiles in a loop, and reduce their sum behind it."""
    told: dict[Site, str] = {}
    for site in sites:
        assert site.number is not None
        found = sum_of(copy.ops[site.number])
        if found is None:
            continue
        loop, reduction, shaped, added, index = found
        body = loop.regions[0].block
        (tile,) = reduction.operands["operands"]
        (identity,) = reduction.attributes["identities"]
        editor = copy.editor(site.number).before(loop)
        start = editor.constant(splat(identity.value, tile.type))
        sums, total = body.add_argument(tile.type), loop.add_result(tile.type)
        loop.operands["initValues"] = (*loop.operands["initValues"], start)
        more = added.clone()
        more.operands["lhs"], more.operands["rhs"] = sums, tile
        more.result.type = tile.type
        more.insert_before(added)
        end, old = body.ops[-1], body.arguments[index + 1]
        given = [*end.operands["operands"], more.result]
        given[index] = old
        end.operands["operands"] = tuple(given)
        added.remove()
        for op in (shaped, reduction):
            if op is not None:
                op.remove()
        reduction.operands["operands"] = (total,)
        reduction.insert_after(loop)
        last = reduction
        if shaped is not None:
            shaped.insert_after(last)
            last = shaped
        result = loop.results[index]
        added.operands["lhs"], added.operands["rhs"] = result, last.results[0]
        added.insert_after(last)
        result.replace_all_uses_with(added.result, where=lambda use, op=added: use.op is not op)
        told[site] = "add up tiles in the loop, and reduce their sum once, behind it"
    return told


BEFORE_LOOP = Trial(_before_loop)
"""Loads that do not change in a loop are made before it."""
BEHIND_LOOP = Trial(_behind_loop)
"""Reductions that are added up in a loop are made behind it."""
