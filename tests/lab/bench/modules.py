"""Large modules to measure with, joined from the bodies of this project's own kernels.

Types, strings, constants and debug records of all kernels are merged, each kept once; a function
is a few kernels one after the other, their values numbered through. So op mixes and numbers are
those of real files, and the result is a valid module. Nothing depends on chance or the clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.corpus import FIXTURES
from tests.debug_lists import list_range
from tests.formats.small import file, kernel, padding, varint
from tileir import Bytecode
from tileir.formats import codec
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.container import ALIGNED, MAGIC
from tileir.formats.cursor import Slice
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.functions import BODY
from tileir.formats.ops.wire import OP
from tileir.formats.sections import BY_NAME
from tileir.formats.types import TYPE
from tileir.formats.version import Version

from .relocate import relocate

KERNELS = (
    "matmul", "softmax", "nested_loops", "layer_norm", "mma_bf16", "vector_add", "hinted",
    "gather_2d", "row_argmax", "atomic_sum_f32", "scan_affine", "half_floats", "transpose_view",
    "mma_scaled", "branches", "reduce_pair", "hinted_by_target", "integer_bits", "trigonometry",
    "static_layout", "dense_table", "int_widths", "entry_attributes", "multimem", "red_inbounds",
)  # fmt: skip
"""The kernels that are joined, as far as the version has them."""

NARROW, WIDE = 2, 40
"""Kernels in a function: with 2 a function has about 90 ops and value numbers of one byte; with 40
nearly all ops are beyond value 127."""

DISTINCT_OPS = 20_000
"""About so many ops are made; they are repeated, under other names, until there are enough."""


@dataclass(frozen=True)
class Kernel:
    """A kernel to join: its file, and what is read of it."""

    bytecode: Bytecode
    record: dict
    rows: list
    top: int
    ops: int


@dataclass(frozen=True)
class Joined:
    """A function of several kernels: its record without name, location and body, and its rows."""

    parts: list[Kernel]
    record: dict
    rows: list

    @property
    def ops(self) -> int:
        """Its ops; of all the returns the last is left."""
        return sum(part.ops for part in self.parts) - len(self.parts) + 1


@cache
def kernels(version: str) -> tuple[Kernel, ...]:
    """The kernels of a version."""
    found = []
    for name in KERNELS:
        path = FIXTURES / version / f"{name}.tileirbc"
        if path.exists():
            bytecode = Bytecode.parse(path.read_bytes())
            payload = next(s.payload for s in bytecode.sections if s.name == "Func")
            given = (bytecode.version, bytecode.types.tags)
            (record,), _ = codec.parse_section(bytecode.data, "Func", payload, *given)
            body = bytecode.functions[0].body
            rows = codec.parse_body(bytecode.data, record["body"], *given)
            top = sum(len(op.results) for op in body.block.ops)
            found.append(Kernel(bytecode, record, rows, top, sum(1 for _ in body.walk())))
    return tuple(found)


class Merged:
    """The tables of a module that grows: equal entries are kept once."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.entries: dict[str, list] = {}
        self._known: dict[tuple, int] = {}
        self._moved: dict[tuple, int] = {}

    def add(self, table: str, entry: object, key: object) -> int:
        """The index of an entry that is equal to others with the same key."""
        entries = self.entries.setdefault(table, [])
        index = self._known.setdefault((table, key), len(entries))
        if index == len(entries):
            entries.append(entry)
        return index

    def data(self, table: str, data: bytes | memoryview) -> int:
        """The index of an entry that is plain bytes."""
        return self.add(table, Slice(0, data), bytes(data))

    def text(self, text: str) -> int:
        """The index of a string."""
        return self.data("string", text.encode())

    def link(self, source: Bytecode):
        """What gives the new index for an index in `source`; value numbers stay."""

        def link(target: str, index: int) -> int:
            key = (id(source), target, index)
            if key not in self._moved:
                self._moved[key] = self._move(source, target, index, link)
            return self._moved[key]

        return link

    def _move(self, source: Bytecode, target: str, index: int, link) -> int:
        match target:
            case "string":
                return self.text(source.strings[index])
            case "constant":
                return self.data(target, source.constants[index].data)
            case "type":
                moved = relocate(TYPE, source.types.entries[index], self.version, link)
                return self.add(target, moved, repr(moved))
            case "debug record" if index:
                entry = source.debug.record["records"]["entries"][index - 1]
                return self.record(relocate(DEBUG_RECORD, entry, self.version, link))
        return index

    def signature(self, parameters: list[int]) -> int:
        """The type index of a function without results."""
        record = {"variant": "func", "parameters": parameters, "results": []}
        record = {"tag": TYPE.by_name["func"].tag, **record}
        return self.add("type", record, repr(record))

    def record(self, record: dict) -> int:
        """The number of a debug record."""
        return self.add("debug record", record, tuple(record.values())) + 1


def join(parts: list[Kernel], merged: Merged) -> Joined:
    """One function that does what several kernels do, one after the other."""
    version = merged.version
    counts = [len(part.bytecode.functions[0].type.parameters) for part in parts]
    parameters, arguments, rows = [], [], []
    own, first = 0, sum(counts)
    for part, count in zip(parts, counts, strict=True):
        link = merged.link(part.bytecode)
        signature = part.bytecode.types.entries[part.record["signature"]]
        parameters += [link("type", index) for index in signature["parameters"]]
        if part.record["argument_attributes"] is not None:
            array = relocate(ATTRIBUTE, part.record["argument_attributes"], version, link)
            arguments += array[1]

        def number(target, index, link=link, count=count, own=own, first=first):
            if target != "value":
                return link(target, index)
            return index + own if index < count else index - count + first

        rows += [relocate(OP, row, version, number) for row in part.rows]
        last = rows.pop()  # of all the returns one is enough
        own += count
        first += part.top
    record = parts[0].record | {"signature": merged.signature(parameters)}
    if record["hints"] is not None:
        link = merged.link(parts[0].bytecode)
        record["hints"] = relocate(ATTRIBUTE, record["hints"], version, link)
    if record["argument_attributes"] is not None:
        record["argument_attributes"] = (ATTRIBUTE.by_name["Array"].tag, arguments)
    return Joined(parts, record, [*rows, last])


def locations(joined: Joined, name: int, merged: Merged) -> list[int]:
    """The debug list of a function: as the kernels', but all inside a subprogram of its own.

    `name` is the string of the function's name, which the subprogram has to have as well.
    """
    subprogram, found = None, []
    for part in joined.parts:
        debug = part.bytecode.debug
        records = debug.record["records"]["entries"]
        start, end = list_range(debug, part.record["location"])
        shared = merged.link(part.bytecode)
        scope = records[debug.indices[start] - 1]["scope"]
        if subprogram is None:
            record = relocate(DEBUG_RECORD, records[scope - 1], merged.version, shared)
            subprogram = merged.record(record | {"name": name, "linkage_name": name})
        known = {0: 0, scope: subprogram}

        def link(target, index, known=known, records=records, shared=shared):
            if target != "debug record":
                return shared(target, index)
            if index not in known:
                record = records[index - 1]
                known[index] = merged.record(relocate(DEBUG_RECORD, record, merged.version, link))
            return known[index]

        listed = [link("debug record", index) for index in debug.indices[start:end]]
        found += listed[1:-1] if found else listed[:-1]
    return [*found, listed[-1]]


def distinct(version: str, ops: int, wide: bool) -> tuple[Merged, list[Joined]]:
    """Functions of all the kernels, in changing company, of at least so many ops."""
    found = kernels(version)
    merged = Merged(found[0].bytecode.version)
    size, joined, total = WIDE if wide else NARROW, [], 0
    while total < ops:
        first, step = len(joined), 1 + len(joined) // len(found)
        parts = [found[(first + step * part) % len(found)] for part in range(size)]
        joined.append(join(parts, merged))
        total += joined[-1].ops
    return merged, joined


def large_module(ops: int = 200_000, version: str = "13.4", wide: bool = False) -> bytes:
    """A module of at least `ops` ops; `wide` makes most value numbers take two bytes."""
    merged, joined = distinct(version, min(ops, DISTINCT_OPS), wide)
    tags = [entry["tag"] for entry in merged.entries["type"]]
    bodies = [Slice(0, codec.build(BODY, each.rows, merged.version, tags)) for each in joined]
    functions, starts, indices, total = [], [], [], 0
    while total < ops:
        number = len(functions)
        each, body = joined[number % len(joined)], bodies[number % len(joined)]
        name = merged.text(f"kernel_{number}")
        starts.append(len(indices))
        indices += locations(each, name, merged)
        functions.append(each.record | {"name": name, "location": number + 1, "body": body})
        total += each.ops
    tables = {
        "Func": functions,
        "Constant": _table(merged.entries["constant"]),
        "Debug": {
            "starts": {"elements": starts, "pad": None},
            "indices": {"elements": indices, "pad": None},
            "records": _table(merged.entries["debug record"]),
        },
        "Type": _table(merged.entries["type"]),
        "String": _table(merged.entries["string"]),
    }
    sections = [
        _section(name, codec.build_section(name, record, merged.version, tags))
        for name, record in tables.items()
    ]
    header = {"magic": MAGIC, "version": merged.version, "tag": 0}
    return codec.build_file({"header": header, "sections": sections})


def _table(entries: list) -> dict:
    return {"entries": entries, "pad": None, "layout": None, "rest": None}


def _section(name: str, payload: bytes) -> dict:
    kind = BY_NAME[name]
    return {
        "id": kind.number | ALIGNED,
        "alignment": kind.alignment,
        "payload": Slice(0, payload),
    }


def huge_constant(path: Path, size: int = 1 << 30) -> None:
    """Write a file of one small kernel and a constant of `size` bytes, which are a hole on disk.

    Nothing refers to the constant: no tile is that large.
    """
    string, types, func = kernel([b"\x03", b"\x0d\x00\x00", b"\x10\x00\x00"], signature=2)
    kind = BY_NAME["Constant"]
    table = varint(1) + padding(1, kind.alignment) + bytes(8) + varint(size)
    head = file(func)[:-1]  # without the end marker
    head += _start(kind.number, kind.alignment, len(table) + size, len(head)) + table
    end = len(head) + size
    tail = b""
    for number, alignment, payload in (types, string):  # the order of producers
        tail += _start(number, alignment, len(payload), end + len(tail)) + payload
    with path.open("wb") as out:
        out.write(head)
        out.seek(end)
        out.write(tail + b"\x00")


def _start(number: int, alignment: int, size: int, offset: int) -> bytes:
    """What precedes the payload of a section that begins at `offset`."""
    start = bytes([number | ALIGNED]) + varint(size) + varint(alignment)
    return start + padding(offset + len(start), alignment)
