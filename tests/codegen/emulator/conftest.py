"""What tests of the emulator share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture
def quiet() -> Iterator[None]:
    """NumPy as the reference may overflow and meet NaN without a word."""
    with np.errstate(all="ignore"):
        yield
