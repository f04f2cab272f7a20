"""What the author of a kernel asks of it: `kernels`, the part of a model that a GPU is named for.

The records are those of `tileir resources`, `advise` and `stats`. What lacks a package or a tool is
null, and `missing` says what to install; an entry that cannot be compiled hides no other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import tileir
from tileir.advise import command as advising
from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import explained
from tileir.errors import MissingPackageError, TileIRError, UnsupportedError
from tileir.formats.errors import shorten
from tileir.formats.forks import not_forking
from tileir.launch.roles import roles_of
from tileir.messages.missing_packages import compiling, is_installed, missing, needs
from tileir.messages.texts import printable
from tileir.messages.wording import counted
from tileir.read.function import Function
from tileir.resources import report as resources_report
from tileir.resources.command import kernels_of
from tileir.resources.kernel_resources import KernelResources
from tileir.resources.of_kernels import OURS, resources_of
from tileir.rewrite.extract import apart
from tileir.stats import command as stats
from tileir.stats.module_stats import stats_of
from tileir.tools import nvidia

from .listings import Located, Theirs
from .pictures.of_kernel import of_kernel
from .stages import LARGEST, stages_of
from .verdict import verdict

ERROR = ": error: "
"""What stands before the message in a line of tileiras."""

ADVISING = 60.0
"""Seconds that `tileir advise` has for all kernels of a page; a trial that has begun is ended."""

THEIRS = 60.0
"""Seconds that tileiras has for a module."""

STEPS = 20
"""Steps of the work on a kernel, as `progress` is told of them; half of them are of advice."""

LONGEST = 300
"""Characters of what tileiras says of a module that it refuses."""

UNASKED = {
    "contract": None,
    "resources": None,
    "table": [],
    "findings": None,
    "untried": [],
    "stages": None,
    "ptx": None,
    "sass": None,
    "cost": None,
    "tileiras": None,
    "pictures": None,
    "footprints": None,
}
"""The record of a kernel that is not compiled."""


def kernels(
    bytecode: Bytecode,
    targets: Sequence[str],
    progress: Callable[[int, int], object] | None = None,
    launched: tuple[str, dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return the records of all kernels for each GPU: `model` has their keys.

    `progress` is told which step is begun, of how many. `launched` has the name of a kernel, and
    its footprints (`tileir.report.pictures.footprints`). UnsupportedError for an unknown target.
    """
    found: list[dict[str, Any]] = []
    works = stats.as_json(stats_of(bytecode))["functions"]
    total, first = len(targets) * len(works), 0
    theirs = cache(lambda target: _theirs(bytecode, target))
    parts = apart(bytecode, [function.name for function in bytecode.functions])
    for (name, part), work in zip(parts, works, strict=True):
        function = part.function(name)
        for target in targets:
            kernel = Kernel(part, function, target, first)
            room = Room(LARGEST // total, ADVISING / total, _steps(progress, len(found), total))
            record = _kernel(kernel, work, room)
            if record["ptx"] is not None:
                _add_theirs(record, name, theirs)
            if launched is not None and launched[0] == name:
                record["footprints"] = launched[1]
            found.append(record)
        first += sum(1 for _ in function.walk())
    return found


class Kernel(NamedTuple):
    """A kernel whose first op has this number in the file, a module that has it, and a GPU."""

    bytecode: Bytecode
    function: Function
    target: str
    first: int


class Room(NamedTuple):
    """What the record of a kernel may take: characters of stages, seconds of advice.

    `step` is told which step of `STEPS` begins.
    """

    characters: int
    seconds: float
    step: Callable[[int], object]


def _steps(
    progress: Callable[[int, int], object] | None, done: int, total: int
) -> Callable[[int], object]:
    """Return what tells the progress of the steps of one kernel, when so many are done."""
    if progress is None:
        return lambda step: None
    return lambda step: progress(done * STEPS + step, total * STEPS)


def _kernel(kernel: Kernel, work: dict[str, Any], room: Room) -> dict[str, Any]:
    """Return the record of a kernel."""
    function, target = kernel.function, kernel.target
    record: dict[str, Any] = {"kernel": printable(function.name), "target": target, "problems": []}
    record |= {"verdict": [], "missing": [], "work": work, **UNASKED}
    try:
        room.step(0)
        for step, part in enumerate(_compiled(kernel, room), 1):
            record |= part
            room.step(min(step, STEPS // 2))
        record["missing"] = list(_lacking())
        if record["untried"]:
            rules = counted(len(record["untried"]), "rule")
            record["missing"].append(
                f"what {rules} of tileir advise would find where they were not tried: a page has "
                f"{room.seconds:.3g} s for advice on this kernel; tileir advise takes the time it "
                "needs, and skips places only where they are very many"
            )
    except MissingPackageError as error:
        record["missing"] = [printable(str(error))]
    except TileIRError as error:
        lines = explained(error)[0].splitlines()
        record["problems"] = [printable(line.strip()) for line in lines]
    record["verdict"] = verdict(record)
    return record


def _compiled(kernel: Kernel, room: Room) -> Iterator[dict[str, Any]]:
    """Yield the parts of a kernel's record that need a compiler."""
    bytecode, function, target, first = kernel
    symbol = function.name
    with compiling(), not_forking:
        from tileir.codegen.advise.search import advice
    with compiling():
        plan = tileir.compile(bytecode, target, symbols=[symbol]).plan[symbol]
    yield {"contract": _contract(plan, function)}
    located = Located(bytecode, symbol, target, first)
    yield {"ptx": located.ptx()}
    yield {"stages": stages_of(bytecode, symbol, target, first, room.characters)}
    yield {"pictures": of_kernel(bytecode, symbol, target, first)}
    assembles = nvidia.find("ptxas") is not None
    disassembles = nvidia.find("nvdisasm") is not None
    measures = assembles and is_installed("elftools")
    if measures:
        (taken,) = kernels_of(bytecode, target, OURS, {}, disassembles, [symbol])
        rows = _rows(taken)
        yield {"resources": resources_report.as_json(taken), "table": rows}
    if assembles and disassembles:
        code = located.sass(plan["entry"])
        yield {"sass": code.listing, "cost": code.cost}

    def ruled(number: int, rules: int) -> None:
        room.step(STEPS // 2 + number * (STEPS // 2) // rules)

    with compiling():
        found = advice(
            bytecode,
            target,
            symbols=[symbol],
            ptxas=measures,
            seconds=room.seconds,
            progress=ruled,
        )
    yield {
        "findings": [
            advising.as_json(each) | {"ops": [first + number for number in each.numbers]}
            for each in found.findings
        ],
        "untried": found.untried.get(symbol, []),
    }


def _theirs(bytecode: Bytecode, target: str) -> Theirs | TileIRError:
    """Return a module as tileiras compiles it, or what it says: no kernel asks it again."""
    try:
        return Theirs(bytecode, target, THEIRS)
    except TileIRError as error:
        return error


def _add_theirs(
    record: dict[str, Any], symbol: str, theirs: Callable[[str], Theirs | TileIRError]
) -> None:
    """Add what tileiras makes of a kernel, or why that is not known."""
    if nvidia.find("nvdisasm") is None:
        return
    try:
        made = theirs(record["target"])
        if isinstance(made, TileIRError):
            raise made
        code = made.sass(symbol)
        record["tileiras"] = {"sass": code.listing, "cost": code.cost, "resources": None}
        record["tileiras"]["table"] = []
        if is_installed("elftools"):
            (taken,) = (each for each in resources_of(made.cubin) if each.kernel == symbol)
            record["tileiras"]["resources"] = resources_report.as_json(taken)
            record["tileiras"]["table"] = _rows(taken)
    except UnsupportedError:
        record["missing"].append(f"code of tileiras, which does not compile for {record['target']}")
    except TileIRError as error:
        lines = explained(error)[0].splitlines()
        said = next((line for line in lines if ERROR in line), lines[0])
        said = shorten(said.rpartition(ERROR)[2], LONGEST)
        record["missing"].append(printable(f"code of tileiras: {said}"))


def _rows(taken: KernelResources) -> list[list[str]]:
    """Return the table of what a kernel takes: title and cell."""
    return [[title, cell] for title, (cell,) in resources_report.rows_of([taken])]


def _lacking() -> Iterator[str]:
    """Yield what a page cannot say, and what to install for it."""
    if nvidia.find("ptxas") is None:
        yield needs("showing resources and machine code", ["ptxas"], nvidia.PACKAGES)
    elif not is_installed("elftools"):
        yield printable(str(missing(["elftools"], "measuring resources")))
    if nvidia.find("nvdisasm") is None:
        yield needs("showing machine code", ["nvdisasm"], nvidia.PACKAGES)


def _contract(plan: dict[str, Any], function: Function) -> dict[str, Any]:
    """Return what a launch has to keep to, and what each parameter is."""
    told = roles_of(function.body).described()
    keys = ("block", "cluster", "dynamic_shared_memory", "grid_limits", "ptx_target", "runs_on")
    return {key: plan[key] for key in keys} | {
        "parameters": [
            {"type": row["type"], "meaning": role, "written": row["written"]}
            for row, role in zip(plan["parameters"], told, strict=True)
        ]
    }
