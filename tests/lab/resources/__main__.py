"""`python -m tests.lab.resources cubins|ptx|occupancy`: our figures beside those of NVIDIA's tools.

    cubins      of tileiras, beside `cuobjdump -res-usage` (PyPI: nvidia-cuda-cuobjdump, on PATH)
    ptx         of ours, beside `ptxas -v`
    occupancy   beside cuda_occupancy.h (PyPI: nvidia-cuda-runtime; --include names its folder),
                compiled by the C compiler of this machine

Each prints one line for what differs, and the number of kernels that were compared; it returns 1 if
anything differs.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.lab.bench.machine_code.figures import SETS, bytecode_of
from tileir import TileIRError
from tileir.codegen import compile
from tileir.gpus import GPUS, TARGETS, TILEIRAS, capability_of
from tileir.resources.cubin import read_cubin
from tileir.resources.occupancy import occupancy
from tileir.resources.of_kernels import resources_of
from tileir.tools import nvidia

_USED = re.compile(
    r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:\d+.*? CONSTANT\[0\]:(\d+)"
)
_VERBOSE = re.compile(
    r"Compiling entry function '([^']+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores,"
    r" (\d+) bytes spill loads.*?Used (\d+) registers(?:, used (\d+) barriers)?",
    re.DOTALL,
)
_HOLDER = Path(__file__).with_name("occupancy.c")


def main() -> int:
    """Run one comparison; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.resources", description=__doc__)
    parser.add_argument("what", choices=("cubins", "ptx", "occupancy"))
    parser.add_argument("--count", type=int, default=200, help="so many kernels (default: 200)")
    parser.add_argument("--include", help="the folder of cuda_occupancy.h")
    given = parser.parse_args()
    if given.what == "occupancy":
        found = beside_the_runtime(given.include)
    else:
        found = (beside_cuobjdump if given.what == "cubins" else beside_ptxas)(given.count)
    compared = differ = 0
    for problem in found:
        compared += 1
        if problem:
            differ += 1
            print(problem, flush=True)
    print(f"{compared} compared, {differ} differ")
    return 1 if differ or not compared else 0


def _cases() -> Iterator[tuple[str, Path, str]]:
    """Yield name, file and GPU: all kernels for a first GPU each, then for a second one, ..."""
    files = [
        (name, path) for each in ("kernels", "workloads", "fixtures")
        for name, path in SETS[each].items()
    ]  # fmt: skip
    for turn in range(len(TILEIRAS)):
        for number, (name, path) in enumerate(files):
            yield name, path, TILEIRAS[(number + turn) % len(TILEIRAS)]


def beside_cuobjdump(count: int) -> Iterator[str]:
    """Yield a line for each cubin of tileiras, "" where all agrees."""
    tool = nvidia.find("cuobjdump")
    if tool is None:
        sys.exit("cuobjdump is not on PATH; pip install nvidia-cuda-cuobjdump")
    done = 0
    for name, path, target in _cases():
        if done >= count:
            return
        try:
            data = nvidia.compile_by_tileiras(bytecode_of(path).build(), target)
        except TileIRError:
            continue  # tileiras does not have it for this GPU
        done += 1
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            Path(file.name).write_bytes(data)
            said = subprocess.run([tool, "-res-usage", file.name], capture_output=True, text=True)
        theirs = {found[1]: tuple(map(int, found.groups()[1:])) for found in _USED.finditer(
            said.stdout + said.stderr
        )}  # fmt: skip
        ours = {
            each.name: (each.registers, each.stack, each.section, each.constants)
            for each in read_cubin(data).kernels
        }
        yield "" if ours == theirs and ours else f"{name} {target}: {ours} is not {theirs}"


def beside_ptxas(count: int) -> Iterator[str]:
    """Yield a line for each kernel of ours, "" where all agrees with what `ptxas -v` says."""
    done = 0
    for name, path, target in _cases():
        if done >= count:
            return
        try:
            compiled = compile(bytecode_of(path), target)
        except TileIRError:
            continue
        found = resources_of(compiled, instructions=False)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "k.ptx")
            source.write_text(compiled.ptx or "")
            arch = nvidia.architecture(compiled.ptx or "", target)
            command = [nvidia.find("ptxas"), "-v", f"-arch={arch}", "-o", f"{folder}/k", source]
            said = subprocess.run(command, capture_output=True, text=True).stderr
        theirs = {
            row[1]: tuple(int(number or 0) for number in row.groups()[1:])
            for row in _VERBOSE.finditer(said)
        }
        for each in found:
            done += 1
            ours = (
                each.stack, each.spill_stores, each.spill_loads, each.registers, each.barriers,
            )  # fmt: skip
            same = ours == theirs.get(each.entry)
            yield "" if same else f"{name} {target}: {ours} is not {theirs.get(each.entry)}"


def beside_the_runtime(include: str | None) -> Iterator[str]:
    """Yield a line for each of many launches on each GPU, "" where the header says the same."""
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "occupancy"))
        subprocess.run(["cc", f"-I{include}", "-o", program, str(_HOLDER)], check=True)
        for name in GPUS:
            gpu, (major, minor) = TARGETS[name], capability_of(name)
            for _ in range(200):
                threads = draw.randint(1, gpu.max_threads)
                registers = draw.randint(16, 255)
                shared = draw.choice([0, draw.randint(0, gpu.shared_bytes)])
                barriers = draw.choice([0, 1, 2, draw.randint(0, 16)])
                numbers = (
                    major, minor, gpu.threads_per_sm, gpu.registers_per_sm, gpu.shared_per_sm,
                    gpu.shared_bytes, gpu.reserved_shared, gpu.blocks_per_sm,
                    threads, registers, shared,
                    barriers,
                )  # fmt: skip
                said = subprocess.run([program, *map(str, numbers)], capture_output=True, text=True)
                ours = occupancy(name, threads, registers, shared, barriers).blocks
                same = str(ours) == said.stdout.strip()
                yield "" if same else f"{name} {numbers}: {ours} is not {said.stdout.strip()}"


if __name__ == "__main__":
    sys.exit(main())
