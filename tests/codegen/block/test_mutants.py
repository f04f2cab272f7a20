"""Whatever a stage of the block IR does wrong, its verifier notices, or the emulator does.

Here, there is one site of every class of defects, of every second one without --whole, and kernels
take turns to have one. All sites in all kernels, and the kernels as they are, are for
`python -m tests.lab.block_mutants`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from .mutants.defect import DEFECTS, VERIFIER, Defect
from .mutants.kernels import KERNELS, SLOW, kernel
from .mutants.trial import Noticed, attempt, sites_of


def first_site(defect: Defect) -> tuple[str, int]:
    """Return a kernel that can have a defect, and the number of a site that has no excuse."""
    turn = [*DEFECTS].index(defect.name) % len(KERNELS)
    names = [*KERNELS][turn:] + [*KERNELS][:turn]
    for name in sorted(names, key=SLOW.__contains__):
        for number, site in enumerate(sites_of(kernel(name), defect)):
            if not site.excuse:
                return name, number
    raise AssertionError(f"no kernel can have the defect {defect.name!r}")


@cache
def as_it_is(name: str, launches: int) -> Noticed:
    """Return who objects to a kernel without a defect, in its first launches."""
    return attempt(kernel(name), run=launches > 0, most=launches)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_noticed(name: str) -> None:
    """By somebody who does not object to the kernel as it is."""
    defect = DEFECTS[name]
    where, number = first_site(defect)
    noticed = attempt(kernel(where), defect, number, both=False)
    if defect.noticed_by == VERIFIER:
        assert noticed.verifier or noticed.compiler, where
        assert not as_it_is(where, 0)
    else:
        assert noticed, where
        assert not as_it_is(where, noticed.launches)


def ops_of(name: str) -> int:
    """Return how many ops a kernel has."""
    return sum(1 for function in kernel(name).bytecode.functions for _ in function.body.walk())


def test_excuses_are_needed() -> None:
    """Each is given for a defect that nobody notices; small kernels are tried first."""
    given: dict[str, list[tuple[str, Defect, int]]] = defaultdict(list)
    for name in sorted(KERNELS, key=ops_of):
        for defect in DEFECTS.values():
            for number, site in enumerate(sites_of(kernel(name), defect)):
                if site.excuse:
                    given[site.excuse].append((name, defect, number))
    assert given
    for excuse, places in given.items():
        assert any(not attempt(kernel(name), *site) for name, *site in places), excuse
