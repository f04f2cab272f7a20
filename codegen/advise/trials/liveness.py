"""The trial of a kernel without what nothing of it needs: what loops carry in vain, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.analysis.carried_values import handed_on
from tileir.codegen.ops import Family, family_of
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op, Value
from tileir.read.function import Function

from .loops import ends_of
from .trial import Trial

_NESTING = (Family.LOOP, Family.BRANCH)


def _acts(op: Op) -> bool:
    """Whether an op does something by itself: writes, prints, waits, or ends the kernel early."""
    if op.regions:
        return False
    if op.name == "return":
        return op.parent is not None and op.parent.parent_op is not None
    return not op.spec.terminator and op.spec.effects not in SILENT


def needless(function: Function) -> list[Op]:
    """Return the ops that no effect of a kernel depends on, the outer ones without what is in them.

    Terminators count as far as what they hand on does.
    """
    needed: set[Op] = set()
    values: set[Value] = set()
    sources: dict[Value, list[Value]] = defaultdict(list)
    for source, target in handed_on(function.body.block):
        sources[target].append(source)
    waiting: list[Op] = [op for op in function.walk() if _acts(op)]
    while waiting:
        op = waiting.pop()
        if op in needed:
            continue
        needed.add(op)
        around = None if op.parent is None else op.parent.parent_op
        if around is not None and around not in needed:
            waiting.append(around)
        if family_of(op) is Family.LOOP:
            waiting += ends_of(op)
        given = list(_controlling(op)) if family_of(op) in _NESTING else list(op.operand_list())
        if op.spec.terminator and around is not None and around.name == "for":
            given = []
        if family_of(op) is Family.FOLD:
            needed.update(op.walk())
        for value in given:
            waiting += _need(value, values, sources)
    return [op for op in function.walk() if op not in needed and not op.spec.terminator]


def _controlling(op: Op) -> Iterator[Value]:
    for slot, operand in op.operands.items():
        if slot != "initValues":
            yield from operand if isinstance(operand, tuple) else [operand]


def _need(value: Value, values: set[Value], sources: Mapping[Value, list[Value]]) -> Iterator[Op]:
    """Yield the ops that a value needs: through loops and branches, what they hand on."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if value in values:
            continue
        values.add(value)
        if isinstance(value.owner, Op):
            yield value.owner
        waiting += sources[value]


def in_vain(function: Function) -> list[Op]:
    """Return the needless ops that no other needless op uses: the last ones of what is in vain.

    Those that the compiler eliminates by itself are not among them.
    """
    gone = dict.fromkeys(needless(function))
    found = []
    for op in gone:
        uses = [use.op for result in op.results for use in result.uses]
        around = None if op.parent is None else op.parent.parent_op
        if around in gone or any(not use.spec.terminator for use in uses):
            continue
        if uses or family_of(op) in _NESTING:
            found.append(op)
    return found


def _without(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Leave out what is in vain."""
    for function in copy.by_symbol.values():
        gone = dict.fromkeys(needless(function))
        for op in function.walk():
            if op.name == "for" and op not in gone:
                _carry_on(op, gone)
        for op in reversed([*function.walk()]):
            if op in gone and not any(result.uses for result in op.results):
                op.remove()
    return dict.fromkeys(sites, "leave it out: nothing that the kernel stores depends on it")


def _carry_on(loop: Op, gone: Mapping[Op, None]) -> None:
    """Let a loop carry what it began with, where what it carries is of ops that are gone."""
    block = loop.regions[0].block
    end = block.ops[-1]
    given = list(end.operands["operands"])
    for at, value in enumerate(given):
        if isinstance(value.owner, Op) and value.owner in gone:
            given[at] = block.arguments[at + 1]
    end.operands["operands"] = tuple(given)


WITHOUT = Trial(_without)
"""A kernel without what is computed in vain."""
