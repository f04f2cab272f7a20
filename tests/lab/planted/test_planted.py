"""The planted defects: a small one is found, and reduced."""

from __future__ import annotations

from tests.programs import call

from .__main__ import main
from .defects import DEFECTS


def test_a_disagreement_is_reduced() -> None:
    done = call(main, "--name", "combined-tiles", "--ops", 30)
    assert done.returncode == 0, done.stdout
    assert "1 defects" in done.stdout


def test_there_are_twenty() -> None:
    assert len({(defect.kind, defect.name) for defect in DEFECTS}) >= 20
