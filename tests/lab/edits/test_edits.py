"""Three hundred random edit scripts a run; `python -m tests.lab.edits` tries as many as asked."""

from __future__ import annotations

import random

import pytest

from tests.corpus import VALID
from tileir import Bytecode

from .__main__ import main
from .outcome import outcome
from .truth import untruths

FILES = [path for path in VALID if path.stat().st_size < 20_000]
CHUNK = 30


@pytest.mark.sampled(4)
@pytest.mark.parametrize("first", range(0, 300, CHUNK))
def test_edits_keep_their_promises(first: int) -> None:
    for seed in range(first, first + CHUNK):
        path = random.Random(seed).choice(FILES)
        made = outcome(path.read_bytes(), seed, compiled=seed % 10 == 0)
        assert not made.broken, (seed, path, made.log)


def test_what_is_not_true_is_noticed() -> None:
    bytecode = Bytecode.parse(FILES[0].read_bytes())
    op = bytecode.functions[0].ops[2]
    assert not untruths(bytecode)
    user = op.result.uses[0].op
    del op.result.users[user]
    assert any("uses of" in text for text in untruths(bytecode))
    user.register()
    bytecode.functions[0].ops[0].order += 1 << 50
    assert any("index of" in text for text in untruths(bytecode))


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "2", "--seed", "4"]) == 0
    assert "0 findings" in capsys.readouterr().out
