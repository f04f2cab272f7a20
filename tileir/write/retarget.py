"""The conversion of a module to another version of the format.

It works on records, not on the IR: every index stays the same, and unused entries are kept. A field
that only one of the versions has stands for its default in the other; everything that the target
cannot express is collected and refused in one error. One change goes beyond layout: a result that
a version adds (the token of print_tko in 13.2) shifts the numbers of the values after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from construct import Construct, Container, Renamed

from tileir.errors import BuildError, Feature, VersionError
from tileir.formats import codec
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.container import PREVIEW_BIT, TAG_SINCE
from tileir.formats.cursor import Slice, brief
from tileir.formats.functions import (
    ARGUMENT_ATTRIBUTES_SINCE,
    FORM_SINCE,
    FUNCTION,
    HINTS,
    HINTS_SINCE,
    KERNEL,
)
from tileir.formats.leaves import EnumValue, FlagWord, Index, WideInt
from tileir.formats.nodes import (
    Counted,
    Each,
    Flag,
    If,
    Malformed,
    Record,
    Since,
    Sized,
    UntilEnd,
    Variant,
    Versioned,
    at_version,
)
from tileir.formats.ops import BY_NAME as OPS
from tileir.formats.ops.spec import TOKEN, Result
from tileir.formats.ops.wire import BLOCK, OP, Regions, Repeat
from tileir.formats.recursion import deep_recursion
from tileir.formats.sections import BY_NAME as SECTIONS
from tileir.formats.table import Table
from tileir.formats.types import TYPE
from tileir.formats.version import PREVIEW, SUPPORTED, V13_1, Version

LISTED = 100
"""Most oddities that an error lists."""


def retarget(bytecode, target: Version) -> bytes:
    """Return the bytes in version `target` of a module that has been read to the end.

    Raises VersionError, which lists everything that the version lacks.
    """
    with deep_recursion(bytecode.limits):
        return _Retarget(bytecode, target).run()


def check_oddities(before, after) -> None:
    """Raise BuildError if converting a module changed its oddities; the error lists those.

    Oddities are readable but not what a producer writes: overlong varints, padding, gaps in tables,
    entries that cannot be read. Records keep them only while the fields around them stay the same,
    so the oddities noted when reading both files are compared.
    """
    was, now = (_oddities(bytecode.touch()) for bytecode in (before, after))
    changed = sorted(((was - now) + (now - was)).elements())
    if changed:
        lines = [f"  {section}: {path}: {kind}" for kind, section, path in changed[:LISTED]]
        if len(changed) > LISTED:
            lines.append(f"  and {len(changed) - LISTED} more")
        listed = "\n".join(lines)
        raise BuildError(f"version {after.version} cannot keep what is odd in the file:\n{listed}")


def _oddities(bytecode) -> Counter[tuple[str, str, str]]:
    """Count the oddities of a module by kind, section and path; of a long path the end counts."""
    return Counter(
        (odd.kind, odd.section, brief(odd.place)) for odd in bytecode.original.all_oddities()
    )


class _LostResult:
    """Stands for the number of a value that the target lacks: the result of an op."""

    def __init__(self, op: str, result: Result) -> None:
        self.op = op
        self.result = result


class _Retarget:
    """One conversion: the versions, the features that the target lacks, and value numbers.

    `numbers` maps the value numbers of the function being converted to those in the target.
    """

    def __init__(self, bytecode, target: Version) -> None:
        self.bytecode = bytecode
        self.source: Version = bytecode.version
        self.target = target
        self.features: Counter[Feature] = Counter()
        self.function = ""
        self.numbers: list[int | _LostResult] = []
        self.next = 0
        self.types: list[Container] = []
        self.token: int | None = None

    def run(self) -> bytes:
        bytecode, limits = self.bytecode, self.bytecode.limits
        file = codec.parse_file(bytecode.data, assumed=bytecode.original.assumed)
        records = self._records()
        for name, (record, _) in records.items():
            if SECTIONS[name].since > self.target:
                self._lack(f"{name} section", "", SECTIONS[name].since)
            self._convert(SECTIONS[name].payload, record, {}, name.lower(), "")
        if self.source.preview or self.target.preview:
            file["header"]["tag"] = PREVIEW_BIT if self.target.preview else 0
        elif file["header"]["tag"] and self.target >= TAG_SINCE:
            self._lack("header", "tag other than 0", V13_1, _before(TAG_SINCE))
        if self.features:
            raise VersionError(self.target, self._counted())
        tags = [entry.get("tag") for entry in self.types]
        file["header"]["version"] = self.target
        for section, record in zip(bytecode.sections, file["sections"], strict=True):
            if section.active:
                converted, rest = records[section.name]
                payload = codec.build_named(section.name, converted, self.target, tags, limits)
                record["payload"] = Slice(0, payload + rest)
        return codec.build_file(file)

    def _records(self) -> dict[str, tuple[object, bytes]]:
        """Return the named records of each active section, and the bytes after; types first."""
        bytecode, records = self.bytecode, {}
        for name in SECTIONS:
            section = next((s for s in bytecode.sections if s.name == name and s.active), None)
            if section is None:
                continue
            payload, tags, limits = section.payload, bytecode.types.tags, bytecode.limits
            record, stop = codec.parse_named(
                bytecode.data, name, payload, self.source, tags, limits
            )
            records[name] = (record, bytes(bytecode.data[stop : payload.offset + section.size]))
        if "Type" in records:
            self.types = records["Type"][0]["entries"]
        return records

    def _lack(self, owner: str, slot: str, since: Version, until: Version | None = None) -> None:
        self.features[Feature(owner, slot, since, until, self.function)] += 1

    def _counted(self) -> list[Feature]:
        return [
            Feature(f.owner, f.slot, f.since, f.until, f.function, times)
            for f, times in self.features.items()
        ]

    # Records --------------------------------------------------------------------------------

    def _record(self, node: Record, record: dict, owner: str) -> None:
        whole = dict(record)  # as read, with the flag words that announce fields
        announcers = _announcers(node)
        for field in node.subcons:
            value = record.get(field.name)
            if field.name in announcers:
                record[field.name] = self._announced(node, field, whole, owner)
            else:
                record[field.name] = self._convert(field.subcon, value, whole, owner, field.name)

    def _announced(self, node: Record, field: Renamed, whole: Mapping, owner: str):
        """Return a flag word, or the byte before an optional value; None to derive it when writing.

        It is kept where both versions define it alike. Otherwise it must equal the value that
        follows from the fields that it announces.
        """
        value = whole.get(field.name)
        here, there = (at_version(field.subcon, v) for v in (self.source, self.target))
        if here is None or value is None:
            return None
        if here is there and not (isinstance(here, FlagWord) and self._bits_differ(here)):
            return value
        derived = node.announced({**whole, field.name: None}, self.source)[field.name]
        if int(value) == derived:
            return None
        self._lack_oddity(owner, f"unknown bits of {field.name}")
        return value

    def _bits_differ(self, word: FlagWord) -> bool:
        return word.known(self.source) != word.known(self.target)

    def _lack_oddity(self, owner: str, what: str) -> None:
        """Note something without a meaning in any version that only the source can express."""
        newer = self.target > self.source
        self._lack(owner, what, V13_1 if newer else self.source, self.source if newer else None)

    def _convert(self, node: Construct, value, record: Mapping, owner: str, slot: str):
        """Return the value as the target has it; `owner` and `slot` name it in errors."""
        match node:
            case Since():
                return self._gated(node, value, record, owner, slot)
            case Versioned():
                return self._versioned(node, value, record, owner, slot)
            case If():
                if value is None:
                    return None
                return self._convert(node.subcon, value, record, owner, slot)
            case EnumValue():
                case = node.enum.by_value[value]
                if case.since > self.target:
                    self._lack(owner, f"{slot} {case.name}", case.since)
            case Index() if node.target == "value":
                return self._value(value)
            case Table():
                self._table(node, value, owner, slot)
            case Counted() | UntilEnd() | Repeat() | Regions():
                for index, item in enumerate(value):
                    value[index] = self._convert(node.subcon, item, record, owner, slot)
            case Sized():
                return self._convert(node.subcon, value, record, owner, slot)
            case Variant():
                self._variant(node, value, owner)
            case Record() if node is FUNCTION:
                self._entry(value)
            case Record() if node is BLOCK:
                self._block(value)
            case Record():
                self._record(node, value, owner)
        return value

    def _gated(self, node: Since, value, record: Mapping, owner: str, slot: str):
        """Convert a field that one of the versions may lack."""
        if self.source < node.since and isinstance(node.default, Each):
            value = node.default.of(record)
        if value is None or self.source < node.since > self.target:
            return value
        if self.target < node.since and not node.says_default(value, record):
            self._lack(owner, slot, node.since)
        elif self.target < node.since:
            return node.default
        return self._convert(node.subcon, value, record, owner, slot)

    def _versioned(self, node: Versioned, value, record: Mapping, owner: str, slot: str):
        """Convert a field for which the versions may have different layouts, or none."""
        layout = node.at(self.target)
        if layout is None and value is not None:
            has = [version for version, other in node.layouts if other is not None]
            newer = [version for version in has if version > self.target]
            if newer:
                self._lack(owner, slot, min(newer))
            else:
                self._lack(owner, slot, min(has), self.source)
            layout = node.at(self.source)
        return value if layout is None else self._convert(layout, value, record, owner, slot)

    def _table(self, node: Table, table: dict, owner: str, slot: str) -> None:
        """Convert the entries of a table.

        A table whose entries are not back to back keeps its layout if no entry changes.
        """
        entries = [entry for entry in table["entries"] if not isinstance(entry, Malformed)]
        before = None if table["layout"] is None else self._entries(node, entries, self.source)
        for entry in entries:
            self._convert(node.subcon, entry, {}, owner, slot)
        if self.features:  # nothing will be written
            return
        if before is not None and before != self._entries(node, entries, self.target):
            table["layout"] = None

    def _entries(self, node: Table, entries: list, version: Version) -> list[bytes]:
        """Return the bytes of each entry. No number in such a table needs the type table."""
        return [codec.build(node.subcon, entry, version, reference=True) for entry in entries]

    def _variant(self, node: Variant, record: dict, owner: str) -> None:
        arm = node.by_name[record["variant"]]
        name = owner if node is ATTRIBUTE else arm.name
        if arm.since > self.target:
            self._lack(name, "" if name == arm.name else arm.name, arm.since)
        self._record(arm.fields, record, name)
        if node is OP:
            self._results(record)

    # Functions ------------------------------------------------------------------------------

    def _entry(self, record: dict) -> None:
        """Convert a function's entry; newer ones always have hints and argument attributes."""
        self.function = self.bytecode.strings[record["name"]]
        parameters = self.types[record["signature"]]["parameters"]
        self.numbers = list(range(len(parameters)))
        self.next = len(parameters)
        flags, known = record["flags"], len(_FLAGS.names)
        if not flags & KERNEL:
            if self.target < PREVIEW:
                self._lack("function without a body", "", PREVIEW)
            self.function = ""
            return
        hints, given = record["hints"], record["argument_attributes"]
        if self._gains(FORM_SINCE) and flags >> known:
            self._lack("entry", f"flags beyond bit {known - 1}", V13_1, _before(FORM_SINCE))
        if self._gains(HINTS_SINCE):
            flags = int(flags) & ~HINTS
            record["hints"] = hints or _empty("OptimizationHints", "entries")
        elif self._loses(HINTS_SINCE) and hints["entries"]:
            flags = int(flags) | HINTS
        elif self._loses(HINTS_SINCE):
            record["hints"] = None
        if self._gains(ARGUMENT_ATTRIBUTES_SINCE):
            record["argument_attributes"] = _empty("Array", "elements")
        elif self._loses(ARGUMENT_ATTRIBUTES_SINCE) and given.get("elements") == []:
            record["argument_attributes"] = None
        self._record(FUNCTION, record, "entry")
        record["flags"] = flags
        self.function = ""

    def _gains(self, since: Version) -> bool:
        return self.source < since <= self.target

    def _loses(self, since: Version) -> bool:
        return self.target < since <= self.source

    def _results(self, record: dict) -> None:
        """Number the results of an op, which may have more of them in one version."""
        spec = OPS[record["variant"]]
        if all(result.since <= spec.since for result in spec.results):
            self._define(len(record["result_types"]))
            return
        given, kept = iter(record["result_types"]), []
        for result in spec.results:
            here, there = result.since <= self.source, result.since <= self.target
            if here and there:
                kept.append(next(given))
                self._define(1)
            elif here:
                next(given)
                self.numbers.append(_LostResult(spec.mnemonic, result))
            elif there:
                kept.append(self._token_type(spec.mnemonic, result))
                self.next += 1
        record["result_types"] = kept

    def _token_type(self, op: str, result: Result) -> int:
        """Return the type index of a result that the target adds; only a token's type is known."""
        if result.type is not TOKEN:
            problem = f"{self.source} does not say which type {result.name} of {op} has"
            raise BuildError(f"{problem}, which {self.target} asks for")
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
        new = self.numbers[number]
        if isinstance(new, _LostResult):
            self._lack(new.op, new.result.name, new.result.since)
            return number
        return WideInt(new, number.width, new) if isinstance(number, WideInt) else new

    def _block(self, record: dict) -> None:
        outer, following = len(self.numbers), self.next
        self._define(len(record["arguments"]))
        self._record(BLOCK, record, "")
        del self.numbers[outer:]
        self.next = following


_FLAGS: FlagWord = next(field.subcon for field in FUNCTION.subcons if field.name == "flags")


def _before(version: Version) -> Version:
    return SUPPORTED[SUPPORTED.index(version) - 1]


def _announcers(node: Record) -> set[str]:
    """Return the fields of a record whose bits announce other fields, in any version."""
    announcers, nodes = set(), [field.subcon for field in node.subcons]
    while nodes:
        part = nodes.pop()
        if isinstance(part, If | Flag):
            announcers.add(part.field)
        if isinstance(part, Versioned):
            nodes += [layout for _, layout in part.layouts if layout is not None]
        elif isinstance(part, If | Since):
            nodes.append(part.subcon)
    return announcers


def _empty(attribute: str, field: str) -> dict:
    """Return the record of an attribute whose only field is an empty list."""
    return {"tag": ATTRIBUTE.by_name[attribute].tag, "variant": attribute, field: []}
