"""The launcher that `tileir tileiras install` writes: its text, and how it is recognised.

It has the name of NVIDIA's compiler, so whoever searches for that has to tell one from the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tileir.errors import UnsupportedError

MARK = "# tileir in the place of NVIDIA's tileiras (written by: tileir tileiras install)"
"""A line of every launcher, and of nothing else."""

_BEGINNING = 4096
"""Bytes of a file in which the line stands if it is a launcher."""

_TEXT = """\
#!/bin/sh
'''exec' '{python}' "$0" "$@"
' '''
{mark}
# Compile-only: it makes cubins for caches, CI and inspection; launches need `tileir cutile --gpu`.
import json
import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the folder of this file
sys.path.append({root!r})
from tileir.tileiras.program import main  # noqa: E402

raise SystemExit(main(sys.argv[1:], json.loads({options!r})))
"""
"""sh executes the second line, which is a text to Python: so paths may be long and have blanks."""


def text(python: str, root: str, options: Mapping[str, object]) -> str:
    """Return a launcher: the interpreter, the folder that has tileir, options of `compile`.

    UnsupportedError for an interpreter whose path sh or Python would read otherwise.
    """
    if any(character in python for character in "'\\\n"):
        raise UnsupportedError(f"no launcher can name the interpreter {python!r}")
    return _TEXT.format(python=python, mark=MARK, root=root, options=json.dumps(dict(options)))


def is_launcher(path: Path) -> bool:
    """Whether a file is such a launcher, of whatever version."""
    try:
        with path.open("rb") as file:
            return MARK.encode() in file.read(_BEGINNING)
    except OSError:
        return False
