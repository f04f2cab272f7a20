"""The specialised codec gives what the reference gives: values, spans, warnings, bytes."""

from __future__ import annotations

import linecache
import threading
import traceback

import pytest

from tests.corpus import NEWEST, VALID
from tests.every_fixture import Fixture, every_fixture
from tests.formats.small import RETURN, file, kernel, varint
from tileir import Bytecode, BytecodeError
from tileir.formats import codec
from tileir.formats.cursor import ByteWriter, Environment, Oddity, Span
from tileir.formats.functions import BODY
from tileir.formats.sections import BY_NAME
from tileir.formats.specialised.reading import FastDecoder
from tileir.formats.specialised.rows import pack, unpack
from tileir.formats.specialised.runtime import REFUSALS, Reading
from tileir.formats.version import SUPPORTED


def plain(value):
    """A record without the difference between lists, tuples and bytes."""
    if isinstance(value, list | tuple | bytes) and not isinstance(value, str):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value


def sections(bytecode: Bytecode):
    """Name and payload of the sections that count."""
    for section in bytecode.sections:
        if section.active:
            yield section.name, section.payload


@every_fixture
def both_codecs_read_the_same(fixture: Fixture) -> None:
    bytecode = fixture.bytecode
    given = (bytecode.version, bytecode.types.tags)
    for name, payload in sections(bytecode):
        found, warned, traced = [], [], []
        for options in ({}, {"eager": True}, {"eager": True, "reference": True}):
            warnings: list[Oddity] = []
            trace: list[Span] = []
            if options:
                options["trace"] = trace
            found.append(
                codec.parse_section(
                    bytecode.data, name, payload, *given, warnings=warnings, **options
                )
            )
            warned.append(warnings)
            traced.append(trace)
        assert plain(found[1]) == plain(found[2])
        assert warned[1] == warned[2]
        assert traced[1] == traced[2]
        if name != "Func":
            assert plain(found[0]) == plain(found[2])
    for function in bytecode.functions:
        fast = codec.parse_body(bytecode.data, function.code, *given)
        slow = codec.parse_body(bytecode.data, function.code, *given, reference=True)
        assert plain(fast) == plain(slow)


@every_fixture
def the_fast_decoder_reads_all_that_is_usual(fixture: Fixture) -> None:
    """Without a word from the traced decoder there is nothing for the fast one to refuse."""
    bytecode = fixture.parse()
    fast = codec.specialised(bytecode.version).fast
    environment = Environment(bytecode.version, bytecode.types.tags)
    nodes = [(BY_NAME[name].payload, payload) for name, payload in sections(bytecode)]
    nodes += [(BODY, function.code) for function in bytecode.functions]
    odd = bool(bytecode.touch().warnings)
    refused = 0
    for node, payload in nodes:
        data = payload.data if node in (BY_NAME["String"].payload,) else bytes(payload.data)
        try:
            found, position = fast.reader(node)(data, 0, Reading(payload, environment))
        except REFUSALS:
            refused += 1
        else:
            assert position <= len(data)
            listed = fast.reader(node)(list(data), 0, Reading(payload, environment))
            assert listed == (found, position)
    assert bool(refused) == odd


@every_fixture
def the_encoder_repeats_what_is_canonical(fixture: Fixture) -> None:
    bytecode = fixture.parse().touch()
    given = (bytecode.version, bytecode.types.tags)
    for name, payload in sections(bytecode):
        record, stop = codec.parse_section(bytecode.data, name, payload, *given, eager=True)
        read = bytes(bytecode.data[payload.offset : stop])
        assert codec.build_section(name, record, *given, reference=True) == read
        writer = ByteWriter(Environment(*given))
        if not bytecode.warnings:  # the encoder does it alone
            encoder = codec.specialised(bytecode.version).encoder
            encoder.node(BY_NAME[name].payload)._build(record, writer, None, "record")
            assert bytes(writer.data) == read
        built = codec.build_section(name, record, *given)
        assert bool(bytecode.warnings) or built == read
        again, _ = codec.parse_section(
            memoryview(built), name, payload._replace(offset=0, data=memoryview(built)), *given
        )
        assert again is not None


@every_fixture(files=VALID[::7])
def rows_and_named_records_say_the_same(fixture: Fixture) -> None:
    bytecode = fixture.bytecode
    for function in bytecode.functions:
        rows = codec.parse_body(bytecode.data, function.code, bytecode.version, bytecode.types.tags)
        named = unpack(BODY, rows, bytecode.version)
        assert all(isinstance(op, dict) for op in named)
        assert plain(pack(BODY, named, bytecode.version)) == plain(rows)


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_generated_source_is_there_to_be_read(version) -> None:
    """A traceback through generated code shows the lines of it."""
    fast = codec.specialised(version).fast
    environment = Environment(version, ())
    reader = fast.reader(BODY)
    reader(RETURN, 0, Reading(codec.Slice(0, RETURN), environment))
    with pytest.raises(REFUSALS) as caught:
        fast.reader(BODY)(b"\x5c", 0, Reading(codec.Slice(0, b"\x5c"), environment))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].filename.startswith(f"<tileir {version}")
    assert frames[-1].line
    assert linecache.getlines(frames[-1].filename)


SCALAR = [b"\x03", b"\x0d\x00\x00", b"\x10\x01\x01\x00"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x5c\x00", "truncated"),
        (b"\x5c\x00\x01\x05", "bad_index"),
        (b"\x7e\x00\x00", "unknown_opcode"),
        (varint(0x4002), "preview"),
        (b"\x5c\x00" + varint(2**40), "limit"),
        (b"\x5c\x00\x02\x00", "limit"),
        (b"\x32\x01\x00\x00\x05", "bad_value"),
    ],
)
def test_errors_are_the_same_from_both(body: bytes, kind: str) -> None:
    data = file(*kernel(SCALAR, body, signature=2))
    errors = []
    for reference in (False, True):
        with pytest.raises(BytecodeError) as caught:
            Bytecode.parse(data, reference=reference).touch()
        errors.append((caught.value.kind, str(caught.value)))
    assert errors[0] == errors[1]
    assert errors[0][0] == kind


def test_functions_come_into_being_once_whoever_is_first() -> None:
    """Threads that meet in a codec nobody has used yet all read what it reads."""
    data = NEWEST["softmax"].read_bytes()
    bytecode = Bytecode.parse(data)
    environment = Environment(bytecode.version, bytecode.types.tags)
    code = bytecode.functions[0].code
    expected = codec.parse_body(bytecode.data, code, bytecode.version, bytecode.types.tags)
    for _ in range(20):
        fast, found, gate = FastDecoder(bytecode.version), [], threading.Barrier(8)

        def read(fast=fast, found=found, gate=gate) -> None:
            gate.wait()
            found.append(fast.reader(BODY)(bytes(code.data), 0, Reading(code, environment))[0])

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * 8
