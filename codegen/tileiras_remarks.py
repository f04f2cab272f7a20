"""Fold the remarks of `tileiras --remarks` to ours: the same topics, outcomes and ids of reasons.

`--remark-format=yaml` writes a stream of YAML documents as LLVM does. tileiras 13.5 repeats a
reason for every layout that it tries, a thousand times and more; folded, each is told once. What a
remark is about follows from its `Name`, its reasons from their words; both tables were found in
what tileiras 13.5.37 writes and in the names that it contains. A name that is not there keeps its
words under the topic `other`. What our own launcher writes in the place of tileiras has topics for
names, and says what to change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from tileir.errors import TileIRError
from tileir.formats.forks import not_forking
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram
from tileir.messages.missing_packages import needing
from tileir.messages.texts import display

from .nvptx.advice import ADVICE
from .remarks import Outcome, Remark, Topic

LARGEST = 64 << 20
"""Most bytes of a file that is read."""
DEEPEST = 8
"""Most collections in one another; remarks have three."""
STARTS = b"--- !"
"""How a file of remarks starts."""
STAGE = "tileiras"
OUR_PASS = "tileir"
"""The pass that `tileir.tileiras.remarks` names."""

_OUTCOMES = {
    "!Passed": Outcome.PASSED,
    "!Missed": Outcome.MISSED,
    "!Failure": Outcome.MISSED,
    "!Analysis": Outcome.ANALYSIS,
}
"""Tag of a document -> outcome; of any other one, `analysis`."""

_TOPICS = {
    "RegisterPressure": Topic.REGISTERS,
    "RemarkHint": Topic.HINTS,
    "RemarkHintDefault": Topic.HINTS,
    "RemarkHintOutOfRange": Topic.HINTS,
    "RemarkLoopFullUnroll": Topic.UNROLLING,
    "RemarkLoopPartialUnroll": Topic.UNROLLING,
    "RemarkLoopPipeline": Topic.RINGS,
    "RemarkLoopUnrollDisabled": Topic.UNROLLING,
    "RemarkMemoryLoadInstructionSelected": Topic.TENSOR_COPIES,
    "RemarkMemorySmemAllocated": Topic.OCCUPANCY,
    "RemarkMemorySmemBreakdown": Topic.OCCUPANCY,
    "RemarkMemoryStoreInstructionSelected": Topic.TENSOR_COPIES,
    "RemarkMemoryTmaLoadFailed": Topic.TENSOR_COPIES,
    "RemarkMemoryTmaStoreFailed": Topic.TENSOR_COPIES,
    "RemarkPTXAS": Topic.REGISTERS,
    "RemarkPerfLocalMemoryUsage": Topic.REGISTERS,
    "RemarkPerfRegisterSpill": Topic.REGISTERS,
    "RemarkSyncClean": Topic.CHECKS,
    "RemarkSyncLoopArriveUnverified": Topic.CHECKS,
    "RemarkSyncViolation": Topic.CHECKS,
    "RemarkSyncWarning": Topic.CHECKS,
    "RemarkTensorCoreMMA": Topic.TENSOR_CORES,
    "RemarkTensorViewIndexTypeNarrowing": Topic.INDICES,
}
"""Name of a remark -> its topic."""


class _Words(NamedTuple):
    """Words in a reason, or in a remark without reasons, and the id of a reason of ours."""

    words: str
    id: str


_REASONS = (
    _Words("base pointer not 16-byte aligned", "base"),
    _Words("contiguous striding not 16-byte aligned", "no_unit_stride"),
    _Words("stride not 16-byte aligned", "stride"),
    _Words("contiguous tensor extent not 16-byte aligned", "unfit_size"),
    _Words("leading tile dimension not 16-byte aligned", "short_rows"),
    _Words("unsupported element type for TMA", "no_map_element"),
    _Words("padding", "padding"),
    _Words("coordinate limits exceeded", "large_coordinates"),
    _Words("memory semantic must be weak", "ordered"),
    _Words("Could not narrow tensor_view indexing", "long_offsets"),
    _Words("using FMA instructions instead", "no_atom"),
    _Words("register usage exceeds", "spilled"),
    _Words("detected register spills", "spilled"),
    _Words("detected local memory usage", "spilled"),
)
"""The first row whose words are in a reason is that of its id."""

_PLACE = re.compile(r"^loc\(.*?\): ", re.DOTALL)
"""What stands before a reason, up to its first colon behind a parenthesis: a location, which is
nearly that of the remark."""


def fold(data: bytes, name: str = "remarks") -> list[Remark]:
    """Return the remarks in a file of tileiras, each once; TileIRError if it is none.

    `name` is that of the file, for messages. Remarks that say the same of the same place are one,
    and `facts` has how often it was said, as `times`.
    """
    if len(data) > LARGEST:
        raise TileIRError(f"{name}: {len(data)} bytes are too many for remarks; {LARGEST} are read")
    found: Counter[_Key] = Counter()
    for tag, document in _documents(data, name):
        for key in _keys(tag, document):
            found[key] += 1
    return [_remark(key, times) for key, times in found.items()]


class _Key(NamedTuple):
    """What makes a remark another one."""

    function: str
    file: str
    line: int
    column: int
    outcome: Outcome
    topic: Topic
    what: str
    reason: str
    name: str
    change: str


def _keys(tag: str, document: Mapping[str, Any]) -> Iterator[_Key]:
    """Yield what a document says, once for each of its reasons."""
    named = _text(document.get("Name"))
    place = document.get("DebugLoc")
    place = place if isinstance(place, dict) else {}
    arguments = document.get("Args")
    pairs = [
        (key, _text(value))
        for each in (arguments if isinstance(arguments, list) else [])
        if isinstance(each, dict)
        for key, value in each.items()
    ]
    said = [value for key, value in pairs if key == "Remark"]
    with_what = [value for key, value in pairs if key in ("Instruction", "Shape")]
    what = " ".join([*said, *([f"({', '.join(with_what)})"] if with_what else [])]) or named
    change = next((value for key, value in pairs if key == "Change"), "")
    reasons = [_PLACE.sub("", value) for key, value in pairs if key == "Reason"]
    for reason in reasons or [""]:
        yield _Key(
            _text(document.get("Function")),
            _text(place.get("File")),
            _number(place.get("Line")),
            _number(place.get("Column")),
            _OUTCOMES.get(tag, Outcome.ANALYSIS),
            _topic(document, named),
            what,
            reason,
            named,
            change,
        )


def _topic(document: Mapping[str, Any], named: str) -> Topic:
    """Return what a remark is about; the names of ours are topics."""
    if document.get("Pass") == OUR_PASS and named in {*Topic}:
        return Topic(named)
    return _TOPICS.get(named, Topic.OTHER)


def _remark(key: _Key, times: int) -> Remark:
    words = key.reason or key.what
    ids = tuple(row.id for row in _REASONS if row.words in words)[:1]
    advice = [ADVICE[each] for each in ids if each in ADVICE]
    source = None
    if key.line > 0:
        path = PurePosixPath(key.file)
        file = File(path.name, str(path.parent))
        scope = Subprogram(file, 0, key.function, key.function, CompileUnit(file), 0)
        source = SourceLocation(scope, key.file, key.line, key.column)
    return Remark(
        STAGE,
        key.function,
        None,
        key.what,
        key.reason,
        {"reasons": ids, "name": key.name, "times": times},
        key.topic,
        key.outcome,
        key.change or (advice[0] if advice and key.outcome is Outcome.MISSED else ""),
        source,
    )


def _documents(data: bytes, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the documents of a YAML stream with their tags: collections and texts alone.

    Nothing else is constructed, and aliases, with which a small file could mean a large one, are
    refused, so a hostile file costs its size.
    """
    with not_forking, needing(["yaml"], "reading remarks"):
        import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    open_: list[tuple[Any, list[Any]]] = []
    tag = ""
    try:
        for event in yaml.parse(data, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                raise _unreadable(name, event, "an alias, which remarks never have")
            if isinstance(event, yaml.CollectionStartEvent):
                if len(open_) == DEEPEST:
                    raise _unreadable(
                        name, event, f"more than {DEEPEST} collections in one another"
                    )
                if not open_:
                    tag = event.tag or ""
                open_.append((event, []))
                continue
            if isinstance(event, yaml.ScalarEvent):
                value: Any = event.value
            elif isinstance(event, yaml.CollectionEndEvent):
                start, items = open_.pop()
                mapping = isinstance(start, yaml.MappingStartEvent)
                value = _mapping(items) if mapping else items
            else:
                continue
            if open_:
                open_[-1][1].append(value)
            elif isinstance(value, dict):
                yield tag, value
            else:
                raise _unreadable(name, event, "a document that is no remark")
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise TileIRError(f"{name} is not the YAML of remarks: {display(said)}") from None


def _mapping(items: list[Any]) -> dict[str, Any]:
    """Return keys and values as a mapping; keys that are collections are left out."""
    pairs = zip(items[::2], items[1::2], strict=True)
    return {key: value for key, value in pairs if isinstance(key, str)}


def _unreadable(name: str, event: Any, what: str) -> TileIRError:
    return TileIRError(f"{name}:{event.start_mark.line + 1}: {what}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int:
    """Return a line or column; 0 if it is none."""
    text = _text(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
