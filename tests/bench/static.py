"""Machine code beside NVIDIA's: ``python -m tests.bench static``.

The same bytecode becomes SASS twice, by our PTX and ptxas, and by tileiras. Both are taken apart by
nvdisasm and counted. Nothing is run; code behind a branch counts as much as code before it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import nvidia_tool
from tileir import Bytecode, assemble
from tileir.codegen import compile

KERNELS = (
    "vector_add", "copy", "transpose", "softmax_1024", "softmax", "layer_norm", "rms_norm",
    "gather", "row_sum", "cumulative_sum",
)  # fmt: skip
TARGETS = ("sm_80", "sm_90")
TOOLS = ("ptxas", "nvdisasm", "tileiras")
_SOURCES = Path(__file__).parent / "kernels"
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", re.MULTILINE)
_PADDING = {"NOP"}


@dataclass(frozen=True, slots=True)
class Code:
    """The SASS of a kernel: how often each opcode occurs; milliseconds to make PTX, or a cubin."""

    opcodes: Counter[str]
    registers: int | None
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


COLUMNS = ("SASS", "registers", "LDG.128", "STG.128", "LDS", "STS", "SHFL", "BAR", "local", "ms")


def row(pair: Pair) -> list[str]:
    """What `COLUMNS` names, ours and theirs."""
    return [f"{a} / {b}" for a, b in zip(_cells(pair.ours), _cells(pair.theirs), strict=True)]


def _cells(code: Code) -> list[str]:
    counted = [str(code.count(start)) for start in ("LDS", "STS", "SHFL", "BAR")]
    wide = [f"{code.wide(start)} of {code.count(start)}" for start in ("LDG", "STG")]
    registers = "?" if code.registers is None else str(code.registers)
    return [
        str(code.instructions), registers, *wide, *counted, str(code.local),
        f"{code.milliseconds:.0f}",
    ]  # fmt: skip


def plain(pair: Pair) -> dict[str, object]:
    """A pair as JSON."""
    parts = {}
    for name, code in (("ours", pair.ours), ("tileiras", pair.theirs)):
        parts[name] = {
            "opcodes": dict(code.opcodes), "registers": code.registers, "ms": code.milliseconds,
        }  # fmt: skip
    return {"kernel": pair.kernel, "target": pair.target, **parts}


def missing() -> list[str]:
    """Tools that are not installed."""
    return [name for name in TOOLS if nvidia_tool(name) is None]


def measure(repeat: int = 3) -> Iterator[Pair]:
    """Compile every kernel for every target; times are the best of `repeat`."""
    with tempfile.TemporaryDirectory() as folder:
        for name in KERNELS:
            bytecode = assemble((_SOURCES / f"{name}.mlir").read_text())
            for target in TARGETS:
                place = Path(folder)
                yield Pair(
                    name, target, _ours(bytecode, target, place, repeat),
                    _theirs(bytecode, target, place, repeat),
                )  # fmt: skip


def _ours(bytecode: Bytecode, target: str, folder: Path, repeat: int) -> Code:
    times = []
    for _ in range(repeat):
        data = bytecode.build()
        start = time.perf_counter()
        ptx = compile(Bytecode.parse(data), target).ptx
        times.append(time.perf_counter() - start)
    source, cubin = folder / "ours.ptx", folder / "ours.cubin"
    source.write_text(ptx)
    said = _run("ptxas", f"-arch={target}", "-v", "-o", cubin, source)
    registers = re.search(r"Used (\d+) registers", said)
    return Code(opcodes(cubin), int(registers[1]) if registers else None, 1e3 * min(times))


def _theirs(bytecode: Bytecode, target: str, folder: Path, repeat: int) -> Code:
    source, cubin, times = folder / "theirs.tileirbc", folder / "theirs.cubin", []
    source.write_bytes(bytecode.build())
    for _ in range(repeat):
        start = time.perf_counter()
        _run("tileiras", f"--gpu-name={target}", "-o", cubin, source)
        times.append(time.perf_counter() - start)
    return Code(opcodes(cubin), None, 1e3 * min(times))


def opcodes(cubin: Path) -> Counter[str]:
    """How often each opcode occurs, without what fills up the end."""
    found = Counter(_INSTRUCTION.findall(_run("nvdisasm", "-c", cubin)))
    for name in _PADDING:
        del found[name]
    # A branch to itself stops what runs past the end.
    found["BRA"] -= 1
    return +found


def _run(name: str, *arguments: object) -> str:
    done = subprocess.run(
        [nvidia_tool(name), *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr
