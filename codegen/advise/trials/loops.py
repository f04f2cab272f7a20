"""Trials of loops: what each iteration does again is done once, before or after the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value
from tileir.types import Token

from .trial import Trial, at_ops

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
    around = _around(op)
    return around if around is not None and around.name in _LOOPS else None


def counted_loop(op: Op) -> Op | None:
    """Return the `for` around an op that has it in all iterations, and whose end ends them all.

    None if there is none: also where a branch may go on to the next iteration, or return.
    """
    loop = innermost_loop(op)
    if loop is None or loop.name != "for" or ends_of(loop):
        return None
    return None if any(each.name == "return" for each in loop.walk()) else loop


def ends_of(loop: Op) -> list[Op]:
    """Return the ops that end an iteration of a loop, or the loop; but for what a `for` ends with.

    What such an op is in decides what of the loop is done.
    """
    last = loop.regions[0].block.ops[-1] if loop.name == "for" else None
    found: list[Op] = []
    waiting = list(loop.regions)
    while waiting:
        for block in waiting.pop().blocks:
            for op in block.ops:
                if op.name in ("break", "continue") and op is not last:
                    found.append(op)
                elif family_of(op) is Family.BRANCH:
                    waiting += op.regions
    return found


def runs(loop: Op) -> bool:
    """Whether a `for` is known to have an iteration."""
    bounds = [loop.operands[slot].owner for slot in ("lowerBound", "upperBound")]
    if not all(isinstance(op, Op) and op.name == "constant" for op in bounds):
        return False
    lower, upper = (int(op.attributes["value"].value()) for op in bounds)
    if loop.attributes["unsignedCmp"]:
        bits = loop.operands["lowerBound"].type.element.bits
        lower, upper = lower % (1 << bits), upper % (1 << bits)
    return lower < upper


def same(one: Value, other: Value) -> bool:
    """Whether two values are one, or equal constants."""
    if one is other:
        return True
    ops = one.owner, other.owner
    if not all(isinstance(op, Op) and op.name == "constant" for op in ops):
        return False
    first, second = (op.attributes["value"] for op in ops)
    return one.type == other.type and bytes(first.data) == bytes(second.data)


def varying(op: Op, loop: Op) -> list[Value]:
    """Return the operands of an op in a loop that change in it; the order of memory aside."""
    return [
        value
        for value in op.operand_list()
        if not isinstance(value.type, Token) and not value.is_visible_to(loop)
    ]


def _before_loop(op: Op, editor: Editor) -> str | None:
    """Load before the loop what all iterations load."""
    moved = False
    while (loop := innermost_loop(op)) is not None and not varying(op, loop):
        token = op.operands.get("token")
        if token is not None and not token.is_visible_to(loop):
            op.operands["token"] = editor.before(loop).make_token()
        op.move_before(loop)
        moved = True
    return "load it once, before the loop, if nothing in the loop changes it" if moved else None


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
    loop = counted_loop(reduction)
    if loop is None or len(reduction.results) != 1 or not commutes(reduction):
        return None
    shaped, added = None, only_user(reduction.results[0])
    if added is not None and added.name == "reshape":
        shaped, added = added, only_user(added.result)
    combining, end = reduction.regions[0].block.ops[0], loop.regions[0].block.ops[-1]
    if added is None or added.name != combining.name or only_user(added.result) is not end:
        return None
    if dict(added.attributes) != dict(combining.attributes):
        return None
    index = list(end.operand_list()).index(added.result)
    carried = loop.regions[0].block.arguments[index + 1]
    if carried not in list(added.operand_list()) or only_user(carried) is not added:
        return None
    return Sum(loop, reduction, shaped, added, index)


def only_user(value: Value) -> Op | None:
    """Return the op that uses a value, if there is just one such operand; None otherwise."""
    uses = value.uses
    return uses[0].op if len(uses) == 1 else None


def _behind_loop(reduction: Op, editor: Editor) -> str | None:
    """Add up tiles in a loop, and reduce their sum behind it."""
    found = sum_of(reduction)
    if found is None:
        return None
    loop, _, shaped, added, index = found
    body = loop.regions[0].block
    (tile,) = reduction.operands["operands"]
    (identity,) = reduction.attributes["identities"]
    start = editor.before(loop).constant(splat(identity.value, tile.type))
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
    result.replace_all_uses_with(added.result, where=lambda use: use.op is not added)
    return f"combine tiles by {added.name} in the loop, and reduce the result once, behind it"


def _out_of_if(op: Op, editor: Editor) -> str | None:
    """Load whether or not the condition of an `if` holds."""
    around = _around(op)
    if around is None or around.name != "if":
        return None
    if not all(value.is_visible_to(around) for value in op.operand_list()):
        return None
    op.move_before(around)
    _leave_if(op, around)
    return "load it in every iteration: views pad what is outside of the tensor"


def _around(op: Op) -> Op | None:
    return None if op.parent is None else op.parent.parent_op


def _leave_if(op: Op, around: Op) -> None:
    """Use a tile that an `if` yields, or else a constant, as it is."""
    then, other = (region.blocks[0].ops[-1] if region.blocks else None for region in around.regions)
    for index, value in enumerate(list(then.operand_list()) if then else []):
        if value is op.results[0] and other is not None:
            owner = list(other.operand_list())[index].owner
            if isinstance(owner, Op) and owner.name == "constant":
                around.results[index].replace_all_uses_with(value)
    inside = (each for region in around.regions for each in region.blocks[0].ops)
    unused = not any(value.uses for value in around.results)
    if unused and all(each.name in ("constant", "yield") for each in inside):
        around.remove()


def changed_sums(product: Op) -> tuple[Op, int] | None:
    """Return the loop that adds up products, and where it carries the sum, if that is changed, too.

    It is converted, or what is done to it before a product is undone behind it: that could be done
    behind the loop, once. A sum that is scaled for good has another weight in each iteration.
    """
    loop = counted_loop(product)
    if loop is None:
        return None
    block = loop.regions[0].block
    first, before = _through(product.operands["acc"], loop, up=True)
    last, behind = _through(product.results[0], loop, up=False)
    if isinstance(first.owner, Op) or first.owner is not block or not before + behind:
        return None
    done, undone = ([op for op in ops if op.name != "ftof"] for ops in (before, behind))
    if len(done) != len(undone) or not all(map(_undoes, undone, done)):
        return None
    given = block.ops[-1].operands["operands"]
    return (loop, first.index - 1) if given[first.index - 1] is last else None


_UNDONE = {"mulf": "divf", "divf": "mulf", "addf": "subf", "subf": "addf"}


def _undoes(op: Op, other: Op) -> bool:
    """Whether an op with a fixed number gives back what the other one got, rounding aside."""
    if op.name == other.name:
        numbers = [_number_of(each) for each in (op, other)]
        return op.name == "negf" or (op.name in ("mulf", "divf") and prod(numbers) == 1)
    if op.name != _UNDONE.get(other.name):
        return False
    return any(same(one, two) for one in op.operand_list() for two in other.operand_list())


def _number_of(op: Op) -> float:
    """Return the constant that an op multiplies with, or divides by; 0 if that is none."""
    owner = op.operands["rhs"].owner
    if not isinstance(owner, Op) or owner.name != "constant":
        return 0.0
    constant = owner.attributes["value"]
    return float(constant.value()) if constant.is_splat else 0.0


def _through(value: Value, loop: Op, up: bool) -> tuple[Value, list[Op]]:
    """Follow a value through element-wise ops with numbers that do not change in a loop.

    Returns where that ends, and the ops, those next to the value first.
    """
    passed: list[Op] = []
    while True:
        op = value.owner if up else only_user(value)
        if not isinstance(op, Op) or family_of(op) is not Family.ELEMENT_WISE:
            return value, passed
        changing = varying(op, loop) if up else [*op.operand_list()]
        changing = [each for each in changing if not _is_constant(each, loop)]
        if len(changing) != 1 or (not up and changing[0] is not value):
            return value, passed
        passed.append(op)
        value = changing[0] if up else op.results[0]


def _is_constant(value: Value, loop: Op) -> bool:
    return value.is_visible_to(loop) or (
        isinstance(value.owner, Op) and value.owner.name == "constant"
    )


def _unchanged_sums(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Only add up products in the loop."""
    told: dict[Site, str] = {}
    for site in sites:
        for number, op in copy.ops.items():
            if op.name not in ("mmaf", "mmai") or site.number not in (None, number):
                continue
            found = changed_sums(op)
            if found is None:
                continue
            loop, index = found
            block = loop.regions[0].block
            op.operands["acc"] = block.arguments[index + 1]
            given = list(block.ops[-1].operands["operands"])
            given[index] = op.results[0]
            block.ops[-1].operands["operands"] = tuple(given)
            told[site] = "only add up products in the loop, and scale or round their sum behind it"
    return told


UNCHANGED_SUMS = Trial(_unchanged_sums)
"""What is done to sums of products in each iteration is done behind the loop."""
OUT_OF_IF = at_ops(_out_of_if, cause=_around)
"""Loads do not depend on a condition."""
BEFORE_LOOP = at_ops(_before_loop)
"""Loads that do not change in a loop are made before it."""
BEHIND_LOOP = at_ops(_behind_loop)
"""Reductions that are added up in a loop are made behind it."""
