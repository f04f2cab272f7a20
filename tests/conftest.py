"""What all tests share: NVIDIA's tools where they are installed, and two options of pytest."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

QUICK = 10
ASKED_FOR = ("docs", "browser", "cluster", "stores", "tuner")
"""Markers of tests that run only if `-m` names them: they need more than the extra `test`."""
COLLECTED = 300_000
"""After how many new objects the cycle collector looks at them."""

os.environ["TILEIR_VERIFY"] = "1"  # between all stages of all compilations
os.environ["TILEIR_CACHE_DIR"] = "off"  # nobody's cache is written to, by no program either
os.environ.pop("TILEIR_CACHE_SHARED", None)
if sys.dont_write_bytecode:  # or each program that a test starts compiles all that it imports
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix  # nothing is left beside the sources
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell's script
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the golden files")
    parser.addoption("--quick", action="store_true", help="one case in ten, and nothing slow")
    parser.addoption("--whole", action="store_true", help="all cases of tests that are sampled")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick, keep every tenth case of each test that is not slow.

    Of tests marked `sampled(n)`, keep one case in n, unless a case is named or --whole is given, or
    --update: all goldens are to be written.
    """
    quick = config.getoption("--quick")
    whole = config.getoption("--whole") or config.getoption("--update")
    named = {argument for argument in config.args if "[" in argument}
    seen: Counter[str] = Counter()
    kept, left = [], []
    for item in items:
        name = item.nodeid.partition("[")[0]
        sampled = item.get_closest_marker("sampled")
        every = QUICK if quick else sampled.args[0] if sampled and not (whole or named) else 1
        slow = quick and item.get_closest_marker("slow") is not None
        unasked = any(
            item.get_closest_marker(marker) and marker not in config.option.markexpr
            for marker in ASKED_FOR
        )
        (left if slow or unasked or seen[name] % every else kept).append(item)
        seen[name] += 1
    if not left:
        return
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_collection_finish() -> None:
    """Thousands of tests stay alive to the end: the cycle collector need not look at them.

    It looks less often, too, which saves a twentieth of the time; tests of memory ask it to.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED, *gc.get_threshold()[1:])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n`, each process takes a run of neighbours; who has nothing left takes of another's.

    By default processes take turns, and each would make what the tests of one file share.
    """
    if config.getoption("dist") != "load":
        return None  # somebody has asked for another one
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether goldens are to be rewritten."""
    return request.config.getoption("--update")


@pytest.fixture
def whole(request: pytest.FixtureRequest) -> bool:
    """Whether tests that look at some of their cases are to look at all of them."""
    return request.config.getoption("--whole")


@pytest.fixture
def named(subtests: pytest.Subtests) -> Callable[[object], contextlib.AbstractContextManager]:
    """One of the cases of a test: ``with named(version): ...``.

    A subtest, so that a case that fails is named and hides no other; but pytest hears of no case
    that passes, because each would cost it a millisecond and there are tens of thousands.
    """

    @contextlib.contextmanager
    def case(name: object) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception):  # a tool that is missing skips all cases
            with subtests.test(str(name)):
                raise

    return case


@cache
def nvidia_tool(name: str) -> Path | None:
    """The path of one of NVIDIA's tools from its PyPI package, None if it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations if spec else ():
        for candidate in Path(folder).glob(f"*/bin/{name}*"):
            if candidate.stem == name:
                return candidate
    from tileir.tools.nvidia import find

    return find(name)


@pytest.fixture
def tool():
    """Run one of NVIDIA's tools, or skip with the reason: ``tool("ptxas", "--version")``."""

    def run(name: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
        path = nvidia_tool(name)
        if path is None:
            pytest.skip(f"{name} is not installed (pip install -e .[test] on Linux or Windows)")
        return subprocess.run([path, *map(str, arguments)], capture_output=True, check=False)

    return run
