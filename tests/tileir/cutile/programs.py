"""Runs a program under `tileir cutile` in a process of its own: there is no way back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

WITHOUT_TORCH = Path(__file__).parent / "without_torch"
"""torch takes seconds to import, and cuTile imports it wherever it can."""


def python(
    *arguments: object, cwd: Path = ROOT, path: Path = ROOT, **options
) -> subprocess.CompletedProcess[str]:
    """Run this interpreter, with the checkout and a folder on its path."""
    paths = [str(path), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def cutile(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    """Run ``python -m tileir.cutile``, with torch if it is installed."""
    return python("-m", "tileir.cutile", *arguments, **options)


def cutile_without_torch(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    """The same, as on a machine without torch."""
    return cutile(*arguments, path=WITHOUT_TORCH, **options)


def command(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    """Run ``tileir cutile`` as pip installs the command, without torch."""
    folder = options.pop("folder")
    script = Path(folder, "tileir")
    script.write_text("import sys; from tileir.__main__ import main; sys.exit(main())")
    return python(script, "cutile", *arguments, path=WITHOUT_TORCH, **options)


def output(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines that a program printed, which must have succeeded."""
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
