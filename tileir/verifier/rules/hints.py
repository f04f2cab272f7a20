"""Warnings about unknown optimization hints, which NVIDIA's tools silently ignore."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tileir.attributes import Hints, IntegerAttribute, spell
from tileir.gpus import TILEIRAS
from tileir.ir import Op
from tileir.verifier.catalogue import WARNING, declare, suspicion

ARCHITECTURES = ("default", *TILEIRAS)


def _within(low: int, high: int) -> Callable[[object], str | None]:
    def check(value: object) -> str | None:
        number = _number(value)
        fits = number is not None and low <= number <= high
        return None if fits else f"a number from {low} to {high}"

    return check


def _power(most: int) -> Callable[[object], str | None]:
    def check(value: object) -> str | None:
        number = _number(value)
        fits = number is not None and 0 < number <= most and not number & (number - 1)
        return None if fits else f"a power of two up to {most}"

    return check


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _number(value: object) -> int | None:
    if isinstance(value, IntegerAttribute):
        return value.value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


ENTRY = {
    "num_cta_in_cga": _power(16),
    "occupancy": _within(1, 32),
    "num_worker_warps_per_cta": _power(32),
}
ACCESS = {"latency": _within(1, 10), "allow_tma": _truth}
"""Hint -> function that returns what a value must be, None if it is; of entries, and of accesses.

cuTile writes allow_tma for accesses through pointers too, where it has no effect.
"""

UNKNOWN = declare(
    "unknown-hint",
    "Hints are given for an architecture (default, sm_80, ...) and have names and ranges: entries "
    "num_cta_in_cga (a power of two up to 16), occupancy (1 to 32), num_worker_warps_per_cta (a "
    "power of two up to 32); accesses latency (1 to 10) and allow_tma. Others are "
    "ignored without a word, so what they were meant for does not happen.",
    severity=WARNING,
)


def unknown(hints: object, legal: dict[str, Callable[[object], str | None]]) -> Iterator[str]:
    """Yield what is wrong with the architectures, names and values of hints."""
    entries = (
        hints.entries if isinstance(hints, Hints) else hints if isinstance(hints, dict) else {}
    )
    for architecture, given in entries.items():
        if architecture not in ARCHITECTURES:
            yield f"hints for '{architecture}', which is no architecture"
            continue
        for name, value in given.items() if isinstance(given, dict) else ():
            if name not in legal:
                yield f"'{name}' is no hint here; there are {', '.join(legal)}"
            elif legal[name](value):
                yield f"hint '{name}' is {spell(value)}, not {legal[name](value)}"


@suspicion("unknown-op-hint", having="optimization_hints")
def _op_hints(op: Op) -> str | None:
    """Hints of a memory access are given for an architecture (default, sm_80, ...); there are
    latency (1 to 10) and allow_tma (true or false). Others are ignored without a word."""
    hints = op.attributes["optimization_hints"]
    if not hints:
        return None
    return next(unknown(hints, ACCESS), None)
