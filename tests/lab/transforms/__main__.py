"""`python -m tests.lab.transforms`: what the transforms do to the modules in folders."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.arguments import positive
from tileir import Bytecode, TileIRError, verify

from .edited import Tally, optimised, transform
from .launched import verdicts


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code: 1 if anything is wrong with a transformed module."""
    given = _parser().parse_args(arguments)
    paths = [path for each in given.paths for path in sorted(_modules(each))][:: given.every]
    tally, files, launched, wrong = Tally(), 0, Counter(), 0
    start = time.process_time()
    for path in paths:
        data = path.read_bytes()
        try:
            problems, made = (_rewritten if given.opt else _transformed)(data, tally)
            files += 1
        except TileIRError as error:
            print(f"{path}: not read: {error}", file=sys.stderr)
            continue
        if given.launch:
            found = list(verdicts(Bytecode.parse(data), made))
            launched.update(verdict for _, verdict in found)
            problems += [f"{symbol} differs" for symbol, it in found if it == "different"]
        for problem in problems:
            print(f"{path}: {problem}")
        wrong += bool(problems)
    removed = tally.before - tally.after
    print(
        f"{files:,} modules, {tally.before:,} ops: {tally.dead:,} dead, {tally.shared:,} shared, "
        f"{tally.hoisted:,} hoisted; {removed:,} fewer ({removed / max(tally.before, 1):.1%})"
    )
    if given.launch:
        print("kernels: " + ", ".join(f"{n:,} {verdict}" for verdict, n in launched.most_common()))
    print(f"{wrong} wrong; {time.process_time() - start:.0f} s")
    return int(wrong > 0)


def _transformed(data: bytes, tally: Tally) -> tuple[list[str], None]:
    """Transform a module; return what is wrong with what is built of it."""
    bytecode = Bytecode.parse(data)
    before = {str(each) for each in verify(bytecode) if each.severity == "error"}
    try:
        tally += transform(bytecode)
        built = Bytecode.parse(bytecode.build())
    except TileIRError as error:
        return [str(error)], None
    after = [str(each) for each in verify(built) if each.severity == "error"]
    return [each for each in after if each not in before], None


def _rewritten(data: bytes, tally: Tally) -> tuple[list[str], Bytecode | None]:
    """Run every pass over a module; return what is wrong with that, and the module made."""
    bytecode = Bytecode.parse(data)
    if any(each.severity == "error" for each in verify(bytecode)):
        return [], None
    try:
        made = optimised(bytecode, tally)
    except (TileIRError, RuntimeError) as error:
        return [str(error)], None
    return [], made


def _modules(path: Path) -> list[Path]:
    return list(path.rglob("*.tileirbc")) if path.is_dir() else [path]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.transforms", description=__doc__.partition(": ")[2]
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="file or folder")
    parser.add_argument(
        "--every", type=positive, default=1, metavar="N", help="each Nth module (1)"
    )
    parser.add_argument(
        "--launch", action="store_true", help="launch them on the CPU, with arguments made up"
    )
    parser.add_argument(
        "--opt", action="store_true", help="the passes of `tileir opt`, all of them"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
