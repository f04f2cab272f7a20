"""Rules about work that could be done once, elsewhere, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tileir.ir import Op
from tileir.read.function import Function

from . import figures
from .evidence import Evidence, Site
from .random_runs.costs import cost_of
from .random_runs.rewrites import WORTH
from .rule import Candidate, Find, Rule, Sure
from .trials.atomics import BEHIND, STORED, exchanged, repeated
from .trials.hoisting import HOISTED, POSTPONED, invariant, summed
from .trials.liveness import WITHOUT, in_vain
from .trials.multiplied import AS_PRODUCT, factors


def _dearest(wanted: Callable[[Op], str | None]) -> Find:
    """Return what finds the ops about which there is something to say, the dearest first."""

    def find(evidence: Evidence) -> Iterator[Candidate]:
        found = [(number, op) for number, op in evidence.copy.ops.items() if op.parent is not None]
        for number, op in sorted(found, key=lambda each: -cost_of(each[1])):
            why = wanted(op)
            if why is not None:
                yield Candidate(Site(evidence.copy.functions[number].name, number), why)

    return find


def _invariant(evidence: Evidence) -> Iterator[Candidate]:
    """Yield what does not change in loops, and is a part of a kernel that matters."""
    total = sum(map(cost_of, evidence.copy.ops.values()))

    def dear(op: Op) -> str | None:
        if cost_of(op) < WORTH * total or not invariant(op):
            return None
        return f"{op.name}: nothing that it takes changes in the loop"

    yield from _dearest(dear)(evidence)


def _postponed(op: Op) -> str | None:
    found = summed(op)
    if found is None:
        return None
    names = ", ".join(each.name for each in reversed(found.ops))
    return f"{op.name}: each iteration adds up what {names} made"


def _repeated(op: Op) -> str | None:
    return f"{op.name}: each iteration updates the same places" if repeated(op) else None


def _exchanged(op: Op) -> str | None:
    return f"{op.name}: nobody wants the old values" if exchanged(op) else None


def _product(op: Op) -> str | None:
    return "reduce: it adds up products of rows and columns" if factors(op) else None


def _in_vain(evidence: Evidence) -> Iterator[Candidate]:
    numbers = {op: number for number, op in evidence.copy.ops.items()}
    functions: dict[str, Function] = dict(evidence.copy.by_symbol)
    for symbol, function in functions.items():
        for op in in_vain(function):
            text = f"{op.name}: nothing that the kernel stores depends on it"
            yield Candidate(Site(symbol, numbers[op]), text)


DOING = (
    Rule(
        "in-vain",
        "something is computed in vain",
        "Neither memory nor a message depends on what a loop carries, or on the whole loop. The "
        "compiler leaves out single ops without uses, but no loops, which may never end, and "
        "little of what goes around in them.",
        "leave it out",
        Sure.CERTAIN,
        figures.ALL_WORK,
        _in_vain,
        (WITHOUT,),
        2.0,
        others=(figures.ALL_MOVED,),
    ),
    Rule(
        "invariant-op",
        "a loop computes the same again and again",
        "Nothing that the op takes changes in the loop. The compiler leaves it where it is, "
        "because it may be undefined where the loop never runs, or has a region of its own.",
        "compute it once, before the loop",
        Sure.LIKELY,
        figures.ALL_WORK,
        _invariant,
        (HOISTED,),
        2.0,
        others=(figures.ALL_MOVED,),
    ),
    Rule(
        "change-before-sum",
        "each iteration changes what it adds up, in the same way",
        "To scale, convert or turn around each of many tiles, and add them up, gives what one gets "
        "by adding them up first, and doing the rest once. Sums of floats are then rounded "
        "otherwise.",
        "add up in the loop, and do the rest behind it",
        Sure.LIKELY,
        figures.ALL_WORK,
        _dearest(_postponed),
        (POSTPONED,),
        2.0,
        others=(figures.ALL_MOVED,),
    ),
    Rule(
        "atomic-in-loop",
        "each iteration makes an atomic update of the same places",
        "An atomic update takes the way to the second-level cache, and blocks that update the same "
        "place wait for each other. What a loop adds up can stay in registers until it ends.",
        "combine in the loop, and update memory once",
        Sure.LIKELY,
        figures.UPDATES,
        _dearest(_repeated),
        (BEHIND,),
        3.0,
    ),
    Rule(
        "exchange-as-store",
        "an atomic exchange is used as a store",
        "An atomic exchange goes to the second-level cache one element after the other, and comes "
        "back with the old values. A store does not come back, and takes 16 bytes of a thread.",
        "store it",
        Sure.LIKELY,
        figures.ALL_WORK,
        _dearest(_exchanged),
        (STORED,),
        2.0,
        others=(figures.ALL_MOVED,),
    ),
    Rule(
        "product-by-sums",
        "a matrix product is made of products and sums of elements",
        "To multiply each row with each column and to reduce what comes out takes an instruction "
        "for each product, and a tile of three dimensions, or four for a batch of matrices. "
        "Tensor cores multiply matrices some ten times faster, or more, in f16, bf16, or tf32; "
        "products of f16 are summed in f32 without being rounded first.",
        "use mmaf, on the operands as they were before they were converted to a wider type",
        Sure.MAYBE,
        figures.ALL_WORK,
        _dearest(_product),
        (AS_PRODUCT,),
        4.0,
        others=(figures.ALL_MOVED,),
    ),
)
"""The rules, in the order in which they are listed."""
