"""Two modules compared by their structure: what was inserted, deleted, changed or moved.

`compare` returns a `Difference`, whose rows programs read; `unified` makes of it the text that
`tileir diff` prints.
"""

from __future__ import annotations

from .comparing import Difference, compare
from .rows import Change, FunctionPair, Row

__all__ = ["Change", "Difference", "FunctionPair", "Row", "compare"]
