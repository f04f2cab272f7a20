"""Rules about the order of memory: accesses that wait for others, or that others wait for.

Tokens alone order the accesses of a block. What a release publishes are the writes before it in
that order, and what an acquire waits for are the accesses behind it. One that has none orders
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tileir.codegen.ops import is_atomic, is_load, writes_memory
from tileir.codegen.remarks import Outcome, Topic
from tileir.formats.ops.control_flow import PASSING_ON
from tileir.ir import Op, Value
from tileir.types import Token

from . import figures
from .evidence import Evidence, Site
from .finders import because
from .rule import Candidate, Find, Rule, Sure
from .trials.order import RELAXED, UNORDERED, WEAK

_ORDERS = {"acquire": (False, True), "release": (True, False), "acq_rel": (True, True)}
"""Order -> whether it publishes what was written before, and whether others wait for it."""


def _is_access(op: Op) -> bool:
    return is_load(op) or writes_memory(op)


def _tokens(values: Iterator[Value]) -> list[Value]:
    return [each for each in values if isinstance(each.type, Token)]


def _arguments(op: Op) -> Iterator[Value]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.arguments


def _next(value: Value) -> Iterator[Op | Value]:
    """Yield the ops that take a token, and the tokens of loops and branches that it becomes."""
    for use in value.uses:
        op = use.op
        if op.name in PASSING_ON:
            around = op.parent.parent_op if op.parent else None
            while op.name != "yield" and around is not None and around.name == "if":
                around = around.parent.parent_op if around.parent else None
            if around is not None:
                yield from around.results
                yield from _arguments(around)
        elif op.regions:
            yield from _arguments(op)
        else:
            yield op


def _before(value: Value) -> Iterator[Op | Value]:
    """Yield the op that makes a token, or the tokens that it is in a loop or a branch."""
    owner = value.owner
    if isinstance(owner, Op) and not owner.regions:
        yield owner
        return
    around = owner if isinstance(owner, Op) else owner.parent_op
    if around is None:
        return
    yield from around.operand_list()
    for inside in around.walk():
        if inside.name in PASSING_ON:
            yield from inside.operand_list()


def _reaches(op: Op, down: bool, wanted: Callable[[Op], bool]) -> bool:
    """Whether tokens order an access of a kind behind an op, or before it; but for itself."""
    near = _next if down else _before
    waiting = _tokens(iter(op.results) if down else op.operand_list())
    seen = set(waiting)
    while waiting:
        for each in near(waiting.pop()):
            if isinstance(each, Op):
                if each is not op and wanted(each):
                    return True
                more = _tokens(iter(each.results) if down else each.operand_list())
            else:
                more = _tokens(iter((each,)))
            waiting += [one for one in more if one not in seen]
            seen.update(more)
    return False


def orders(op: Op) -> bool:
    """Whether the acquire or release of an op is for something: there is what it orders."""
    publishes, awaited = _ORDERS[op.attributes["memory_ordering_semantics"]]
    if publishes and _reaches(op, False, writes_memory):
        return True
    return awaited and _is_read(op) and _reaches(op, True, _is_access)


def _is_read(op: Op) -> bool:
    """Whether anything asks what an access has read: only who has seen a release knows of it."""
    return any(value.uses for value in op.results if not isinstance(value.type, Token))


def _strong(atomic: bool) -> Find:
    """Return what finds atomic updates, or else loads and stores, with an order without need."""

    def find(evidence: Evidence) -> Iterator[Candidate]:
        for number, op in evidence.copy.ops.items():
            order = op.attributes.get("memory_ordering_semantics")
            usual = (None, "weak", "relaxed") if atomic else (None, "weak")
            if order in usual or is_atomic(op) != atomic:
                continue
            if order in _ORDERS and orders(op):
                continue
            site = Site(evidence.copy.functions[number].name, number)
            scope = op.attributes.get("memory_scope")
            yield Candidate(site, f"{op.name}: its order is {order}, and its scope {scope}")

    return find


ORDERING = (
    Rule(
        "ordered-access",
        "an access is ordered, so that it cannot go ahead",
        "Loads go iterations ahead, or become tensor copies, if they are weak and nothing "
        "before them may write. An acquire, or a token that comes after a store, forbids it.",
        "make the access weak, or give it a token that does not come after the store",
        Sure.MAYBE,
        figures.AHEAD_OR_TENSOR_COPY,
        because(
            Topic.TENSOR_COPIES,
            *("ordered", "after_acquire", "after_store", "after_write"),
            *("ordered_store", "before_access"),
            outcomes=(Outcome.MISSED, Outcome.ANALYSIS),
        ),
        (WEAK, UNORDERED),
        3.0,
    ),
    Rule(
        "ordered-atomic",
        "an atomic update is ordered, although nothing needs that",
        "An acquire or release is for locks and flags. The block waits until all of its writes "
        "are seen, and drops what its first-level cache has. Where nobody wants the old values, "
        "`red` updates several elements at once, on GPUs that have it, but only if it is relaxed. "
        "It is found where tokens put no write before a release, and no access behind an acquire "
        "whose result is used.",
        "make the update relaxed",
        Sure.MAYBE,
        figures.ACCESS,
        _strong(atomic=True),
        (RELAXED,),
        3.0,
        others=(figures.ALL_WORK,),
    ),
    Rule(
        "strong-order",
        "an access is ordered more strongly than accesses usually are",
        "What is relaxed, acquired or released is seen by other blocks in an order. Such an "
        "access is made element by element, waits for others, or keeps others from going "
        "ahead. Tokens order what one block does without that.",
        "make the access weak",
        Sure.MAYBE,
        figures.ALL_WORK,
        _strong(atomic=False),
        (RELAXED,),
        2.0,
        others=(figures.ACCESS,),
    ),
)
"""The rules, in the order in which they are listed."""
