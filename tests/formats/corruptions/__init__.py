"""357 ways to spoil one file, and what NVIDIA's reader and ours make of each."""

from __future__ import annotations

from . import (
    constants,
    container,
    functions,
    globals,
    header,
    locations,
    ops,
    strings,
    types,
    varints,
)

ROWS = (
    *header.ROWS,
    *container.ROWS,
    *varints.ROWS,
    *strings.ROWS,
    *types.ROWS,
    *constants.ROWS,
    *functions.ROWS,
    *ops.ROWS,
    *locations.ROWS,
    *globals.ROWS,
)
