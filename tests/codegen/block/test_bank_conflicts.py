"""Bank conflicts are those that each lane's address has, counted one by one."""

from __future__ import annotations

import pytest

from tileir.codegen.block.bank_conflicts import turns

WORDS = [[1, 2, 4, 8, 16], [32, 64, 128, 256, 512], [2, 4, 8, 16, 32], [1, 2, 4, 32, 64], [0] * 5]


@pytest.mark.parametrize("lanes", WORDS, ids=str)
@pytest.mark.parametrize("width", [4, 8, 16])
def test_turns(lanes: list[int], width: int) -> None:
    """Every bank is asked for all its words, by as many lanes as access memory together."""
    together = 32 * 4 // width
    bases = [4 * base for base in lanes]
    wanted: dict[int, set[int]] = {}
    for lane in range(together):
        word = 0
        for bit, base in enumerate(lanes):
            word ^= base if lane >> bit & 1 else 0
        wanted.setdefault(word % 32, set()).add(word)
    assert turns(bases, width) == max(map(len, wanted.values()))
