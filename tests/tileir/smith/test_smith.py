"""Programs of `tileir smith`: the same everywhere, valid, of the size and features asked for."""

from __future__ import annotations

import hashlib
import statistics

import pytest

import tileir
from tileir.errors import BuildError
from tileir.formats.ops import BY_NAME
from tileir.formats.version import SUPPORTED, Version
from tileir.smith.features import CONTROL, FEATURES
from tileir.smith.forging import smith
from tileir.smith.recipes import RECIPES

DIGEST = "58982fa66a25300a4a3e8551b86322c00fb08594f9643d71cd9cfd27a04a3f18"
"""Of the modules and arrays of three seeds; another one is a change of what every seed gives."""


def names(seed: int, ops: int = 60, **options) -> list[str]:
    case = smith(seed, ops, **options)
    return [op.name for each in case.bytecode.functions for op in each.walk()]


def test_a_seed_gives_the_same_bytes_on_every_machine() -> None:
    digest = hashlib.sha256()
    for seed, version in ((1, "13.5"), (2, "13.5"), (3, "13.3")):
        case = smith(seed, 60, Version.of(version))
        digest.update(case.bytecode.build())
        for array in case.args:
            digest.update(array.tobytes())
    assert digest.hexdigest() == DIGEST


@pytest.mark.parametrize("version", SUPPORTED)
def test_programs_of_each_version_are_valid(version: Version) -> None:
    bytecode = smith(11, 60, version).bytecode
    assert bytecode.version == version
    assert not [each for each in tileir.verify(bytecode) if each.severity == "error"]


def test_large_programs_of_old_versions_are_made() -> None:
    assert 500 <= len(names(4, 600, version=SUPPORTED[0])) <= 800


def test_programs_have_about_the_size_asked_for() -> None:
    sizes = [len(names(seed)) for seed in range(9)]
    assert 45 <= statistics.median(sizes) <= 90
    assert 450 <= len(names(1, 500)) <= 650


def test_features_choose_the_ops() -> None:
    used = set(names(3, features=["products"]))
    assert used & FEATURES["products"]
    assert not used & (FEATURES["functions"] | FEATURES["atomics"] | {"for", "if", "loop"})
    assert {"mulf"} <= set(names(3, only=["mulf"]))


def test_sums_of_atomics_may_take_subnormal_numbers_for_zero() -> None:
    """As PTX's atom.add of f32 does, which its documentation says; no other update does."""
    found = {False: 0, True: 0}
    for seed in range(14):
        case = smith(seed, 20, features=["atomics"])
        updates = [
            (op.attributes["mode"], str(op.operands["arg"].type.element))
            for function in case.bytecode.functions
            for op in function.walk()
            if op.name == "atomic_rmw_tko"
        ]
        flushed = ("addf", "f32") in updates
        assert any(kept.tolerance.difference >= 2.0**-126 for kept in case.kept) == flushed
        found[flushed] += len(updates)
    assert all(found.values())


def test_every_recipe_has_one_feature() -> None:
    listed = [name for ops in FEATURES.values() for name in ops]
    assert sorted(listed) == sorted(RECIPES)
    assert set(BY_NAME) >= CONTROL


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"seed": -1}, "seed must be a number from 0 on"),
        ({"features": ["vews"]}, "there is no feature 'vews', did you mean views"),
        ({"features": ["x"]}, "there is no feature 'x'; there are: atomics, blocks"),
        ({"only": ["for"]}, "no program is made of 'for'(?!.*for[?])"),
        ({"only": ["addk"]}, "there is no op 'addk', did you mean addi"),
    ],
)
def test_wrong_arguments_are_told(options: dict, text: str) -> None:
    with pytest.raises(BuildError, match=text):
        smith(**{"seed": 1, **options})
