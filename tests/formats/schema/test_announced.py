"""Flag words follow from what is given: records without them build the bytes they came from."""

from __future__ import annotations

import pytest

from tests.every_fixture import Fixture, every_fixture
from tileir import BuildError
from tileir.formats import codec
from tileir.formats.leaves import FlagWord
from tileir.formats.nodes import If, Record, Since, Versioned
from tileir.formats.types import TYPE
from tileir.formats.version import SUPPORTED, V13_1, V13_3, V13_4


def without_announcements(record):
    """A copy of a record tree without tags and flag words; only function entries keep theirs."""
    if isinstance(record, dict):
        kept = {"tag", "flags", "has_padding"} if "body" in record else set()
        dropped = {"tag", "flags", "has_padding"} - kept
        return {
            key: without_announcements(value)
            for key, value in record.items()
            if key not in dropped or (key == "flags" and record["variant"] == "DISubprogram")
        }
    if isinstance(record, list):
        return [without_announcements(item) for item in record]
    return record


@every_fixture
def bits_and_tags_are_derived(fixture: Fixture) -> None:
    data, bytecode = fixture.data, fixture.bytecode
    tags = bytecode.types.tags
    for section in bytecode.sections:
        record, stop = codec.parse_named(
            data, section.name, section.payload, bytecode.version, tags
        )
        bare = without_announcements(record)
        built = codec.build_named(section.name, bare, bytecode.version, tags)
        assert built == data[section.payload.offset : stop], section.name


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
@pytest.mark.parametrize("padding", [None, 2])
def test_partition_view_in_both_layouts(version, padding) -> None:
    record = {"variant": "partition_view", "tile": [2], "view": 1, "dim_map": [0]}
    built = codec.build(TYPE, record | {"padding_value": padding}, version)
    announcement = "has_padding" if version < V13_3 else "flags"
    stated = record | {"padding_value": padding, announcement: int(padding is not None)}
    given = codec.build(TYPE, stated, version)
    assert built == given
    assert (built[-1] == 2) == (padding is not None)
    if version < V13_3:
        assert built[-2 if padding is not None else -1] == (padding is not None)


def test_what_is_stated_is_not_overruled() -> None:
    record = {"variant": "ptr", "pointee": 3, "ptr_attr": 0, "flags": 0}
    with pytest.raises(BuildError, match="ptr_attr is given"):
        codec.build(TYPE, record, V13_4)


def test_nested_conditions_and_gates() -> None:
    node = Record(
        "flags" / FlagWord("a", "b", "c", "d"),
        "x" / If("flags", 1, If("flags", 2, TYPE)),
        "y" / Versioned((V13_1, None), (V13_4, If("flags", 4, TYPE))),
        "z" / Since(V13_4, If("flags", 8, TYPE)),
    )
    scalar = {"variant": "i32"}
    assert codec.build(node, {"x": scalar}, V13_1) == b"\x03\x03"
    assert codec.build(node, {"z": scalar}, V13_4) == b"\x08\x03"
    with pytest.raises(BuildError, match=r"z needs 13\.4"):
        codec.build(node, {"z": scalar}, V13_3)
