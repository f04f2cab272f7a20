"""The search: changes that are found, what is asked for them, and points without an answer."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tileir.bisect import Change, Found, search
from tileir.predicates import Verdict


def searched(answers: str, everywhere: bool = False) -> tuple[Found, list[str]]:
    """Search points named by their numbers; their answers are y, n or ?."""
    asked: list[str] = []

    def ask(name: str) -> Verdict:
        asked.append(name)
        return Verdict({"y": True, "n": False, "?": None}[answers[int(name)]], answers)

    return search([str(n) for n in range(len(answers))], ask, everywhere), asked


@pytest.mark.parametrize("begin", range(1, 9))
@pytest.mark.parametrize("pair", ["ny", "yn"])
def test_one_change_is_found_by_halving(begin: int, pair: str) -> None:
    found, asked = searched(pair[0] * begin + pair[1] * (9 - begin))
    assert found.changes == (Change(str(begin - 1), str(begin), pair == "ny"),)
    assert len(asked) == len(set(asked)) <= 6, "each point once, and not all of them"


def test_both_ends_alike() -> None:
    found, asked = searched("nnynn")
    assert not found.changes
    assert asked == ["0", "4"]
    found, asked = searched("nnynn", everywhere=True)
    assert found.changes == (Change("1", "2", True), Change("2", "3", False))
    assert asked == list("01234")


def test_points_without_answer() -> None:
    assert searched("??nny?")[0].changes == (Change("3", "4", True),)
    assert searched("n???y")[0].changes == (Change("0", "4", True, ("1", "2", "3")),)
    assert not searched("????")[0].answered
    assert not searched("")[0].answered
    assert not searched("?y?")[0].changes


def test_random_answers_with_one_change() -> None:
    for seed in range(200):
        draw = random.Random(seed)
        length, begin = draw.randrange(2, 20), draw.randrange(0, 20)
        answers = "".join("?" if draw.random() < 0.3 else "ny"[at >= begin] for at in range(length))
        known = [at for at in range(length) if answers[at] != "?"]
        expected = [
            Change(str(a), str(b), True, tuple(map(str, range(a + 1, b))))
            for a, b in pairwise(known)
            if answers[a] != answers[b]
        ]
        for everywhere in (False, True):
            assert list(searched(answers, everywhere)[0].changes) == expected, (answers, everywhere)
