"""Every fixture in every version: there and back, or all that the version lacks."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, INVALID, OLDEST_AND_NEWEST, name_of
from tests.formats.small import EMPTY_SIGNATURE, RETURN, file, kernel, table, varint
from tests.tileir.same_meaning import meaning, needed, targets
from tileir import BuildError, Bytecode, BytecodeError, VersionError
from tileir.errors import Feature
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.enums import ROUNDING_MODE
from tileir.formats.limits import Limits
from tileir.formats.ops import BY_NAME
from tileir.formats.types import TYPE
from tileir.formats.version import V13_1, V13_2, V13_4, V13_5, Version


def uses(error: VersionError) -> Counter:
    """The features of an error as `needed` gives them; each is there once."""
    found = Counter()
    for feature in error.features:
        key = (feature.owner, feature.slot, feature.since, feature.function)
        assert key not in found
        assert feature.until is None
        found[key] = feature.times
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", OLDEST_AND_NEWEST, ids=name_of)
def test_there_and_back(path: Path) -> None:
    data = path.read_bytes()
    bytecode = Bytecode.parse(data).touch()
    means = cache(partial(meaning, bytecode))
    for version in targets(bytecode.version):
        wanted = needed(bytecode, version)
        if wanted:
            with pytest.raises(VersionError) as caught:
                bytecode.to_version(version)
            assert uses(caught.value) == wanted
            assert caught.value.version == version
            continue
        other = bytecode.to_version(str(version))
        assert other.version == version
        older = min(version, bytecode.version)
        assert meaning(other, older) == means(older)
        assert bytes(other.to_version(bytecode.version).data) == data
    assert bytecode.build() == data


def fixture(name: str) -> Bytecode:
    return Bytecode.parse((FIXTURES / f"{name}.tileirbc").read_bytes())


@pytest.mark.parametrize(
    ("name", "target", "line"),
    [
        ("13.4/angles", "13.1", r"atan2 needs 13\.2 \(in \w+\)"),
        ("13.4/tanh_approx", "13.1", r"tanh rounding_mode needs 13\.2 \(in \w+\)"),
        ("13.2/print_values", "13.1", r"print_tko token needs 13\.2 \(2 times in \w+\)"),
        ("13.2/print_values", "13.1", r"print_tko result_token needs 13\.2 \(2 times in \w+\)"),
        ("13.5/unsigned_loop", "13.1", r"for unsignedCmp needs 13\.2 \(in unsigned_loop\)"),
        ("13.5/nibbles", "13.2", r"i4 needs 13\.3"),
        ("13.4/sliding_window", "13.2", r"strided_view needs 13\.3"),
        ("13.5/multimem", "13.4", r"ptr ptr_attr multicast needs 13\.5 \(2 times\)"),
        ("13.5/pointer_kinds", "13.3", r"tensor_view ptr_attr unicast needs 13\.5"),
        ("13.5/entry_attributes", "13.4", r"entry argument_attributes needs 13\.5 \(in \w+\)"),
        ("13.5/module_globals", "13.2", r"global visibility needs 13\.3"),
        ("13.5/module_globals", "13.2", r"global constant needs 13\.3"),
        ("13.5/debug_scopes", "13.4", r"DISubprogram flags needs 13\.5"),
        ("13.5/producer", "13.2", r"Producer section needs 13\.3"),
        ("13.4/scatter_rows", "13.2", r"make_gather_scatter_view needs 13\.3 \(in \w+\)"),
        ("13.5/multimem", "13.4", r"multimem_reduce_view_tko needs 13\.5 \(2 times in multimem\)"),
    ],
)
def test_what_is_said(name: str, target: str, line: str) -> None:
    with pytest.raises(VersionError) as caught:
        fixture(name).to_version(target)
    first, *lines = str(caught.value).splitlines()
    assert first == f"version {target} lacks what is used:"
    assert any(re.fullmatch(f"  {line}", found) for found in lines), lines
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.features) == (str(caught.value), caught.value.features)


def test_everything_is_listed_at_once() -> None:
    """What a slot says is looked at even where the slot itself is too new."""
    with pytest.raises(VersionError) as caught:
        fixture("13.5/multimem").to_version("13.1")
    needs = {feature.since for feature in caught.value.features}
    assert needs == {V13_4, V13_5}


def test_what_a_slot_says_is_not_said_of_the_slot_again() -> None:
    """All the features are there; the text leaves out what another line implies."""
    with pytest.raises(VersionError) as caught:
        fixture("13.5/multimem").to_version("13.1")
    assert "ptr ptr_attr needs 13.4" in map(str, caught.value.features)
    assert "ptr ptr_attr multicast needs 13.5 (2 times)" in str(caught.value)
    assert "ptr ptr_attr needs" not in str(caught.value)


def said(*features: Feature) -> list[str]:
    return str(VersionError(V13_1, features)).splitlines()[1:]


def test_what_implies_what() -> None:
    slot, newer = (Feature("x", n, v, None, "f") for n, v in (("mode", V13_2), ("mode up", V13_4)))
    older, other = Feature("x", "mode up", V13_2), replace(newer, owner="y")
    up = "  x mode up needs 13.4 (in f)"
    assert said(slot, newer) == [up]
    assert said(replace(slot, times=3), newer) == ["  x mode needs 13.2 (2 times in f)", up]
    assert said(older, Feature("x", "mode", V13_4)) == ["  x mode needs 13.4"]
    assert len(said(slot, other)) == len(said(slot, replace(newer, function="g"))) == 2
    assert len(said(Feature("x", "", V13_2), Feature("x", "mode", V13_4))) == 2


# One kernel, written by hand -----------------------------------------------------------------

I32, F32, TOKEN = (varint(TYPE.by_name[name].tag) for name in ("i32", "f32", "token"))
SCALAR = varint(TYPE.by_name["tile"].tag)
PRINT = BY_NAME["print_tko"].opcode
SCALARS = [EMPTY_SIGNATURE, I32, SCALAR + b"\x01\x00", F32, SCALAR + b"\x03\x00"]


def made(body: bytes, version: Version, types: list[bytes] = SCALARS, **more) -> bytes:
    return file(*kernel(types, body, **more), version=version)


def ops(bytecode: Bytecode) -> list[tuple]:
    """Name, operands and number of the first result of each op, in pre-order."""
    return [
        (op.name, [v.number for v in op.operand_list()], [v.number for v in op.results])
        for function in bytecode.functions
        for op in function.walk()
    ]


def op(name: str, *rest: int) -> bytes:
    return varint(BY_NAME[name].opcode) + bytes(rest)


def block_ids() -> bytes:
    """Three scalars of type 2, the first ones in a kernel without parameters."""
    return op("get_tile_block_id", 2, 2, 2)


def test_a_new_result_shifts_what_is_behind_it() -> None:
    """print_tko defines a token from 13.2 on, in nested regions as elsewhere."""
    body = (
        block_ids()  # 0, 1, 2
        + op("print_tko", 0, 0, 1, 1)  # 13.2: 3
        + op("addi", 2, 0, 0, 1)  # 3; 13.2: 4
        + op("loop", 1, 2, 1, 3, 1)  # takes 3, gives 4; 13.2: 4 and 5
        + bytes([1, 1, 2, 3])  # a block of three ops, its argument 4; 13.2: 5
        + op("print_tko", 0, 0, 2, 4, 0)  # 13.2: 6
        + op("addi", 2, 0, 3, 4)  # 5; 13.2: 7
        + op("break", 0, 1, 5)
        + op("addi", 2, 0, 4, 0)  # 5; 13.2: 6
        + RETURN
    )
    data = made(body, V13_1)
    old = Bytecode.parse(data)
    new = old.to_version("13.2")
    assert ops(old) == [
        ("get_tile_block_id", [], [0, 1, 2]),
        ("print_tko", [1], []),
        ("addi", [0, 1], [3]),
        ("loop", [3], [4]),
        ("print_tko", [4, 0], []),
        ("addi", [3, 4], [5]),
        ("break", [5], []),
        ("addi", [4, 0], [5]),
        ("return", [], []),
    ]
    assert ops(new) == [
        ("get_tile_block_id", [], [0, 1, 2]),
        ("print_tko", [1], [3]),
        ("addi", [0, 1], [4]),
        ("loop", [4], [5]),
        ("print_tko", [5, 0], [6]),
        ("addi", [4, 5], [7]),
        ("break", [7], []),
        ("addi", [5, 0], [6]),
        ("return", [], []),
    ]
    tokens = [str(op.result.type) for op in new.functions[0].walk() if op.name == "print_tko"]
    assert tokens == ["token", "token"]
    assert [str(type) for type in new.types] == [*map(str, old.types), "token"]
    back = new.to_version("13.1")
    assert ops(back) == ops(old)
    assert back.functions[0].code.data == old.functions[0].code.data
    with_token = made(body, V13_1, [*SCALARS, TOKEN])
    assert (
        bytes(Bytecode.parse(with_token).to_version("13.5").to_version("13.1").data) == with_token
    )


def test_a_lost_result_is_counted_where_it_is_used() -> None:
    token = len(SCALARS)
    body = (
        block_ids()
        + op("print_tko", 1, token, 0, 0, 1, 1)
        + op("print_tko", 1, token, 1, 0, 1, 1, 3)
        + op("join_tokens", 1, token, 3, 3, 4, 4)
        + RETURN
    )
    bytecode = Bytecode.parse(made(body, V13_2, [*SCALARS, TOKEN]))
    with pytest.raises(VersionError) as caught:
        bytecode.to_version("13.1")
    assert uses(caught.value) == needed(bytecode, V13_1)
    assert {str(f): f.times for f in caught.value.features} == {
        "print_tko token needs 13.2": 1,
        "print_tko result_token needs 13.2": 4,
    }


def test_enum_cases_are_listed_by_name() -> None:
    away = ROUNDING_MODE.by_name["nearest_away"].value
    body = block_ids() + op("itof", 4, 1, away, 0) + op("itof", 4, 1, away, 1) + RETURN
    bytecode = Bytecode.parse(made(body, V13_4))
    with pytest.raises(
        VersionError, match=r"itof rounding_mode nearest_away needs 13\.4 \(2 times"
    ):
        bytecode.to_version("13.3")
    assert bytecode.to_version("13.5").version == V13_5


def test_attribute_kinds_are_listed_by_name() -> None:
    kind, dictionary = (ATTRIBUTE.by_name[n].tag for n in ("MultimemReductionKind", "Dictionary"))
    hints = bytes([ATTRIBUTE.by_name["OptimizationHints"].tag, 1, 1, dictionary, 1, 1, kind, 2])
    bytecode = Bytecode.parse(entry_13_5(hints))
    with pytest.raises(VersionError) as caught:
        bytecode.to_version("13.4")
    assert uses(caught.value) == needed(bytecode, V13_4)
    assert [str(f) for f in caught.value.features] == ["entry MultimemReductionKind needs 13.5"]


def entry_13_5(hints: bytes) -> bytes:
    """A 13.5 file of one kernel, without argument attributes."""
    nothing = bytes([ATTRIBUTE.by_name["Array"].tag, 0])
    entry = b"\x00\x00\x02\x00" + hints + nothing
    return file(
        (1, 4, table([b"kern", b"key"])),
        (5, 4, table([EMPTY_SIGNATURE])),
        (2, 8, b"\x01" + entry + varint(len(RETURN)) + RETURN),
        version=V13_5,
    )


def test_hints_are_announced_until_13_4() -> None:
    """Hints that are there but empty are no hints: a 13.5 file cannot say which it was."""
    empty = bytes([ATTRIBUTE.by_name["OptimizationHints"].tag, 0])
    plain = made(RETURN, V13_4, [EMPTY_SIGNATURE])
    assert bytes(Bytecode.parse(plain).to_version("13.5").data) == entry_13_5(empty)
    assert bytes(Bytecode.parse(entry_13_5(empty)).to_version("13.4").data) == plain
    stated = made(RETURN, V13_4, [EMPTY_SIGNATURE], hints=empty)
    assert bytes(Bytecode.parse(stated).to_version("13.1").to_version("13.4").data) == stated
    assert bytes(Bytecode.parse(stated).to_version("13.5").data) == entry_13_5(empty)


# Bounds --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nesting_as_deep_as_can_be_read() -> None:
    limits = Limits(region_depth=3500)
    depth = limits.region_depth
    opened = op("loop", 0, 0, 1, 1, 0)
    body = (opened + b"\x02") * (depth - 1) + opened + b"\x01" + op("break", 0, 0) * depth + RETURN
    data = made(body, V13_1)
    bytecode = Bytecode.parse(data, limits=limits)
    assert bytes(bytecode.to_version("13.5").to_version("13.1").data) == data


def test_versions_that_do_not_exist() -> None:
    bytecode = fixture("13.4/vector_add")
    for version in ("13.0", "13.6", (12, 9)):
        with pytest.raises(BuildError, match=r"is not one of 13\.1 to"):
            bytecode.to_version(version)
    with pytest.raises(ValueError, match=r"is not a version such as '13\.4'"):
        bytecode.to_version("newest")


def test_the_same_version_is_the_same_bytes() -> None:
    bytecode = fixture("13.4/vector_add")
    assert bytes(bytecode.to_version(V13_4).data) == bytes(bytecode.data)


def test_what_cannot_be_read_to_the_end_is_not_converted_to_its_own_version_either() -> None:
    unread = 0
    for path in INVALID:
        with suppress(BytecodeError):  # of those that cannot be opened at all
            bytecode = Bytecode.parse(path.read_bytes())
            problem = _problem(lambda: Bytecode.parse(path.read_bytes()).touch())  # noqa: B023
            assert _problem(lambda: bytecode.to_version(bytecode.version)) == problem  # noqa: B023
            unread += bool(problem)
    assert unread > 10


def _problem(read: Callable[[], object]) -> str:
    try:
        read()
    except BytecodeError as error:
        return str(error)
    return ""
