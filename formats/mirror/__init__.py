"""The mirror: `tileir.ksy`, the same format for Kaitai Struct, printed from the Construct tree.

From such a file, Kaitai Struct makes parsers in a dozen languages, and a hex viewer. It is printed
from the tree, so that there is one description of the format; a test compares a Kaitai parser with
ours leaf by leaf.

    python -m tileir.formats.mirror [FILE]     print it, or write it to FILE

Kaitai cannot express that a section is missing or that a table has gaps, limits on nesting, the
numbering of values, and which location belongs to which op.
"""

from __future__ import annotations

from pathlib import Path

from .document import document, ksy

PATH = Path(__file__).parent.parent / "tileir.ksy"
"""The checked-in mirror."""

__all__ = ["PATH", "document", "ksy"]
