"""A program that forks again and again while a thread compiles; each child compiles as well.

Arguments: how often, the seed of the pauses, and "cold" if the first fork is to come while modules
are still imported.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import threading
import time
import traceback
from pathlib import Path

import tileir

LONGEST = 20
"""Seconds that a child may take; it hangs if it needs more."""

SOFTMAX = Path(__file__).parents[2] / "fixtures" / "13.4" / "softmax.tileirbc"
DATA = SOFTMAX.read_bytes()
shared: list[tileir.Bytecode] = []


def compile_one(draw: random.Random) -> None:
    """Compile a module that the other thread has touched as well, or another one."""
    module = draw.choice(shared) if shared and draw.random() < 0.5 else DATA
    tileir.compile(module, draw.choice(("sm_90", "host")), cache=False)


def compile_for_ever() -> None:
    draw = random.Random(1)
    while True:
        compile_one(draw)


def child() -> int:
    """What a child exits with: 0 if it could compile; faulthandler exits with 1."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        compile_one(random.Random(2))
    except BaseException:
        traceback.print_exc()
        return 2
    return 0


def main(count: int, seed: int, cold: bool) -> None:
    draw, failed = random.Random(seed), 0
    if not cold:
        compile_one(draw)
    threading.Thread(target=compile_for_ever, daemon=True).start()
    for _ in range(count):
        time.sleep(draw.random() * (0.5 if cold else 0.05))
        if not cold:
            shared[:] = [tileir.Bytecode.parse(DATA)]
        pid = os.fork()
        if not pid:
            os._exit(child())
        failed += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0
    print(failed, "of", count, "children failed", flush=True)
    os._exit(failed != 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "cold" in sys.argv)
