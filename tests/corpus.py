"""The bytecode files that tests run over: every valid fixture, every invalid one."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"

VALID = sorted(FIXTURES.glob("13.*/*.tileirbc"))
NEWEST = {path.stem: path for path in VALID}
_OLDEST = {path.stem: path for path in reversed(VALID)}
OLDEST_AND_NEWEST = sorted({*NEWEST.values(), *_OLDEST.values()})
"""Each kernel in the first and the last version that has it."""
PREVIEW = sorted((FIXTURES / "preview").glob("*.tileirbc"))
"""Files with public-preview content, which other readers read only if asked to."""

INVALID = sorted((FIXTURES / "invalid").glob("*.tileirbc"))


def name_of(path: Path) -> str:
    """A test id such as ``13.4/vector_add``."""
    return f"{path.parent.name}/{path.stem}"
