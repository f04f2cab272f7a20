"""A few thousand mutants a run, other ones for each seed; and that the fuzzer finds what is wrong.

`python -m tests.lab.fuzz` tries as many as there is time for. The cost of reading is not measured:
a test that fails when the machine is busy says nothing.
"""

from __future__ import annotations

import tracemalloc
from collections import Counter
from functools import cache

import pytest

from tests.corpus import VALID
from tileir import Bytecode, BytecodeError

from . import agreement, rejection, round_trip
from .__main__ import main, summary
from .campaign import SWOLLEN, Tally, checks, examine
from .cost import MOST_KIB
from .finding import Finding, Outcome, signature
from .framing import take_apart
from .mutations import LARGEST, Mutant, Seed, mutant, seeds
from .sameness import difference, wide_numbers
from .shrinking import reduced, shrink

COUNT = 75
SEEDS = range(100, 110)


@cache
def files() -> list[Seed]:
    return seeds()


def drawn(seed: int, count: int, swollen: float = 0.0) -> list[Mutant]:
    """Mutants from all over the numbers, not only of the smallest files."""
    return [mutant(seed, 10_000 + number, files(), swollen) for number in range(count)]


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_properties_hold(seed: int, named) -> None:
    mutants = drawn(seed, COUNT)
    for module in (agreement, rejection, round_trip):
        with named(module.__name__):
            check_property(module.check, seed, mutants)


def check_property(check, seed: int, mutants: list[Mutant]) -> None:
    """No mutant is a counterexample."""
    verdicts: Counter[str] = Counter()
    for number, (source, data) in enumerate(mutants):
        try:
            verdicts[check(data).verdict] += 1
        except Exception as error:
            what = f"mutant {number} of seed {seed}, of {source}: {data.hex()}"
            raise AssertionError(f"{what}: {signature(error)}") from error
    assert verdicts.total() == COUNT
    assert verdicts["accepted"] > COUNT // 12
    assert len(verdicts) > 5


def test_swollen_files_take_little_memory() -> None:
    sizes = []
    for _, data in drawn(7, 12, swollen=1.0):
        sizes.append(len(data))
        tracemalloc.start()
        try:
            Bytecode.parse(data).touch()
        except BytecodeError:
            pass
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < MOST_KIB * 1024
    assert max(sizes) > LARGEST // 2


# The fuzzer itself --------------------------------------------------------------------------


def test_every_fixture_can_be_taken_apart() -> None:
    valid = [file for file in files() if not file.name.startswith("invalid/")]
    assert len(valid) == len(VALID)
    for file in valid:
        assert file.framed is not None, file.name
        assert file.framed.data() == file.data
    assert take_apart(valid[0].data).data() == valid[0].data  # bodies not known


def test_mutants_depend_on_seed_and_number_alone() -> None:
    one, other = drawn(5, 40, 0.1), [mutant(5, 10_000 + n, seeds(), 0.1) for n in range(40)]
    assert one == other
    assert len({data for _, data in one}) > 35
    assert one != drawn(6, 40, 0.1)


def test_mutants_reach_bodies_and_every_version() -> None:
    versions, inside = set(), 0
    for _, data in drawn(1, 300):
        try:
            versions.add(Bytecode.parse(data).original.version)
            Bytecode.parse(data).touch()
        except BytecodeError as error:
            inside += ".body[" in error.path
    assert len(versions) == 5
    assert inside > 20


def test_a_failure_is_shrunk_and_counted() -> None:
    def check(data: bytes) -> Outcome:
        if data.count(b"vector_add") > 0:
            raise Finding("it is called vector_add")
        return Outcome("accepted", {"size": len(data)})

    tally, seen = Tally(), set()
    whole = next(file for file in files() if file.name == "13.4/vector_add")
    for number, data in enumerate((whole.data, files()[5].data, whole.data)):
        examine(check, number, Mutant("it", data), tally, seen)
    (failure,) = tally.failures.values()
    assert failure.data == b"vector_add"
    assert (failure.number, failure.original) == (0, whole.data)
    assert tally.repeats[failure.what] == 2
    assert tally.worst["size"].data == files()[5].data
    assert summary("it", tally).startswith("it: 3 mutants, 1 accepted, 0 refused ()")


def test_shrinking_keeps_what_it_takes() -> None:
    assert bytes(reduced(bytes(range(64)), lambda kept: {3, 40} <= set(kept))) == bytes((3, 40))

    def readable(data: bytes) -> bool:
        try:
            return Bytecode.parse(data).touch().functions[0].name == "vector_add"
        except (BytecodeError, IndexError):
            return False

    whole = next(file for file in files() if file.name == "13.4/vector_add").data
    small = shrink(whole, readable, seconds=60)
    assert readable(small)
    assert len(small) < 0.6 * len(whole)


def test_differences_are_found() -> None:
    data = files()[60].data
    function = Bytecode.parse(data).functions[0]
    other = Bytecode.parse(data, reference=True).functions[0]
    assert not difference(function.body, other.body)
    list(other.body.walk())[-1].offset += 1
    assert "offset" in difference(function.body, other.body)
    assert not difference(function.body, other.body, frozenset({"offset"}))
    assert not wide_numbers(function.body)


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture, tmp_path) -> None:
    assert set(checks()) == {"agreement", "rejection", "round_trip", "cost"} >= set(SWOLLEN)
    given = ["rejection", "--count", "30", "--jobs", "2", "--version", "13.5"]
    assert main([*given, "--save", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("rejection: 30 mutants, ")
    assert main(["round_trip", "--input", str(VALID[0])]) == 0
    assert capsys.readouterr().out == "round_trip: accepted\n"
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "examples:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--version", "99", "--version: invalid choice: '99'"),
        ("--count", "0", "--count: 0 is not positive"),
        ("--input", "missing", "missing: No such file or directory"),
        ("--save", "file", "file: File exists"),
    ],
)
def test_wrong_arguments(
    option: str, given: str, message: str, capsys: pytest.CaptureFixture, tmp_path
) -> None:
    (tmp_path / "file").touch()
    path = option in ("--input", "--save")
    with pytest.raises(SystemExit) as caught:
        main([option, str(tmp_path / given) if path else given])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
