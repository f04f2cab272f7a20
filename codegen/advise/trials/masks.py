"""The trial of masks that only the first or last iterations of a loop need: left away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value

from .loops import counted_loop
from .trial import at_ops

_FIRST, _LAST = "first", "last"
_TRUE_WHILE_SMALL = {
    "less_than": True,
    "less_than_or_equal": True,
    "greater_than": False,
    "greater_than_or_equal": False,
}
"""Comparison -> whether it holds of what is small on its left, rather than of what is large."""
_PASSED = {"broadcast": "source", "reshape": "source", "assume": "value", "exti": "from"}
"""Op that keeps the order of whole numbers -> the slot of its operand."""
_WORK = (Family.PRODUCT, Family.FOLD)
"""The ops that tell whether two loops do the same."""


class Mask(NamedTuple):
    """A `select` that keeps a tile in most iterations of a loop.

    `slot` has what it keeps, and `asked` the comparisons that then are `held`; they `decide` alone
    if there is no other condition. `needed` are the iterations for which there is a mask: "first",
    "last", or both.
    """

    loop: Op
    slot: str
    asked: tuple[Op, ...]
    held: bool
    decide: bool
    needed: tuple[str, ...]

    @property
    def where(self) -> str:
        """The iterations for which there is a mask, in words."""
        return " and the ".join(self.needed)


def mask_of(select: Op) -> Mask | None:
    """Return the mask that an op is, if most iterations of its loop could do without; or None.

    Its condition compares what grows from iteration to iteration with what does not. Where another
    loop beside it does the same work, the loop has been split already.
    """
    loop = counted_loop(select) if select.name == "select" else None
    slot = None if loop is None else _kept(select)
    if loop is None or slot is None:
        return None
    held = slot == "val_if_true"
    needed: dict[Op, str] = {}
    others = False
    for value in _conditions(select.operands["cond"], held):
        op = value.owner
        which = _needed(op, held, loop) if isinstance(op, Op) else None
        if isinstance(op, Op) and which is not None:
            needed[op] = which
        elif _is_fixed(value, loop):
            others = True
        else:
            return None
    if not needed:
        return None
    if any(_same_work(loop, other) for other in _beside(loop)):
        return None
    return Mask(loop, slot, tuple(needed), held, not others, tuple(sorted({*needed.values()})))


def _kept(select: Op) -> str | None:
    """Return the slot of what is kept: where the other has a constant, or is added as nothing."""
    slots = ("val_if_true", "val_if_false")
    fixed = [_constant(select.operands[slot]) for slot in slots]
    if None not in fixed:
        added = all(use.op.name == "addf" for use in select.result.uses)
        return slots[fixed.index(0.0)] if added and fixed.count(0.0) == 1 else None
    if fixed == [None, None]:
        return None
    return slots[fixed.index(None)]


def _constant(value: Value) -> float | None:
    """Return the number that all elements of a tile are, if it is a constant."""
    op = value.owner
    while isinstance(op, Op) and op.name in ("broadcast", "reshape"):
        op = op.operands["source"].owner
    if not isinstance(op, Op) or op.name != "constant":
        return None
    constant = op.attributes["value"]
    return float(constant.value()) if constant.is_splat else None


def _conditions(condition: Value, held: bool) -> Iterator[Value]:
    """Yield the answers that make a condition: all have to be `held` for it to be so."""
    waiting = [condition]
    while waiting:
        value = waiting.pop()
        op = value.owner
        if isinstance(op, Op) and op.name == ("andi" if held else "ori"):
            waiting += (op.operands["lhs"], op.operands["rhs"])
        elif isinstance(op, Op) and op.name in ("broadcast", "reshape"):
            waiting.append(op.operands["source"])
        elif _constant(value) is None:
            yield value


def _is_fixed(answer: Value, loop: Op) -> bool:
    """Whether an answer is the same in all iterations, as far as one can see."""
    op = answer.owner
    if answer.is_visible_to(loop) or not isinstance(op, Op) or op.name != "cmpi":
        return answer.is_visible_to(loop)
    return all(_growth(op.operands[slot], loop) == 0 for slot in ("lhs", "rhs"))


def _needed(op: Op, held: bool, loop: Op) -> str | None:
    """Return the iterations in which a comparison may not be held: the first or the last ones."""
    small = _TRUE_WHILE_SMALL.get(str(op.attributes.get("comparison_predicate")))
    if op.name != "cmpi" or small is None:
        return None
    left, right = (_growth(op.operands[slot], loop) for slot in ("lhs", "rhs"))
    if left is None or right is None or left == right or left * right > 0:
        return None
    return _LAST if (small == held) == (left > right) else _FIRST


def _growth(value: Value, loop: Op) -> int | None:
    """Return 1, 0 or -1: how whole numbers change from iteration to iteration; None if unknown."""
    if value is loop.regions[0].block.arguments[0]:
        return 1
    if value.is_visible_to(loop):
        return 0
    op = value.owner
    if not isinstance(op, Op):
        return None
    if op.name in ("constant", "iota"):
        return 0
    if op.name in _PASSED:
        return _growth(op.operands[_PASSED[op.name]], loop)
    combine = _COMBINED.get(op.name)
    return None if combine is None else combine(op, loop)


def _summed(op: Op, loop: Op) -> int | None:
    left, right = (_growth(op.operands[slot], loop) for slot in ("lhs", "rhs"))
    if left is None or right is None:
        return None
    right = -right if op.name == "subi" else right
    return left + right if left * right == 0 else left if left == right else None


def _scaled(op: Op, loop: Op) -> int | None:
    """Return how a product with a constant changes."""
    for slot, other in (("lhs", "rhs"), ("rhs", "lhs")):
        factor = _constant(op.operands[slot])
        if factor:
            growth = _growth(op.operands[other], loop)
            return growth if growth is None or factor > 0 else -growth
    return None


_COMBINED: Mapping[str, Callable[[Op, Op], int | None]] = {
    "addi": _summed,
    "subi": _summed,
    "muli": _scaled,
}


def _beside(loop: Op) -> Iterator[Op]:
    assert loop.parent is not None
    yield from (op for op in loop.parent.ops if op is not loop and op.name == "for")


def _same_work(one: Op, other: Op) -> bool:
    """Whether two loops have products and reductions of the same types, in any order."""
    work = [
        sorted((op.name, str(op.results[0].type)) for op in loop.walk() if family_of(op) in _WORK)
        for loop in (one, other)
    ]
    return bool(work[0]) and work[0] == work[1]


def _unmasked(op: Op, editor: Editor) -> str | None:
    """Take the tile that a mask keeps in most iterations."""
    mask = mask_of(op)
    if mask is None:
        return None
    kept = op.operands[mask.slot]
    if not mask.decide:
        for comparison in mask.asked:
            held = editor.before(comparison).constant(splat(mask.held, comparison.result.type))
            comparison.result.replace_all_uses_with(held)
    elif _constant(kept) is None:
        op.result.replace_all_uses_with(kept)
    else:
        for use in list(op.result.uses):
            other = "rhs" if use.op.operands["lhs"] is op.result else "lhs"
            use.op.result.replace_all_uses_with(use.op.operands[other])
    return (
        f"split the loop, and mask in the {mask.where} iterations alone, those that need it "
        "(cuTile splits it at an `if` that compares the iteration variable)"
    )


UNMASKED = at_ops(_unmasked, alone=True)
"""Tiles are not masked, as in the iterations that need no mask."""
