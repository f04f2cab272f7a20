"""Which thread holds which element of an atom, against the formulas of the PTX ISA.

The formulas are those of its chapter "Matrix Fragments for mma", with g = lane / 4 (groupID) and
t = lane % 4 (threadID_in_group): for register element i of a lane, row and column.
"""

from __future__ import annotations

from itertools import product

import pytest

from tileir.codegen.nvptx.machine.mma_atoms import ATOMS, BITS, Atom, FragmentLayout, atom_for
from tileir.gpus import TARGETS

# (shape, bits of a factor's element) -> row and column of A, of B; and of C by shape.
LEFT = {
    ((16, 8, 8), 16): lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
    ((16, 8, 16), 16): lambda g, t, i: (
        g if i < 2 or 4 <= i < 6 else g + 8, t * 2 + (i & 1) if i < 4 else t * 2 + (i & 1) + 8,
    ),
    ((16, 8, 4), 32): lambda g, t, i: (g if i == 0 else g + 8, t),
    ((16, 8, 8), 32): lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
    ((8, 8, 16), 8): lambda g, t, i: (g, t * 4 + i),
    ((16, 8, 16), 8): lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3)),
    ((16, 8, 32), 8): lambda g, t, i: (
        g if i < 4 or 8 <= i < 12 else g + 8, t * 4 + (i & 3) if i < 8 else t * 4 + (i & 3) + 16,
    ),
    ((8, 8, 4), 64): lambda g, t, i: (g, t),
    ((16, 8, 4), 64): lambda g, t, i: (g if i == 0 else g + 8, t),
    ((16, 8, 8), 64): lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
    ((16, 8, 16), 64): lambda g, t, i: (
        g if i % 2 == 0 else g + 8, i * 2 + t if i % 2 == 0 else i * 2 - 2 + t,
    ),
}  # fmt: skip
RIGHT = {
    ((16, 8, 8), 16): lambda g, t, i: (t * 2 + i, g),
    ((16, 8, 16), 16): lambda g, t, i: (t * 2 + (i & 1) + (0 if i < 2 else 8), g),
    ((16, 8, 4), 32): lambda g, t, i: (t, g),
    ((16, 8, 8), 32): lambda g, t, i: (t if i == 0 else t + 4, g),
    ((8, 8, 16), 8): lambda g, t, i: (t * 4 + i, g),
    ((16, 8, 16), 8): lambda g, t, i: (t * 4 + i, g),
    ((16, 8, 32), 8): lambda g, t, i: (t * 4 + (i & 3) + (0 if i < 4 else 16), g),
    ((8, 8, 4), 64): lambda g, t, i: (t, g),
    ((16, 8, 4), 64): lambda g, t, i: (t, g),
    ((16, 8, 8), 64): lambda g, t, i: (t if i == 0 else t + 4, g),
    ((16, 8, 16), 64): lambda g, t, i: (t + i * 4, g),
}
SUM = {
    8: lambda g, t, i: (g, t * 2 + i),
    16: lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
}

INSTRUCTIONS = [atom for atom in ATOMS if not atom.fused]


def name(atom: Atom) -> str:
    return f"m{atom.m}n{atom.n}k{atom.k}.{atom.a}.{atom.b}"


def held(spread: FragmentLayout, register: int, lane: int) -> dict[str, int]:
    """The coordinates of what a register of a lane holds."""
    found = dict.fromkeys("mnk", 0)
    for number, coordinates in ((register, spread.register), (lane, spread.lane)):
        for bit, coordinate in enumerate(coordinates):
            if number >> bit & 1 and coordinate:
                found[coordinate[0]] += coordinate[1]
    return found


def elements(spread: FragmentLayout) -> list[tuple[int, int]]:
    """All pairs of a register and a lane."""
    return list(product(range(1 << len(spread.register)), range(32)))


@pytest.mark.parametrize("atom", INSTRUCTIONS, ids=name)
def test_every_element_is_where_the_ptx_isa_says(atom: Atom) -> None:
    shape, bits = (atom.m, atom.n, atom.k), BITS[atom.a]
    for spread, formula, dims in (
        (atom.a_layout, LEFT[shape, bits], "mk"),
        (atom.b_layout, RIGHT[shape, bits], "kn"),
        (atom.acc_layout, SUM[atom.m], "mn"),
    ):
        for register, lane in elements(spread):
            found = held(spread, register, lane)
            expected = formula(lane // 4, lane % 4, register)
            assert tuple(found[dim] for dim in dims) == expected, (dims, register, lane)


@pytest.mark.parametrize("atom", ATOMS, ids=name)
def test_operands_are_complete_and_sums_have_one_owner(atom: Atom) -> None:
    def all_of(spread: FragmentLayout, *dims: str) -> list[tuple[int, ...]]:
        return [tuple(held(spread, *at)[dim] for dim in dims) for at in elements(spread)]

    assert set(all_of(atom.a_layout, "m", "k")) == set(product(range(atom.m), range(atom.k)))
    assert set(all_of(atom.b_layout, "k", "n")) == set(product(range(atom.k), range(atom.n)))
    assert sorted(all_of(atom.acc_layout, "m", "n")) == list(product(range(atom.m), range(atom.n)))


def test_a_fused_atom_multiplies_what_its_thread_holds() -> None:
    for atom in ATOMS:
        if atom.fused:
            for register, lane in elements(atom.acc_layout):
                at = held(atom.acc_layout, register, lane)
                assert held(atom.a_layout, 0, lane)["m"] == at["m"]
                assert held(atom.b_layout, register, lane)["n"] == at["n"]


@pytest.mark.parametrize(
    ("target", "a", "k", "expected"),
    [
        ("sm_75", "f16", 64, 8), ("sm_80", "f16", 64, 16), ("sm_80", "f16", 8, 8),
        ("sm_80", "f16", 4, 8), ("sm_75", "bf16", 64, None), ("sm_80", "tf32", 4, 4),
        ("sm_75", "s8", 64, 16), ("sm_80", "s8", 64, 32), ("sm_86", "e4m3", 64, None),
        ("sm_89", "e4m3", 64, 32), ("sm_75", "f64", 64, 1), ("sm_80", "f64", 64, 4),
        ("sm_90", "f64", 64, 16), ("sm_120", "f32", 64, 1),
    ],
)  # fmt: skip
def test_a_target_has_the_atoms_that_it_has(
    target: str, a: str, k: int, expected: int | None
) -> None:
    atom = atom_for(a, a, k, TARGETS[target])
    assert (None if atom is None else atom.k) == expected
