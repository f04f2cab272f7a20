"""Packages that programs of the lab import: without them, a sentence instead of a traceback.

A package of the lab asks for them in its `__init__.py`, which runs before its program is imported.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

_STARTING = "-m"
"""What `sys.argv[0]` is while Python looks for the program that `python -m` is to run."""


def need(*packages: str, extra: str = "test") -> None:
    """End the program if it is about to be run and packages that `extra` brings are missing."""
    if sys.argv[0] == _STARTING:
        need_now(*packages, extra=extra)


def need_now(*packages: str, extra: str) -> None:
    """End the program if some of these packages are missing, which one of our extras brings."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise SystemExit(f"this needs {', '.join(missing)}; pip install -e '.[{extra}]' brings all")
