"""Machine code beside NVIDIA's: what ``python -m tests.lab.bench static`` measures.

The same bytecode becomes SASS twice, by our PTX and ptxas, and by tileiras. Both are taken apart by
nvdisasm and counted; code behind a branch counts as much as code before it. The PTX is run on the
emulator, to count what threads execute per element.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import nvidia_tool
from tests.lab.bench import problems
from tileir import Bytecode, assemble
from tileir.codegen import compile
from tileir.resources.machine_code import opcodes

from . import sass

KERNELS = tuple(problems.PROBLEMS)
TOOLS = ("ptxas", "nvdisasm", "tileiras")
SOURCES = Path(__file__).parents[1] / "kernels"


@dataclass(frozen=True, slots=True)
class Code:
    """The SASS of a kernel: how often each opcode occurs; milliseconds to make PTX, or a cubin."""

    opcodes: Counter[str]
    in_flight: int
    """Loads of global memory that a thread waits for at once."""
    registers: int
    executed: float | None
    """PTX instructions that threads execute per element."""
    milliseconds: float

    @property
    def instructions(self) -> int:
        return self.opcodes.total()

    def count(self, start: str) -> int:
        """Instructions whose name starts so."""
        return sum(n for name, n in self.opcodes.items() if name.startswith(start))

    def wide(self, start: str) -> int:
        """Those of them that move 16 bytes."""
        found = (name for name in self.opcodes if name.startswith(start) and ".128" in name)
        return sum(self.opcodes[name] for name in found)

    @property
    def local(self) -> int:
        """Accesses of local memory: spills and arrays."""
        return self.count("LDL") + self.count("STL")


@dataclass(frozen=True, slots=True)
class Pair:
    """A kernel by us and by tileiras."""

    kernel: str
    target: str
    ours: Code
    theirs: Code


COLUMNS = (
    "SASS", "regs", "LDG.128", "in flight", "STG.128", "LDS", "STS", "SHFL", "BAR", "local",
    "executed", "ms",
)  # fmt: skip
TABLES = {
    "machine code": ("SASS", "regs", "LDG.128", "in flight", "STG.128", "local"),
    "exchange between threads, work, time": ("LDS", "STS", "SHFL", "BAR", "executed", "ms"),
}
"""Title -> columns of a table."""


def row(pair: Pair) -> list[str]:
    """What `COLUMNS` names, ours and theirs; of theirs nothing is executed."""
    cells = [f"{a} / {b}" for a, b in zip(_cells(pair.ours), _cells(pair.theirs), strict=True)]
    ours, theirs = pair.ours.milliseconds, pair.theirs.milliseconds
    times = f"{ours:.0f} / {theirs:.0f} = {ours / theirs:.2f}"
    return [*cells, f"{pair.ours.executed:.1f}", times]


def _cells(code: Code) -> list[str]:
    wide = {start: f"{code.wide(start)} of {code.count(start)}" for start in ("LDG", "STG")}
    counted = [str(code.count(start)) for start in ("LDS", "STS", "SHFL", "BAR")]
    bulk = code.count("UTMALDG") + code.count("UBLKCP")
    in_flight = f"{bulk} TMA" if bulk else str(code.in_flight)
    return [
        str(code.instructions), str(code.registers), wide["LDG"], in_flight, wide["STG"], *counted,
        str(code.local),
    ]  # fmt: skip


def plain(pair: Pair) -> dict[str, object]:
    """A pair as JSON."""
    parts = {}
    for name, code in (("ours", pair.ours), ("tileiras", pair.theirs)):
        parts[name] = {
            "opcodes": dict(code.opcodes), "in flight": code.in_flight,
            "registers": code.registers, "executed": code.executed, "ms": code.milliseconds,
        }  # fmt: skip
    return {"kernel": pair.kernel, "target": pair.target, **parts}


def missing() -> list[str]:
    """Tools that are not installed."""
    return [name for name in TOOLS if nvidia_tool(name) is None]


def measure(names: Iterable[str], targets: Sequence[str], repeat: int = 3) -> Iterator[Pair]:
    """Compile kernels for every target; times are the best of `repeat`."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            bytecode = assemble((SOURCES / f"{name}.mlir").read_text())
            for target in targets:
                place = Path(folder)
                yield Pair(
                    name, target, _ours(name, bytecode, target, place, repeat),
                    _theirs(bytecode, target, place, repeat),
                )  # fmt: skip


def _ours(name: str, bytecode: Bytecode, target: str, folder: Path, repeat: int) -> Code:
    times = []
    for _ in range(repeat):
        data = bytecode.build()
        start = time.perf_counter()
        compiled = compile(Bytecode.parse(data), target)
        times.append(time.perf_counter() - start)
    source, cubin = folder / "ours.ptx", folder / "ours.cubin"
    source.write_text(compiled.ptx)
    _run("ptxas", f"-arch={target}", "-o", cubin, source)
    return _code(cubin, min(times), problems.executed(name, compiled))


def _theirs(bytecode: Bytecode, target: str, folder: Path, repeat: int) -> Code:
    source, cubin, times = folder / "theirs.tileirbc", folder / "theirs.cubin", []
    source.write_bytes(bytecode.build())
    for _ in range(repeat):
        start = time.perf_counter()
        _run("tileiras", f"--gpu-name={target}", "-o", cubin, source)
        times.append(time.perf_counter() - start)
    return _code(cubin, min(times))


def _code(cubin: Path, seconds: float, executed: float | None = None) -> Code:
    listing = _run("nvdisasm", "-c", cubin)
    return Code(
        opcodes(listing), sass.loads_in_flight(listing), sass.registers(cubin.read_bytes()),
        executed, 1e3 * seconds,
    )  # fmt: skip


def _run(name: str, *arguments: object) -> str:
    done = subprocess.run(
        [nvidia_tool(name), *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr
