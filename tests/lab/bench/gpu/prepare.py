"""Kernels on a GPU beside tileiras': ``python -m tests.lab.bench gpu prepare|run|keep FOLDER``.

`prepare` needs no GPU: it compiles everything, ours and, where tileiras is installed, its cubins of
the same bytecode, into a folder, with the fixtures and the probe of descriptors. That folder, the
driver and NumPy are all that the machine with the GPU needs: `kit`, which goes along, does the
rest; `kit/run.py` says how. `keep` checks in what it found out: the answers of the probe as data of
the tests, and the table in `docs/performance.md`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.arguments import directory
from tests.conftest import nvidia_tool
from tileir import Bytecode, assemble
from tileir.codegen import compile
from tileir.errors import UnsupportedError

from . import fixtures, probe_rows
from .cases import Case, cases
from .kit import run as kit_run
from .kit.case import CUBINS

KIT = Path(__file__).parent / "kit"
MANIFEST, RUN = "bench.json", "run.py"
"""What is in a prepared folder besides the kit, kernels and arrays."""
GOLDEN = Path(__file__).parents[3] / "golden" / "hopper" / "probe.json"
PAGE = Path(__file__).parents[4] / "docs" / "performance.md"
MEASURED = "<!-- measured -->", "<!-- end of measured -->"
"""Where what a GPU said is kept, and around it in the page."""
MOST_BYTES = 50_000_000
"""What a prepared folder may have."""
START = '''"""Runs this folder on a GPU; --help says how."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from kit.run import main

raise SystemExit(main())
'''

BLOCK_OF_TILEIRAS = [1, 1, 1]
"""The driver knows how many threads a cubin of tileiras has, and runs the host code in it that
makes tensor maps; launches say one thread, as those of cuTile do. That takes a CUDA 13 driver."""


def main(given: list[str]) -> int:
    """Prepare or run; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.bench gpu", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    preparing = verbs.add_parser("prepare", help="compile everything into a folder")
    preparing.add_argument("folder", type=directory)
    preparing.add_argument("--target", default="sm_90", help="the GPU (default: sm_90)")
    preparing.add_argument(
        "--only", action="append", metavar="CASE", help="this case, without fixtures and probe"
    )
    preparing.add_argument("--small", action="store_true", help="small tensors, to try it out")
    running = verbs.add_parser(
        "run", help="run what was prepared", usage="%(prog)s FOLDER [options of its run.py]",
        epilog="options of run.py:\n" + kit_run.options().format_help().partition("options:\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    running.add_argument("folder", type=Path)
    keeping = verbs.add_parser("keep", help="check in what a run has found out")
    keeping.add_argument("folder", type=Path)
    arguments, rest = parser.parse_known_args(given)
    if arguments.verb == "keep":
        return _keep(arguments.folder)
    if arguments.verb == "run":
        runner = arguments.folder / RUN
        if not runner.is_file():
            parser.error(f"{runner} is not there; prepare the folder first")
        return subprocess.run([sys.executable, str(runner), *rest], check=False).returncode
    if rest:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    chosen = {case.name: case for case in cases(arguments.small)}
    if unknown := set(arguments.only or ()) - set(chosen):
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    wanted = [chosen[name] for name in arguments.only or chosen]
    return _prepare(arguments.folder, arguments.target, wanted, not arguments.only)


def _prepare(folder: Path, target: str, wanted: list[Case], everything: bool) -> int:
    _clear(folder)
    try:
        rows = [prepared(case, target, folder) for case in wanted]
    except UnsupportedError as problem:  # of the target: those of kernels are notes
        print(problem, file=sys.stderr)
        return 1
    manifest: dict[str, Any] = {
        "schema": 2, "target": target, "tileiras": _release(), "cases": rows, "fixtures": [],
        "probe": 0, "files": [row[side]["file"] for row in rows for side in CUBINS
                              if row[side]],
    }  # fmt: skip
    if everything:
        for note in fixtures.write(folder, target):
            print(f"no fixture {note}")
        about = json.loads((folder / "fixtures.json").read_text())
        manifest["fixtures"] = list(about)
        manifest["files"] += [row["file"] for row in about.values()]
        manifest["files"] += ["fixtures.json", "fixtures.npz", *probe_rows.write(folder)]
        manifest["probe"] = len(probe_rows.rows())
    shutil.copytree(KIT, folder / KIT.name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / RUN).write_text(START)
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    for row in rows:
        print(f"{row['name']:<20} {', '.join(row['notes']) or 'ours and tileiras'}")
    print(f"{folder}: {size / 1e6:.1f} MB; on a machine with a GPU: python {folder}/run.py")
    if size > MOST_BYTES:
        print(f"that is more than {MOST_BYTES / 1e6:.0f} MB", file=sys.stderr)
        return 1
    return 0


def _keep(folder: Path) -> int:
    """Check in the answers and the table of a run."""
    results = folder / "results.json"
    if not results.is_file():
        print(f"{results} is not there; run the folder first", file=sys.stderr)
        return 1
    answers = json.loads(results.read_text()).get("probe")
    if answers and "problem" in answers:
        print(f"{results}: no GPU has run it: {answers['problem']}", file=sys.stderr)
        return 1
    if answers:
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in answers.items())
        GOLDEN.parent.mkdir(parents=True, exist_ok=True)
        GOLDEN.write_text(f"{{\n{rows}\n}}\n")
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MEASURED[0])
    table, tail = (folder / "results.md").read_text(), rest.partition(MEASURED[1])[2]
    PAGE.write_text(f"{head}{MEASURED[0]}\n\n{table}\n{MEASURED[1]}{tail}", encoding="utf-8")
    return 0


def _clear(folder: Path) -> None:
    """Remove what an earlier `prepare` has left; what is not from there stays."""
    old = folder / MANIFEST
    if not old.is_file():
        return
    for name in (*json.loads(old.read_text()).get("files", ()), RUN, MANIFEST):
        (folder / Path(name).name).unlink(missing_ok=True)
    shutil.rmtree(folder / KIT.name, ignore_errors=True)


def prepared(case: Case, target: str, folder: Path) -> dict[str, Any]:
    """Compile a case both ways; what the kit has to know of it."""
    bytecode = assemble(case.text())
    notes: list[str] = []
    return {
        "name": case.name,
        "entry": case.entry,
        "work": case.work,
        "tensors": [tensor.to_json() for tensor in case.tensors],
        "numbers": list(case.numbers),
        "tolerance": case.tolerance,
        "bytes": case.nbytes,
        "flops": case.flops,
        "ours": _ours(bytecode, case, target, folder, notes),
        "tileiras": _theirs(bytecode, case, target, folder, notes),
        "notes": notes,
    }


def _ours(
    bytecode: Bytecode, case: Case, target: str, folder: Path, notes: list[str]
) -> dict[str, Any] | None:
    try:
        compiled = compile(bytecode, target)
    except UnsupportedError as problem:
        if not problem.diagnostics:
            raise
        notes.append(f"not compiled: {problem.diagnostics[0].message}")
        return None
    file, plan = folder / f"{case.name}.ptx", compiled.plan[case.entry]
    file.write_text(compiled.ptx)
    grids = []
    for each in _grids(case):
        tiles = dict(zip("xyz", each, strict=True))
        grids.append([tiles[a] * n for a, n in zip(plan["grid"], plan["grid_scale"], strict=True)])
    return {
        "file": file.name, "grids": grids, "block": plan["block"],
        "shared": plan["dynamic_shared_memory"], "tensor_maps": plan["tensor_maps"],
    }  # fmt: skip


def _theirs(
    bytecode: Bytecode, case: Case, target: str, folder: Path, notes: list[str]
) -> dict[str, Any] | None:
    tool = nvidia_tool("tileiras")
    if tool is None:
        notes.append("no cubin: tileiras is not installed")
        return None
    cubin = folder / f"{case.name}.cubin"
    with tempfile.TemporaryDirectory() as place:
        source = Path(place, "kernel.tileirbc")
        source.write_bytes(bytecode.build())
        command = [tool, f"--gpu-name={target}", "-o", cubin, source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        notes.append(f"no cubin: {(done.stderr or 'tileiras failed').strip().splitlines()[0]}")
        return None
    return {"file": cubin.name, "grids": _grids(case), "block": BLOCK_OF_TILEIRAS, "shared": 0,
            "tensor_maps": []}  # fmt: skip


def _grids(case: Case) -> list[list[int]]:
    return [[*grid, 1, 1][:3] for grid in case.grids]


def _release() -> str | None:
    """What tileiras says of its release."""
    tool = nvidia_tool("tileiras")
    if tool is None:
        return None
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.strip() for line in said.splitlines() if "release" in line), "unknown")
