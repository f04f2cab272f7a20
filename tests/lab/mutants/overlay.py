"""A private copy of a tree, in which one file at a time is really another.

A file that is really there reaches every test alike: those of this process, and those that start
Python anew. The copy has an environment of its own, whose Python imports the copy.
"""

from __future__ import annotations

import compileall
import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from .mutation import LAYERS, Mutation

LEFT_OUT = (
    ".git",
    ".venv*",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "build",
    "dist",
    "node_modules",
)
"""What a checkout has besides its files."""


FINDER = "_tileir_checkout.py"
"""What an editable install finds its checkout by; hatch_build.py writes it."""


class Overlay:
    """The copy of `tree` at `root`, made anew."""

    def __init__(self, tree: Path, root: Path) -> None:
        self.tree, self.root = tree.resolve(), root.absolute()
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(tree, root, ignore=shutil.ignore_patterns(*LEFT_OUT))
        self._environment()
        for folder in (*LAYERS, "fixtures"):
            compileall.compile_dir(root / folder, quiet=2)

    @property
    def python(self) -> Path:
        """The interpreter that imports this copy."""
        return self.root / ".venv" / "bin" / "python"

    def _environment(self) -> None:
        """The environment of this very process, with the copy in place of its tree."""
        prefix, target = Path(sys.prefix), self.root / ".venv"
        shutil.copytree(prefix, target, symlinks=True, copy_function=_link)
        home, here = str(prefix.parent).encode(), str(self.root).encode()
        packages = next(target.glob("lib/python*/site-packages"))
        editable = [*packages.glob("*.pth"), *packages.glob(FINDER)]
        for path in (*editable, *(target / "bin").iterdir(), target / "pyvenv.cfg"):
            if not path.is_symlink() and path.is_file() and home in (data := path.read_bytes()):
                path.write_bytes(data.replace(home, here))
        start = "import os; 'COVERAGE_PROCESS_START' in os.environ and "
        (packages / "zz_coverage.pth").write_text(
            f"{start}__import__('coverage').process_startup()\n"
        )

    @contextlib.contextmanager
    def with_fault(self, mutation: Mutation) -> Iterator[tuple[str, str, str]]:
        """The copy with a fault in it for as long as the block lasts: which file, before, after."""
        path = self.root / mutation.path
        source = path.read_text(encoding="utf-8")
        times = path.stat()
        compiled = list(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))
        kept = {each: each.read_bytes() for each in compiled}
        for each in compiled:
            each.unlink()
        changed = mutation.applied(source)
        path.write_text(changed, encoding="utf-8")
        try:
            yield str(path), source, changed
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            for each in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
                each.unlink()
            for each, content in kept.items():
                each.write_bytes(content)


def _link(source: str, target: str) -> None:
    """Copy what names the tree or is rewritten; link the rest, which may be gigabytes."""
    path = Path(source)
    if (
        path.suffix in (".pth", ".cfg")
        or path.name == FINDER
        or path.parent == Path(sys.prefix, "bin")
    ):
        shutil.copy2(source, target)
        return
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
