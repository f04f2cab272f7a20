"""A baseline: what kernels took when it was written, as a ratchet that may only get better.

The file is JSON, sorted, one figure a line, so that a change of it can be read in a review:
`schema` (1), `tools` (tool -> its release) and `kernels`: a key such as "a.tileirbc: matmul sm_90"
-> figure -> number, with the file as seen from the folder of the baseline. Kernels that tileiras
compiled have keys of their own: "a.tileirbc: matmul sm_90 tileiras".
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileir.errors import PackageError
from tileir.launch.stored_values import conforms

from .kernel_resources import KernelResources
from .of_kernels import OURS

SCHEMA = 1
FIGURES: Mapping[str, str] = {
    "registers": "registers of a thread",
    "shared": "bytes of shared memory",
    "spill_stores": "bytes spilled by stores",
    "spill_loads": "bytes spilled by loads",
    "stack": "bytes of stack",
    "barriers": "barriers",
    "code_bytes": "bytes of code",
    "resident_warps": "resident warps of an SM",
}
"""Figure -> what it counts."""
MORE_IS_BETTER = frozenset({"resident_warps"})

Figures = dict[str, int]
"""Figure -> its number, for those that are known."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a file of a baseline has: kernel -> figures, and the releases of the tools."""

    kernels: Mapping[str, Figures]
    tools: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of a kernel that has changed; `worse` or better."""

    key: str
    figure: str
    before: int
    after: int

    @property
    def worse(self) -> bool:
        """Whether that is what a ratchet forbids."""
        return (self.after < self.before) == (self.figure in MORE_IS_BETTER)

    def __str__(self) -> str:
        grown = f"{self.before:,} -> {self.after:,} ({self.after - self.before:+,})"
        return f"{self.key}: {FIGURES[self.figure]} {grown}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Kernels beside a baseline: what changed, and which kernels only one of them has."""

    changes: tuple[Change, ...]
    new: tuple[str, ...]
    absent: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is worse, and no kernel is missing from the baseline."""
        return not self.new and not any(change.worse for change in self.changes)


def key_of(file: str, kernel: KernelResources) -> str:
    """Return the key of a file's kernel in a baseline."""
    parts = [f"{file}:", kernel.kernel, kernel.target]
    return " ".join(parts if kernel.compiler == OURS else [*parts, kernel.compiler])


def file_in(baseline: str, path: str) -> str:
    """Return the name of a file in the keys of the baseline at a path: as seen from its folder.

    So it is the same wherever the command runs. Standard input, "-", has that name.
    """
    if path == "-":
        return path
    try:
        return Path(os.path.relpath(path, Path(baseline).parent)).as_posix()
    except ValueError:  # on another drive of Windows
        return Path(path).absolute().as_posix()


def figures_of(kernel: KernelResources) -> Figures:
    """Return the figures of a kernel that are known."""
    warps = kernel.occupancy.warps if kernel.occupancy else None
    found = {name: warps if name == "resident_warps" else getattr(kernel, name) for name in FIGURES}
    return {name: number for name, number in found.items() if number is not None}


def compare(baseline: Baseline, now: Mapping[str, KernelResources]) -> Comparison:
    """Compare kernels, by their keys, with a baseline.

    A figure that only one of them knows is not compared.
    """
    found = {key: figures_of(kernel) for key, kernel in now.items()}
    changed = tuple(
        change
        for key, figures in found.items()
        for change in changes(key, baseline.kernels.get(key, {}), figures)
    )
    new = tuple(key for key in found if key not in baseline.kernels)
    return Comparison(changed, new, tuple(key for key in baseline.kernels if key not in found))


def changes(key: str, before: Figures, after: Figures) -> Iterator[Change]:
    """Yield the figures of a kernel that differ, of those that both sides know."""
    for name in FIGURES:
        if name in before and name in after and before[name] != after[name]:
            yield Change(key, name, before[name], after[name])


def to_bytes(
    now: Mapping[str, KernelResources], tools: Mapping[str, str], before: Baseline | None = None
) -> bytes:
    """Serialise kernels, by their keys, as a baseline, beside the others of the one `before`.

    `from_bytes` reads it.
    """
    others = {} if before is None else before.kernels
    tree = {
        "schema": SCHEMA,
        "tools": dict(tools),
        "kernels": {**others, **{key: figures_of(kernel) for key, kernel in now.items()}},
    }
    return (json.dumps(tree, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode(
        "utf-8", "surrogatepass"
    )


def from_bytes(data: bytes) -> Baseline:
    """Read what `to_bytes` wrote; PackageError for anything else."""
    try:
        tree: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise PackageError("it is no baseline: not JSON") from None
    if not isinstance(tree, dict) or tree.get("schema") != SCHEMA:
        raise PackageError(f"it is no baseline of schema {SCHEMA}")
    if not conforms(tree, {"schema": int, "tools": _are_texts, "kernels": are_figures}):
        raise PackageError("it is no baseline: its tools or kernels are not as one is written")
    return Baseline(tree["kernels"], tree["tools"])


def _are_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def are_figures(value: object) -> bool:
    """Whether a value that JSON held has figures by kernel: numbers from 0 on."""
    return isinstance(value, dict) and all(
        isinstance(figures, dict) and all(conforms(number, int) for number in figures.values())
        for figures in value.values()
    )
