"""Kernels on a GPU beside tileiras': ``python -m tests.lab.bench gpu prepare|run FOLDER``.

`prepare` needs no GPU: it compiles everything, ours and, where tileiras is installed, its cubins of
the same bytecode, into a folder. That folder and PyTorch are all that the machine with the GPU
needs: `gpu_run.py`, which goes along as run.py, does the rest.
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

from . import gpu_run
from .gpu_cases import Case, cases

SOURCES = Path(__file__).parent / "kernels"
RUNNER = Path(__file__).with_name("gpu_run.py")
MANIFEST, RUN = "bench.json", "run.py"
"""What is in a prepared folder besides kernels."""
MOST_BYTES = 50_000_000
"""What a prepared folder may have."""

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
    preparing.add_argument("--only", action="append", metavar="KERNEL", help="this kernel")
    preparing.add_argument("--small", action="store_true", help="small tensors, to try it out")
    running = verbs.add_parser(
        "run", help="run what was prepared", usage="%(prog)s FOLDER [options of its run.py]",
        epilog="options of run.py:\n" + gpu_run.options().format_help().partition("options:\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    running.add_argument("folder", type=Path)
    arguments, rest = parser.parse_known_args(given)
    if arguments.verb == "run":
        runner = arguments.folder / RUN
        if not runner.is_file():
            parser.error(f"{runner} is not there; prepare the folder first")
        return subprocess.run([sys.executable, str(runner), *rest], check=False).returncode
    if rest:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    chosen = {case.kernel: case for case in cases(arguments.small)}
    if unknown := set(arguments.only or ()) - set(chosen):
        parser.error(f"there is no kernel {', '.join(sorted(unknown))}")
    wanted = [chosen[name] for name in arguments.only or chosen]
    return _prepare(arguments.folder, arguments.target, wanted)


def _prepare(folder: Path, target: str, wanted: list[Case]) -> int:
    _clear(folder)
    try:
        rows = [prepared(case, target, folder) for case in wanted]
    except UnsupportedError as problem:  # of the target: those of kernels are notes
        print(problem, file=sys.stderr)
        return 1
    manifest = {"schema": 1, "target": target, "tileiras": _release(), "kernels": rows}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    shutil.copyfile(RUNNER, folder / RUN)
    size = sum(path.stat().st_size for path in folder.iterdir())
    for row in rows:
        print(f"{row['kernel']:<16} {', '.join(row['notes']) or 'ours and tileiras'}")
    print(f"{folder}: {size / 1e6:.1f} MB; on a machine with a GPU: python {folder}/run.py")
    if size > MOST_BYTES:
        print(f"that is more than {MOST_BYTES / 1e6:.0f} MB", file=sys.stderr)
        return 1
    return 0


def _clear(folder: Path) -> None:
    """Remove what an earlier `prepare` has left; what is not from there stays."""
    old = folder / MANIFEST
    if not old.is_file():
        return
    rows = json.loads(old.read_text()).get("kernels", ())
    made = [row[side]["file"] for row in rows for side in gpu_run.SIDES if row.get(side)]
    for name in (*made, RUN, MANIFEST):
        (folder / Path(name).name).unlink(missing_ok=True)


def prepared(case: Case, target: str, folder: Path) -> dict[str, Any]:
    """Compile a kernel both ways; what the runner has to know of it."""
    bytecode = assemble((SOURCES / f"{case.kernel}.mlir").read_text(encoding="utf-8"))
    notes: list[str] = []
    return {
        "kernel": case.kernel,
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
    file, plan = folder / f"{case.kernel}.ptx", compiled.plan[case.kernel]
    file.write_text(compiled.ptx)
    tiles = dict(zip("xyz", _grid(case), strict=True))
    grid = [tiles[a] * n for a, n in zip(plan["grid"], plan["grid_scale"], strict=True)]
    return {
        "file": file.name, "grid": grid, "block": plan["block"],
        "shared": plan["dynamic_shared_memory"], "tensor_maps": plan["tensor_maps"],
    }  # fmt: skip


def _theirs(
    bytecode: Bytecode, case: Case, target: str, folder: Path, notes: list[str]
) -> dict[str, Any] | None:
    tool = nvidia_tool("tileiras")
    if tool is None:
        notes.append("no cubin: tileiras is not installed")
        return None
    cubin = folder / f"{case.kernel}.cubin"
    with tempfile.TemporaryDirectory() as place:
        source = Path(place, "kernel.tileirbc")
        source.write_bytes(bytecode.build())
        command = [tool, f"--gpu-name={target}", "-o", cubin, source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        notes.append(f"no cubin: {(done.stderr or 'tileiras failed').strip().splitlines()[0]}")
        return None
    return {"file": cubin.name, "grid": _grid(case), "block": BLOCK_OF_TILEIRAS, "shared": 0}


def _grid(case: Case) -> list[int]:
    return [*case.grid, 1, 1][:3]


def _release() -> str | None:
    """What tileiras says of its release."""
    tool = nvidia_tool("tileiras")
    if tool is None:
        return None
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.strip() for line in said.splitlines() if "release" in line), "unknown")
