"""Transformed kernels mean what they meant: asked of the model, the CPU and the verifier."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.corpus import NEWEST, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture
from tests.lab.model import run
from tests.lab.model.kernels.comparing import copied, on_host
from tests.lab.model.test_fixtures import aligned
from tests.launches import NAMES, Launch, newest
from tileir import Bytecode, disassemble, verify
from tileir.codegen.kernel import KernelIR
from tileir.ir import Op
from tileir.smith.case import Case
from tileir.smith.program import program
from tileir.types import Scalar, Tile

from .__main__ import main
from .constants import known_program
from .edited import Tally, left_out, optimised, transform
from .launched import verdicts


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Random numbers overflow, and some are NaN."""
    with np.errstate(all="ignore"):
        yield


def errors(bytecode: Bytecode) -> list[str]:
    """What the verifier refuses."""
    return [str(each) for each in verify(bytecode) if each.severity == "error"]


@every_fixture(files=OLDEST_AND_NEWEST)
def transformed_kernels_are_valid(fixture: Fixture) -> None:
    bytecode = fixture.parse()
    tally = transform(bytecode)
    assert tally.after <= tally.before
    assert not errors(Bytecode.parse(bytecode.build()))


@every_fixture(files=[*NEWEST.values()], oracle=True)
def nvidia_reads_transformed_kernels_as_we_do(fixture: Fixture) -> None:
    bytecode = fixture.parse()
    transform(bytecode)
    written = fixture.folder / "transformed.tileirbc"
    written.write_bytes(bytecode.build())
    done = fixture.tool("tileirdisasm", written)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == disassemble(bytecode)


@every_fixture(files=OLDEST_AND_NEWEST)
def a_second_time_nothing_is_left_to_move(fixture: Fixture) -> None:
    bytecode = fixture.parse()
    transform(bytecode)
    again = transform(bytecode)
    assert (again.dead, again.hoisted) == (0, 0)


def in_the_model(bytecode: Bytecode, case: Case) -> list[bytes]:
    """All memory after a launch in the model. Undefined, if it does what has no meaning."""
    arguments = copied(case)
    run(bytecode, case.symbol, case.grid, arguments)
    return [each.tobytes() for each in arguments if isinstance(each, np.ndarray)]


def on_the_cpu(case: Case) -> list[bytes]:
    """All memory after a launch on the CPU."""
    arguments = copied(case)
    on_host(case, arguments)
    return [each.tobytes() for each in arguments if isinstance(each, np.ndarray)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_programs_mean_the_same(seed: int) -> None:
    """Programs never do what is undefined; nor may they afterwards, in loops without iterations."""
    case = program(seed, 30)
    changed = Bytecode.parse(case.bytecode.build())
    tally = transform(changed)
    assert tally.shared
    assert not errors(Bytecode.parse(changed.build()))
    assert in_the_model(changed, case) == in_the_model(case.bytecode, case)
    with left_out():
        plain = on_the_cpu(case)
    assert on_the_cpu(case) == plain


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_give_what_their_authors_computed(name: str) -> None:
    launch, bytecode = Launch(name), newest(name)
    transform(bytecode)
    arrays = {array: aligned(held) for array, held in launch.arrays().items()}
    run(bytecode, launch.entry, launch.grid, launch.arguments(arrays))
    launch.check(arrays)


def test_kernels_whose_arguments_are_made_up() -> None:
    found = {name: dict(verdicts(newest(name))) for name in ("softmax", "nested_loops", "multimem")}
    assert found == {
        "softmax": {"softmax": "same"},
        "nested_loops": {"nested_loops": "same"},
        "multimem": {"multimem": "refused"},
    }


def test_the_command_tells_what_it_found(capsys: pytest.CaptureFixture) -> None:
    assert main([str(NEWEST["nested_loops"]), str(NEWEST["softmax"]), "--launch"]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("2 modules, ")
    assert second == "kernels: 2 same"
    assert last.startswith("0 wrong; ")


def test_the_command_notices_what_is_wrong(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.lab.transforms.edited.hoist_ops", broken)
    assert main([str(NEWEST["vector_add"])]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert "addf" in first
    assert last.startswith("1 wrong; ")


def broken(kernel: KernelIR) -> dict[Op, Op]:
    """Change the type of a sum."""
    add = next(op for op in kernel.walk() if op.name == "addf")
    add.result.type = Tile(Scalar("f64"), add.result.type.shape)
    return {}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_programs_of_which_much_is_known_mean_the_same(seed: int) -> None:
    """All passes of `tileir opt`; half of what ops take is constant, so most rules have work."""
    case, tally = known_program(seed, 30), Tally()
    made = optimised(case.bytecode, tally)
    assert tally.after < tally.before
    assert in_the_model(made, case) == in_the_model(case.bytecode, case)
