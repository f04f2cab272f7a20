"""Stages of our compiler: the first one after which something can be said of what there is.

Three questions. Which stage fails, or leaves behind what the stage verifier refuses? After which
stage does a predicate hold of the text that stages print? And with which optional stage does a
predicate begin to hold of what is compiled in the end, when those behind it are left out?
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tileir.command_line.exit_codes import UsageError, explained
from tileir.commands.modules import module_in
from tileir.errors import TileIRError, WorkerError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import compiling
from tileir.predicates import Explaining, Limits, Verdict
from tileir.supervisor import Supervisor
from tileir.supervisor.memory import LIMITED

from .search import Found, search

ALL_LEFT_OUT = "none"
"""The name of the point at which all optional stages are left out."""


BEHIND = "behind the last stage"
"""The name of what is done when all stages have left what they leave, which may fail, too."""


class RefusedError(TileIRError):
    """The file is not compiled for a reason that is no defect; `code` is the exit code for it."""

    def __init__(self, text: str, code: int) -> None:
        self.code = code
        super().__init__(text)


NAME = "the compiler"
"""What messages call it."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What stages have left behind.

    texts    stage -> its text, for each that has run
    failed   the stage that failed, or did not end, or `BEHIND`; "" if nothing did
    problem  what it said
    ended    whether it failed; it may also have been too slow, or have needed too much memory
    """

    texts: Mapping[str, str]
    failed: str = ""
    problem: str = ""
    ended: bool = True


def compiled_by_stages(
    data: bytes, target: str, limits: Limits, made_by: str = f"{__name__}:stages_made"
) -> Compiled:
    """Compile a file in a child, and return what each stage left behind, as far as it came.

    The child computes the function `made_by`; between stages it asks the verifier. RefusedError if
    the file is not readable, not valid, or not supported.
    """
    with compiling(), not_forking:
        from tileir.codegen.pipeline import STAGES
        from tileir.codegen.targets import package_of

    memory = limits.memory if LIMITED else None
    with (
        tempfile.TemporaryDirectory() as folder,
        Supervisor(made_by, seconds=limits.seconds, memory=memory) as supervisor,
    ):
        tells = Path(folder, "told")
        tells.touch()
        request = json.dumps({"target": target, "told": str(tells)}).encode()
        ended = True
        try:
            answer = json.loads(supervisor.call(request + b"\n" + data, NAME))
        except WorkerError as error:
            if error.kind == "start":
                raise
            answer = {"refused": None, "problem": str(error).removeprefix(f"{NAME}: ")}
            ended = error.kind == "crash"
        lines = tells.read_bytes().split(b"\n")
    if answer["refused"]:
        raise RefusedError(*answer["refused"])
    told = list(map(json.loads, lines[:-1]))  # what is behind the last newline is not all of it
    failed = _behind(told, STAGES[package_of(target)]) if answer["problem"] else ""
    return Compiled(dict(told), failed, answer["problem"], ended)


def _behind(told: Sequence[tuple[str, str]], names: Sequence[str]) -> str:
    """Return the stage behind the one that was told of last: some may run more than once."""
    done = names.index(told[-1][0]) + 1 if told else 0
    return names[done] if done < len(names) else BEHIND


def stages_made(data: bytes) -> bytes:
    """Compile in a child: the answer says what failed.

    Each stage's name and text are a line of the file that the request names, at once: stages behind
    it may end the process.
    """
    os.environ["TILEIR_VERIFY"] = "1"
    with compiling(), not_forking:
        from tileir.codegen.stage import Stage
        from tileir.codegen.stage_recorder import record_stages

    line, _, module = data.partition(b"\n")
    request = json.loads(line)
    lists = {"symbols": None, "checks": [], "trace": [], "launch": {}}
    options = lists | {"lineinfo": False, "portable": False}
    answer: dict[str, Any] = {"refused": None, "problem": ""}
    with open(request["told"], "ab", buffering=0) as file:

        def tell(stage: Stage) -> None:
            file.write(json.dumps((stage.name, stage.text)).encode() + b"\n")

        try:
            record_stages(module_in(module, "module"), request["target"], options, told=tell)
        except (TileIRError, UsageError) as error:
            answer["refused"] = explained(error)
        except MemoryError:
            raise
        except Exception as error:
            answer["problem"] = f"{type(error).__name__}: {error}"
    return json.dumps(answer).encode()


def first_failing(compiled: Compiled, names: tuple[str, ...]) -> Found:
    """Return the verdicts "it fails" of all stages up to the one that does.

    `BEHIND` is a point of its own if what is done after all stages fails.
    """
    points = (*names, BEHIND) if compiled.failed == BEHIND else names
    last = points.index(compiled.failed) if compiled.failed else len(points)

    def ask(name: str) -> Verdict:
        if name == compiled.failed:
            return Verdict(True if compiled.ended else None, compiled.problem)
        passed = name in compiled.texts and points.index(name) < last
        return Verdict(False, "passes") if passed else Verdict(None, "")

    return search(points, ask, everywhere=True)


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
    with compiling(), not_forking:
        from tileir.codegen.optional_stages import OPTIONAL

    names = (ALL_LEFT_OUT, *OPTIONAL[family])

    def ask(name: str) -> Verdict:
        return predicate({family: names[names.index(name) + 1 :]}).examine(data)

    return search(names, ask, everywhere)
