"""Stages of our compiler: the first one after which something can be said of what there is.

Three questions. Which stage fails, or leaves behind what the stage verifier refuses? After which
stage does a predicate hold of the text that stages print? And with which optional stage does a
predicate begin to hold of what is compiled in the end, when those behind it are left out?
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tileir.commands.modules import module_in
from tileir.errors import TileIRError, WorkerError
from tileir.messages.missing_packages import compiling
from tileir.predicates import Explaining, Limits, Verdict
from tileir.supervisor import Supervisor
from tileir.supervisor.memory import LIMITED

from .search import Found, search

ALL_LEFT_OUT = "none"
"""The name of the point at which all optional stages are left out."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What stages have left behind.

    texts    stage -> its text, for each that has run
    failed   the stage that failed, "" if none did
    problem  what it said
    """

    texts: Mapping[str, str]
    failed: str = ""
    problem: str = ""


def compiled_by_stages(
    data: bytes, target: str, limits: Limits, made_by: str = f"{__name__}:stages_made"
) -> Compiled:
    """Compile a file in a child, and return what each stage left behind, as far as it came.

    The child computes the function `made_by`; between stages it asks the verifier. TileIRError if
    the file is not compiled for a reason that is no defect: it is not readable, not valid, or not
    supported.
    """
    with compiling():
        from tileir.codegen.pipeline import STAGES
        from tileir.codegen.targets import package_of

    memory = limits.memory if LIMITED else None
    stages = STAGES[package_of(target)]
    with Supervisor(made_by, seconds=limits.seconds, memory=memory) as supervisor:

        def made(until: str | None) -> Compiled:
            request = json.dumps({"target": target, "until": until}).encode()
            answer = json.loads(supervisor.call(request + b"\n" + data, "the compiler"))
            if answer["refused"]:
                raise TileIRError(answer["refused"])
            return Compiled(answer["texts"], answer["failed"], answer["problem"])

        try:
            return made(None)
        except WorkerError as error:
            if error.kind == "start":
                raise
            problem = str(error)

        def lives(name: str) -> Verdict:
            try:
                made(name)
            except WorkerError as error:
                return Verdict(False, str(error))
            return Verdict(True, "")

        found = search(stages, lives)
        if not found.changes:  # it dies at once, or sometimes only
            return Compiled({}, stages[0], problem)
        change = found.changes[0]
        return Compiled(made(change.before).texts, change.after, problem)


def stages_made(data: bytes) -> bytes:
    """Compile up to a stage, in a child: the answer has the texts, and what failed."""
    os.environ["TILEIR_VERIFY"] = "1"
    with compiling():
        from tileir.codegen.pipeline import STAGES
        from tileir.codegen.stage import Stage
        from tileir.codegen.stage_recorder import record_stages
        from tileir.codegen.targets import package_of

    line, _, module = data.partition(b"\n")
    request = json.loads(line)
    lists = {"symbols": None, "checks": [], "trace": [], "launch": {}}
    options = lists | {"lineinfo": False, "portable": False}
    stages: dict[str, Stage] = {}
    answer = {"refused": "", "failed": "", "problem": ""}
    try:
        bytecode = module_in(module, "module")
        record_stages(bytecode, request["target"], options, request["until"], stages)
    except TileIRError as error:
        answer["refused"] = str(error)
    except MemoryError:
        raise
    except Exception as error:
        names = STAGES[package_of(request["target"])]
        answer["failed"] = next(name for name in names if name not in stages)
        answer["problem"] = f"{type(error).__name__}: {error}"
    texts = {name: stage.text for name, stage in stages.items()}
    return json.dumps(answer | {"texts": texts}).encode()


def first_failing(compiled: Compiled, names: tuple[str, ...]) -> Found:
    """Return the verdicts "it fails" of all stages up to the one that does."""

    def ask(name: str) -> Verdict:
        if name == compiled.failed:
            return Verdict(True, compiled.problem)
        return Verdict(False, "passes") if name in compiled.texts else Verdict(None, "not run")

    return search(names, ask, everywhere=True)


def without_legend(text: str) -> str:
    """Return the text of a stage without the comments at its beginning, which explain its words."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line and not line.startswith("//")), 0)
    return "\n".join(lines[first:])


def bisect_texts(
    compiled: Compiled, ask: Callable[[str], Verdict], everywhere: bool = False
) -> Found:
    """Return after which stage a predicate about its text begins or ceases to hold.

    Stages with the same text are asked once.
    """
    known: dict[str, Verdict] = {}

    def asked(name: str) -> Verdict:
        text = compiled.texts[name]
        if text not in known:
            known[text] = ask(text)
        return known[text]

    return search(list(compiled.texts), asked, everywhere)


def bisect_optional(
    data: bytes,
    predicate: Callable[[Mapping[str, tuple[str, ...]]], Explaining],
    family: str,
    everywhere: bool = False,
) -> Found:
    """Return with which optional stage of a family a predicate begins or ceases to hold.

    `predicate` makes the predicate for stages that are left out. A point is a stage, behind which
    no optional one is run.
    """
    with compiling():
        from tileir.codegen.pipeline import OPTIONAL

    names = (ALL_LEFT_OUT, *OPTIONAL[family])

    def ask(name: str) -> Verdict:
        return predicate({family: names[names.index(name) + 1 :]}).examine(data)

    return search(names, ask, everywhere)
