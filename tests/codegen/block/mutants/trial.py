"""Kernels compiled with one defect, and who notices it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

from tileir.bytecode import Bytecode
from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES, EmulationError, load_module
from tileir.codegen.emulator.running.loading import load
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.state import KernelState, State
from tileir.codegen.pipeline import STAGES, stage_of
from tileir.codegen.stage_verifier import StageError, StageVerifier
from tileir.gpus import TARGETS

from .defect import DEFECTS, Defect, Site

LIMIT = 20_000
"""Steps of a launch: more are those of threads that wait for ever."""

Start = Callable[[], tuple[list[Any], Any, Callable[[], bool]]]
"""Makes a launch: arguments, the grid, and what says whether they are right afterwards."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel that defects are put into."""

    bytecode: Bytecode
    entry: str
    target: str
    launches: tuple[Start, ...]
    terms: Mapping[str, object] = field(default_factory=dict)
    """Options about the launch."""


@dataclass(frozen=True)
class Noticed:
    """What each of them said about a defect; "" if nothing.

    `compiler` is an error of a later stage, behind which there is nothing to run.
    """

    verifier: str = ""
    emulator: str = ""
    compiler: str = ""
    launches: int = 0
    """How many the emulator made, the one that it noticed at included."""

    def __bool__(self) -> bool:
        return bool(self.verifier or self.emulator or self.compiler)


def sites_of(kernel: Kernel, defect: Defect) -> list[Site]:
    """Return the sites of a class in a kernel; their changes are not to be made."""
    return _sites(kernel)[defect.name]


@cache
def _sites(kernel: Kernel) -> dict[str, list[Site]]:
    """Return the sites of all classes, each found behind its stage."""
    state, found = _state(kernel), {}
    last = max(STAGES["nvptx"].index(each.after) for each in DEFECTS.values())
    for name in STAGES["nvptx"][: last + 1]:
        stage_of("nvptx", name)(state)
        for each in DEFECTS.values():
            if each.after == name:
                found[each.name] = list(each.sites(state.kernels[0].kernel.body))
    return found


def attempt(
    kernel: Kernel,
    defect: Defect | None = None,
    number: int = 0,
    both: bool = True,
    run: bool = True,
    most: int | None = None,
) -> Noticed:
    """Put a defect into a kernel, at the site with this number; return who notices it.

    The emulator runs what the verifier has noticed only if it is asked for `both`, and nothing
    without `run`; it makes all launches, or as many as `most` says. Without a defect, this says who
    objects to the kernel as it is.
    """
    state = _state(kernel)
    verifier, said, changed = StageVerifier("nvptx", state), "", defect is None
    for name in STAGES["nvptx"]:
        if name == "emit_llvm" and not run:
            return Noticed(said)
        try:
            stage_of("nvptx", name)(state)
        except Exception as error:  # whatever it is, no wrong code has come out
            return Noticed(said, compiler=f"{type(error).__name__}: {error}")
        if defect is not None and name == defect.after:
            ir = state.kernels[0].kernel
            list(defect.sites(ir.body))[number].change()
            ir.edited()
            changed = True
        if changed and not state.llvm_ir:  # before that, the kernel is the one without a defect
            said = said or _verified(verifier, name, state)
            if said and not both:
                return Noticed(said)
    found, launches = wrong(kernel, state.ptx, state.plans[kernel.entry], most)
    return Noticed(said, found, launches=launches)


def wrong(
    kernel: Kernel, ptx: str, plan: dict[str, Any], most: int | None = None
) -> tuple[str, int]:
    """Return what the emulator notices: a kind of error, "wrong" results, or nothing; and how many
    launches that took, `most` at most.

    What is printed is wrong if the kernel without a defect prints something else.
    """
    printed: list[str] = []
    try:
        for right, output in islice(_launched(kernel, ptx, plan), most):
            if not right():
                return "wrong", len(printed) + 1
            printed.append(output)
    except EmulationError as problem:
        return problem.kind, len(printed) + 1
    other = "vprintf" in ptx and printed != _printed(kernel)[: len(printed)]
    return ("wrong" if other else ""), len(printed)


def _launched(
    kernel: Kernel, ptx: str, plan: dict[str, Any]
) -> Iterator[tuple[Callable[[], bool], str]]:
    """Make each launch under each schedule; yield what says if it is right, and what it prints."""
    program = load(ptx, {kernel.entry: plan})[kernel.entry]
    for start in kernel.launches:
        for schedule in _schedules(kernel, ptx):
            args, grid, right = start()
            done = program.launch(grid, args, schedule=schedule, limit=LIMIT)
            yield right, done.output


@cache
def _printed(kernel: Kernel) -> list[str]:
    """Return what the launches of a kernel without a defect print."""
    state = _state(kernel)
    for name in STAGES["nvptx"]:
        stage_of("nvptx", name)(state)
    return [output for _, output in _launched(kernel, state.ptx, state.plans[kernel.entry])]


def _schedules(kernel: Kernel, ptx: str) -> Iterator[str]:
    yield from SCHEDULES
    if load_module(ptx).kernel(kernel.entry).orders_threads:
        yield from BETWEEN_BLOCKS


def _state(kernel: Kernel) -> State:
    function = next(each for each in kernel.bytecode.functions if each.name == kernel.entry)
    ir = KernelIR.copy_of(function, kernel.bytecode)
    return State([KernelState(ir, ir.symbol)], TARGETS[kernel.target], kernel.terms)


def _verified(verifier: StageVerifier, stage: str, state: State) -> str:
    try:
        verifier.check(stage, state)
    except StageError as error:
        return str(error)
    return ""
