"""``python -m tileir.formats.mirror [FILE]``: print the mirror, or write it to FILE."""

from __future__ import annotations

import sys
from pathlib import Path

from . import ksy

if len(sys.argv) > 2:
    sys.exit("usage: python -m tileir.formats.mirror [FILE]")
if len(sys.argv) == 2:
    Path(sys.argv[1]).write_text(ksy(), encoding="utf-8", newline="\n")
else:
    sys.stdout.write(ksy())
