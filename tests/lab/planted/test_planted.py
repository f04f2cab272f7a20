"""The planted defects, on small modules: each kind is found, and reduced."""

from __future__ import annotations

from tests.programs import call

from .__main__ import main


def test_a_crash_is_reduced() -> None:
    done = call(main, "--name", "reduction of dimension 1", "--statements", 12)
    assert done.returncode == 0, done.stdout
    assert "1 defects" in done.stdout
