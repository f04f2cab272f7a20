"""What we rely on in one release of a package: joint -> fact -> value, for comparison.

    python -m tests.lab.releases.facts PACKAGE [FOLDER]

prints it as JSON of the release in a folder, or of the one that is installed. It is run in a
process of its own, which has the release first on its path.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from . import cuda_tile, llvm, tileiras

Facts = dict[str, dict[str, str]]
Joint = Callable[[Path | None], dict[str, str]]

JOINTS: dict[str, dict[str, Joint]] = {
    "cuda-tile": cuda_tile.JOINTS,
    "nvidia-cuda-tileiras": tileiras.JOINTS,
    "llvmlite": llvm.JOINTS,
}
"""Package -> joint -> what tells its facts of the release in a folder."""


def facts(package: str, folder: Path | None) -> Facts:
    """Return the facts of every joint; one that fails has its error as the only fact."""
    return {name: dict(_told(joint, folder)) for name, joint in JOINTS[package].items()}


def _told(joint: Joint, folder: Path | None) -> Iterator[tuple[str, str]]:
    try:
        yield from joint(folder).items()
    except Exception as error:  # whatever a release that nobody knows does
        yield "error", f"{type(error).__name__}: {error}".splitlines()[0]


if __name__ == "__main__":
    print(json.dumps(facts(sys.argv[1], Path(sys.argv[2]) if sys.argv[2:] else None)))
