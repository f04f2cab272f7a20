"""Modules with one thing changed: what NVIDIA's tool says of them, we say too.

`python -m tests.tileir.verifier` looks at as many as there is time for, and lists what differs.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import nvidia_tool
from tests.corpus import VALID
from tileir import Bytecode, BytecodeError
from tileir.formats.ops import OPS
from tileir.formats.version import SUPPORTED
from tileir.sampler import sample

from .__main__ import main
from .agreement import Plan, Tally, compare, ours, pattern
from .mutants import kinds, mutant
from .unchecked import write

COUNT = 200
SEED = 11


@pytest.fixture(scope="module")
def their_reader() -> None:
    """Skip where it is not installed."""
    if nvidia_tool("tileirdisasm") is None:
        pytest.skip("tileirdisasm is not installed (pip install -e .[test])")


@pytest.fixture(scope="module")
def tally(their_reader: None) -> Tally:
    """Two hundred mutants, both verdicts."""
    found = Tally()
    for case in compare(Plan(COUNT, SEED)):
        found.add(case)
    return found


def shown(tally: Tally, *outcomes: str) -> str:
    """Examples of those outcomes, to be repeated with `--number`."""
    return "\n".join(
        f"--seed {SEED} --number {group.example.number}: {message}"
        for (outcome, message), group in tally.groups.items()
        if outcome in outcomes
    )


@pytest.mark.oracle
def test_nothing_is_refused_that_nvidia_accepts(tally: Tally) -> None:
    assert not shown(tally, "stricter", "unread")
    assert tally.outcomes["agree"] > COUNT // 2
    assert COUNT // 4 < tally.refused < COUNT


@pytest.mark.oracle
def test_nothing_is_accepted_that_nvidia_refuses(tally: Tally) -> None:
    assert not shown(tally, "laxer", "broken")


@pytest.mark.oracle
def test_mutants_meet_many_rules(tally: Tally) -> None:
    assert len(tally.messages) > COUNT // 4
    assert len(tally.ops) > 100
    assert len(tally.kinds) > 35


def test_the_same_seed_gives_the_same_bytes() -> None:
    one = [mutant(3, number) for number in range(16)]
    assert one == [mutant(3, number) for number in range(16)]
    assert one != [mutant(4, number) for number in range(16)]
    assert len({made.data for made in one}) == 16


def test_mutants_are_about_every_op_in_turn() -> None:
    rows = [spec.mnemonic for spec in OPS if spec.in_body and spec.since <= SUPPORTED[-1]]
    made = {mutant(5, number).op for number in range(len(rows))}
    assert len(made & set(rows)) > 0.7 * len(rows)


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_of_change_can_be_made(kind: str) -> None:
    made: set[bytes] = set()
    for seed in range(6):
        one = mutant(seed, 0, kind=kind)
        assert one.kind == kind
        assert one.change
        made.add(one.data)
        if len(made) > 1:
            return
    raise AssertionError("always the same")


@pytest.mark.parametrize("path", VALID[::23], ids=lambda path: path.stem)
def test_what_is_not_changed_stays_valid(path: Path) -> None:
    """The writer without questions writes the same module."""
    again = Bytecode.parse(write(Bytecode.parse(path.read_bytes()).touch())).touch()
    assert ours(again.data).positive
    first = Bytecode.parse(path.read_bytes())
    for before, after in zip(first.functions, again.functions, strict=True):
        assert [repr(op) for op in before.walk()] == [repr(op) for op in after.walk()]
        assert [op.attributes for op in before.walk()] == [op.attributes for op in after.walk()]
        assert [op.location_text for op in before.walk()] == [
            op.location_text for op in after.walk()
        ]


def test_illegal_types_are_written() -> None:
    from tileir.types import Scalar, Tile

    bytecode = sample(1, "13.4", 10)
    value = next(op for op in bytecode.functions[0].walk() if op.name == "constant").result
    value.type = Tile(Scalar("f32"), (3,))
    with pytest.raises(BytecodeError, match="power of two"):
        Bytecode.parse(write(bytecode)).touch()


def test_messages_are_grouped_without_their_types() -> None:
    loop = "operand types must correspond to the parent loop result types: "
    one = pattern(f"{loop}('!cuda_tile.tile<i1>') vs ('!cuda_tile.token')")
    other = pattern(f"{loop}() vs ('!cuda_tile.tile<i1>', '!cuda_tile.tile<4xf32>')")
    assert one == other == f"{loop}T vs T"
    assert pattern("size (4) of 'f32' in @main") == pattern("size (16) of 'bf16' in @other")


@pytest.mark.oracle
@pytest.mark.usefixtures("their_reader")
def test_the_command(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    given = ["--count", "12", "--seed", "1", "--kind", "terminator_early", "--jobs", "1"]
    assert main([*given, "--json", "--save", str(tmp_path)]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert sum(found["outcomes"].values()) == 12
    assert list(found["kinds"]) == ["terminator_early"]
    saved = {path.suffix for path in tmp_path.iterdir()}
    assert saved in ({".tileirbc", ".json"}, set())
    assert main([*given, "--ops"]) in (0, 1)
    assert "12 mutants of seed 1" in capsys.readouterr().out
    main(["--number", "3", "--seed", "1"])
    assert '"outcome"' in capsys.readouterr().out
