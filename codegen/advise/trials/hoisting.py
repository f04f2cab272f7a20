"""Trials of what loops do again and again, although an iteration adds nothing to it."""

from __future__ import annotations

from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.codegen.ops import Family, family_of, is_recomputed
from tileir.formats.ops.spec import READS, SILENT
from tileir.ir import Op, Value

from .loops import counted_loop, innermost_loop
from .trial import at_ops


def invariant(op: Op) -> bool:
    """Whether an op of a loop gives the same in each iteration.

    Ops that are cheap to make again stay where they are, and loads have a rule of their own.
    """
    loop = innermost_loop(op)
    if loop is None or is_recomputed(op) or not _moves(op):
        return False
    return invariant_cone(op, loop) is not None


def _moves(op: Op) -> bool:
    if op.regions:
        return family_of(op) is Family.FOLD
    return op.spec.effects in SILENT - {READS} and not op.spec.terminator


def invariant_cone(op: Op, loop: Op) -> list[Op] | None:
    """Return the ops in a loop that an op is computed by, in order; None if they change in it."""
    found: dict[Op, None] = {op: None}
    waiting = [op]
    while waiting:
        for value in waiting.pop().operand_list():
            if value.is_visible_to(loop):
                continue
            owner = value.owner
            if not isinstance(owner, Op) or owner.parent is not op.parent or not _moves(owner):
                return None
            if owner not in found:
                found[owner] = None
                waiting.append(owner)
    return sorted(found, key=lambda each: each.index)


def _hoisted(op: Op, editor: Editor) -> str | None:
    """Compute before a loop what all iterations compute."""
    moved = False
    while (loop := innermost_loop(op)) is not None and (
        ops := invariant_cone(op, loop)
    ) is not None:
        for each in ops:
            each.move_before(loop)
        moved = True
    return f"compute {op.name} once, before the loop" if moved else None


def hoist(value: Value, loop: Op) -> None:
    """Have a value that is fixed in a loop computed before it."""
    owner = value.owner
    if isinstance(owner, Op) and not value.is_visible_to(loop):
        for each in invariant_cone(owner, loop) or ():
            each.move_before(loop)


# Sums of what is linear ---------------------------------------------------------------------------

_MOVING = ("permute", "reshape", "broadcast", "negf", "ftof", "extract")


def linear(op: Op, loop: Op) -> Value | None:
    """Return the operand that an op is linear in, the others being the same in all iterations.

    Then the op of a sum is the sum of what the op gives. None for other ops.
    """
    given = list(op.operand_list())
    if op.name == "ftof" and _widens(op):
        return None  # to add up before would be to add up what has fewer digits
    if op.name in _MOVING:
        fixed = given[1:]
        return given[0] if all(value.is_visible_to(loop) for value in fixed) else None
    if op.name not in ("mulf", "divf"):
        return None
    changing = [value for value in given if not is_fixed(value, loop)]
    if len(changing) != 1 or (op.name == "divf" and changing[0] is not given[0]):
        return None
    return changing[0]


def _widens(op: Op) -> bool:
    (source,) = op.operand_list()
    return op.result.type.element.bits > source.type.element.bits


def is_fixed(value: Value, loop: Op) -> bool:
    """Whether a value is the same in all iterations of a loop, and could be computed before it."""
    if value.is_visible_to(loop):
        return True
    owner = value.owner
    return isinstance(owner, Op) and _moves(owner) and invariant_cone(owner, loop) is not None


class Summed(NamedTuple):
    """What a loop adds up: linear ops of `source`, the last one first, at `index` of what it
    carries."""

    loop: Op
    index: int
    ops: list[Op]
    source: Value


def summed(op: Op) -> Summed | None:
    """Return the linear ops behind a sum that a loop carries, which an op adds to; None if none."""
    loop = counted_loop(op)
    if loop is None or op.name != "addf" or len(op.result.uses) != 1:
        return None
    block, use = loop.regions[0].block, op.result.uses[0]
    if use.op is not block.ops[-1]:
        return None
    at = list(use.op.operand_list()).index(op.result)
    carried = block.arguments[at + 1]
    others = [value for value in op.operand_list() if value is not carried]
    if len(others) != 1 or len(carried.uses) != 1 or carried.uses[0].op is not op:
        return None
    found: list[Op] = []
    value = others[0]
    while isinstance(last := value.owner, Op) and last.parent is block and len(value.uses) == 1:
        source = linear(last, loop)
        if source is None:
            break
        found.append(last)
        value = source
    return Summed(loop, at, found, value) if found else None


def _postponed(op: Op, editor: Editor) -> str | None:
    """Add up what linear ops get, and apply them to the sum behind the loop."""
    found = summed(op)
    if found is None:
        return None
    loop, index, chain, source = found
    block, end = loop.regions[0].block, loop.regions[0].block.ops[-1]
    zero = editor.before(loop).constant(splat(0, source.type))
    carried, total = block.add_argument(source.type), loop.add_result(source.type)
    loop.operands["initValues"] = (*loop.operands["initValues"], zero)
    given = [*end.operands["operands"], editor.before(op).addf(carried, source)]
    given[index] = block.arguments[index + 1]
    end.operands["operands"] = tuple(given)
    behind = _Behind(loop, {source: total})
    value = behind.there(chain[0].results[0])
    before = loop.results[index]
    made = editor.after(behind.last).addf(before, value)
    before.replace_all_uses_with(made, where=lambda use: use.op is not made.owner)
    return (
        f"add up in the loop what {chain[-1].name} gets, and apply it to the sum, behind the loop"
    )


class _Behind:
    """Copies behind a loop of ops in it."""

    def __init__(self, loop: Op, known: dict[Value, Value]) -> None:
        self.last, self._loop, self._known = loop, loop, known

    def there(self, value: Value) -> Value:
        """Return a value as it is behind the loop."""
        if value in self._known:
            return self._known[value]
        if value.is_visible_to(self._loop):
            return value
        copy = value.owner.clone()
        for slot, operand in list(copy.operands.items()):
            if isinstance(operand, tuple):
                copy.operands[slot] = tuple(map(self.there, operand))
            elif operand is not None:
                copy.operands[slot] = self.there(operand)
        copy.insert_after(self.last)
        self.last = copy
        self._known[value] = copy.results[value.index]
        return self._known[value]


HOISTED = at_ops(_hoisted, alone=True)
"""What does not change in a loop is computed before it."""
POSTPONED = at_ops(_postponed, alone=True)
"""Linear ops are applied to sums, not to what is added up."""
