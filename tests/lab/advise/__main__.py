"""Plant weaknesses, and count what is found: ``python -m tests.lab.advise [FILE or FOLDER ...]``.

Kernels are the workloads of the benchmarks, which were not written for this, and the files given.
A weakness counts if it makes a static figure of an op, or of the kernel, worse than it was; more
instructions of an op only count if the whole kernel has a tenth more. It is
found if a finding names that figure at one of the ops that the plant is about, and was not there
before. A finding in a kernel as it was is a false alarm unless its own trial improves its figure;
all of them are listed, so that everybody can judge them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import NamedTuple

import tileir
from tests.advised import advise
from tests.lab.bench import gpu, workloads
from tests.lab.bench import kernels as small
from tileir import Bytecode
from tileir.codegen.advise import figures as figures_of
from tileir.codegen.advise.computing import SHARE
from tileir.codegen.advise.evidence import Evidence, Settings, Site, evidence_of
from tileir.codegen.advise.finding import Finding
from tileir.codegen.advise.numbered import Copy, Original, number_of
from tileir.codegen.advise.rules import RULES

from .plants import OF_REGISTERS, PLANTS, Plant

FOLDERS = [Path(str(room.__path__[0])) for room in (workloads, small)]
FOLDERS.append(Path(str(gpu.__path__[0])) / "kernels")
OF_WORK = {each.name for each in (figures_of.WORK, figures_of.DOUBLES, figures_of.BESIDE_EACH)}
"""Figures that say how much a thread executes."""
OF_RULES = [each for rule in RULES.values() for each in (rule.figure, *rule.others)]
FIGURES = [*{each.name: each for each in sorted(OF_RULES, key=lambda each: -each.least)}.values()]
"""Figures of rules; of those of one name the one that changes first."""


class Planted(NamedTuple):
    """A weakness in a kernel: which figures it makes worse, and what was found."""

    worse: set[str]
    hits: list[Finding]
    findings: list[Finding]


def files(given: list[Path], alone: bool = False) -> Iterator[Path]:
    """Yield the files of kernels: those of the benchmarks, and those given, or these alone."""
    for path in given if alone else [*FOLDERS, *given]:
        if path.is_dir():
            yield from sorted(each for each in path.rglob("*") if each.suffix in SUFFIXES)
        else:
            yield path


SUFFIXES = (".mlir", ".tileirbc")


def read(path: Path) -> Bytecode:
    """Return the module in a file."""
    if path.suffix == ".mlir":
        return tileir.assemble(path.read_text(encoding="utf-8"), name=path.name)
    return Bytecode.parse(path.read_bytes())


def values(evidence: Evidence, numbers: set[int]) -> Mapping[tuple[str, int], float | None]:
    """Return every figure at ops, by name and number; -1 is the kernel."""
    (symbol, *_) = evidence.symbols
    return {
        (figure.name, number): figure.read(evidence, Site(symbol, None if number < 0 else number))
        for figure in FIGURES
        for number in numbers
    }


def planted(original: Original, plant: Plant, settings: Settings) -> Planted | None:
    """Plant a weakness and look for it; None if it is impossible, or makes no figure worse."""
    copy = original.copy()
    numbers = plant(copy)
    if numbers is None:
        return None
    before, after = (
        values(evidence_of(each, settings), {*numbers, -1}) for each in (original.copy(), copy)
    )
    figures = {figure.name: figure for figure in FIGURES}
    worse = {
        (name, number)
        for (name, number), old in before.items()
        if old is not None
        if (new := after[name, number]) is not None and figures[name].better(new, old)
    }
    if not worse or (
        {name for name, _ in worse} <= OF_WORK and not _slower(original.copy(), copy, settings)
    ):
        return None
    found = advise(copy.module, settings.target, ptxas=settings.ptxas)
    hits = [each for each in found if _is_hit(each, worse, numbers)]
    return Planted({name for name, _ in worse}, hits, found)


def _slower(before: Copy, after: Copy, settings: Settings) -> bool:
    """Whether a kernel takes a good part more instructions than before."""
    old, new = (evidence_of(each, settings).instructions.totals.total() for each in (before, after))
    return new - old >= SHARE * new


def _is_hit(finding: Finding, worse: set[tuple[str, int]], numbers: set[int]) -> bool:
    """Whether a finding names a figure that the plant made worse, where it did."""
    places = {number_of(each) for each in (finding.location, *finding.also)}
    places = {-1 if each is None else each for each in places}
    if any((finding.figure, place) in worse for place in places & {*numbers, -1}):
        return True
    return (finding.figure, -1) in worse and bool(places & numbers)


def main(given: list[str] | None = None) -> int:
    """Run everything; returns 0 if at least 95 in 100 weaknesses are found."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.advise", description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--plant", choices=PLANTS, action="append", help="this weakness alone")
    parser.add_argument("--kernel", action="append", help="this kernel alone, by its file's name")
    parser.add_argument("--most", type=int, help="weaknesses of each kernel (default: all)")
    parser.add_argument("--given", action="store_true", help="the files given alone")
    parser.add_argument("--no-ptxas", action="store_true", help="not for kernels as they are")
    parser.add_argument("--verbose", action="store_true", help="show what is found of each")
    arguments = parser.parse_args(given)
    count = Count()
    wanted = [name for name in PLANTS if name in (arguments.plant or PLANTS)]
    began = process_time()
    for number, path in enumerate(files(arguments.files, alone=arguments.given)):
        if arguments.kernel and path.stem not in arguments.kernel:
            continue
        try:
            module = read(path)
            original = Original(module)
            already = advise(module, arguments.target, ptxas=not arguments.no_ptxas)
        except tileir.TileIRError as error:
            print(f"{path.name}: {error}".partition("\n")[0])
            continue
        count.alarms += len(already)
        count.looked += 1
        for each in already:
            show("before", path, each)
        turned = (5 * number) % len(wanted)  # so that all weaknesses are planted somewhere
        plant_in(path, original, [*wanted[turned:], *wanted[:turned]], arguments, count)
    for name, total in count.planted.items():
        print(f"{name:28} {count.found[name]:4} of {total:4}")
    total, found = count.planted.total(), count.found.total()
    print(f"{'all':28} {found:4} of {total:4} in {len(count.kernels)} kernels")
    print(f"{count.alarms} findings in {count.looked} kernels as they were")
    print(f"{process_time() - began:.0f} seconds, those of ptxas not counted")
    return int(found < 0.95 * total)


@dataclass
class Count:
    """What was planted and found, by weakness, and what was found in kernels as they were."""

    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    kernels: set[Path] = field(default_factory=set)
    alarms: int = 0
    looked: int = 0


def plant_in(
    path: Path,
    original: Original,
    names: Sequence[str],
    arguments: argparse.Namespace,
    count: Count,
) -> None:
    """Plant weaknesses in a kernel, one after the other, until there are enough."""
    done = 0
    for name in names:
        if arguments.most is not None and done >= arguments.most:
            return
        settings = Settings(arguments.target, ptxas=name in OF_REGISTERS)
        try:
            result = planted(original, PLANTS[name], settings)
        except tileir.TileIRError as error:
            print(f"{path.name}: {name}: {error}".partition("\n")[0])
            continue
        if result is None:
            continue
        done += 1
        count.kernels.add(path)
        count.planted[name] += 1
        count.found[name] += bool(result.hits)
        if result.hits:
            print(f"found {path.name}: {name}: {result.hits[0].rule}")
        else:
            print(f"MISSED {path.name}: {name}: worse: {', '.join(sorted(result.worse))}")
        for each in result.findings if arguments.verbose or not result.hits else ():
            show("found", path, each)
        sys.stdout.flush()


def show(what: str, path: Path, each: Finding) -> None:
    """Print a finding on a line."""
    figures = f"{each.figure}: {each.shown[0]} -> {each.shown[1]}"
    print(f"  {what} {path.name}: {each.location}: {each.rule}: {figures}: {each.fix}")


if __name__ == "__main__":
    sys.exit(main())
