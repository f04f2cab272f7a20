"""What the text says of a file of a newer version that it cannot show: lines that nobody assembles.

A text that looks whole would be assembled to a file without what is missing, so each such text
begins with a line in marks that the assembler refuses.
"""

from __future__ import annotations

from tileir.bytecode import Bytecode
from tileir.formats.version import LATEST
from tileir.messages.texts import printable
from tileir.read.opaque import OpaqueEnd

from .pieces import Pieces

MOST = 20
"""Unknown things that the head of a text lists; `tileir verify` lists all."""


def marked(text: str) -> str:
    """Return a remark about what is missing, in marks that no text of Tile IR contains."""
    return f"<<{printable(text)}>>"


def opaque_mark(end: OpaqueEnd) -> str:
    """Return the mark that stands for the end of a body."""
    return marked(f"opaque: {end.message}")


def print_unknown(bytecode: Bytecode, out: Pieces) -> None:
    """Print what is unknown in a module of a newer version."""
    unknown = bytecode.touch().unknown
    text = f"version {bytecode.version} is newer than {LATEST}; what follows is read as {LATEST}"
    out.append(marked(text) + "\n")
    for one in unknown[:MOST]:
        out.append(marked(f"unknown at {one.place}: {one.message}") + "\n")
    if len(unknown) > MOST:
        out.append(marked(f"and {len(unknown) - MOST} more unknown things") + "\n")
