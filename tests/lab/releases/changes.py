"""The facts of two releases compared: what came, what went, and what is another now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.corpus import ROOT

from .index import Release

LONGEST_S = 600
"""Seconds after which a release counts as one that never ends."""


class Change(NamedTuple):
    """A fact that differs: None is one that a release does not have."""

    joint: str
    fact: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.joint}: new: {self.fact}: {self.after}"
        if self.after is None:
            return f"{self.joint}: gone: {self.fact}: {self.before}"
        return f"{self.joint}: changed: {self.fact}: {self.before} -> {self.after}"


def told(package: str, folder: Path | None) -> dict[str, dict[str, str]]:
    """Return the facts of a release in a folder, or of the installed one, from a process."""
    paths = [str(folder), str(ROOT)] if folder else [str(ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "tests.lab.releases.facts", package]
    try:
        done = subprocess.run(
            [*command, *([str(folder)] if folder else [])],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"all": {"error": f"it takes more than {LONGEST_S} s"}}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        said = done.stderr.splitlines()
        return {"all": {"error": said[-1] if said else f"exit code {done.returncode}"}}
    return json.loads(lines[-1])


@cache
def here(package: str) -> dict[str, dict[str, str]]:
    """Return the facts of the installed release."""
    return told(package, None)


def changes(release: Release) -> list[Change]:
    """Return what differs in a release from the installed one."""
    return list(compared(here(release.package), told(release.package, release.folder)))


def compared(
    before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]
) -> Iterator[Change]:
    """Yield the facts that differ, joint by joint."""
    for joint in dict.fromkeys([*before, *after]):
        old, new = before.get(joint, {}), after.get(joint, {})
        for fact in dict.fromkeys([*old, *new]):
            if old.get(fact) != new.get(fact):
                yield Change(joint, fact, old.get(fact), new.get(fact))
