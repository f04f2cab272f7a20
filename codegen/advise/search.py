"""Advice on a module: rules are asked, trials compiled, and what does not help is dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, log2
from typing import NamedTuple

from tileir.bytecode import Bytecode
from tileir.codegen.targets import HOST, named_target, no_gpu, package_of
from tileir.codegen.transform.locate_in_text import with_text_lines
from tileir.errors import TileIRError, UnsupportedError
from tileir.rewrite.extract import apart

from .evidence import Evidence, Settings, Site, compile_as_given, evidence_of
from .figures import Figure
from .finding import Finding
from .numbered import Original
from .rule import Candidate, Rule
from .rules import RULES
from .trials.loops import loops_around
from .trials.trial import Trial

ALONE = 16
"""Most sites of a rule that are tried one by one."""
OPS_ALONE = 20_000
"""Most ops of all modules that are compiled to try the sites of a rule one by one, but for one."""


class Advice(NamedTuple):
    """Findings, the best gain first, and by kernel the ids of rules not tried everywhere in it.

    There was no time for it, or too many ops have to be tried one by one.
    """

    findings: list[Finding]
    untried: dict[str, list[str]]


def advice(
    bytecode: Bytecode,
    target: str | None = None,
    *,
    symbols: Iterable[str] | None = None,
    grid: Sequence[int] | None = None,
    processors: int | None = None,
    arguments: Sequence[object] = (),
    portable: bool = False,
    ptxas: bool = True,
    seconds: float = inf,
    progress: Callable[[int, int], object] | None = None,
    **options: object,
) -> Advice:
    """Return what keeps the kernels of a module from being fast on a GPU, the best gain first.

    The target is that of the text if none is given. `symbols` are the entries looked at, `options`
    those of `tileir.compile` about the launch. With a `grid`, of blocks, launches are looked at,
    too, on a GPU with so many `processors` (SMs; default: those of a common product). `arguments`
    are those of a launch of the one entry, in the order of its parameters: what they break is not
    promised. Registers are asked of ptxas and pyelftools, unless `ptxas` is false; `progress` is
    told which rule is tried, of how many. Raises what `tileir.compile` does, and ToolError or
    MissingPackageError without those. After so many `seconds`, of which kernels have equal parts,
    no further trial begins.
    """
    until = time.monotonic() + seconds
    target = target or named_target(bytecode)
    if target is None or package_of(target) == HOST:
        raise UnsupportedError(no_gpu("advice", "a GPU as target", host=target is not None))
    extents = None if grid is None else tuple(grid)
    settings = Settings(target, portable, options, ptxas, extents, processors)
    chosen = None if symbols is None else list(symbols)
    found: list[Finding] = []
    untried: dict[str, list[str]] = {}
    names = [each.name for each in bytecode.functions if chosen is None or each.name in chosen]
    kernels = [*apart(with_text_lines(bytecode), names)]
    for place, (name, module) in enumerate(kernels):
        now = time.monotonic()
        if now > until:
            untried[name] = [*RULES]
            continue
        part = now + (until - now) / (len(kernels) - place)
        try:
            search = _Search(Original(module, [name], arguments), settings, part)
        except TileIRError:
            compile_as_given(bytecode, chosen, settings)
            raise
        for number, rule in enumerate(RULES.values(), place * len(RULES)):
            if progress:
                progress(number, len(kernels) * len(RULES))
            found += search.findings(rule)
        if search.untried:
            untried[name] = search.untried
    return Advice(_merged(found), untried)


class _Search:
    """One module, compiled as it is, and each trial's edit of it."""

    def __init__(self, original: Original, settings: Settings, until: float) -> None:
        self.original, self.settings = original, settings
        self._until = until
        self.untried: list[str] = []
        self._cut = False
        """Whether a trial of the rule was not made at some of its sites, as they are too many."""
        self.base = evidence_of(original.copy(), settings)
        self._ops = [op for each in original.chosen(original.bytecode) for op in each.walk()]
        self._numbers = {op: number for number, op in self.base.copy.ops.items()}
        self._tried: dict[tuple[int, tuple[Site, ...]], tuple[Mapping[Site, str], Evidence]] = {}

    def findings(self, rule: Rule) -> Iterator[Finding]:
        """Yield the findings of a rule: one a site at most, with the best of the trials.

        `untried` has the rule if not all of its trials were made at all of its sites.
        """
        if self._is_late():
            self.untried.append(rule.id)
            return
        candidates = {each.site: each for each in rule.find(self.base)}
        best: dict[Site, Finding] = {}
        self._cut = False
        if rule.ideal is not None:
            for each in candidates.values():
                old = rule.figure.read(self.base, each.site)
                assert old is not None
                yield self._finding(rule, each, each.fix, rule.figure, old, rule.ideal)
        for trial in rule.trials:
            for told, after in self._after(trial, tuple(candidates)):
                for site, change in told.items():
                    finding = self._compared(rule, candidates[site], trial, change, after)
                    if finding and (site not in best or finding.gain > best[site].gain):
                        best[site] = finding
        if candidates and rule.trials and (self._cut or self._is_late()):
            self.untried.append(rule.id)
        covered = {number for site in best for number in candidates[site].covers}
        yield from (found for site, found in best.items() if site.number not in covered)

    def _is_late(self) -> bool:
        return time.monotonic() > self._until

    def _after(
        self, trial: Trial, sites: tuple[Site, ...]
    ) -> Iterator[tuple[Mapping[Site, str], Evidence]]:
        """Yield what a trial changes, and what is known then: of all sites, or else of each."""
        if not sites or self._is_late():
            return
        if not trial.alone:
            try:
                yield self._try(trial, sites)
                return
            except TileIRError:
                if len(sites) == 1:
                    return
        most = min(ALONE, max(OPS_ALONE // len(self._ops), 1))
        self._cut = self._cut or len(sites) > most
        for site in sites[:most]:
            if self._is_late():
                return
            try:
                yield self._try(trial, (site,))
            except TileIRError:
                continue

    def _try(self, trial: Trial, sites: tuple[Site, ...]) -> tuple[Mapping[Site, str], Evidence]:
        key = id(trial), sites
        if key not in self._tried:
            copy = self.original.copy()
            told = trial.edit(copy, sites)
            options = {**self.settings.options, **trial.options}
            same = not told or (trial.options and options == self.settings.options)
            settings = replace(self.settings, options=options)
            self._tried[key] = told, self.base if same else evidence_of(copy, settings)
        return self._tried[key]

    def _compared(
        self, rule: Rule, candidate: Candidate, trial: Trial, change: str, after: Evidence
    ) -> Finding | None:
        """Return a finding, if a figure of the rule is better after a change."""
        site = candidate.site
        for figure in (rule.figure, *rule.others):
            old, new = figure.read(self.base, site), figure.read(after, site)
            if old is not None and new is not None and figure.better(old, new):
                return self._finding(rule, candidate, change, figure, old, new, trial)
        return None

    def _finding(
        self,
        rule: Rule,
        candidate: Candidate,
        change: str,
        figure: Figure,
        old: float,
        new: float,
        trial: Trial | None = None,
    ) -> Finding:
        site = candidate.site
        numbers = self._places(site.number, trial)
        places = [self._ops[number] for number in numbers]
        op = places[0] if places else None
        return Finding(
            rule.id, rule.title, site.symbol, op.name if op else None, op.location if op else None,
            candidate.why, change, rule.sure, figure.name, old, new,
            (figure.show(old), figure.show(new)),
            rule.weight * _ratio(old, new) * (1 + loops_around(places[-1] if places else None)),
            tuple(each.location for each in places[1:]),
            numbers,
        )  # fmt: skip

    def _places(self, number: int | None, trial: Trial | None) -> tuple[int, ...]:
        """Return the numbers of the op that a trial changes for another one, and of that one.

        It is only the latter if both are the same, or if it alone has a place in source.
        """
        if number is None:
            return ()
        made = trial.cause(self.base.copy.ops[number]) if trial and trial.cause else None
        if made is None or self._numbers[made] == number:
            return (number,)
        cause = self._numbers[made]
        lost = self._ops[cause].location is None and self._ops[number].location is not None
        return (number, cause) if lost else (cause, number)


def _ratio(old: float, new: float) -> float:
    """Return how many times a figure doubles or halves; those that may be 0 count by one more."""
    return abs(log2((new + 1) / (old + 1)))


def _merged(found: Iterable[Finding]) -> list[Finding]:
    """Return findings by gain: for an op with one fix the first, and with it where it recurs."""
    first: dict[tuple[object, ...], Finding] = {}
    for each in sorted(found, key=lambda each: -each.gain):
        places = tuple(map(id, (each.location, *each.also)))
        first.setdefault((each.kernel, places, each.op, each.fix), each)
    rows: dict[tuple[object, ...], Finding] = {}
    for each in first.values():
        same = each.rule, each.kernel, each.op, each.fix, each.shown
        if same in rows:
            one = rows[same]
            places = dict(zip(one.numbers, (one.location, *one.also), strict=True))
            more = zip(each.numbers, (each.location, *each.also), strict=True)
            places |= {number: place for number, place in more if number not in places}
            _, *also = places.values()
            each = replace(one, also=tuple(also), numbers=tuple(places))
        rows[same] = each
    return list(rows.values())
