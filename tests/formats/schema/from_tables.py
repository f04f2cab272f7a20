"""A reader made from nothing but the text of TABLES.md, as somebody would write who has only that.

It takes the records from the tables in the document and follows the rules of its prose. It checks
little; it shows that the document says everything that reading needs.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

LINK = re.compile(r"\[([^\]]*)\]\(#[^)]*\)")
Field = tuple[str, str, str]


class Document:
    """The tables of the document: fields of records by title, numbers of tags and sections."""

    def __init__(self, path: Path) -> None:
        self.records: dict[str, list[Field]] = {}
        self.tags: dict[str, dict[int, str]] = {}
        self.payloads: dict[str, str] = {}
        self.widths: dict[str, int] = {}
        page = title = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                page = title = line.strip("# ")
            elif found := re.match(r"\*\*([\w$]+)\*\*, tag", line):
                title = f"{page}: {found[1]}"
            elif line.startswith("| `"):
                name, layout, when, _ = row(line)
                self.records.setdefault(title, []).append((name.strip("`"), layout, when))
            elif re.match(r"\| \d+ \|", line):
                number, *rest = row(line)
                self.tags.setdefault(page, {})[int(number)] = rest[page == "All of them"]
                if page == "Sections":
                    self.payloads[rest[0]] = rest[1]
            elif line.startswith("Widths in bits"):
                self.widths = {name: int(bits) for name, bits in re.findall(r"(\w+) (\d+)", line)}
                self.integers = re.findall(r"(\w+) \d+", line.partition("Floats")[0])


def row(line: str) -> list[str]:
    """The cells of a line, links as their text."""
    cells = line.strip().strip("|").split(" | ")
    return [LINK.sub(r"\1", cell).strip() for cell in cells]


class Reader:
    """Reads one file; `leaves` is what it found, by path."""

    def __init__(self, document: Document, data: bytes) -> None:
        self.document = document
        self.data = data
        self.at = self.origin = 0
        self.end = len(data)
        self.leaves: dict[str, object] = {}
        self.types: list[str] = []
        self.version = (0, 0)
        self.preview = False
        self.next_value = 0
        self.results: list[int | None] = []

    def note(self, path: str, value: object) -> object:
        if value != b"":
            self.leaves[path] = value
        return value

    def bytes(self, size: int) -> bytes:
        self.at += size
        assert self.at <= self.end
        return self.data[self.at - size : self.at]

    def number(self, layout: str) -> int:
        size = int(layout[1:]) // 8
        return int.from_bytes(self.bytes(size), "little", signed=layout[0] == "i")

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & (1 << 64) - 1

    def padding(self, size: int, path: str) -> None:
        self.note(path, self.bytes(-(self.at - self.origin) % size))

    def file(self) -> dict[str, object]:
        """The whole file: header, sections, then the payloads in the order that the text gives."""
        header = self.record("Header", "header")
        self.version = header["version"]
        self.preview = self.version == (13, 5) and bool(header["tag"] & 1)
        payloads: dict[str, tuple[int, int]] = {}
        index = 0
        while True:
            path = f"sections[{index}]"
            identity = self.note(f"{path}.id", self.bytes(1)[0])
            if identity == 0:
                break
            length = self.note(f"{path}.length", self.varint())
            if identity & 0x80:
                alignment = self.note(f"{path}.alignment", self.varint())
                self.padding(alignment, f"{path}.padding")
            payloads[self.document.tags["Sections"][identity & 0x7F]] = self.at, self.at + length
            self.bytes(length)
            index += 1
        assert self.at == len(self.data)
        for name in ("String", "Type", "Constant", "Global", "Func", "Debug", "Producer"):
            if name in payloads:
                self.at, self.end = payloads[name]
                self.origin = self.at
                self.read(self.document.payloads[name], name.lower())
        return self.leaves

    def record(self, title: str, path: str) -> dict[str, object]:
        """A record whose fields are the table of that title."""
        values: dict[str, object] = {}
        for name, layout, when in self.document.records.get(title, ()):
            if not self.holds(when, values):
                if layout == "only its bit":
                    self.note(f"{path}.{name}", 0)
                continue
            where = f"{path}.{name}"
            number = re.search(r"bit (\d+)$", when) if layout == "only its bit" else None
            values[name] = self.note(where, 1) if number else self.read(layout, where, values)
            if name == "signature":
                self.next_value = self.leaves[f"type[{values[name]}].parameters.count"]
        return values

    def holds(self, when: str, values: dict[str, object]) -> bool:
        """Whether the cell *when* is true."""
        return any(
            all(self.term(term, values) for term in choice.split(", ") if term)
            for choice in re.split("; or ", when)
        )

    def term(self, term: str, values: dict[str, object]) -> bool:
        if found := re.fullmatch(r"(\d+)\.(\d+)\+", term):
            return self.version >= (int(found[1]), int(found[2]))
        if found := re.fullmatch(r"before (\d+)\.(\d+)", term):
            return self.version < (int(found[1]), int(found[2]))
        if term == "13.5 preview":
            return self.preview
        if term == "before 13.5 preview":
            return not self.preview
        if found := re.fullmatch(r"not `(\w+)` bit ([\d or]+)", term):
            return not any(
                values.get(found[1], 0) >> int(bit) & 1 for bit in found[2].split(" or ")
            )
        if found := re.fullmatch(r"`(\w+)` bit (\d+)", term):
            return bool(values.get(found[1], 0) >> int(found[2]) & 1)
        found = re.fullmatch(r"`(\w+)` not 0", term)
        return values.get(found[1], 0) != 0

    def read(self, layout: str, path: str, values: dict[str, object] | None = None) -> object:
        """Whatever the cell *layout* says."""
        if layout == "region[]":
            return self.items(path, lambda place: self.items(place, self.block))
        if layout.startswith("padded "):
            item = layout[7:-2]
            count = self.note(f"{path}.count", self.varint())
            self.padding(int(item[1:]) // 8, f"{path}.padding")
            return [self.note(f"{path}[{i}]", self.number(item)) for i in range(count)]
        if found := re.fullmatch(r"table, (\d+) bits, of (.*)", layout):
            return self.table(int(found[1]) // 8, found[2], path)
        if layout.endswith(", if the record has more bytes"):
            more = self.at < self.end
            return self.read(layout.partition(",")[0], path) if more else None
        if layout.endswith("[]"):
            return self.items(path, lambda place: self.read(layout[:-2], place))
        if found := re.fullmatch(r"(.*) x (\d+)", layout):
            return [self.read(found[1], f"{path}[{i}]") for i in range(int(found[2]))]
        if layout.startswith("("):
            for part in layout[1:-1].split(", "):
                name, _, inner = part.partition(": ")
                self.read(inner, f"{path}.{name}")
            return None
        return self.leaf(layout, path, values or {})

    def leaf(self, layout: str, path: str, values: dict[str, object]) -> object:
        """A layout of one word, or a record with a page of its own."""
        if layout.startswith("`"):
            return self.note(path, self.bytes(len(layout.split())))
        if layout == "u8 major, u8 minor":
            return tuple(self.note(f"{path}.{n}", self.bytes(1)[0]) for n in ("major", "minor"))
        if layout in ("bool", "flags, u8"):
            return self.note(path, self.bytes(1)[0])
        if found := re.fullmatch(r"(?:inner )?([ui]\d+)", layout):
            return self.note(path, self.number(found[1]))
        if layout == "svarint":
            return self.note(path, unzigzag(self.varint()))
        if layout.endswith(" bits"):
            return self.number_attribute(path, values["type"])
        if layout == "data":
            return self.note(path, self.bytes(self.note(f"{path}.length", self.varint())))
        if layout == "bytes to the end":
            return self.note(path, self.bytes(self.end - self.at))
        if layout == "sized ops":
            stop = self.note(f"{path}.length", self.varint()) + self.at
            count = 0
            while self.at < stop:
                self.read("op", f"{path}[{count}]")
                count += 1
            return None
        pages = {"function": "Functions", "global": "Globals", "debug": "Debug"}
        pages["implementation"] = "Implementations"
        if layout in pages:
            return self.record(pages[layout], path)
        if layout == "op":
            return self.op(path)
        pages = {"attribute": "Attributes", "type record": "Types", "debug record": "Debug records"}
        if layout in pages:
            return self.tagged(pages[layout], path)
        known = layout in ("varint", "flags", "value") or layout.endswith(" index")
        assert known or layout in self.document.tags, layout
        number = self.note(path, self.varint())
        assert layout != "value" or number < self.next_value
        return number

    def tagged(self, page: str, path: str) -> str:
        """A record that begins with its tag; gives back the tag's name."""
        tag = self.note(f"{path}.tag", self.varint())
        name = self.document.tags[page].get(tag, "Unknown")
        self.record(f"{page}: {name}", path)
        return name

    def items(self, path: str, read) -> list:
        count = self.note(f"{path}.count", self.varint())
        return [read(f"{path}[{index}]") for index in range(count)]

    def op(self, path: str) -> None:
        position = len(self.results)
        self.results.append(None)
        opcode = self.note(f"{path}.opcode", self.varint())
        values = self.record(self.document.tags["All of them"][opcode], path)
        if types := values.get("result_types"):
            self.results[position] = self.next_value
            self.next_value += len(types)

    def block(self, path: str) -> None:
        outer = self.next_value
        self.next_value += len(self.read("type index[]", f"{path}.arguments"))
        self.read("op[]", f"{path}.ops")
        self.next_value = outer

    def number_attribute(self, path: str, index: int) -> None:
        name = self.types[index]
        bits = self.document.widths[name]
        if name in self.document.integers:
            raw = self.note(path, self.bytes(1)[0] if name == "i1" else self.varint())
            pattern = int(raw != 0) if name == "i1" else raw
        elif bits <= 8:
            pattern = self.note(path, self.bytes(1)[0])
        else:
            start = self.at
            pattern = unzigzag(self.note(path, self.varint())) & (1 << 64) - 1
            if self.at - start == 10 and self.data[self.at - 1] > 1:
                groups = enumerate(self.data[start : self.at])
                pattern = sum((byte & 127) << 7 * i for i, byte in groups) >> 1
        self.note(f"{path}.pattern", pattern)

    def table(self, size: int, item: str, path: str) -> None:
        count = self.note(f"{path}.count", self.varint())
        if not count:
            return
        self.padding(size, f"{path}.padding")
        offsets = struct.unpack(f"<{count}{'IQ'[size == 8]}", self.bytes(size * count))
        base, end = self.at, self.end
        for index, offset in enumerate(offsets):
            self.note(f"{path}.offset[{index}]", offset)
            following = (*offsets, end - base)[index + 1]
            self.at = base + min(offset, end - base)
            self.end = base + following if offset <= following <= end - base else end
            name = self.read(item, f"{path}[{index}]")
            if item == "type record":
                self.types.append(name)
        self.at, self.end = end, end


def unzigzag(raw: int) -> int:
    return -(raw // 2) - 1 if raw % 2 else raw // 2


def read(document: Document, data: bytes) -> Reader:
    """A reader that has read a file: `leaves` by path, the number of each op's first result."""
    reader = Reader(document, data)
    reader.file()
    return reader
