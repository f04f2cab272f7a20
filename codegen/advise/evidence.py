"""What is known of a compiled module: remarks by the number of their op, and what ptxas says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tileir.bytecode import Bytecode
from tileir.codegen.compilation import Compilation
from tileir.codegen.fresh import compile_fresh
from tileir.codegen.nvptx.reports import remarks
from tileir.codegen.ops import Family, family_of
from tileir.codegen.remarks import Outcome, Remark, Topic
from tileir.formats.forks import Lock
from tileir.gpus import TARGETS, Target
from tileir.ir import Op
from tileir.read.once import once
from tileir.resources.kernel_resources import KernelResources
from tileir.resources.of_kernels import resources_of

from .instructions import Instructions
from .numbered import Copy, number_of


class Site(NamedTuple):
    """What a finding is about: an op, by its number, or all of a kernel."""

    symbol: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How modules are compiled: the target, the options of the launch, whether ptxas is asked.

    `grid` is that of a launch, in blocks, `processors` the SMs of the GPU, if they are known.
    """

    target: str
    portable: bool = False
    options: Mapping[str, object] = field(default_factory=dict)
    ptxas: bool = True
    grid: tuple[int, ...] | None = None
    processors: int | None = None

    @property
    def gpu(self) -> Target:
        """The row of the target."""
        return TARGETS[self.target]


@dataclass
class Evidence:
    """What the compiler has decided about a copy of a module; nothing is decided twice.

    `remarks` are those with a topic, in the compiler's order, `exchanges` the details about ops
    that move tiles between registers and shared memory.
    """

    copy: Copy
    settings: Settings
    remarks: Sequence[Remark]
    exchanges: Sequence[Remark] = ()

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._by_site: dict[tuple[Site, Topic | None], list[Remark]] = defaultdict(list)
        for remark in self.remarks:
            site = Site(remark.entry, number_of(remark.location))
            self._by_site[site, remark.topic].append(remark)
        for remark in self.exchanges:
            site = Site(remark.entry, number_of(remark.location))
            self._by_site[site, None].append(remark)

    def at(self, site: Site, topic: Topic | None) -> Sequence[Remark]:
        """Return the remarks on a topic about an op, or about a kernel as a whole.

        Without a topic, the details about exchanges.
        """
        return self._by_site.get((site, topic), ())

    def of(self, symbol: str, topic: Topic) -> list[Remark]:
        """Return all remarks on a topic about a kernel and its ops."""
        return [each for each in self.remarks if (each.entry, each.topic) == (symbol, topic)]

    def op(self, site: Site) -> Op:
        """Return the op of a site that has one."""
        assert site.number is not None
        return self.copy.ops[site.number]

    def loop_around(self, number: int | None) -> int | None:
        """Return the number of the innermost loop around an op; None if there is none."""
        op = None if number is None else self.copy.ops[number]
        while op is not None and op.parent is not None:
            op = op.parent.parent_op
            if op is not None and family_of(op) is Family.LOOP:
                return number_of(op.location)
        return None

    def slots_at(self, site: Site) -> int:
        """Return the issue slots of an op, with those of the ops in a fold's region."""
        slots = self.instructions.slots
        op = None if site.number is None else self.copy.ops.get(site.number)
        if op is None or family_of(op) is not Family.FOLD:
            return slots[site]
        inside = {number_of(each.location) for each in op.walk()} - {None}
        return sum(slots[site.symbol, number] for number in {site.number, *inside})

    @property
    def symbols(self) -> list[str]:
        """The entries, in order."""
        return list(self.copy.by_symbol)

    @once
    def _compiled(self) -> Compilation:
        """The compilation as far as PTX and launch plans."""
        made = compile_fresh(self.copy.module, self.settings.target, **_asked(self))
        assert made is not None
        return made

    @once
    def resources(self) -> Mapping[str, KernelResources]:
        """Symbol -> what ptxas makes of the kernel; none if it is not asked, or not installed."""
        if not self.settings.ptxas:
            return {}
        found = resources_of(self._compiled, instructions=False)
        return {each.kernel: each for each in found}

    @once
    def instructions(self) -> Instructions:
        """What each op costs in PTX."""
        asked = {**_asked(self), "lineinfo": True}
        made = compile_fresh(self.copy.module, self.settings.target, **asked)
        assert made is not None
        assert made.ptx is not None
        return Instructions(made.ptx)


def compile_as_given(bytecode: Bytecode, symbols: Sequence[str] | None, settings: Settings) -> None:
    """Compile a module that no copy was made of, so that errors tell its own locations.

    All entries are compiled if `symbols` is None; raises what `compile` does.
    """
    compile_fresh(bytecode, settings.target, **_options(symbols, settings))


def _asked(evidence: Evidence) -> dict[str, Any]:
    return _options(evidence.symbols, evidence.settings)


def _options(symbols: Sequence[str] | None, settings: Settings) -> dict[str, Any]:
    return {
        "symbols": symbols,
        "checks": [],
        "trace": [],
        "launch": dict(settings.options),
        "lineinfo": False,
        "portable": settings.portable,
    }


def evidence_of(copy: Copy, settings: Settings) -> Evidence:
    """Compile a copy of a module as far as decisions are made; raises what `compile` does."""
    found: list[Remark] = []

    def record(name: str, state: Any) -> None:
        if name == remarks.STAGE:
            found.extend(remarks.remarks_of(state))
            exchanges.extend(remarks.exchanges_of(state))

    exchanges: list[Remark] = []
    evidence = Evidence(copy, settings, ())
    asked = _asked(evidence)
    compile_fresh(copy.module, settings.target, **asked, after_stage=record, until=remarks.STAGE)
    return Evidence(copy, settings, tuple(found), tuple(exchanges))


def missed(remark: Remark) -> bool:
    """Whether a remark tells of something that could be better."""
    return remark.outcome is Outcome.MISSED
