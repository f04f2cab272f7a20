"""What is said of something that is no Tile IR: of the IR that compiling makes of a kernel."""

from __future__ import annotations

MODULE = "block_module"
"""The word that begins a text of block IR."""

FOREIGN = "is no Tile IR but block IR, which is made while compiling and which bytecode cannot hold"


def not_tile_ir(what: str) -> str:
    """Return why something is refused where Tile IR is read, verified or written."""
    return f"{what} {FOREIGN}"
