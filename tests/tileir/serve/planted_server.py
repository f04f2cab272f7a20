"""`tileir serve` with workers that do what they are told to; seconds and their number are given."""

from __future__ import annotations

import sys

from tileir.serve.front import Front, Settings

if __name__ == "__main__":
    seconds, workers = float(sys.argv[1]), int(sys.argv[2])
    settings = Settings(seconds, None, 1 << 20, workers)
    answer = "tests.tileir.serve.planted:answer"
    front = Front(sys.stdin.buffer, sys.stdout.buffer, settings, answer)
    print(front.run(), file=sys.stderr)
