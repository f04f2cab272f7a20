"""The fields of a file in columns, and the tree above them: what `tileir inspect` prints.

Fields tile the file, so only their lengths are kept. Texts that repeat are kept once, in a pool,
and named by their index. A node is a heading: a section, function, op, entry of a table, or list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tileir.explain.annotate import FUNCTION_NAME, Heading, Leaf, describe_op
from tileir.explain.field_docs import FieldDocs
from tileir.formats.cursor import Path, brief
from tileir.formats.ops import BY_OPCODE
from tileir.formats.ops.spec import Op as Row
from tileir.ir import Op

PATH_PARTS = 200
"""Most parts of a path; of a field nested deeper, those at the end of its path."""

EXACT = 1 << 53
"""Integers below are exact in every reader of JSON; others are texts."""

SECTION, FUNCTION, OP, ENTRY, LIST = LEVELS = ("section", "function", "op", "entry", "list")

IN_TABLE = re.compile(r"((?:type|global|debug\.records)\[\d+\])\.")
"""The paths of fields in entries of several fields, up to the entry."""

HEAD = re.compile(r"(?:sections|func)\[\d+\]\.|[a-z]+\.")
"""The part of a path that a section or a function says already."""

SECTION_HEAD = re.compile(r"sections\[\d+\]\.")
NUMBERED = re.compile(r"(.*)\[\d+\]")
INDICES = ("type", "string", "constant", "debug record")
"""The kinds of fields that name an entry of a table."""

FIELD = ("length", "node", "head", "name", "kind", "value", "meaning", "doc")
"""The columns of fields."""

LISTED = ("offset", "debug record", "list start")
"""The kinds of fields that come in lists of many."""


class Pool:
    """Texts, each once; the first is the empty one."""

    def __init__(self) -> None:
        self.texts = [""]
        self._index = {"": 0}

    def index(self, text: str) -> int:
        """Return the index of a text, which is added if it is new."""
        found = self._index.setdefault(text, len(self.texts))
        if found == len(self.texts):
            self.texts.append(text)
        return found


class Columns:
    """Collects headings and leaves in the order of the file."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.fields: dict[str, list[Any]] = {name: [] for name in FIELD}
        self.nodes: dict[str, list[Any]] = {
            name: [] for name in ("level", "text", "first", "depth", "parent", "op")
        }
        self.ops: list[Op | None] = []
        """The ops in the order of the file; None for one of a broken file, which is only fields."""
        self.op_nodes: list[int] = []
        self.uses: dict[str, Counter[int]] = {kind: Counter() for kind in INDICES}
        """Kind of an index -> how often each number is named."""
        self.function_names: dict[int, str] = {}
        """Number of an entry of the function table -> its name."""
        self._function_nodes: dict[int, int] = {}
        self._starts: list[int] = []
        self._size = 0
        self._docs = FieldDocs()
        self._of_op: dict[Op, int] = {}
        self._of_path: dict[int, tuple[Path, int]] = {}
        self._rows: dict[int, Row | None] = {}
        self._heads: dict[int, str] = {}
        self._function = self._section = self._entry = -1
        self._key = ""

    def add(self, lines: Iterable[Heading | Leaf], whole: bool) -> None:
        """Add what `annotate` yields, or `salvage` for a file that is not `whole`: no headings."""
        for line in lines:
            if isinstance(line, Heading):
                self._heading(line)
            else:
                if not whole:
                    self._own_headings(line)
                self._leaf(line)

    # What was collected -------------------------------------------------------------------------

    def functions(self) -> dict[int, int]:
        """Return the nodes of the functions, by their numbers in the function table."""
        return self._function_nodes

    def ends(self) -> list[int]:
        """Return the offsets at which the nodes end, what is nested in them included."""
        nodes, ends = self.nodes, []
        for first in nodes["first"]:
            ends.append(self._starts[first] if first < len(self._starts) else self._size)
        for field, node in enumerate(self.fields["node"]):
            ends[node] = self._starts[field] + self.fields["length"][field]
        for node in range(len(ends) - 1, -1, -1):
            parent = nodes["parent"][node]
            if parent >= 0:
                ends[parent] = max(ends[parent], ends[node])
        return ends

    def sections(self) -> list[dict[str, Any]]:
        """Return name, start, end and start of the payload of each section, in the file's order."""
        rows, ends, texts = [], self.ends(), self._pool.texts
        payloads: dict[int, int] = {}
        for field, node in enumerate(self.fields["node"]):
            name = texts[self.fields["head"][field]] + texts[self.fields["name"][field]]
            if SECTION_HEAD.match(name):
                payloads[node] = self._starts[field] + self.fields["length"][field]
        for node, level in enumerate(self.nodes["level"]):
            if LEVELS[level] == SECTION:
                first = self.nodes["first"][node]
                start = self._starts[first] if first < len(self._starts) else self._size
                name = re.split(" section|:", texts[self.nodes["text"][node]])[0]
                payload = payloads.get(node, start)
                rows.append({"name": name, "start": start, "payload": payload, "end": ends[node]})
        return rows

    # Nodes --------------------------------------------------------------------------------------

    def _node(self, level: str, text: str, parent: int, op: int = -1) -> int:
        nodes = self.nodes
        depth = nodes["depth"][parent] + 1 if parent >= 0 else 0
        first = len(self.fields["length"])
        row = (LEVELS.index(level), self._pool.index(text), first, depth, parent, op)
        for column, value in zip(nodes.values(), row, strict=True):
            column.append(value)
        return len(nodes["level"]) - 1

    def _heading(self, line: Heading) -> None:
        if line.level == SECTION:
            self._section, self._function = self._node(SECTION, line.text, -1), -1
            self._key = ""
        elif line.level == FUNCTION:
            self._function = self._node(FUNCTION, line.text, self._section)

    def _own_headings(self, leaf: Leaf) -> None:
        """Add the nodes that the fields of a broken file tell of themselves."""
        if self._section < 0 and leaf.kind != "unread":
            self._heading(Heading(SECTION, "header", 0))
        if leaf.kind == "section id":
            name = leaf.meaning.partition(" ")[2].removesuffix(", aligned")
            self._heading(Heading(SECTION, f"{name} section" if name != "End" else "end", 0))
        elif leaf.kind == "unread":
            self._section, self._function, self._key = self._node(SECTION, "unread", -1), -1, ""
        elif _entry(leaf) is not None:
            self._heading(Heading(FUNCTION, f"entry {leaf.function}", 0))

    def _around(self, leaf: Leaf, path: str) -> int:
        """Return the node that a field belongs to, made if the field begins it."""
        if leaf.kind == "opcode":
            return self._op(leaf, path)
        if leaf.op is not None:
            return self._of_op[leaf.op]
        around = self._op_above(leaf.place)
        if around >= 0:
            return around
        if self._function >= 0 and leaf.section == "Func":
            return self._function
        return self._table(leaf, path)

    def _op_above(self, place: Path) -> int:
        """Return the node of the innermost op that a path leads through, -1 for none."""
        while isinstance(place, tuple):
            place = place[0]
            if id(place) in self._of_path:
                return self._of_path[id(place)][1]
        return -1

    def _op(self, leaf: Leaf, path: str) -> int:
        """Begin an op, below the op or the function that its path says it is in."""
        parent = self._op_above(leaf.place[0])
        if parent < 0:
            parent = self._function if self._function >= 0 else self._section
        if leaf.op is not None:
            text = describe_op(leaf.op, located=False)
        else:
            text = leaf.meaning.partition(" ")[2]
        node = self._node(OP, text, parent, len(self.ops))
        self.ops.append(leaf.op)
        self.op_nodes.append(node)
        self._heads[node] = path.removesuffix("opcode")
        self._rows[node] = BY_OPCODE.get(int(leaf.value))  # pyright: ignore[reportArgumentType]
        self._of_path[id(leaf.place[0])] = leaf.place[0], node  # the path lives on, so the id does
        if leaf.op is not None:
            self._of_op[leaf.op] = node
        return node

    def _table(self, leaf: Leaf, path: str) -> int:
        """Return the node of an entry of a table, of a list, or of the section."""
        entry = IN_TABLE.match(path)
        numbered = NUMBERED.fullmatch(path) if leaf.kind in LISTED else None
        if entry is None and numbered is None:
            self._key = ""
            return self._section
        key = entry[1] if entry else numbered[1] if numbered else ""
        if key != self._key:
            self._key = key
            text = f"{key}  {leaf.meaning.partition(' ')[2]}" if entry else key
            self._entry = self._node(ENTRY if entry else LIST, text, self._section)
            if entry:
                self._heads[self._entry] = f"{key}."
        return self._entry

    def _name(self, path: str, node: int) -> str:
        """Return the part of a field's path that its node does not say."""
        head = self._heads.get(node)
        if head is None:
            match = HEAD.match(path)
            return path[match.end() :] if match else path
        return path.removeprefix(head)

    # Fields -------------------------------------------------------------------------------------

    def _leaf(self, leaf: Leaf) -> None:
        """Add a field to the columns, and to the counts of what it names."""
        path = brief(leaf.place, PATH_PARTS)
        node = self._around(leaf, path)
        entry = _entry(leaf)
        if entry is not None and self._function >= 0:
            self._function_nodes[entry] = self._function
            self.function_names[entry] = leaf.function
        self._starts.append(leaf.offset)
        self._size = leaf.offset + leaf.length
        name = self._name(path, node)
        value: Any = leaf.value
        if leaf.kind == "version":
            value = str(value)
        elif not isinstance(value, int):
            value = None
        else:
            value = int(value)
            if leaf.kind in self.uses:
                self.uses[leaf.kind][value] += 1
            value = value if abs(value) < EXACT else str(value)
        index = self._pool.index
        row = self._rows.get(node)
        cells = (
            leaf.length,
            node,
            index(path.removesuffix(name)),
            index(name),
            index(leaf.kind),
            value,
            index(leaf.meaning),
            index(self._docs.of(leaf, name if row else path, row)),
        )
        for column, item in zip(self.fields.values(), cells, strict=True):
            column.append(item)


def _entry(leaf: Leaf) -> int | None:
    """Return the number of the function whose entry begins with this field, else None."""
    if leaf.kind != "string":
        return None
    found = FUNCTION_NAME.fullmatch(brief(leaf.place))
    return int(found[1]) if found else None
