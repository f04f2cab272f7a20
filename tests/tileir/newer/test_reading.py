"""What is read of files of version 13.6, and what is said of the rest; limits hold there, too."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import pairwise
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, VALID, name_of
from tests.formats.bombs import nested_ifs
from tests.formats.small import RETURN, file, table, varint
from tests.tileir.same_meaning import meaning
from tileir import AssemblyError, Bytecode, BytecodeError, VerifyError
from tileir.explain.annotate import Leaf, annotate
from tileir.explain.op_tree import op_tree
from tileir.formats.version import LATEST, SUPPORTED, V13_5, Newer, Version
from tileir.inspect import render
from tileir.types import UnknownType

from .made_up import ASSUMED, HINTED, KNOWN, STATED, TWISTED, stated, steps, whole

ALL = (KNOWN, TWISTED, ASSUMED, HINTED)
PREVIEW = FIXTURES / "preview" / "calls.tileirbc"

SAID = {
    "new op": ["0x1a: expected a known opcode, found 200; from 0x1a on 7 bytes are opaque"],
    "required attribute with a default": [
        "0x1a: expected a value index from 0 to 3, found 4; from 0x1a on 7 bytes are opaque"
    ],
    "unit flag behind older operands": [
        "0x1e: expected only flag bits 0 to 2, found 0xd; from 0x1a on 16 bytes are opaque"
    ],
    "optional operand": [
        "0x1e: expected only flag bits 0 to 2, found 0x15; from 0x1a on 17 bytes are opaque"
    ],
    "enum case": [
        "0x22: expected a case of RoundingMode, found 8; from 0x1f on 8 bytes are opaque"
    ],
    "element type": [
        "0x1a: expected a known type tag, found 131; from 0x1a on 9 bytes are opaque",
        "0xc5: expected a known type tag, found 131; from 0xc5 on 2 bytes are opaque",
    ],
    "layout of a record": ["0x26: 3 bytes behind all that is known are opaque"],
    "attribute kind": [
        "0x1b: expected a known attribute tag, found 14; from 0x11 on 19 bytes are opaque"
    ],
    "field of a debug record": [
        "0x89: expected the end of the entry, found bytes: 1 more; from 0x81 on 9 bytes are opaque"
    ],
    "section": ["0xec: no section 8 is known; its contents are opaque"],
}
"""What is said of a file with one new thing: the offset of each unknown thing, and which it is."""


def said(bytecode: Bytecode) -> list[str]:
    """What is unknown, without the names of sections and the paths of fields."""
    return [f"{one.place}: {one.message.split(': ', 2)[2]}" for one in bytecode.touch().unknown]


def leaves(bytecode: Bytecode) -> list[Leaf]:
    return [line for line in annotate(bytecode) if isinstance(line, Leaf)]


def both(data: bytes) -> Bytecode:
    """The file as both codecs read it, which find the same unknown things."""
    one, other = (Bytecode.parse(data, reference=given).touch() for given in (False, True))
    assert one.unknown == other.unknown
    assert meaning(one, LATEST) == meaning(other, LATEST)
    return one


def test_newer_versions_compare_as_the_latest_and_print_as_themselves() -> None:
    newer = Newer(Version(14, 0))
    assert newer == LATEST
    assert str(newer) == "14.0"
    assert newer.stated == (14, 0)
    assert not newer.preview
    assert newer.previewed.preview
    assert str(newer.previewed) == "14.0 preview"
    assert [newer.open, *(version.open for version in SUPPORTED)] == [True, *[False] * 5]
    for again in (copy.deepcopy(newer), pickle.loads(pickle.dumps(newer.previewed))):
        assert again.open
        assert again.stated[:2] == (14, 0)


@pytest.mark.parametrize("name", SAID)
def test_each_unknown_thing_is_named_with_its_offset(name: str) -> None:
    bytecode = both(steps()[name])
    assert bytecode.newer
    assert bytecode.version == STATED
    assert said(bytecode) == SAID[name]


@pytest.mark.parametrize("name", sorted(steps()))
def test_all_bytes_are_shown_and_kept(name: str) -> None:
    data = steps()[name]
    bytecode = Bytecode.parse(data)
    assert b"".join(bytes(leaf.data) for leaf in leaves(bytecode)) == data
    assert any(leaf.kind == "opaque" for leaf in leaves(bytecode))
    assert bytecode.build() == data
    assert pickle.loads(pickle.dumps(bytecode)).data == data


@pytest.mark.parametrize("name", sorted(steps()))
def test_no_text_of_it_is_assembled(name: str) -> None:
    for debug in (False, True):
        text = tileir.disassemble(steps()[name], debug=debug)
        assert text.startswith(
            "<<version 13.6 is newer than 13.5; what follows is read as 13.5>>\n"
        )
        with pytest.raises(AssemblyError):
            tileir.assemble(text)


def test_a_file_with_a_new_op_a_new_attribute_and_a_new_section() -> None:
    bytecode = both(whole(*ALL))
    assert said(bytecode) == [
        "0x2c: expected a known opcode, found 200; from 0x2c on 10 bytes are opaque",
        "0x44: expected a known attribute tag, found 14; from 0x42 on 9 bytes are opaque",
        "0x55: expected a known attribute tag, found 14; from 0x4b on 19 bytes are opaque",
        "0x169: no section 8 is known; its contents are opaque",
    ]
    known, twisted, assumed = bytecode.functions
    assert [op.name for op in known.walk()] == ["absf", "return"]
    assert known.opaque is None
    assert [op.name for op in twisted.walk()] == ["absf"]
    assert [op.name for op in assumed.walk()] == ["negf"]
    end = twisted.opaque
    assert end is not None
    assert (end.offset, len(end.data), end.block) == (0x2C, 10, twisted.body.block)
    assert [section.name for section in bytecode.sections][-1] == "Section 8"


def test_the_text_shows_what_is_known_and_marks_the_rest() -> None:
    text = tileir.disassemble(whole(TWISTED, KNOWN))
    entry = "(%arg0: tile<i32>, %arg1: tile<f32>) {"
    assert text.splitlines()[3:] == [
        f"entry @twisted{entry}",
        "  %0 = absf %arg1 : tile<f32>",
        "  <<opaque: expected a known opcode, found 200; from 0x1d on 10 bytes are opaque>>",
        "}",
        f"entry @known{entry}",
        "  %0 = absf %arg1 : tile<f32>",
        "  return",
        "}",
    ]


def test_json_says_it_too() -> None:
    tree = json.loads(op_tree(Bytecode.parse(whole(TWISTED, KNOWN))))
    assert tree["version"] == "13.6"
    assert [one["offset"] for one in tree["unknown"]] == [0x1D, tree["unknown"][1]["offset"]]
    twisted, known = tree["functions"]
    assert twisted["opaque"]["offset"] == 0x1D
    assert twisted["opaque"]["size"] == 10
    assert [op["name"] for op in twisted["ops"]] == ["absf"]
    assert "opaque" not in known
    assert "unknown" not in json.loads(op_tree(tileir.load(FIXTURES / "13.5/vector_add.tileirbc")))


def test_the_dump_says_why_bytes_are_opaque() -> None:
    lines = [line for line in render(annotate(Bytecode.parse(whole(*ALL)))) if "opaque," in line]
    assert [line.split("opaque, ")[1][:58] for line in lines] == [
        "10 bytes: expected a known opcode, found 200; from 0x2c on",
        "9 bytes: expected a known attribute tag, found 14; from 0x",
        "19 bytes: Func: func[3].hints.entries[0].value.entries[0].",
        "3 bytes: no such section is known",
    ]


LATEST_FILES = [path for path in VALID if path.parent.name == str(LATEST)]


@pytest.mark.parametrize("path", LATEST_FILES, ids=name_of)
def test_a_newer_file_without_anything_new_is_read_as_one_of_the_latest(path: Path) -> None:
    data = path.read_bytes()
    bytecode = both(stated(data))
    assert not bytecode.unknown
    assert tileir.disassemble(bytecode).split("\n", 1)[1] == tileir.disassemble(data)
    assumed = Bytecode.parse(stated(data), strict=True, assume_version=V13_5)
    assert not assumed.newer
    assert tileir.disassemble(assumed) == tileir.disassemble(data)
    assert assumed.build() == stated(data)
    assert assumed.to_version("13.5").data == data
    assert pickle.loads(pickle.dumps(assumed)).version == V13_5


OPCODES = [
    pytest.param(path, index, id=f"{path.stem}-{index}")
    for path in LATEST_FILES
    for index in range(5)
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("path", "part"), OPCODES)
def test_ops_before_an_unknown_one_are_read_however_deep_it_is(path: Path, part: int) -> None:
    """Each op in turn becomes an unknown one: of a file, a fifth of them."""
    data = path.read_bytes()
    before = Bytecode.parse(data)
    for function in before.functions:
        ops = list(function.walk())
        for op in ops[part::5]:
            made = bytearray(stated(data))
            made[op.offset] = 127
            bytecode = Bytecode.parse(bytes(made)).touch()
            (one,) = bytecode.unknown
            assert one.offset == op.offset
            other = bytecode.function(function.name)
            earlier = [(each.name, each.offset) for each in ops if each.offset < op.offset]
            assert [(each.name, each.offset) for each in other.walk()] == earlier
            assert [leaf.offset for leaf in leaves(bytecode) if leaf.kind == "opaque"] == [
                op.offset
            ]
            assert bytecode.build() == made
            assert tileir.disassemble(bytecode).count("<<opaque: expected a known opcode") == 1
            op_tree(bytecode)


def test_what_refers_to_an_unknown_type_is_opaque_and_says_so() -> None:
    entry = b"\x00\x00\x02\x00\x0b\x00\x06\x00" + varint(len(RETURN)) + RETURN
    sections = [(1, 4, table([b"kern", b"key"])), (2, 8, b"\x01" + entry)]
    types = [b"\x10\x02\x01\x02\x00", b"\x0d\x03\x00", b"\x63", b"\x03"]
    data = file(*sections, (5, 4, table(types)), version=STATED)
    bytecode = both(data)
    (function,) = bytecode.functions
    assert function.type.parameters[0].__class__.__name__ == "Tile"
    assert function.type.parameters[1] == UnknownType(2)
    end = function.opaque
    assert end is not None
    assert bytes(end.data) == RETURN
    assert "entry @kern(%arg0: tile<i32>, %arg1: <<unknown type 2>>) {" in tileir.disassemble(data)
    assert bytecode.build() == data
    with pytest.raises(BytecodeError, match="expected a known type tag, found 99"):
        Bytecode.parse(data, assume_version="13.5").touch()


def test_preview_content_is_read_where_the_header_announces_it() -> None:
    data = PREVIEW.read_bytes()
    bytecode = both(stated(data))
    assert not bytecode.unknown
    assert str(bytecode.version) == "13.6 preview"
    assert len(bytecode.declarations) == len(Bytecode.parse(data).declarations)
    unannounced = bytearray(stated(data))
    unannounced[10] = 0
    assert "public-preview" in " ".join(said(both(bytes(unannounced))))


def test_unknown_bits_of_the_header_are_named() -> None:
    data = bytearray(whole(KNOWN))
    data[10:12] = b"\x06\x80"
    assert said(Bytecode.parse(bytes(data)))[0].startswith(
        "0xa: unknown bits of the version tag: 0x8006"
    )


@pytest.mark.parametrize("reference", [False, True], ids=["specialised", "reference"])
def test_where_nothing_can_be_read_the_error_is_about_the_version(reference: bool) -> None:
    data = whole(KNOWN)
    strings = Bytecode.parse(data).sections[-2].payload
    broken = bytearray(data)
    broken[strings.offset : strings.offset + 4] = b"\xff\xff\xff\x7f"
    for bad in (data[:-1], data[:13], data[:60], bytes(broken)):
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(bad, reference=reference)
        assert caught.value.kind == "version"
        assert caught.value.offset == 8
        assert "13.6" in str(caught.value)


def test_limits_hold() -> None:
    deep = b"\x00\x00\x02\x00\x0b\x00\x06\x00"
    body = nested_ifs(4000)
    types = [b"\x10\x01\x02\x00", b"\x00", b"\x0d\x01\x00"]
    sections = [(1, 4, table([b"kern"])), (2, 8, b"\x01" + deep + varint(len(body)) + body)]
    data = file(*sections, (5, 4, table(types)), version=STATED)
    bytecode = Bytecode.parse(data).touch()
    assert bytecode.unknown == Bytecode.parse(data, reference=True).touch().unknown
    assert "at most 3000 levels of one region inside another" in " ".join(said(bytecode))
    assert len(list(bytecode.functions[0].walk())) == 3000
    assert len(leaves(bytecode)) > 3000
    with pytest.raises(BytecodeError, match="expected a text of at most"):
        tileir.disassemble(bytecode)
    shallow = Bytecode.parse(data, limits=tileir.Limits(region_depth=7)).touch()
    assert len(list(shallow.functions[0].walk())) == 7
    assert tileir.disassemble(shallow).count("<<opaque") == 1


def test_strict_reading_refuses_what_is_unknown() -> None:
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(whole(*ALL), strict=True)
    assert caught.value.kind == "noncanonical"
    assert Bytecode.parse(stated(LATEST_FILES[0].read_bytes()), strict=True).newer


def test_an_assumed_version_is_one_that_is_known() -> None:
    for version in ("13.6", "12.0", (1, 2), "latest"):
        with pytest.raises(tileir.BuildError):
            Bytecode.parse(whole(KNOWN), assume_version=version)
    older = LATEST_FILES[0].read_bytes()
    assert Bytecode.parse(stated(older, (12, 9)), assume_version="13.5").version == V13_5


def test_numbers_of_sections_do_not_make_generated_code() -> None:
    """A codec is made for each known version, however many versions files state."""
    from tileir.formats import codec

    before = codec.specialised.cache_info().currsize
    for minor in range(6, 60):
        Bytecode.parse(stated(whole(KNOWN), (13, minor))).touch()
    assert codec.specialised.cache_info().currsize <= before + 1
    assert all(one <= other for one, other in pairwise(map(Newer, map(Version, (13, 14), (6, 0)))))


def test_what_is_known_of_an_opaque_function_may_have_no_text() -> None:
    """A view of a number, which has no text, stands in front of what is unknown."""
    data = bytearray(stated((FIXTURES / "13.5" / "vector_add.tileirbc").read_bytes()))
    before = Bytecode.parse(bytes(data))
    view = next(op for op in before.functions[0].walk() if op.name == "make_tensor_view")
    (base,) = [leaf for leaf in leaves(before) if leaf.op is view and leaf.field == "base"]
    data[base.offset] = 1
    *_, last = before.functions[0].walk()
    data[last.offset] = 127
    for tell in (tileir.disassemble, lambda given: op_tree(Bytecode.parse(given))):
        with pytest.raises(VerifyError, match="what is known of a function breaks rules"):
            tell(bytes(data))
