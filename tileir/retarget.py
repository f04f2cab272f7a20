"""The same module in another version of the format.

Works on records, not on meaning: every index stays what it is, and what nothing refers to comes
along. A field that only one of the versions has stands for its default in the other; whatever the
target cannot say is collected, all of it, and refused. The one change that is more than layout is
a result that a version adds (the token of print_tko in 13.2): it shifts the numbers of the values
behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from construct import Construct, Container, Renamed

from tileir.formats import codec
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.cursor import Slice
from tileir.formats.functions import FUNCTION, HINTS
from tileir.formats.leaves import EnumValue, FlagWord, Index
from tileir.formats.nodes import (
    Counted,
    Flag,
    If,
    Malformed,
    Record,
    Since,
    Sized,
    UntilEnd,
    Variant,
    Versioned,
)
from tileir.formats.ops import BY_NAME as OPS
from tileir.formats.ops.spec import TOKEN, Each, Result
from tileir.formats.ops.wire import BLOCK, OP, Regions, Repeat
from tileir.formats.sections import BY_NAME as SECTIONS
from tileir.formats.table import Table
from tileir.formats.types import TYPE
from tileir.formats.version import V13_5, Version

from .errors import BuildError


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a version lacks.

    owner     the op, type, attribute or section that has it, by name
    slot      the slot, flag or enum case; empty when it is the owner as a whole
    since     the first version that has it
    function  name of the kernel it is used in, empty outside
    """

    owner: str
    slot: str
    since: Version
    function: str = ""

    def __str__(self) -> str:
        what = f"{self.owner} {self.slot}".rstrip()
        return f"{what} needs {self.since}"


class VersionError(BuildError):
    """A module uses what a version does not have. `features` lists all of it."""

    def __init__(self, version: Version, features: Sequence[Feature]) -> None:
        self.version = version
        self.features = tuple(features)
        super().__init__("\n".join([f"version {version} lacks what is used:", *self._lines()]))

    def _lines(self) -> list[str]:
        uses: dict[str, list[str]] = {}
        for feature in self.features:
            uses.setdefault(str(feature), []).append(feature.function)
        lines = []
        for text, functions in uses.items():
            names = [name for name in dict.fromkeys(functions) if name]
            times = f", {len(functions)} times" if len(functions) > 1 else ""
            more = ", ..." if len(names) > 3 else ""
            where = f" (in {', '.join(names[:3])}{more}{times})" if names else ""
            lines.append(f"  {text}{where}")
        return lines


def retarget(bytecode, target: Version) -> bytes:
    """The file's bytes in version `target`. Raises VersionError for what that version lacks."""
    return _Retarget(bytecode, target).run()


@dataclass(frozen=True, slots=True)
class _Lost:
    """In the place of a value number: the result that the target does not have."""

    op: str
    result: Result


class _Retarget:
    """One run: the versions, what was found lacking, and value numbers while inside a function."""

    def __init__(self, bytecode, target: Version) -> None:
        self.bytecode = bytecode
        self.source: Version = bytecode.version
        self.target = target
        self.features: list[Feature] = []
        self.function = ""
        self.numbers: list[int | _Lost] = []
        self.next = 0
        self.types: list[Container] = []
        self.token: int | None = None

    def run(self) -> bytes:
        file = codec.parse_file(self.bytecode.data)
        records = self._records()
        for name, (record, _) in records.items():
            if SECTIONS[name].since > self.target:
                self._lack(f"{name} section", "", SECTIONS[name].since)
            else:
                self._convert(SECTIONS[name].payload, record, {}, name.lower(), "")
        if file["header"]["tag"] and self.target >= V13_5:
            self._lack("header", "a version tag other than 0", V13_5)
        if self.features:
            raise VersionError(self.target, self.features)
        tags = [entry.get("tag") for entry in self.types]
        file["header"]["version"] = self.target
        for section, record in zip(self.bytecode.sections, file["sections"], strict=True):
            if section.active:
                converted, rest = records[section.name]
                payload = codec.build_named(section.name, converted, self.target, tags) + rest
                record["payload"] = Slice(0, payload)
        return codec.build_file(file)

    def _records(self) -> dict[str, tuple[object, bytes]]:
        """Every section that counts as named records, and the bytes behind them; types first."""
        bytecode, found = self.bytecode, {}
        for name in SECTIONS:
            section = next((s for s in bytecode.sections if s.name == name and s.active), None)
            if section is None:
                continue
            record, stop = codec.parse_named(
                bytecode.data, name, section.payload, self.source, bytecode.types.tags
            )
            rest = bytes(bytecode.data[stop : section.payload.offset + section.size])
            found[name] = (record, rest)
        if "Type" in found:
            self.types = found["Type"][0]["entries"]
        return found

    def _lack(self, owner: str, slot: str, since: Version) -> None:
        self.features.append(Feature(owner, slot, since, self.function))

    # Records --------------------------------------------------------------------------------

    def _record(self, node: Record, record: dict, owner: str) -> None:
        announcers = {
            part.field for field in node.subcons for part in _parts(field) if hasattr(part, "field")
        }
        for field in node.subcons:
            value = record.get(field.name)
            if field.name in announcers:  # worked out again from what it announces
                self._announced(field, value, owner)
                record[field.name] = None
            else:
                record[field.name] = self._convert(field, value, record, owner, field.name)

    def _announced(self, field: Renamed, value: int | None, owner: str) -> None:
        """A flag word is worth what its bits announce; one that announces nothing is not known."""
        node = field.subcon
        while isinstance(node, Since):
            node = node.subcon
        if isinstance(node, FlagWord) and (value or 0) >> len(node.names):
            self._lack(owner, f"{field.name} {value:#x}, which has unknown bits,", self.source)

    def _convert(self, node: Construct, value, record: Mapping, owner: str, slot: str):
        """The value in the target's terms; `owner` and `slot` say whose it is."""
        match node:
            case Renamed():
                return self._convert(node.subcon, value, record, owner, slot)
            case Since():
                return self._gated(node, value, record, owner, slot)
            case Versioned():
                layout = node.at(self.target) or node.at(self.source)
                return self._convert(layout, value, record, owner, slot)
            case If():
                if value is None:
                    return None
                return self._convert(node.subcon, value, record, owner, slot)
            case EnumValue():
                case = node.enum.by_value[value]
                if case.since > self.target:
                    self._lack(owner, f"{slot} {case.name}", case.since)
                return value
            case Index() if node.target == "value":
                return self._value(value)
            case Table():
                for entry in value["entries"]:
                    if not isinstance(entry, Malformed):
                        self._convert(node.subcon, entry, record, owner, slot)
                return value
            case Counted() | UntilEnd() | Repeat() | Regions():
                for index, item in enumerate(value):
                    value[index] = self._convert(node.subcon, item, record, owner, slot)
                return value
            case Sized():
                return self._convert(node.subcon, value, record, owner, slot)
            case Variant():
                return self._variant(node, value, owner)
            case Record():
                return self._plain(node, value, owner)
        return value

    def _gated(self, node: Since, value, record: Mapping, owner: str, slot: str):
        """A field that one of the versions may not have."""
        if self.target < node.since:
            if self.source >= node.since and not _is_default(value, node.default, record):
                self._lack(owner, slot, node.since)
            return node.default
        if self.source < node.since and isinstance(node.default, Each):
            return [node.default.value] * len(record[node.default.slot])
        if value is None:
            return None
        return self._convert(node.subcon, value, record, owner, slot)

    def _plain(self, node: Record, record: dict, owner: str) -> dict:
        if node is FUNCTION:
            self._entry(record)
        elif node is BLOCK:
            self._block(record)
        else:
            self._record(node, record, owner)
        return record

    def _variant(self, node: Variant, record: dict, owner: str) -> dict:
        arm = node.by_name[record["variant"]]
        name = owner if node is ATTRIBUTE else arm.name
        if arm.since > self.target:
            self._lack(name, "" if name == arm.name else arm.name, arm.since)
        if node is OP:
            self._op(record)
        else:
            self._record(arm.fields, record, name)
        return record

    # Functions ------------------------------------------------------------------------------

    def _entry(self, record: dict) -> None:
        """A function's entry. From 13.5 on a kernel always has hints and argument attributes."""
        self.function = self.bytecode.strings[record["name"]]
        parameters = self.types[record["signature"]]["parameters"]
        self.numbers = list(range(len(parameters)))
        self.next = len(parameters)
        flags = record["flags"] & ~HINTS
        self._record(FUNCTION, record, "entry")
        hints, given = record["hints"], record["argument_attributes"]
        if self.target >= V13_5:
            record["hints"] = hints or _empty("OptimizationHints", "entries")
            record["argument_attributes"] = given or _empty("Array", "elements")
        else:
            if hints is not None and not hints["entries"]:
                record["hints"] = None
            if given is not None and given.get("elements") != []:
                self._lack("entry", "argument_attributes", V13_5)
            flags |= HINTS if record["hints"] is not None else 0
        record["flags"] = flags
        self.function = ""

    def _op(self, record: dict) -> None:
        spec = OPS[record["variant"]]
        self._record(OP.by_name[spec.mnemonic].fields, record, spec.mnemonic)
        if any(result.since > spec.since for result in spec.results):
            record["result_types"] = self._results(spec.mnemonic, record["result_types"])
        else:
            self._define(len(record["result_types"]))

    def _results(self, op: str, types: list[int]) -> list[int]:
        """Number the results of an op of which one version has more than the other."""
        given, kept = iter(types), []
        for result in OPS[op].results:
            here, there = result.since <= self.source, result.since <= self.target
            if here and there:
                kept.append(next(given))
                self._define(1)
            elif here:
                next(given)
                self.numbers.append(_Lost(op, result))
            elif there:
                kept.append(self._token_type(result))
                self.next += 1
        return kept

    def _token_type(self, result: Result) -> int:
        """The index of the type of a new result; there have only ever been new tokens."""
        if result.type is not TOKEN:
            raise AssertionError(f"what type has a new {result.name}?")
        if self.token is None:
            tags = [entry.get("tag") for entry in self.types]
            arm = TYPE.by_name["token"]
            if arm.tag not in tags:
                tags.append(arm.tag)
                self.types.append(Container(tag=arm.tag, variant=arm.name))
            self.token = tags.index(arm.tag)
        return self.token

    def _define(self, count: int) -> None:
        self.numbers += range(self.next, self.next + count)
        self.next += count

    def _value(self, number: int) -> int:
        found = self.numbers[number]
        if isinstance(found, _Lost):
            self._lack(found.op, found.result.name, found.result.since)
            return number
        return found

    def _block(self, record: dict) -> None:
        outer, following = len(self.numbers), self.next
        self._define(len(record["arguments"]))
        self._record(BLOCK, record, "")
        del self.numbers[outer:]
        self.next = following


def _parts(field: Renamed) -> list[Construct]:
    """The conditions a field is under, looked for through gates."""
    found, nodes = [], [field.subcon]
    while nodes:
        node = nodes.pop()
        if isinstance(node, If | Flag):
            found.append(node)
        if isinstance(node, Versioned):
            nodes += [layout for _, layout in node.layouts if layout is not None]
        elif isinstance(node, If | Since):
            nodes.append(node.subcon)
    return found


def _is_default(value, default, record: Mapping) -> bool:
    if isinstance(default, Each):
        return list(value) == [default.value] * len(record[default.slot])
    return value in (None, default)


def _empty(attribute: str, field: str) -> dict:
    """An attribute that is an empty list."""
    return {"tag": ATTRIBUTE.by_name[attribute].tag, "variant": attribute, field: []}
