"""Which faults are tried: drawn by a seed, each layer as often as it has lines."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from .mutation import LAYERS, Mutation
from .operators import COARSE, compiles, mutations

SEED = 20261122


def draw(root: Path, count: int, seed: int = SEED) -> list[Mutation]:
    """`count` mutants of the product under `root`, in an order of which any beginning is fair.

    A line is drawn first, each line with a fault to offer once at most; then one of its operators;
    then one of that operator's mutants. Shares of the layers go by all their lines.
    """
    drawing = random.Random(seed)
    lines: dict[str, int] = {}
    queues: dict[str, Iterator[Mutation]] = {}
    for layer in LAYERS:
        sources = {
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted((root / layer).rglob("*.py"))
        }
        lines[layer] = sum(len(source.splitlines()) for source in sources.values())
        queues[layer] = _queue(sources, random.Random(drawing.random()))
    return _interleaved(queues, lines, count)


def _queue(sources: dict[str, str], drawing: random.Random) -> Iterator[Mutation]:
    offered: dict[tuple[str, int], list[Mutation]] = defaultdict(list)
    for path, source in sources.items():
        for mutation in mutations(path, source):
            offered[mutation.path, mutation.line].append(mutation)
    places = sorted(offered)
    drawing.shuffle(places)
    for place in places:
        mutation = _one_of(offered[place], drawing)
        if compiles(mutation, sources[mutation.path]):
            yield mutation


def _one_of(offered: list[Mutation], drawing: random.Random) -> Mutation:
    operators = sorted({mutation.operator for mutation in offered})
    weights = [1 if operator in COARSE else 5 for operator in operators]
    operator = drawing.choices(operators, weights)[0]
    return drawing.choice([mutation for mutation in offered if mutation.operator == operator])


def _interleaved(
    queues: dict[str, Iterator[Mutation]], lines: dict[str, int], count: int
) -> list[Mutation]:
    """Always the layer next that is furthest behind its share."""
    taken = dict.fromkeys(queues, 0)
    drawn = []
    while len(drawn) < count:
        layer = min(queues, key=lambda name: (taken[name] + 1) / lines[name])
        drawn.append(next(queues[layer]))
        taken[layer] += 1
    return drawn
