"""Mutants are valid, other modules than their origin, and the same for each seed."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, VALID
from tests.programs import call_bytes
from tileir.__main__ import main
from tileir.errors import BuildError
from tileir.mutation.mutating import STEPS, mutate
from tileir.mutation.steps import Steps
from tileir.tools.sampler.draws import Draws

FILES = [path for path in VALID if path.stat().st_size < 4000]
COUNT = 20


def test_mutants_are_valid_and_use_every_step() -> None:
    used: Counter[str] = Counter()
    for seed in range(COUNT):
        before = tileir.load(random.Random(seed).choice(FILES))
        data = before.build()
        made, steps = mutate(before, seed)
        used.update(steps)
        assert before.build() == data != made.build(), seed
        assert not [each for each in tileir.verify(made) if each.severity == "error"], seed
    assert len(used) > len(STEPS) // 2


def test_a_seed_gives_the_same_bytes() -> None:
    module = tileir.load(FILES[0])
    assert [mutate(module, 5)[0].build() for _ in range(2)] == [mutate(module, 5)[0].build()] * 2
    assert mutate(module, 5)[0].build() != mutate(module, 6)[0].build()


TEXT = """entry @k(%p: tile<ptr<i32>>) {
  %a = constant <i32: 1> : tile<i32>
  %b = addi %a, %a : tile<i32>
  %t = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


@pytest.mark.parametrize("step", [Steps.wrap_in_if, Steps.wrap_in_for])
def test_what_is_wrapped_hands_its_results_over(step: Callable) -> None:
    handed = 0
    for seed in range(12):
        module = tileir.assemble(TEXT)
        (function,) = module.functions
        steps = Steps(module, Draws(seed))
        steps.ops = list(function.walk())
        step(steps, function, steps.ops[1])
        assert not tileir.verify(module)
        (op,) = (op for op in function.ops if op.regions)
        assert "addi" in [each.name for each in op.regions[0].block.ops]
        handed += any(value.uses for value in op.results)
    assert 0 < handed < 12


def test_what_is_not_valid_is_not_changed() -> None:
    module = tileir.load(FIXTURES / "invalid" / "rules" / "same-type.tileirbc")
    with pytest.raises(BuildError, match=r"is not changed: .*have same type"):
        mutate(module, 1)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    file = str(FILES[0])
    assert main(["mutate", file, "--count", "2", "-o", str(tmp_path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["seed"] for row in rows] == [0, 1]
    assert all(row["steps"] and Path(row["file"]).exists() for row in rows)
    assert main(["verify", *(row["file"] for row in rows)]) == 0
    assert main(["mutate", file, "--json"]) == 2
    assert "-o is needed" in capsys.readouterr().err
    assert main(["mutate", file, "--json", "-o", "-"]) == 2
    assert "has standard output for itself" in capsys.readouterr().err
    copy = tmp_path / "copy.tileirbc"
    copy.write_bytes(Path(file).read_bytes())
    assert main(["mutate", str(copy), "-o", str(copy)]) == 2
    assert "is what is read" in capsys.readouterr().err


def test_standard_output_has_the_bytecode(tmp_path: Path) -> None:
    path = FIXTURES / "13.1" / "loop_sum.tileirbc"
    printed = call_bytes(main, "mutate", path, "--seed", 3, "-o", "-")
    assert (printed.returncode, printed.stderr) == (0, b"")
    assert call_bytes(main, "mutate", path, "--seed", 3, "-o", tmp_path / "m").returncode == 0
    assert printed.stdout == (tmp_path / "m").read_bytes()


def test_none_at_all_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    for words in (["smith"], ["mutate", str(FILES[0])]):
        assert main([*words, "--count", "0", "-o", str(tmp_path / "x")]) == 2
        assert "'0' is not a number from 1 on" in capsys.readouterr().err
        assert main([*words, "--json"]) == 2
        assert "-o is needed with --json" in capsys.readouterr().err
