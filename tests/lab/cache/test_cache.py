"""A small crowd on one folder of the cache: nothing wrong, nothing lost."""

from __future__ import annotations

import pytest

from .__main__ import main


@pytest.mark.slow
def test_a_crowd(capsys: pytest.CaptureFixture[str]) -> None:
    """Two processes and one in the place of the one that is killed; a file is damaged, too."""
    given = ["--processes", "2", "--compilations", "12", "--kills", "1", "--damages", "1"]
    code = main(["crowd", *given, "--jobs", "4"])
    said = capsys.readouterr().out
    assert code == 0, said
    assert said.startswith("24 compilations, ")
    assert "1 kills" in said
