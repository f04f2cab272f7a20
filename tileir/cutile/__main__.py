"""``python -m tileir.cutile program.py``."""

from __future__ import annotations

from .program import main

if __name__ == "__main__":
    raise SystemExit(main())
