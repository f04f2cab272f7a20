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
          where every worker was lost that had it; of diff, ``different``, and ``gone`` for a module
          that only the other folder has
message   what went wrong, or null
result    what the verb found; of verify, what `tileir verify --json` says of a file
files     how the name of each file that was made ends -> its bytes and sha256
warnings  a list of texts
seconds   how long it took, null if that is not known
limits    seconds and memory, of ``time`` and ``memory`` alone
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from tileir.launch.stored_values import Form, conforms

from .jobs import Limits, Work
from .protocol import Response

SCHEMA = 1
Record = dict[str, Any]

_PASSING = {"start", "lost", "OSError", "ToolError", "MissingPackageError", "DeviceError"}
"""Failures of what is around a module: they are tried again by the next batch."""
_LIMITED = ("time", "memory")

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_amount_or_none(value: object) -> bool:
    """Whether a value is null or a number from 0 on that is finite, as times and bytes are."""
    return value is None or (isinstance(value, int | float) and 0 <= value < 1 << 63)


def _is_exit_code(value: object) -> bool:
    return type(value) is int and 0 <= value < 256


_FORMS: dict[str, Form] = {
    "file": str,
    "verb": str,
    "target": _is_text_or_none,
    "options": lambda value: isinstance(value, dict),
    "key": _is_text_or_none,
    "ok": bool,
    "code": _is_exit_code,
    "failure": _is_text_or_none,
    "message": _is_text_or_none,
    "files": lambda value: isinstance(value, dict),
    "warnings": [str],
    "seconds": _is_amount_or_none,
}
"""Key -> the form of what is there; `result` is what each verb makes it."""
_FILE_FORMS: dict[str, Form] = {"bytes": int, "sha256": str}
_LIMIT_FORMS = dict.fromkeys(Limits._fields, _is_amount_or_none)


class Result(NamedTuple):
    """What came of a job: its record, and the bytes of the files that were asked for, by the ends
    of their names."""

    record: Record
    files: dict[str, bytes]


def result_of(
    work: Work, limits: Limits, file: str, target: str | None, key: str | None, response: Response
) -> Result:
    """Return the result of a job that was completed."""
    record: Record = {
        "schema": SCHEMA,
        "file": file,
        "verb": work.verb,
        "target": target,
        "options": dict(work.options),
        "key": key,
        "ok": not response.failure,
        "code": response.code,
        "failure": response.failure or None,
        "message": response.message or None,
        "result": response.result,
        "files": {
            end: {"bytes": each.size, "sha256": each.sha256} for end, each in response.files.items()
        },
        "warnings": list(response.warnings),
        "seconds": response.seconds,
    }
    if response.failure in _LIMITED:
        record["limits"] = limits._asdict()
    files = {end: each.data for end, each in response.files.items() if each.data is not None}
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


def is_record(value: Any) -> TypeGuard[Record]:
    """Whether a value that JSON held has the keys of a record, with what is written there."""
    if not _has(value, _FORMS) or value["ok"] != (value["failure"] is None):
        return False
    if not all(_has(each, _FILE_FORMS) for each in value["files"].values()):
        return False
    return value["failure"] not in _LIMITED or _has(value.get("limits"), _LIMIT_FORMS)


def _has(value: object, forms: Mapping[str, Form]) -> bool:
    return isinstance(value, dict) and all(
        key in value and conforms(value[key], form) for key, form in forms.items()
    )


def line_of(record: Record) -> bytes:
    """Return a record as a line of a manifest."""
    return _ENCODER.encode(record).encode("ascii") + b"\n"


START = b'{"schema":%d,"file":"' % SCHEMA
"""How each line begins, and no other JSON of tileir."""
