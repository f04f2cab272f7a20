"""One suite in a process of its own: collected once, then a fork of it for each fault.

The server is forked from a process that has imported what is slow to import and no line of the
product; it collects all tests and waits. For a fault in a function, its child gives the functions
that were changed their new code and runs the chosen tests. For one in what an import runs, there is
`cold`: a run of pytest that imports everything anew. The file in the overlay has been replaced
either way, so programs that tests start have the fault too.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import hypothesis
import llvmlite.binding
import ml_dtypes
import mpmath
import numpy
import pytest

from .changing import change, live_functions

IMPORTED = (hypothesis, llvmlite.binding, ml_dtypes, mpmath, numpy)
"""What every run finds imported."""

MEMORY = 8 << 30
"""Bytes of address space that a process may have."""


class Reporter:
    """The plugin that tells over a pipe what happens, and picks and orders the tests."""

    def __init__(self, pipe: int, chosen: Sequence[str] | None = None) -> None:
        self._pipe = pipe
        self._chosen = chosen
        self._collecting: dict[str, float] = {}

    def tell(self, **message: object) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._pipe, data) :]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._chosen is not None:
            place = {name: number for number, name in enumerate(self._chosen)}
            items[:] = sorted(
                (item for item in items if item.nodeid in place), key=lambda i: place[i.nodeid]
            )

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        self._collecting[collector.nodeid] = time.perf_counter()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.tell(failed=report.nodeid, why=_last(report.longreprtext), at="collection")
        seconds = time.perf_counter() - self._collecting.pop(report.nodeid, time.perf_counter())
        if report.nodeid.endswith(".py"):
            self.tell(module=report.nodeid, seconds=round(seconds, 4))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tell(start=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tell(failed=report.nodeid, why=_last(report.longreprtext), at=report.when)
        seconds = round(report.duration, 5)
        self.tell(report=report.nodeid, outcome=report.outcome, seconds=seconds, at=report.when)


class Waiting:
    """The plugin of the server: after collection, a child for each command that comes."""

    def __init__(self, reporter: Reporter, commands: int) -> None:
        self._reporter = reporter
        self._commands = os.fdopen(commands, encoding="utf-8")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> object:
        sys.dont_write_bytecode = True
        gc.unfreeze()
        functions = live_functions(session.config.rootpath)
        gc.freeze()
        items = {item.nodeid: item for item in session.items}
        self._reporter.tell(ready=len(items))
        for line in self._commands:
            command = json.loads(line)
            if child := os.fork():
                _, status = os.waitpid(child, 0)
                self._reporter.tell(exited=status)
                continue
            with _ending():
                alone()
                self._reporter.tell(forked=os.getpid())
                try:
                    change(functions, *command["fault"]) if command["fault"] else None
                except ValueError as error:  # a variable of an outer function came or went
                    self._reporter.tell(impossible=str(error))
                    break
                session.items = [items[name] for name in command["chosen"] if name in items]
                yield
                self._reporter.tell(done="all passed")
        os._exit(0)


@contextlib.contextmanager
def _ending() -> object:
    """Whatever happens inside, this process does nothing after it."""
    try:
        yield
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def _last(text: str) -> str:
    """The line of a traceback that says what happened."""
    said = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return (said or text.splitlines() or [""])[0][:200]


def pytest_in(
    root: Path,
    modules: Sequence[str],
    plugins: Callable[[], list[object]],
    reporter: Reporter,
    *,
    cached: bool,
    stop: bool = True,
) -> None:
    """Make this process, a fork, one of the overlay at `root` and run pytest; never returns.

    `cached` keeps what is compiled on the way, which has no fault in it then.
    """
    with _ending():
        alone()
        _move_to(root, cached)
        profile = {"derandomize": True, "database": None, "deadline": None}
        hypothesis.settings.register_profile("mutants", **profile)
        hypothesis.settings.load_profile("mutants")
        options = [
            "-p",
            "no:cacheprovider",
            "--disable-plugin-autoload",
            "-q",
            "--tb=short",
            f"--basetemp={root / '.tmp'}",
            f"--rootdir={root}",
            "-o",
            "addopts=",
            *(["-x"] if stop else []),
        ]
        code = int(pytest.main([*options, *modules], plugins=[reporter, *plugins()]))
        reporter.tell(done=f"exit code {code}")


def alone() -> None:
    """A process group and limits of its own, so that it can be ended with all it started."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _move_to(root: Path, cached: bool) -> None:
    """The overlay's folder and Python, and none of the tree that this tool is in."""
    here = Path(__file__).resolve().parents[3]
    with open(os.devnull) as nothing, open(root / ".log", "w") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.chdir(root)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = not cached
    sys.executable = str(root / ".venv" / "bin" / "python")
    sys.path[:] = [str(root), *(p for p in sys.path if p and Path(p).resolve() != here)]
    for name in list(sys.modules):
        if name.partition(".")[0] in {"tests", "fixtures", "tileir"}:
            del sys.modules[name]
