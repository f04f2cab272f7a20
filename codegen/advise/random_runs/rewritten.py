"""Trials of cheaper ways to values, which random numbers have shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.advise.trials.trial import Trial
from tileir.ir import Value

from .rewrites import Rewrite, rewrites_of
from .ways import made

_PLANS = "rewrites"


class Planned(NamedTuple):
    """A rewrite, the numbers of the ops that are gone, and the numbers of the kernel's values."""

    rewrite: Rewrite
    gone: frozenset[int]
    places: Mapping[Value, int]


def planned(copy: Copy) -> Mapping[int, Planned]:
    """Return the rewrites of the kernels of a copy by the number of their op.

    They are found in the first copy that is asked for, and hold for all.
    """
    if _PLANS not in copy.plans:
        found: dict[int, Planned] = {}
        numbers = {op: number for number, op in copy.ops.items()}
        for function in copy.by_symbol.values():
            places = {value: at for at, value in enumerate(function.body.defined())}
            for rewrite in rewrites_of(function):
                gone = frozenset(numbers[op] for op in rewrite.gone)
                found[numbers[rewrite.op]] = Planned(rewrite, gone, places)
        copy.plans[_PLANS] = found
    return copy.plans[_PLANS]


def _rewritten(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Compute values in the ways that are planned."""
    told: dict[Site, str] = {}
    for site in sites:
        assert site.number is not None
        rewrite, _, places = planned(copy)[site.number]
        op, values = copy.ops[site.number], [*copy.functions[site.number].body.defined()]
        known = {value: values[at] for value, at in places.items() if value in rewrite.way.values}
        result = op.results[0]
        other = made(rewrite.way, result.type, copy.editor(site.number).before(op), known)
        result.replace_all_uses_with(other)
        told[site] = f"use {rewrite.way}"
    return told


REWRITTEN = Trial(_rewritten, alone=True)
"""A value is computed in a cheaper way."""
