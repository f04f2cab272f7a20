"""The fake future step by step: small modules that use one thing that is new, and their twins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.formats.small import file
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.enums import ROUNDING_MODE
from tileir.formats.sections import BY_NAME as SECTIONS
from tileir.formats.specialised.rows import pack
from tileir.formats.types import TYPE
from tileir.formats.version import V13_5, Version

from .future import V250_1, V250_2

TEXTS = ("kern", "name", "source.py", "/tileir", "unit")
TYPES = (
    {"variant": "func", "parameters": [2, 4, 5, 8], "results": []},
    {"variant": "i32"},
    {"variant": "tile", "element": 1, "shape": []},
    {"variant": "f32"},
    {"variant": "tile", "element": 3, "shape": []},
    {"variant": "token"},
    {"variant": "tile", "element": 3, "shape": [4]},
    {"variant": "tensor_view", "element": 3, "shape": [8], "strides": [1]},
    {"variant": "partition_view", "tile": [4], "view": 7, "dim_map": [0]},
    {"variant": "i1"},
    {"variant": "tile", "element": 9, "shape": []},
)
INTEGER, FLOAT, ORDER, VIEW = range(4)
"""The parameters, by their value numbers."""

RETURN = {"variant": "return", "result_types": [], "all_operands": []}


def load(**more) -> dict:
    """A load of a tile through the view."""
    slots = {"memory_ordering_semantics": 0, "inbounds": [False], "view": VIEW, "index": [INTEGER]}
    return {"variant": "load_view_tko", "result_types": [6, 5], **slots, **more}


def unary(name: str, **more) -> dict:
    return {"variant": name, "result_types": [4], "source": FLOAT, **more}


def stop(condition: int, *results: int) -> dict:
    return {"variant": "assert", "result_types": [*results], "message": 1, "condition": condition}


def compare(result: int = 10) -> dict:
    slots = {"comparison_predicate": 0, "signedness": 0, "lhs": INTEGER, "rhs": INTEGER}
    return {"variant": "cmpi", "result_types": [result], **slots}


def itof(mode: str) -> dict:
    rounding = ROUNDING_MODE.by_name[mode].value
    head = {"variant": "itof", "result_types": [4], "signedness": 1, "rounding_mode": rounding}
    return {**head, "from": INTEGER}


def hints(value: dict) -> dict:
    inner = {"variant": "Dictionary", "entries": [{"key": 1, "value": value}]}
    return {"variant": "OptimizationHints", "entries": [{"key": 1, "value": inner}]}


def subprogram(**more) -> dict:
    names = {"name": 0, "linkage_name": 0}
    return {"variant": "DISubprogram", "file": 1, "line": 7, **names, "compile_unit": 2,
            "scope_line": 7, **more}  # fmt: skip


def records(version: Version, more: Mapping) -> dict[str, object]:
    """The sections of a kernel, as named records without flag words or tags."""
    listed = {"entries": [Slice(0, text.encode()) for text in TEXTS]}
    nothing = {"variant": "OptimizationHints", "entries": []}
    entry = {"name": 0, "signature": 0, "flags": 2, "location": int("debug" in more)}
    entry["hints"] = more.get("hints", nothing)
    entry["argument_attributes"] = {"variant": "Array", "elements": []}
    entry["body"] = [*more.get("body", ()), RETURN]
    made = {
        "String": listed,
        "Type": {"entries": [dict(record) for record in (*TYPES, *more.get("types", ()))]},
        "Constant": {"entries": [Slice(0, bytes(16))]},
        "Func": [entry],
    }
    if "globals" in more:
        made["Global"] = [{"visibility": 0, "constant": 0, **g} for g in more["globals"]]
    if "debug" in more:
        made["Debug"] = _debug(more["debug"])
    if "notes" in more:
        made["Notes"] = more["notes"]
    if "producer" in more:
        made["Producer"] = more["producer"]
    return made


def _debug(extra: list[dict]) -> dict:
    first = [
        {"variant": "DIFile", "name": 2, "directory": 3},
        {"variant": "DICompileUnit", "file": 1},
        *[{"flags": 0, **record} for record in extra],
        {"variant": "DILoc", "scope": 3, "filename": 2, "line": 8, "column": 1},
    ]
    lists = {"starts": {"elements": [0]}, "indices": {"elements": [4, 4]}}
    return {**lists, "records": {"entries": first}}


def tags(made: Mapping) -> list[int]:
    return [TYPE.by_name[record["variant"]].tag for record in made["Type"]["entries"]]


def written(version: Version, more: Mapping, reference: bool) -> bytes:
    """A file, its sections built by one of the codecs."""
    made = records(version, more)
    parts = []
    for name, record in sorted(made.items(), key=lambda item: SECTIONS[item[0]].rank):
        kind = SECTIONS[name]
        if reference:
            payload = codec.build_named(name, record, version, tags(made))
        else:
            packed = pack(kind.payload, record, version)
            payload = codec.build_section(name, packed, version, tags(made))
        parts.append((kind.number, kind.alignment, payload))
    return file(*parts, version=version)


def module(version: Version, more: Mapping) -> bytes:
    """A file that both codecs write alike."""
    data = written(version, more, reference=True)
    assert data == written(version, more, reference=False)
    return data


@dataclass(frozen=True)
class Step:
    """One way to evolve: the same thing in versions before and from `since` on.

    `new` and `old` are what a module has besides the plain one, by section; an old version says
    `old`, and `new` is what it lacks: `lacks` spells it. `shown` is a part of the dump of `new`.
    `default` is what the old form means: the slot of the first op and its value; `spelled` is the
    old form in a new version, where that says more. `kind` is that of the error when an old file
    has the new bytes.
    """

    name: str
    new: Mapping
    lacks: str
    shown: str
    old: Mapping = field(default_factory=dict)
    since: Version = V250_1
    default: tuple[str, object] | None = None
    spelled: Mapping | None = None
    kind: str = ""


FULL = {"body": [unary("sin", rounding_mode=ROUNDING_MODE.by_name["full"].value)]}
NO_WORD = {"body": [unary("cos")]}
NO_BITS = {"body": [load(memory_scope=1, token=ORDER)]}

STEPS = [
    Step(
        "new op",
        {"body": [unary("twist")]},
        "twist needs 250.1",
        "twist %1",
        kind="not_available",
    ),
    Step(
        "required attribute with a default",
        {"body": [unary("sin", rounding_mode=4)]},
        "sin rounding_mode needs 250.1",
        "4 approx",
        old={"body": [unary("sin")]},
        default=("rounding_mode", "full"),
        spelled=FULL,
    ),
    Step(
        "required attribute whose value is 0",
        {"body": [unary("sin", rounding_mode=0)]},
        "sin rounding_mode needs 250.1",
        "0 nearest_even",
        old={"body": [unary("sin")]},
        spelled=FULL,
    ),
    Step(
        "optional attribute, and the flag word with it",
        {"body": [unary("cos", degree=9)]},
        "cos degree needs 250.1",
        "0x1 degree",
        old=NO_WORD,
        default=("degree", None),
    ),
    Step(
        "unit flag that comes second and is declared first",
        {"body": [unary("cos", exact=True)]},
        "cos exact needs 250.2",
        "0x2 exact",
        old=NO_WORD,
        since=V250_2,
        default=("exact", False),
    ),
    Step(
        "unit flag behind older operands",
        {"body": [load(streaming=True, memory_scope=1, token=ORDER)]},
        "load_view_tko streaming needs 250.1",
        "memory_scope token streaming",
        old=NO_BITS,
        default=("streaming", False),
    ),
    Step(
        "optional operand",
        {"body": [load(guard=ORDER, memory_scope=1, token=ORDER)]},
        "load_view_tko guard needs 250.1",
        "memory_scope token guard",
        old=NO_BITS,
        default=("guard", None),
    ),
    Step(
        "attribute declared before all others",
        {"body": [load(urgency=3, memory_scope=1, token=ORDER)]},
        "load_view_tko urgency needs 250.2",
        "memory_scope token urgency",
        old=NO_BITS,
        since=V250_2,
        default=("urgency", None),
    ),
    Step(
        "result",
        {"body": [compare(), stop(4, 5), {"variant": "join_tokens", "result_types": [5],
                                          "all_operands": [ORDER, 5]}]},
        "assert result_token needs 250.1",
        "%5 = assert %4",
        old={"body": [compare(), stop(4), compare(), stop(5)]},
        spelled={"body": [compare(), stop(4, 5), compare(), stop(6, 5)]},
    ),
    Step(
        "enum case",
        {"body": [itof("nearest_even"), {"variant": "itof", "result_types": [4], "signedness": 1,
                                         "rounding_mode": 8, "from": INTEGER}]},
        "itof rounding_mode stochastic needs 250.1",
        "8 stochastic",
        kind="not_available",
    ),
    Step(
        "element type",
        {"types": [{"variant": "i2"}, {"variant": "tile", "element": 11, "shape": []}],
         "body": [compare(12)]},
        "i2 needs 250.1",
        "tile<i2>",
        kind="not_available",
    ),
    Step(
        "field of a type behind a flag",
        {"types": [{"variant": "ptr", "pointee": 3, "space": 5},
                   {"variant": "tile", "element": 11, "shape": []}], "body": [compare(12)]},
        "ptr space needs 250.1",
        "0x2 space",
        old={"types": [{"variant": "ptr", "pointee": 3}]},
        kind="bad_value",
    ),
    Step(
        "layout of a record",
        {"globals": [{"name": 1, "type": 6, "value": 0, "alignment": 16}]},
        "",
        "10 00 00 00",
        old={"globals": [{"name": 1, "type": 6, "value": 0, "alignment": 16}]},
    ),
    Step(
        "attribute kind",
        {"hints": hints({"variant": "Interval", "low": -4, "high": 3})},
        "entry Interval needs 250.1",
        "14 Interval",
        kind="not_available",
    ),
    Step(
        "field of a debug record",
        {"debug": [subprogram(column=77)]},
        "DISubprogram column needs 250.1",
        "column",
        old={"debug": [subprogram()]},
        spelled={"debug": [subprogram(column=0)]},
    ),
    Step("section", {"notes": {"notes": [0, 1]}}, "Notes section needs 250.1", "Notes section"),
]  # fmt: skip


def versions_with(step: Step) -> list[Version]:
    return [version for version in (V250_1, V250_2) if version >= step.since]


def versions_without(step: Step) -> list[Version]:
    return [version for version in (V13_5, V250_1) if version < step.since]
