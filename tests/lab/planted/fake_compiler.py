"""A compiler with a defect: `python -m tests.lab.planted.fake_compiler DEFECT FILE` may die."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .crashes import CRASHES


def main(defect: str, path: str) -> None:
    """Abort, as an assertion in C++ does, where the file has what the defect is about."""
    if CRASHES[defect].found(Path(path).read_bytes()):
        os.abort()


if __name__ == "__main__":
    main(*sys.argv[1:])
