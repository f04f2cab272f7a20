"""The mirror: `tileir.ksy`, the same format for Kaitai Struct, printed from the Construct tree.

Kaitai Struct makes parsers in a dozen languages, and a hex viewer, of such a file. Printing it from
the tree keeps one description of the format; a test that compares a Kaitai parser with ours leaf
by leaf keeps both honest.

    python -m tileir.formats.mirror [FILE]     print it, or write it to FILE

What Kaitai cannot say: that a section is missing or a table leaves gaps, limits on nesting, the
numbering of values, and which location belongs to which op.
"""

from __future__ import annotations

from pathlib import Path

from .document import document, ksy

PATH = Path(__file__).parent.parent / "tileir.ksy"
"""Where the mirror is checked in."""

__all__ = ["PATH", "document", "ksy"]
