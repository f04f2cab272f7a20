"""Bodies encoded again from their IR, and how many come out as the bytes they came from.

python -m tests.reencode FILE_OR_FOLDER ...
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tileir import Bytecode, Function
from tileir.write.body import BodyEncoder
from tileir.write.sections import Writer


def encoded(bytecode: Bytecode) -> Iterator[tuple[Function, bytes, list[int], Writer]]:
    """Each function, its body from the IR alone, the debug records of its ops, and the tables."""
    for function in bytecode.functions:
        writer = Writer(bytecode.version, bytecode.original)
        encoder = BodyEncoder(writer.tables)
        records = encoder.encode(function.body)
        yield function, encoder.build(records), encoder.locations, writer


def main(arguments: list[str]) -> int:
    """Print a summary, and each function that differs; 1 if one does without a warning."""
    paths = [
        path
        for argument in arguments
        for path in (sorted(Path(argument).rglob("*.tileirbc")) or [Path(argument)])
    ]
    counts: Counter[str] = Counter()
    started = time.monotonic()
    for path in paths:
        bytecode = Bytecode.parse(path.read_bytes()).touch()
        for function, built, locations, writer in encoded(bytecode):
            tables = writer.tables
            grown = tables.strings.added or tables.types.added or tables.constants.added
            same = built == function.code.data and not grown and not tables.locations.added
            verdict = "equal" if same else "odd" if bytecode.warnings else "different"
            counts[verdict] += 1
            counts["ops"] += len(locations)
            if verdict == "different":
                print(f"{path}: {function.name}")
    took = time.monotonic() - started
    print(
        f"{len(paths)} files, {counts['ops']} ops in {took:.1f} s: {counts['equal']} bodies equal, "
        f"{counts['odd']} of files with warnings not, {counts['different']} different"
    )
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
