"""A pytest plugin for NVIDIA's tests: some of them, with a time limit, and what came of each."""

from __future__ import annotations

import json
import signal
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tileir.codegen.targets import HOST

from . import counting, on_emulator


class Slow(Exception):
    """A test has used up its time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `python -m tests.lab.conformance` passes on."""
    group = parser.getgroup("conformance")
    group.addoption("--target", required=True)
    group.addoption("--sample", type=int, required=True)
    group.addoption("--limit", type=int, required=True)
    group.addoption("--results", required=True)
    group.addoption("--in-place", action="store_true")


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """After `tileir.cutile.plugin`, which makes the GPU that is replaced here."""
    given = early_config.known_args_namespace
    if given.in_place:
        return  # `in_place` has launches, and counts them
    if given.target != HOST:
        on_emulator.replace_launches(given.target)
    counting.count_launches()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is no part of the sample, and what has a result already.

    Names decide, so that a test stays in the sample when others are added.
    """
    done = set(read(Path(config.option.results)))
    in_sample = [zlib.crc32(each.nodeid.encode()) % config.option.sample == 0 for each in items]
    pairs = list(zip(items, in_sample, strict=True))
    wanted = [item for item, chosen in pairs if chosen and item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
    items[:] = wanted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """End a test that takes too long, by the time of the processor that this process gets."""

    def end(*_: Any) -> None:
        raise Slow(f"not done after {item.config.option.limit} s of CPU time")

    before = counting.launches
    signal.signal(signal.SIGPROF, end)
    # Again and again: where nothing can be raised, as in a destructor, Python drops the exception.
    signal.setitimer(signal.ITIMER_PROF, item.config.option.limit, 1)
    try:
        return (yield)
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_PROF, 0)
        item.user_properties.append(("launches", counting.launches - before))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[Any]:
    """Append a line about a test that has ended, in whatever way."""
    report = yield
    if call.when == "call" or not report.passed:
        message = "" if report.passed else str(call.excinfo.value)
        slow = call.excinfo is not None and isinstance(call.excinfo.value, Slow)
        line = {
            "test": item.nodeid, "outcome": "slow" if slow else report.outcome,
            "seconds": round(call.duration, 2), "message": message[:1000],
            **dict(item.user_properties),
        }  # fmt: skip
        with Path(item.config.option.results).open("a") as file:
            file.write(json.dumps(line) + "\n")
    return report


def read(results: Path) -> dict[str, dict[str, Any]]:
    """What came of each test so far, by its name."""
    lines = results.read_text().splitlines() if results.exists() else []
    found = [json.loads(line) for line in lines]
    return {each["test"]: each for each in found}
