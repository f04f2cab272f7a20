"""Run NVIDIA's tests of cuTile on the emulator: ``python -m tests.lab.conformance cutile/test``.

With ``--in-place`` launches are those of ``tileir.cutile.install(compiler="tileir")``, through a
stand-in for the driver that refuses what a driver refuses; the emulator runs the kernels then, too.

With ``--target host`` they run on the CPU, and with ``--check memory,undefined`` each launch is
checked: a test that passes without and fails with that has found a false alarm. cuTile's tuner
measures all configurations, as some tests ask what it found.

Tests that have a line in the file of results are not run again, so a run that was ended goes on
where it was; remove lines, or the file, to run tests anew. The exit code is 0 when tests were run,
whatever came of them, and 2 when that says nothing: none of them launched a kernel.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from tests.arguments import positive
from tests.codegen.device.standin import why_not
from tileir.codegen.targets import HOST
from tileir.gpus import TARGETS

from .in_place import IN_PLACE
from .on_emulator import TARGET
from .plugin import read

AT_START = Path(__file__).parent / "at_start"
ROOT = Path(__file__).parents[3]


def main(given: list[str] | None = None) -> int:
    """Run the files one by one, each in a process of its own; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.conformance", description=__doc__)
    add = parser.add_argument
    add("tests", type=_folder, help="the folder of cuTile's tests")
    add("files", nargs="*", help="files of it, such as test_copy.py (default: all test_*.py)")
    add(
        "--target",
        choices=[*TARGETS, HOST],
        default="sm_90",
        metavar="GPU",
        help="what to compile for, sm_75 to sm_121, or host, the CPU (default: %(default)s)",
    )
    add("--check", default="", metavar="WHAT", help="--target host: the checks of tileir cutile")
    add("--in-place", action="store_true", help="launch through a stand-in for the driver")
    add(
        "--sample",
        type=positive,
        default=1,
        metavar="N",
        help="one test in so many (default: 1, all)",
    )
    add(
        "--limit",
        type=positive,
        default=60,
        metavar="SECONDS",
        help="CPU time for a test (default: %(default)s)",
    )
    add(
        "--results",
        type=Path,
        default=Path("conformance.jsonl"),
        metavar="FILE",
        help="a line for each test (default: %(default)s)",
    )
    options = parser.parse_intermixed_args(given)
    if options.check and options.target != HOST:
        parser.error("--check is for --target host")
    if options.in_place and options.target == HOST:
        parser.error("--in-place is for a GPU as --target")
    if options.in_place and (reason := why_not()):
        parser.error(f"--in-place: {reason}")
    files = options.files or sorted(path.name for path in options.tests.glob("test_*.py"))
    if not files:
        parser.error(f"there is no test_*.py in {options.tests}")
    for name in files:
        if not (options.tests / name).is_file():
            parser.error(f"there is no file {name} in {options.tests}")
    for name in files:
        ended = _run(options, name)
        if ended.returncode not in (0, 1, 5):  # all passed, some failed, none left
            lines = (ended.stdout + ended.stderr).strip().splitlines() or [""]
            why = next((line for line in lines if line.startswith("E ")), lines[-1])
            print(f"{name} cannot be run: {why.removeprefix('E').strip()}", flush=True)
    found = list(read(options.results).values())
    launched = [each for each in found if each.get("launches")]
    if not launched:
        print(f"none of {len(found)} tests launched a kernel: nothing is known", file=sys.stderr)
        return 2
    _print(options, found, launched)
    return 0


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return Path(text)


def _run(options: argparse.Namespace, name: str) -> subprocess.CompletedProcess[str]:
    passed = {"target": options.target, "sample": options.sample, "limit": options.limit,
              "results": options.results.absolute()}  # fmt: skip
    paths = [str(AT_START), str(ROOT), os.environ.get("PYTHONPATH", "")]
    on_host = options.target == HOST
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONDONTWRITEBYTECODE": "1",
        **({} if on_host else {IN_PLACE if options.in_place else TARGET: options.target}),
    }  # fmt: skip
    launching = ["-p", "tileir.cutile.plugin", "--cutile-children", "--cutile-autotune", "all"]
    if options.in_place:
        launching = ["--in-place"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         *launching, "-p", "tests.lab.conformance.plugin",
         *(f"--{key}={value}" for key, value in passed.items()),
         *([f"--cutile-check={options.check}"] if options.check else []), name],
        cwd=options.tests, env=os.environ | environment, capture_output=True, text=True,
    )  # fmt: skip


def _print(options: argparse.Namespace, found: list[dict], launched: list[dict]) -> None:
    count = Counter(each["outcome"] for each in found)
    passed = sum(each["outcome"] == "passed" for each in launched)
    print(f"{options.target}, one test in {options.sample}: {dict(count)}")
    print(f"of those that launched kernels, {passed} of {len(launched)} passed")
    causes = defaultdict(list)
    for each in found:
        if each["outcome"] in ("failed", "slow"):
            causes[each["message"].partition("\n")[0][:120]].append(each["test"])
    for cause, names in sorted(causes.items(), key=lambda pair: -len(pair[1])):
        print(f"{len(names):5}  {cause}\n       {names[0]}")


if __name__ == "__main__":
    raise SystemExit(main())
