"""How programs use torch's device "cuda": each idiom is a function, which asserts what a GPU does.

The idioms are those of training loops, inference servers, benchmarks, tests and libraries of
kernels, as public projects have them. What a CPU cannot stand in for is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable

IDIOMS: dict[str, Callable[[], None]] = {}
"""Name -> what a program does."""

REFUSED: dict[str, str] = {}
"""Name of an idiom -> a part of the one line that says what is not supported."""

SUBJECTS = ("devices", "tensors", "runtime", "random_numbers", "training", "modules", "bindings")
"""The modules that idioms stand in."""


def idiom(function: Callable[[], None]) -> Callable[[], None]:
    """Add an idiom that works."""
    IDIOMS[function.__name__] = function
    return function


def refused(part: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Add an idiom that is refused."""

    def add(function: Callable[[], None]) -> Callable[[], None]:
        REFUSED[function.__name__] = part
        return idiom(function)

    return add
