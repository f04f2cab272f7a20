"""The table of docs/figures.md: a row for pages without kernels, and for those with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.figures import measured
from tests.corpus import NEWEST


def test_a_row_with_and_without_a_target(browser: Any, tmp_path: Path) -> None:
    """Of the same file, of which a page with kernels is larger."""
    rows = [[*measured(browser, "vector_add", tmp_path, target)] for target in (None, "sm_90")]
    for name, size, ops, _, *times in rows:
        assert (name, int(size)) == ("vector_add", NEWEST["vector_add"].stat().st_size)
        assert int(ops) > 0
        assert len(times) == 4
    plain, with_kernels = (int(row[3].replace(",", "")) for row in rows)
    assert plain < with_kernels
