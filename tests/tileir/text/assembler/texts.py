"""The texts that tests read: what NVIDIA's disassembler prints for every fixture."""

from __future__ import annotations

from pathlib import Path

GOLDEN = Path(__file__).parent.parent / "printer" / "golden"
TEXTS = sorted(GOLDEN.glob("*/*.txt"))
"""With debug information (``.g.txt``) and without."""


def version_of(path: Path) -> str:
    """The version of the file that was disassembled."""
    return path.parent.name


def name_of(path: Path) -> str:
    """A test id such as ``13.4/vector_add.g``."""
    return f"{path.parent.name}/{path.stem}"
