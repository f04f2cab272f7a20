"""A process that compiles jobs at random and says what came of each; it may be killed at any time.

Its arguments are a seed, how often to compile, and how many jobs there are to choose from. A line
``kept NAME`` says that the cache has told that an entry is written, ``made NUMBER DIGEST`` what a
job gave.
"""

from __future__ import annotations

import os
import random
import sys

from tileir.codegen.cache.store import Cache

from .jobs import jobs


def say(line: str) -> None:
    """Write a line at once and as a whole."""
    os.write(1, f"{line}\n".encode())


def main(seed: int, count: int, choice: int) -> None:
    """Compile, with the cache that the environment names."""
    put = Cache.put

    def told(cache: Cache, name: str, entry: bytes) -> bool:
        written = put(cache, name, entry)
        if written:
            say(f"kept {name}")
        return written

    Cache.put = told  # type: ignore[method-assign]
    draw, known = random.Random(seed), list(jobs())[:choice]
    for _ in range(count):
        number = draw.randrange(len(known))
        say(f"made {number} {known[number].digest(cache=True)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
