"""What a property says about an input, and how it says that something is wrong."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import NamedTuple


class Outcome(NamedTuple):
    """`verdict` is "accepted", or the kind of the error. `figures` are what was measured."""

    verdict: str
    figures: dict[str, float] = {}


class Finding(Exception):
    """The property does not hold. `what` is the same for all inputs that show the same defect."""

    def __init__(self, what: str, detail: str = "") -> None:
        self.what = what
        super().__init__(f"{what}: {detail}" if detail else what)


def signature(error: BaseException) -> str:
    """What makes two failures the same one: what was found, or where an exception came from."""
    if isinstance(error, Finding):
        return error.what
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "nowhere"
    return f"{type(error).__name__} in {where}"
