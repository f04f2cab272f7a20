"""What the module of a number is made from, and for which GPU it is compiled."""

from __future__ import annotations

from typing import NamedTuple

from tileir.formats.version import LATEST, SUPPORTED, Version
from tileir.smith.case import Case
from tileir.smith.features import FEATURES, NARROW
from tileir.smith.forging import smith
from tileir.tools.sampler.draws import Draws

SIZES = (60, 60, 80, 100, 150, 300)
"""Ops of a program, about."""

TARGETS = ("sm_80", "sm_90", "sm_100", "sm_120")
"""GPUs that are compiled for."""

SALT = 0x5EED << 64
"""What is drawn here shall not be what the programs draw."""


class Plan(NamedTuple):
    """How a module is made; the seed is its number."""

    seed: int
    ops: int
    version: Version
    features: tuple[str, ...]
    target: str

    def case(self) -> Case:
        """The program."""
        return smith(self.seed, self.ops, self.version, features=self.features)


def plan_of(seed: int) -> Plan:
    """Most modules are of the latest version and have ops of all kinds."""
    draws = Draws(seed + SALT)
    version = LATEST if draws.chance(85) else draws.pick(SUPPORTED)
    features: tuple[str, ...] = ()
    if draws.chance(25):
        known = [*FEATURES, NARROW]
        features = (draws.pick(known), draws.pick(known), "control")
    return Plan(seed, draws.pick(SIZES), version, features, draws.pick(TARGETS))
