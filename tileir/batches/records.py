"""Records: what is said about a job that is done, as an object of JSON's types.

schema    1
file      what the module is called: its path as it was given, with slashes, without what would
          lead above where it starts
verb, target, options   what was done; target is null where there is none
key       hash of the module, all that decided the result, and tileir's own source; null where the
          module could not be read
ok        whether all is well
code      the exit code that the command of the verb would have had
failure   what kind of failure it is, or null: the class of an error such as UnsupportedError;
          ``invalid``; ``OSError`` where a file could not be read; what became of the process that
          worked on it: ``time``, ``memory``, ``crash``, ``answer``, ``start``, ``defect``; ``lost``
          where every worker was lost that had it
message   what went wrong, or null
result    what the verb found; of verify, what `tileir verify --json` says of a file
files     how the name of each file that was made ends -> its bytes and sha256
warnings  a list of texts
seconds   how long it took, null if that is not known
limits    seconds and memory, of ``time`` and ``memory`` alone
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .answers import Answer
from .jobs import Limits, Work

SCHEMA = 1
Record = dict[str, Any]

_PASSING = {"start", "lost", "OSError", "ToolError", "MissingPackageError", "DeviceError"}
"""Failures of what is around a module: they are tried again by the next batch."""
_LIMITED = ("time", "memory")


class Result(NamedTuple):
    """What came of a job: its record, and the bytes of the files that were asked for, by the ends
    of their names."""

    record: Record
    files: dict[str, bytes]


def result_of(
    work: Work, limits: Limits, file: str, target: str | None, key: str | None, answer: Answer
) -> Result:
    """Return the result of a job that was answered."""
    record: Record = {
        "schema": SCHEMA,
        "file": file,
        "verb": work.verb,
        "target": target,
        "options": dict(work.options),
        "key": key,
        "ok": not answer.failure,
        "code": answer.code,
        "failure": answer.failure or None,
        "message": answer.message or None,
        "result": answer.result,
        "files": {
            end: {"bytes": each.size, "sha256": each.sha256} for end, each in answer.files.items()
        },
        "warnings": list(answer.warnings),
        "seconds": answer.seconds,
    }
    if answer.failure in _LIMITED:
        record["limits"] = limits._asdict()
    files = {end: each.data for end, each in answer.files.items() if each.data is not None}
    return Result(record, files)


def is_final(record: Record, limits: Limits) -> bool:
    """Whether a job need not be done again: it would come to the same.

    What was killed at a limit is done again with a higher one.
    """
    failure = record["failure"]
    if record["key"] is None or failure in _PASSING:
        return False
    if failure not in _LIMITED:
        return True
    name = "seconds" if failure == "time" else failure
    before, now = record["limits"][name], getattr(limits, name)
    return before is None or (now is not None and now <= before)


def line_of(record: Record) -> bytes:
    """Return a record as a line of a manifest."""
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


START = b'{"schema":%d,"file":"' % SCHEMA
"""How each line begins, and no other JSON of tileir."""

_TYPES: dict[str, type | tuple[type, ...]] = {
    "file": str,
    "verb": str,
    "target": (str, type(None)),
    "options": dict,
    "key": (str, type(None)),
    "failure": (str, type(None)),
    "files": dict,
}
"""What is read of a record, besides limits -> its types."""


def record_in(line: bytes) -> Record:
    """Return the record in a line; ValueError for a line that is none."""
    if not line.startswith(START):
        raise ValueError
    record = json.loads(line)
    whole = all(isinstance(record.get(name, ...), types) for name, types in _TYPES.items())
    if whole and record["failure"] in _LIMITED:
        limits = record.get("limits")
        whole = isinstance(limits, dict) and all(
            isinstance(limits.get(name, ...), int | float | None) for name in Limits._fields
        )
    if not whole:
        raise ValueError
    return record
