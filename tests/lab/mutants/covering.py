"""Which tests reach a line: one run of a suite under coverage.py, a context for each test.

Modules are imported before the first test, in the context without a name, since their lines run
once whoever imports them first. Programs that tests start are covered too.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import coverage
import pytest

from .mutation import LAYERS
from .overlay import Overlay
from .watching import cold

TEST = "MUTANTS_TEST"
"""The environment variable that tells programs on whose behalf they run."""

CONFIGURATION = """\
[run]
parallel = true
data_file = {data}
context = ${{{test}-}}
source =
{source}
[report]
"""


class _Contexts:
    """The plugin that measures."""

    def __init__(self, root: Path, folder: Path) -> None:
        source = [str(root / layer) for layer in LAYERS]
        settings = folder / "coveragerc"
        lines = "".join(f"    {each}\n" for each in source)
        settings.write_text(CONFIGURATION.format(data=folder / "program", test=TEST, source=lines))
        os.environ["COVERAGE_PROCESS_START"] = str(settings)
        self._coverage = coverage.Coverage(
            data_file=str(folder / "tests"), config_file=False, source=source, messages=False
        )
        self._coverage.start()
        for layer in LAYERS:
            package = layer if layer == "tileir" else f"tileir.{layer}"
            for path in sorted((root / layer).rglob("*.py")):
                _import(package, path.relative_to(root / layer))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        os.environ[TEST] = item.nodeid
        self._coverage.switch_context(item.nodeid)
        result = yield
        self._coverage.switch_context("")
        os.environ.pop(TEST, None)
        return result

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()


def _import(package: str, path: Path) -> None:
    parts = path.with_suffix("").parts
    names = parts[:-1] if parts[-1] == "__init__" else parts
    if not {"__main__", "sitecustomize"} & set(names):
        try:
            importlib.import_module(".".join([package, *names]))
        except ImportError as error:  # it needs a package that is not installed
            print(f"not imported: {package} {path}: {error}", file=sys.stderr)


def cover(
    overlay: Overlay, folder: Path, parts: int, share: tuple[int, int], tell: Callable[[str], None]
) -> None:
    """Run all tests of a suite in `parts` parts: those of `share` that have not been run yet.

    Each leaves in `folder` what coverage.py found and a `tests.json` with seconds and outcomes.
    """
    files = sorted(
        path.relative_to(overlay.root).as_posix()
        for path in (overlay.root / "tests").rglob("test_*.py")
    )
    number, of = share
    for part in range(number, parts, of):
        target = folder / f"part{part:02}"
        modules = files[part * len(files) // parts : (part + 1) * len(files) // parts]
        if not modules or (target / "tests.json").exists():
            continue
        target.mkdir(parents=True, exist_ok=True)
        for old in target.iterdir():
            old.unlink()
        outcome = cold(
            overlay.root,
            modules,
            None,
            lambda name: 900.0,
            total=3600,
            go_on=True,
            plugins=lambda target=target: [_Contexts(overlay.root, target)],
            cached=True,
        )
        tell(
            f"{target.name} of {parts}: {outcome.verdict} {outcome.why} {outcome.test}, "
            f"{outcome.ran} tests, {outcome.seconds:.0f} s"
        )
        if not outcome.killed:
            (target / "tests.json").write_text(json.dumps(_summary(outcome.results, modules)))


def _summary(results: list[dict], modules: list[str]) -> dict:
    """Seconds and outcome of each test, seconds to collect each module."""
    tests: dict[str, list] = {}
    collected: dict[str, float] = dict.fromkeys(modules, 0.0)
    for each in results:
        if "module" in each:
            collected[each["module"]] = each["seconds"]
        else:
            test = tests.setdefault(each["report"], [0.0, "passed"])
            test[0] = round(test[0] + each["seconds"], 5)
            if each["outcome"] != "passed":
                test[1] = each["outcome"]
    return {"tests": tests, "modules": collected}
