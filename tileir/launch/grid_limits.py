"""The largest grids of tile blocks that Tile IR allows, whoever launches them."""

from __future__ import annotations

MAX_EXTENT = (1 << 24) - 1
"""The most tile blocks along one axis of a grid (specification of Tile IR)."""

MAX_BLOCKS = (1 << 63) - 1
"""The most tile blocks of a grid: kernels count them in 64 bits."""
