"""What a field of a file is for, in the words of the schema and of the op table."""

from __future__ import annotations

import re
from collections.abc import Iterable

from construct import Construct

from tileir.formats.container import HEADER
from tileir.formats.debug import DEBUG, DEBUG_RECORD
from tileir.formats.functions import FUNCTION
from tileir.formats.mirror.docs import of_slot
from tileir.formats.ops.spec import Op as Row
from tileir.formats.sections import BY_NAME, GLOBAL, PRODUCER
from tileir.formats.types import ATTRIBUTE, TYPE

from .annotate import Leaf

RECORDS: dict[str, Iterable[Construct]] = {
    "header": HEADER.subcons,
    "func": FUNCTION.subcons,
    "global": GLOBAL.subcons,
    "producer": PRODUCER.subcons,
    "debug": DEBUG.subcons,
}
"""Where the fields of a path below these words are described."""

VARIANTS = {"type tag": TYPE, "debug tag": DEBUG_RECORD, "attribute tag": ATTRIBUTE}

WORDS = {
    "id": "The number of the section; with 128 added, an alignment and padding follow.",
    "length": "How many bytes follow.",
    "alignment": "The payload begins at a multiple of this, counted from the start of the file.",
    "padding": "Bytes up to the alignment.",
    "count": "How many items follow.",
    "offset": "Where an entry begins, counted from the first entry.",
}
"""Last name in a path -> the meaning of fields that every table or section has."""

NAMES = re.compile(r"[A-Za-z_]\w*")

KINDS = {
    "unused": "No field owns these bytes.",
    "unread": "The file could not be read up to here.",
    "opaque": "Content of a newer version, which the tables do not explain.",
}


class FieldDocs:
    """Explains fields, which come in the order of the file."""

    def __init__(self) -> None:
        self._fields = {
            word: {str(field.name): field.docs for field in fields}
            for word, fields in RECORDS.items()
        }
        self._arms: dict[str, dict[str, str]] = {}
        self._known: dict[tuple[str, str], str] = {}

    def of(self, leaf: Leaf, path: str, row: Row | None) -> str:
        """Return one or two sentences about a field; "" where its name says all.

        `path` is its path as text; of a field of an op it is what is below the op, and `row` is
        the row of that op in the table.
        """
        if leaf.kind in KINDS:
            return KINDS[leaf.kind]
        if leaf.kind == "opcode":
            return _sentence(row.doc) if row else ""
        if row is not None:
            return self._of_op(row, path)
        names = NAMES.findall(path)
        if leaf.kind in VARIANTS:
            return self._tag(leaf, names[0])
        if names[-1] in WORDS:
            return WORDS[names[-1]]
        if leaf.kind == "text":
            return BY_NAME["String"].doc
        known = self._arms.get(names[0], {}), self._fields.get(names[0], {})
        docs = (doc[name] for doc in known for name in reversed(names) if doc.get(name))
        return _sentence(next(docs, ""))

    def _tag(self, leaf: Leaf, word: str) -> str:
        """Return what a tag selects, and remember it for the fields behind it."""
        arm = VARIANTS[leaf.kind].arms.get(int(leaf.value))  # pyright: ignore[reportArgumentType]
        if arm is None:
            return ""
        if leaf.kind != "attribute tag":
            self._arms[word] = {str(field.name): field.docs for field in arm.fields.subcons}
        return _sentence(arm.doc)

    def _of_op(self, row: Row, field: str) -> str:
        name = field.partition(".")[0].partition("[")[0]
        key = row.mnemonic, name
        if key not in self._known:
            try:
                self._known[key] = _sentence(of_slot(name, row))
            except StopIteration:  # a slot of another version
                self._known[key] = ""
        return self._known[key]


def _sentence(text: str | None) -> str:
    return " ".join((text or "").split())
