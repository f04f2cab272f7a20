"""Bad input gives one located BytecodeError, whatever is wrong with it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, INVALID, VALID, name_of
from tests.rebuild import rebuilt
from tileir import Bytecode, BytecodeError
from tileir.explain.annotate import annotate

VECTOR_ADD = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()


def read_everything(data: bytes) -> Bytecode:
    bytecode = Bytecode.parse(data)
    for _ in annotate(bytecode):
        pass
    return bytecode


def refused(data: bytes) -> BytecodeError:
    with pytest.raises(BytecodeError) as caught:
        read_everything(data)
    error = caught.value
    assert error.kind in BytecodeError.KINDS
    assert 0 <= error.offset <= len(data)
    assert error.section
    assert error.expected
    assert error.found
    assert "\n" not in str(error)
    return error


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_one_way_of_being_wrong_each(path: Path) -> None:
    kind = json.loads(path.with_suffix(".json").read_text())["kind"]
    if kind == "verify":  # readable; what it breaks is a rule about ops
        assert read_everything(path.read_bytes()).build() == path.read_bytes()
    else:
        assert refused(path.read_bytes()).kind == kind


def test_truncation_anywhere() -> None:
    kinds = {size: refused(VECTOR_ADD[:size]).kind for size in range(len(VECTOR_ADD))}
    assert kinds == dict.fromkeys(range(len(VECTOR_ADD)), "truncated")


def test_mlir_bytecode_is_recognised() -> None:
    error = refused(b"ML\xefR" + VECTOR_ADD[4:])
    assert error.kind == "bad_magic"
    assert "MLIR" in error.hint


@pytest.mark.parametrize("version", [(13, 0), (12, 255), (0, 0)])
def test_versions_older_than_the_first(version: tuple[int, int]) -> None:
    error = refused(VECTOR_ADD[:8] + bytes(version) + VECTOR_ADD[10:])
    assert error.kind == "version"
    assert error.offset == 8


def test_preview_content_that_the_header_does_not_announce_is_named() -> None:
    data = bytearray((FIXTURES / "preview" / "calls.tileirbc").read_bytes())
    data[10] = 0
    error = refused(bytes(data))
    assert error.kind == "preview"
    assert "which the header does not announce" in error.hint


def test_an_index_out_of_range_is_found_where_it_is() -> None:
    """Every type index of an op, in turn, made to point nowhere."""
    bytecode = Bytecode.parse(VECTOR_ADD)
    leaves = [leaf for leaf in annotate(bytecode) if getattr(leaf, "kind", "") == "type"]
    places = [leaf for leaf in leaves if "result_types" in leaf.path]
    assert places
    for leaf in places:
        data = bytearray(VECTOR_ADD)
        data[leaf.offset] = 0x7F
        error = refused(bytes(data))
        assert (error.kind, error.offset) == ("bad_index", leaf.offset)
        assert error.path == leaf.path
        assert error.found == "127"


def test_the_location_of_a_function_counts_too() -> None:
    leaves = annotate(Bytecode.parse(VECTOR_ADD))
    first = next(leaf for leaf in leaves if getattr(leaf, "path", "") == "debug.indices[0]")
    data = bytearray(VECTOR_ADD)
    data[first.offset + 3] = 0x80
    error = refused(bytes(data))
    assert (error.kind, error.offset) == ("bad_index", first.offset)


@pytest.mark.parametrize("tens", range(30))
def test_mutants_are_read_or_refused(tens: int, named) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        with named(f"seed {seed}"):
            check_mutant(seed)


def check_mutant(seed: int) -> None:
    """Bytes of a fixture are changed, lost or added."""
    choice = random.Random(seed)
    data = bytearray(choice.choice(VALID).read_bytes())
    for _ in range(choice.choice([1, 1, 2, 4])):
        position = choice.randrange(len(data))
        match choice.randrange(4):
            case 0:
                data[position] ^= 1 << choice.randrange(8)
            case 1:
                data[position] = choice.randrange(256)
            case 2:
                del data[position]
            case 3:
                data.insert(position, choice.randrange(256))
    try:
        bytecode = read_everything(bytes(data))
    except BytecodeError:
        refused(bytes(data))
    else:
        assert rebuilt(bytecode) == bytes(data)


@pytest.mark.parametrize("data", ["text", 7, None, [1, 2]])
def test_only_bytes_are_bytes(data: object) -> None:
    with pytest.raises(TypeError, match="expected bytes"):
        Bytecode.parse(data)


def test_strict_refuses_what_no_producer_writes() -> None:
    data = bytearray((FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes())
    padding = next(
        leaf
        for leaf in annotate(Bytecode.parse(bytes(data)))
        if getattr(leaf, "kind", "") == "padding"
    )
    data[padding.offset] = 0
    assert [warning.kind for warning in Bytecode.parse(data).warnings] == ["padding"]
    assert Bytecode.parse(data).build() == data
    with pytest.raises(BytecodeError, match="padding bytes"):
        Bytecode.parse(data, strict=True)
