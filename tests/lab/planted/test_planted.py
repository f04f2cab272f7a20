"""The planted defects: a small one is found and reduced; each disagreement can be planted."""

from __future__ import annotations

import contextlib

import pytest

from tests.programs import call
from tileir.smith.program import program

from .__main__ import main
from .defects import DEFECTS
from .verdicts import PLANTED, planted


def test_a_disagreement_is_reduced() -> None:
    done = call(main, "--name", "combined-tiles", "--ops", 30)
    assert done.returncode == 0, done.stdout
    assert "1 defects" in done.stdout


@pytest.mark.parametrize("name", PLANTED)
def test_a_disagreement_can_be_planted(name: str) -> None:
    """What smith makes has the ops in which it is planted, in one of a few modules."""
    for seed in range(1, 9):
        with contextlib.suppress(LookupError):
            assert planted(program(seed, 200).bytecode, name)
            return
    pytest.fail("no module has the ops for it")


def test_there_are_twenty() -> None:
    assert len({(defect.kind, defect.name) for defect in DEFECTS}) >= 20
