"""Random modules: producer, globals, and entries with parameters, hints and grown bodies."""

from __future__ import annotations

from typing import Any

from tileir.builder import Module
from tileir.formats.version import V13_3, V13_5, Version
from tileir.types import Scalar, Tile

from .attributes import constant, hints, text
from .draws import Draws
from .growing import Grower
from .pool import Pool, legal
from .sources import Sources


def grown(seed: int, version: Version, ops: int) -> Module:
    """Return the module of a seed, a version and a number of ops."""
    draws = Draws(seed)
    pool = Pool(version, draws)
    producer = text(draws) if version >= V13_3 and draws.chance(50) else None
    module = Module(version, producer)
    for number in range(draws.below(4)):
        _global(module, draws, pool, f"table{number}")
    count = draws.between(1, 3)
    left = ops
    for number in range(count):
        share = left if number == count - 1 else draws.below(left + 1)
        grower = _function(module, draws, pool, f"kernel{number}", share)
        left = max(left - (share - grower.budget), 0)
    return module


def _global(module: Module, draws: Draws, pool: Pool, name: str) -> None:
    type = Tile(Scalar(draws.pick(pool.pointees)), (2 * draws.power(5),))
    flags: dict[str, Any] = {}
    if pool.version >= V13_3:
        flags = {"private": draws.chance(30), "constant": draws.chance(30)}
    alignment = draws.power(8) if draws.chance(50) else 0
    module.global_(name, constant(draws, type), alignment=alignment, **flags)


def _function(module: Module, draws: Draws, pool: Pool, name: str, ops: int) -> Grower:
    """Grow an entry, and return its grower, whose budget is what it has left."""
    parameters = []
    for _ in range(draws.below(6)):
        if draws.chance(50):
            parameters.append(Tile(pool.pointer(pool.pointees)))
            continue
        numbers = [tile for tile in map(Tile, map(Scalar, pool.scalars)) if legal(tile)]
        parameters.append(draws.pick(numbers))
    attributes = []
    if pool.version >= V13_5 and draws.chance(40):
        attributes = [{"tile.name": text(draws)} if draws.chance(50) else {} for _ in parameters]
    sources = Sources(draws, name, draws.chance(60))
    kernel = module.function(
        name,
        parameters,
        hints=entry_hints(draws),
        argument_attributes=attributes,
        location=sources.function,
    )
    grower = Grower(draws, pool, kernel, module.globals, sources, ops)
    grower.grow()
    return grower


def entry_hints(draws: Draws) -> dict[str, dict]:
    """Draw the hints of an entry."""
    return hints(
        draws,
        {
            "num_cta_in_cga": lambda: draws.power(3),
            "occupancy": lambda: draws.between(1, 32),
            "num_worker_warps_per_cta": lambda: draws.pick((4, 8)),
        },
    )
