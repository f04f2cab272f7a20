"""Figures of machine code: one row for each kernel and target, ours and that of tileiras.

The same bytecode becomes SASS twice, by our PTX and ptxas, and by tileiras. A row counts what
decides how fast it may be: instructions, those of innermost loops, registers, shared memory, and
how many blocks of it fit a multiprocessor. Nothing is run.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import nvidia_tool
from tests.corpus import NEWEST
from tests.lab.bench.workloads.cases import HERE as WORKLOADS
from tileir import Bytecode, TileIRError, assemble
from tileir.codegen import compile
from tileir.gpus import assembled_for
from tileir.resources.cubin import read_cubin
from tileir.resources.machine_code import opcodes
from tileir.resources.occupancy import occupancy

from . import loops, sass

_KERNELS = Path(__file__).parents[1] / "kernels"
SETS: Mapping[str, Mapping[str, Path]] = {
    "kernels": {path.stem: path for path in sorted(_KERNELS.glob("*.mlir"))},
    "workloads": {path.stem: path for path in sorted(WORKLOADS.glob("*.mlir"))},
    "fixtures": NEWEST,
}
"""Name of a set -> name of a kernel -> its text or bytecode."""


@dataclass(frozen=True, slots=True)
class Code:
    """The SASS of a module. Of several kernels the most that one takes counts."""

    opcodes: Counter[str]
    loops: tuple[Counter[str], ...]
    """The opcodes of every innermost loop."""
    in_flight: int
    """Loads of global memory that a thread waits for at once."""
    groups: int
    """The most groups of asynchronous copies that stay under way at a wait."""
    registers: int
    threads: int
    shared: int
    """Bytes, those that a launch adds included."""
    target: str

    @property
    def instructions(self) -> int:
        return self.opcodes.total()

    @property
    def counted(self) -> list[Counter[str]]:
        """The innermost loops that count: if any of them multiplies matrices, those that do."""
        return [each for each in self.loops if sass.products(each)] or list(self.loops)

    @property
    def loop(self) -> int:
        """Instructions in the loops that count."""
        return sum(each.total() for each in self.counted)

    def count(self, *starts: str) -> int:
        """Instructions whose name starts so."""
        return sum(n for name, n in self.opcodes.items() if name.startswith(starts))

    @property
    def local(self) -> int:
        """Accesses of local memory: spills and arrays."""
        return self.count("LDL", "STL")

    @property
    def barriers(self) -> int:
        """Barriers, of some threads of a block or of all."""
        return self.count("BAR.")

    @property
    def blocks(self) -> int:
        """How many blocks fit a multiprocessor: by registers, threads and shared memory."""
        return resident(self.target, self.registers, self.threads, self.shared)

    def plain(self) -> dict[str, Any]:
        """As JSON, from which `of_json` makes it again."""
        return {
            "instructions": self.instructions, "loop": self.loop, "registers": self.registers,
            "threads": self.threads, "local": self.local, "shared": self.shared,
            "barriers": self.barriers, "in flight": self.in_flight, "groups": self.groups,
            "blocks": self.blocks, "opcodes": dict(self.opcodes),
            "loops": [dict(each) for each in self.loops],
        }  # fmt: skip


def of_json(row: Mapping[str, Any], target: str) -> Code:
    """The code that `Code.plain` describes."""
    return Code(
        Counter(row["opcodes"]), tuple(map(Counter, row["loops"])), row["in flight"], row["groups"],
        row["registers"], row["threads"], row["shared"], target,
    )  # fmt: skip


def resident(target: str, registers: int, threads: int, shared: int) -> int:
    """How many blocks of so many threads fit a multiprocessor at once."""
    return occupancy(target, threads, registers, shared).blocks


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel for a target: our code and tileiras', or why there is none of one."""

    kernel: str
    target: str
    ours: Code | str
    theirs: Code | str

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        sides = {"ours": self.ours, "tileiras": self.theirs}
        return {"kernel": self.kernel, "target": self.target} | {
            name: side if isinstance(side, str) else side.plain() for name, side in sides.items()
        }


def bytecode_of(source: Path | str) -> Bytecode:
    """The bytecode in a file, or that of a text or of a file with text."""
    if isinstance(source, str):
        return assemble(source)
    if source.suffix == ".mlir":
        return assemble(source.read_text(encoding="utf-8"))
    return Bytecode.parse(source.read_bytes())


def measure(
    kernels: Mapping[str, Path | str],
    targets: Sequence[str],
    *,
    beside: bool = True,
    jobs: int = 2,
) -> Iterator[Row]:
    """The rows of all kernels; without tileiras unless `beside`. Tools run `jobs` at a time."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        waiting: list[tuple[str, str, Future, Future]] = []
        for number, (name, source) in enumerate(kernels.items()):
            bytecode = bytecode_of(source)
            data = bytecode.build()
            for target in targets:
                place = Path(folder) / f"{number}.{target}"
                ours = pool.submit(_assembled, place, *_ptx(bytecode, target))
                theirs = pool.submit(_theirs, place, data, target, beside)
                waiting.append((name, target, ours, theirs))
            while len(waiting) > 2 * len(targets):
                yield _row(*waiting.pop(0))
        yield from (_row(*each) for each in waiting)


def _row(name: str, target: str, ours: Future, theirs: Future) -> Row:
    return Row(name, target, ours.result(), theirs.result())


def _ptx(bytecode: Bytecode, target: str) -> tuple[str, str, int, str]:
    """Target, PTX, bytes of shared memory that a launch adds, and the GPU to assemble for."""
    try:
        compiled = compile(bytecode, target)
    except TileIRError as error:
        return target, "", 0, str(error).splitlines()[0]
    plans = [compiled.plan[name] for name in compiled.plan]
    added = max(plan["dynamic_shared_memory"] for plan in plans)
    ptx = without_twins(compiled.ptx, plans)
    return target, ptx, added, assembled_for(target, plans[0]["ptx_target"])


def without_twins(ptx: str, plans: Iterable[Mapping[str, Any]]) -> str:
    """PTX without the entries that are launched only where tensor maps cannot be had."""
    for plan in plans:
        if plan["twin"]:
            name = re.escape(plan["twin"]["entry"])
            ptx, count = re.subn(rf"^\.visible \.entry {name}\(.*?^}}$", "", ptx, flags=re.M | re.S)
            assert count == 1, name
    return ptx


def _assembled(place: Path, target: str, ptx: str, added: int, gpu: str) -> Code | str:
    if not ptx:
        return gpu
    source, made = place.with_suffix(f".{target}.ptx"), place.with_suffix(f".{target}.ours")
    source.write_text(ptx)
    return _made("ptxas", f"-arch={gpu}", source, made, target, added)


def _theirs(place: Path, data: bytes, target: str, wanted: bool) -> Code | str:
    if not wanted:
        return "not asked for"
    source, made = place.with_suffix(f".{target}.bc"), place.with_suffix(f".{target}.theirs")
    source.write_bytes(data)
    return _made("tileiras", f"--gpu-name={target}", source, made, target, 0)


def _made(tool: str, flag: str, source: Path, made: Path, target: str, added: int) -> Code | str:
    done = _run(tool, flag, "-o", made, source)
    if done.returncode:
        return (done.stderr or done.stdout).strip().splitlines()[-1]
    listing = _run("nvdisasm", "-c", made).stdout
    found = code_of(listing, made.read_bytes(), target, added)
    made.unlink()
    return found


def code_of(listing: str, data: bytes, target: str, added: int = 0) -> Code:
    """The figures of a cubin and its listing; a launch adds so many bytes of shared memory."""
    kernels = read_cubin(data).kernels
    most = [
        max(figures) for figures in zip(
            *((each.registers, each.threads or 0, each.shared) for each in kernels), strict=True
        )
    ]  # fmt: skip
    registers, threads, shared = most
    return Code(
        opcodes(listing), tuple(loops.innermost(listing)), sass.loads_in_flight(listing),
        sass.groups_under_way(listing), registers, threads, shared + added, target,
    )  # fmt: skip


def _run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    tool = nvidia_tool(name)
    return subprocess.run(
        [tool, *map(str, arguments)], capture_output=True, text=True, check=False
    )  # fmt: skip
