"""What it takes to add a version: the fake future is read, written, refused, listed and shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, name_of
from tests.formats.schema.test_frozen import FROZEN, numbers
from tests.formats.test_specialised import plain
from tests.tileir.same_meaning import meaning
from tileir import BuildError, Bytecode, BytecodeError, VersionError
from tileir.explain.annotate import annotate
from tileir.formats import codec, container, sections
from tileir.formats.cursor import ByteWriter, Environment, Slice
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.functions import BODY
from tileir.formats.leaves import FlagWord
from tileir.formats.ops import BY_NAME as OPS
from tileir.formats.ops.spec import TOKEN, optional
from tileir.formats.ops.wire import OP, add, flag_slots
from tileir.formats.sections import BY_NAME as SECTIONS
from tileir.formats.sections import GLOBAL, PRODUCER
from tileir.formats.specialised.runtime import Reading
from tileir.formats.types import INTEGER_TAGS, SCALAR_BITS, TYPE
from tileir.formats.version import V13_5
from tileir.inspect import render

from .evolution import STEPS, Step, module, unary, versions_with, versions_without, written
from .future import V250_1, V250_2, future

IDS = [step.name for step in STEPS]


@pytest.fixture(scope="module", autouse=True)
def _the_future_is_here() -> Iterator[None]:
    before = state()
    with future():
        assert state() != before
        yield
    assert state() == before


def state() -> tuple:
    """Everything that the future changes."""
    fields = [
        [(field.name, field.subcon) for field in record.subcons]
        for record in (*(arm.fields for arm in TYPE.arms.values()), GLOBAL, PRODUCER)
    ]
    records = [len(arm.fields.subcons) for arm in DEBUG_RECORD.arms.values()]
    ops = [(OPS[name], id(OP.by_name[name].fields)) for name in OP.by_name]
    tables = (dict(SCALAR_BITS), set(INTEGER_TAGS), sections.SECTIONS, container.SUPPORTED)
    return numbers(), fields, records, ops, tables


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_written_and_read_by_both_codecs(step: Step) -> None:
    for version in versions_with(step):
        data = module(version, step.new)
        one, other = (Bytecode.parse(data, reference=given).touch() for given in (False, True))
        assert one.version == version
        assert not one.warnings
        assert not other.warnings
        assert meaning(one, version) == meaning(other, version)
        for section in one.sections:
            given = (data, section.name, section.payload, version, one.types.tags)
            read = [
                codec.parse_section(*given, eager=True, reference=reference)
                for reference in (False, True)
            ]
            assert plain(read[0]) == plain(read[1])
            record, stop = read[0]
            assert stop == section.payload.offset + section.size
            for reference in (False, True):
                again = codec.build_section(
                    section.name, record, version, one.types.tags, reference=reference
                )
                assert again == bytes(section.payload.data)
        for function in one.functions:
            given = (one.data, function.code, version, one.types.tags)
            assert plain(codec.parse_body(*given)) == plain(
                codec.parse_body(*given, reference=True)
            )


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_generated_code_knows_it(step: Step) -> None:
    """Neither the fast decoder nor the encoder leaves any of it to the schema's own nodes."""
    for version in versions_with(step):
        bytecode = Bytecode.parse(module(version, step.new))
        made = codec.specialised(version)
        environment = Environment(version, bytecode.types.tags)
        for section in bytecode.sections:
            node, data = SECTIONS[section.name].payload, section.payload.data
            where = Slice(0, bytes(data))
            record, stop = made.fast.reader(node)(where.data, 0, Reading(where, environment))
            writer = ByteWriter(environment)
            made.encoder.node(node)._build(record, writer, None, "record")
            assert bytes(writer.data) == where.data
            assert stop == len(data)
        for function in bytecode.functions:
            where = Slice(0, bytes(function.code.data))
            rows, _ = made.fast.reader(BODY)(where.data, 0, Reading(where, environment))
            writer = ByteWriter(environment)
            made.encoder.node(BODY)._build(rows, writer, None, "record")
            assert bytes(writer.data) == where.data


@pytest.mark.parametrize("step", STEPS, ids=IDS)
@pytest.mark.parametrize("reference", [False, True], ids=["specialised", "reference"])
def test_older_versions_cannot_say_it(step: Step, reference: bool) -> None:
    unrefused = {"layout of a record", "section"}  # readers take a section whatever the version
    for version in versions_without(step):
        if step.name in unrefused:
            written(version, step.new, reference)
            continue
        with pytest.raises(BuildError):
            written(version, step.new, reference)


@pytest.mark.parametrize("step", [s for s in STEPS if s.kind], ids=lambda step: step.name)
@pytest.mark.parametrize("reference", [False, True], ids=["specialised", "reference"])
def test_older_versions_refuse_it(step: Step, reference: bool) -> None:
    data = bytearray(module(V250_1, step.new))
    data[8:10] = V13_5
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(bytes(data), reference=reference).touch()
    assert caught.value.kind == step.kind


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_all_of_it_is_listed(step: Step) -> None:
    bytecode = Bytecode.parse(module(V250_2, step.new))
    for version in versions_without(step):
        if not step.lacks:
            back = bytecode.to_version(version).to_version(V250_2)
            assert bytes(back.data) == bytes(bytecode.data)
            continue
        with pytest.raises(VersionError) as caught:
            bytecode.to_version(version)
        assert [str(feature) for feature in caught.value.features] == [step.lacks]
    for version in versions_with(step):
        assert bytes(bytecode.to_version(version).data) == module(version, step.new)


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_old_files_mean_the_default(step: Step) -> None:
    for version in versions_without(step):
        data = module(version, step.old)
        bytecode = Bytecode.parse(data)
        if step.default is not None:
            slot, value = step.default
            op = bytecode.functions[0].ops[0]
            assert {**op.attributes, **op.operands}[slot] == value
        for newer in versions_with(step):
            other = bytecode.to_version(newer)
            assert meaning(other, version) == meaning(bytecode, version)
            assert bytes(other.data) == module(newer, step.spelled or step.old)
            assert bytes(other.to_version(version).data) == data


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_inspect_shows_it(step: Step) -> None:
    data = module(V250_2, step.new)
    assert step.shown in "\n".join(render(annotate(Bytecode.parse(data))))
    leaves = [line for line in annotate(Bytecode.parse(data)) if hasattr(line, "data")]
    assert b"".join(bytes(leaf.data) for leaf in leaves) == data
    assert not [leaf for leaf in leaves if leaf.kind == "unused"]


def test_numbers_do_not_move() -> None:
    """Bits are given out by version first, whatever the order in the row."""
    frozen = FROZEN.read_text().splitlines()
    assert set(frozen) < set(numbers())
    added = {line for line in numbers() if line not in frozen}
    assert {"op 200 twist 250.1", "flag ptr 1 space 250.1", "flag cos 1 exact 250.2"} < added
    assert len(added) == len(numbers()) - len(frozen) == 14
    bits = [slot.name for slot in flag_slots(OPS["load_view_tko"])]
    old = ["memory_scope", "optimization_hints", "token"]
    assert bits == [*old, "streaming", "guard", "urgency"]
    assert [slot.name for slot in flag_slots(OPS["cos"])] == ["degree", "exact"]


def test_newer_bits_are_unknown_to_older_versions() -> None:
    """A bit that a later version gave out says nothing in an earlier file, and stays there."""
    data = module(V250_2, {"body": [unary("cos", exact=True)]})
    old = data[:8] + bytes(V250_1) + data[10:]
    for reference in (False, True):
        bytecode = Bytecode.parse(old, reference=reference).touch()
        assert bytecode.functions[0].ops[0].attributes["exact"] is False
        assert [warning.kind for warning in bytecode.warnings] == ["unknown_flags"]
    with pytest.raises(VersionError, match=r"cos unknown bits of flags is gone after 250\.1"):
        Bytecode.parse(old).to_version(V250_2)


@pytest.mark.parametrize(
    "path",
    [
        *sorted((FIXTURES / "13.5").glob("*.tileirbc")),
        *[FIXTURES / f"13.{n}" / "print_values.tileirbc" for n in (1, 2, 3, 4)],
        *[FIXTURES / f"13.{n}" / "check_values.tileirbc" for n in (1, 2, 3, 4)],
        *[FIXTURES / f"13.{n}" / "trigonometry.tileirbc" for n in (1, 2, 3, 4)],
    ],
    ids=name_of,
)
def test_real_files_there_and_back(path: Path) -> None:
    data = path.read_bytes()
    bytecode = Bytecode.parse(data)
    other = bytecode.to_version(V250_2)
    assert meaning(other, bytecode.version) == meaning(bytecode, bytecode.version)
    assert bytes(other.to_version(bytecode.version).data) == data


def test_a_field_that_only_one_version_has() -> None:
    bytecode = Bytecode.parse(module(V250_1, {"producer": {"producer": 0, "edition": 6}}))
    for version, line in ((V13_5, "needs 250.1"), (V250_2, "is gone after 250.1")):
        with pytest.raises(VersionError) as caught:
            bytecode.to_version(version)
        assert [str(feature) for feature in caught.value.features] == [f"producer edition {line}"]
    with pytest.raises(BuildError, match=r"edition is given, which 250\.2 does not have"):
        module(V250_2, {"producer": {"producer": 0, "edition": 6}})


def test_a_new_result_of_which_the_type_is_not_known() -> None:
    """Only a token can be made up: there is one type of token."""
    old = Bytecode.parse(module(V13_5, {"body": [unary("log2")]}))
    assert bytes(old.to_version(V250_1).to_version(V13_5).data) == bytes(old.data)
    with pytest.raises(BuildError, match=r"13\.5 does not say which type error of log2 has"):
        old.to_version(V250_2)
    new = Bytecode.parse(module(V250_2, {"body": [unary("log2", result_types=[4, 2])]}))
    assert bytes(new.to_version(V13_5).data) == bytes(old.data)


def test_rows_that_would_change_old_files_are_refused() -> None:
    """The bytes of an op's old operands must not depend on what a later version adds."""
    guard = optional("guard", TOKEN, since=V250_1)
    for name in ("absf", "for", "extract"):
        with pytest.raises(ValueError, match=f"{name}: only a segmented op"):
            add(replace(OPS[name], operands=(*OPS[name].operands, guard)))
    with pytest.raises(ValueError, match="a later bit before an earlier one: new, old"):
        FlagWord("new", "old", since={"new": V250_1})
