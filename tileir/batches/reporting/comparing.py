"""A manifest beside an earlier one: what fails anew, which figures are worse, and what is better.

Jobs are the same that do the same with a file of the same name, whatever is in the file: so this is
what a change did to a set of modules. A failure is new if the job was well before, failed in
another way, or is not in the earlier manifest. Figures are those that `tileir resources` has, of
the records that know them (`resources`, and `compile --set`); times are not compared, as no two
runs of a machine take the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

from tileir.batches.manifest import job_of
from tileir.batches.records import Record
from tileir.command_line.exit_codes import UsageError
from tileir.messages.texts import display, printable
from tileir.resources.baseline import FIGURES, Change, Figures, are_figures, changes

from .kinds import in_words
from .summary import about, title


class _Known(NamedTuple):
    """What is kept of a job of the earlier manifest."""

    failure: str | None
    figures: Mapping[str, Figures]


@dataclass
class Comparison:
    """What differs from the earlier manifest.

    new       jobs that fail, and did not fail so: each with its failure, message, and `before`, its
              failure in the earlier manifest (null where it was well or is not there)
    mended    jobs that failed and are well
    worse, better   figures of kernels
    compared  how many jobs both manifests have
    added, absent   how many jobs only the later, or only the earlier one has
    """

    new: list[dict[str, Any]] = field(default_factory=list)
    mended: list[dict[str, Any]] = field(default_factory=list)
    worse: list[tuple[dict[str, Any], Change]] = field(default_factory=list)
    better: list[tuple[dict[str, Any], Change]] = field(default_factory=list)
    compared: int = 0
    added: int = 0
    absent: int = 0

    @property
    def holds(self) -> bool:
        """Whether jobs were compared, nothing fails anew and no figure is worse."""
        return self.compared > 0 and not self.new and not self.worse

    def as_json(self) -> dict[str, Any]:
        """Return all of it as an object."""
        return {
            "holds": self.holds,
            "compared": self.compared,
            "added": self.added,
            "absent": self.absent,
            "new_failures": self.new,
            "mended": self.mended,
            "worse": [_as_json(*each) for each in self.worse],
            "better": [_as_json(*each) for each in self.better],
        }


def compare(before: Iterable[Record], now: Iterable[Record]) -> Comparison:
    """Compare the records of two manifests."""
    known = {_hash(each): _Known(each["failure"], _figures(each)) for each in before}
    made = Comparison()
    for record in now:
        job, old = about(record), known.pop(_hash(record), None)
        if old is None:
            made.added += 1
        else:
            made.compared += 1
        if not record["ok"]:
            if old is None or in_words(old.failure or "") != in_words(record["failure"]):
                told = {name: record[name] for name in ("failure", "message")}
                made.new.append({**job, **told, "before": old and old.failure})
            continue
        if old is None:
            continue
        if old.failure is not None:
            made.mended.append({**job, "before": old.failure})
        for kernel, figures in _figures(record).items():
            for change in changes(kernel, old.figures.get(kernel, {}), figures):
                (made.worse if change.worse else made.better).append((job, change))
    made.absent = len(known)
    return made


def changed(job: dict[str, Any], change: Change) -> str:
    """Return a figure that has changed in words."""
    return printable(f"{title(job)}: {change}")


def _as_json(job: dict[str, Any], change: Change) -> dict[str, Any]:
    return {
        **job,
        "kernel": change.key,
        "figure": change.figure,
        "before": change.before,
        "after": change.after,
    }


def _figures(record: Record) -> dict[str, Figures]:
    """Return the figures of each kernel that a record knows, by its name."""
    result = record["result"]
    if not isinstance(result, dict):
        return {}
    kernels = result.get("resources" if record["verb"] == "compile" else "kernels")
    if not isinstance(kernels, list):
        return {}
    with suppress(KeyError, TypeError):
        found = {each["kernel"]: _of_kernel(each) for each in kernels}
        if are_figures(found):
            return found
    raise UsageError(
        f"{display(record['file'])}: its result in the manifest is not that of"
        f" tileir batch {record['verb']}"
    )


def _of_kernel(kernel: Mapping[str, Any]) -> Figures:
    """Return the figures that are known of a kernel, as `tileir resources --json` has it."""
    occupancy = kernel["occupancy"]
    found = {
        **kernel,
        "shared": kernel["static_shared"] + kernel["dynamic_shared"],
        "resident_warps": occupancy and occupancy["warps"],
    }
    return {name: found[name] for name in FIGURES if found[name] is not None}


def _hash(record: Record) -> bytes:
    data = "\0".join(job_of(record)).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).digest()
