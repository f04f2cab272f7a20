"""``python -m tileir.formats.tables [FILE]``: print the tables, or write them to FILE."""

from __future__ import annotations

import sys
from pathlib import Path

from . import tables

if len(sys.argv) > 2:
    sys.exit("usage: python -m tileir.formats.tables [FILE]")
if len(sys.argv) == 2:
    Path(sys.argv[1]).write_text(tables(), encoding="utf-8", newline="\n")
else:
    sys.stdout.write(tables())
