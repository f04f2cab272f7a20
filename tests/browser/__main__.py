"""Run the tests that need a browser, and no others: ``python -m tests.browser [OPTIONS]``.

The options are those of pytest; ``--update`` writes the pictures again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    folder = str(Path(__file__).parent)
    sys.exit(pytest.main(["-m", "browser", "-rP", *sys.argv[1:], folder]))
