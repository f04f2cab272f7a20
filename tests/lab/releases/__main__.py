"""`python -m tests.lab.releases`: what changed in the newest releases of what tileir stands on."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .changes import changes
from .facts import JOINTS
from .index import NotFoundError, fetch

EXAMPLES = """\
Each package is installed into a folder that is thrown away, and looked at by a process of its own;
what is installed here stays as it is, and is what the release is compared with. The joints:
  cuda-tile             bytecode versions, ops, encodings, hooks (of tileir.cutile), sample
  nvidia-cuda-tileiras  bytecode versions, ops, GPUs, sample
  llvmlite              LLVM, PTX, CPU

examples:
  python -m tests.lab.releases                          all three, some minutes
  python -m tests.lab.releases cuda-tile                one of them
  python -m tests.lab.releases --index https://.../simple
  python -m tests.lab.releases --index FOLDER           wheels in a folder
  python -m tests.lab.releases --json | jq .packages

Exit code: 0 nothing changed, 1 something did, 2 wrong use, 5 the index has no such package.
"""
CHANGED, OUTSIDE = 1, 5


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    given = _parser().parse_args(arguments)
    rows = []
    for package in dict.fromkeys(given.packages or JOINTS):
        with tempfile.TemporaryDirectory() as folder:
            try:
                release = fetch(package, Path(folder), given.index)
            except NotFoundError as error:
                print(error, file=sys.stderr)
                return OUTSIDE
            found = changes(release)
        rows.append((release, found))
        if not given.json:
            tested = _installed(package)
            print(f"{package} {release.version} (here: {tested}): {len(found) or 'no'} changes")
            for change in found:
                print(f"  {change}")
    if given.json:
        listed = [
            {
                "package": release.package,
                "version": release.version,
                "here": _installed(release.package),
                "changes": [change._asdict() for change in found],
            }
            for release, found in rows
        ]
        print(json.dumps({"schema": 1, "packages": listed}))
    return CHANGED if any(found for _, found in rows) else 0


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.releases",
        description="Say what changed in the newest releases of what tileir stands on.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("packages", nargs="*", choices=[*JOINTS, []], metavar="PACKAGE")
    parser.add_argument("--index", metavar="URL", help="a package index, or a folder of wheels")
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
