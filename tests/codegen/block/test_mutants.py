"""Whatever a stage of the block IR does wrong, its verifier notices, or the emulator does.

Here, there is one site of every class of defects in every kernel that has one. All sites are for
`python -m tests.lab.block_mutants`.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from .mutants.defect import DEFECTS, VERIFIER, Defect
from .mutants.kernels import KERNELS, kernel
from .mutants.trial import attempt, sites_of


@pytest.mark.parametrize("name", KERNELS)
def test_nobody_objects_to_the_original(name: str) -> None:
    assert not attempt(kernel(name))


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_noticed(name: str) -> None:
    defect, tried, missed = DEFECTS[name], 0, []
    for each in KERNELS:
        sites = sites_of(kernel(each), defect)
        number = next((n for n, site in enumerate(sites) if not site.excuse), None)
        if number is None:
            continue
        tried += 1
        noticed = attempt(kernel(each), defect, number, both=False)
        compiler = noticed.verifier or noticed.compiler
        if not (compiler if defect.noticed_by == VERIFIER else noticed):
            missed.append((each, noticed))
    assert tried
    assert not missed


def test_excuses_are_needed() -> None:
    """Each is given for a defect that nobody notices."""
    given: dict[str, list[tuple[str, Defect, int]]] = defaultdict(list)
    for name in KERNELS:
        for defect in DEFECTS.values():
            for number, site in enumerate(sites_of(kernel(name), defect)):
                if site.excuse:
                    given[site.excuse].append((name, defect, number))
    assert given
    for excuse, places in given.items():
        assert any(not attempt(kernel(name), *site) for name, *site in places), excuse
