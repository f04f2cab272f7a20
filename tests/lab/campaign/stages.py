"""The stages that a module goes through, in a child process that may die."""

from __future__ import annotations

import base64
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tileir
from tests.lab.model.kernels.comparing import differences, expected_of
from tileir.codegen import compile, emulator
from tileir.errors import ToolError, UnsupportedError
from tileir.smith.case import Case
from tileir.tools import nvidia

from .plan import Plan, plan_of

LONGEST_S = 300
"""Seconds that tileiras may take."""

RIGHT, UNSUPPORTED, DIFFERENT, FAILED, CRASHED = (
    "right", "unsupported", "different", "failed", "crashed",
)  # fmt: skip
"""What becomes of a module in a stage. The last three are findings."""


class Verdict(NamedTuple):
    """What became of a module, and what there is to say about it."""

    name: str
    text: str = ""


class Work:
    """One module on its way; what stages share is computed once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def case(self) -> Case:
        return self.plan.case()

    @cached_property
    def expected(self) -> list:
        return expected_of(self.case)

    @cached_property
    def compiled(self) -> Any:
        return compile(self.case.bytecode, self.plan.target)

    def compared(self, launch: Callable[[Case, list], None]) -> Verdict:
        """What a launch makes of the arrays, beside what the model expects."""
        problems = differences(self.case, launch, self.expected)
        return Verdict(DIFFERENT, "\n".join(problems)) if problems else Verdict(RIGHT)


def verify(work: Work) -> Verdict:
    """The verifier accepts it, and so does whoever reads its bytes and its text again."""
    bytecode = work.case.bytecode
    errors = [str(each) for each in tileir.verify(bytecode) if each.severity == "error"]
    if errors:
        return Verdict(FAILED, "\n".join(errors))
    text = tileir.disassemble(bytecode, debug=True)
    again = tileir.assemble(text, bytecode.version)
    if tileir.disassemble(again, debug=True) != text:
        return Verdict(DIFFERENT, "the text of what is assembled from the text is another one")
    if tileir.Bytecode.parse(bytecode.data).touch().build() != bytes(bytecode.data):
        return Verdict(DIFFERENT, "what is read is not written the same")
    return Verdict(RIGHT)


def on_cpu(work: Work) -> Verdict:
    def launch(case: Case, args: list) -> None:
        compile(case.bytecode, "host")[case.symbol].launch(case.grid, args, threads=1)

    return work.compared(launch)


def through_ptxas(work: Work) -> Verdict:
    nvidia.assemble(work.compiled.ptx, work.plan.target)
    return Verdict(RIGHT)


def on_emulator(work: Work) -> Verdict:
    def launch(case: Case, args: list) -> None:
        plan = work.compiled.plan[case.symbol]
        emulator.launch(work.compiled.ptx, plan, case.grid, args, schedule="random-1")

    return work.compared(launch)


def through_tileiras(work: Work) -> Verdict:
    """It compiles what our verifier has no warning of for that GPU, and nothing else."""
    tool = nvidia.find("tileiras")
    if tool is None:
        raise ToolError("tileiras is not installed")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "module.tileirbc")
        source.write_bytes(work.case.bytecode.build())
        command = [tool, f"--gpu-name={work.plan.target}", "-o", Path(folder, "out.cubin"), source]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            return Verdict(CRASHED, f"it took more than {LONGEST_S} s")
    said = (done.stderr or done.stdout).decode(errors="replace").strip()
    warned = [str(each) for each in tileir.verify(work.case.bytecode, target=work.plan.target)]
    if done.returncode == 0:
        return Verdict(DIFFERENT, f"compiled, but {warned[0]}") if warned else Verdict(RIGHT)
    if done.returncode < 0 or "PLEASE submit" in said or "Stack dump" in said:
        return Verdict(CRASHED, f"exit code {done.returncode}: {said}")
    return Verdict(UNSUPPORTED if warned else FAILED, said)


STAGES: dict[str, Callable[[Work], Verdict]] = {
    "verify": verify,
    "cpu": on_cpu,
    "ptxas": through_ptxas,
    "emulator": on_emulator,
    "tileiras": through_tileiras,
}
"""Stage -> what a module goes through there, in this order."""


def examine(request: bytes) -> bytes:
    """Take the module of a number through some stages; both are JSON."""
    asked = json.loads(request)
    work = Work(plan_of(asked["seed"]))
    found: dict[str, Any] = {"seed": asked["seed"], "stages": {}}
    start = _cpu_s()
    case = work.case
    found["make_s"] = _cpu_s() - start
    names = [op.name for each in case.bytecode.functions for op in each.walk()]
    found |= {"ops": len(names), "names": sorted(set(names)), "target": work.plan.target}
    found["version"] = str(case.bytecode.version)
    start = _cpu_s()
    if {"cpu", "emulator"} & {*asked["stages"]}:
        with np.errstate(all="ignore"):
            _ = work.expected
    found["model_s"] = _cpu_s() - start
    for name in asked["stages"]:
        start = _cpu_s()
        verdict = _tried(partial(STAGES[name], work))
        found["stages"][name] = {
            "verdict": verdict.name, "text": verdict.text, "s": _cpu_s() - start,
        }  # fmt: skip
    return json.dumps(found).encode()


def examine_variant(request: bytes) -> bytes:
    """Take another module through a stage, with the launch of the one of a number: JSON, too.

    What has other parameters cannot be launched so, and what is undefined is not different.
    """
    asked = json.loads(request)
    work = Work(plan_of(asked["seed"]))
    types = [function.type for function in work.case.bytecode.functions]
    work.case.bytecode = tileir.Bytecode.parse(base64.b64decode(asked["module"]))
    launched = asked["stage"] in ("cpu", "emulator")
    if launched and [each.type for each in work.case.bytecode.functions] != types:
        verdict = Verdict(UNSUPPORTED, "other parameters")
    else:
        verdict = _tried(partial(STAGES[asked["stage"]], work))
    return json.dumps({"verdict": verdict.name, "text": verdict.text}).encode()


def _tried(stage: Callable[[], Verdict]) -> Verdict:
    try:
        with np.errstate(all="ignore"):
            return stage()
    except UnsupportedError as error:
        return Verdict(UNSUPPORTED, str(error))
    except Exception as error:
        return Verdict(FAILED, f"{type(error).__name__}: {error}")


def _cpu_s() -> float:
    """Seconds of CPU of this process and of those that it has started."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime
