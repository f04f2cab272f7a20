"""Our remarks in the form of NVIDIA's: whatever is in a name, what is written can be read."""

from __future__ import annotations

import pytest

from tileir.codegen.remarks import Outcome, Remark, Topic
from tileir.codegen.tileiras_remarks import fold
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram
from tileir.tileiras.remarks import documents, lines

NAMES = {
    "quotes": ('"k\\', '"k\\'),
    "beyond 16 bits": ("\U0001f600", "\U0001f600"),
    "a byte that is no UTF-8": ("k\udcff", "k\\udcff"),
    "control characters": ("k\x1b[31m\x85\ufeff", "k\\x1b[31m\\x85\\ufeff"),
    "lines": ("k\n--- !Missed", "k\\n--- !Missed"),
}


@pytest.mark.parametrize(("name", "read"), NAMES.values(), ids=NAMES)
def test_names(name: str, read: str) -> None:
    pytest.importorskip("yaml")
    file = File(name, "folder")
    scope = Subprogram(file, 0, name, name, CompileUnit(file), 0)
    place = SourceLocation(scope, f"folder/{name}", 3, 4)
    topic, outcome = Topic.ROLES, Outcome.MISSED
    what, change = f"what {name}", "let it be"
    remark = Remark("stage", name, None, what, "", {}, topic, outcome, change, place)
    (found,) = fold(documents([remark]).encode())
    assert (found.entry, found.what, found.outcome) == (read, f"what {read}", Outcome.MISSED)
    assert (found.topic, found.change) == (Topic.ROLES, "let it be")
    assert str(found.location) == f"folder/{read}:3:4"
    assert lines([remark]) == f"{read}: remark[missed]: what {read}\n"
