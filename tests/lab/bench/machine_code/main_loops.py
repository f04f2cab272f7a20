"""The loops that multiply matrices beside NVIDIA's: a part of ``python -m tests.lab.bench static``.

What counts is how much there is besides the multiplications, and that nothing is spilled. For
targets that have wgmma, tileiras multiplies more with one instruction, and leaves copies to other
warps.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.conftest import nvidia_tool
from tileir import assemble
from tileir.codegen import compile
from tileir.gpus import assembled_for
from tileir.resources.machine_code import opcodes

from . import figures, loops, sass

KERNELS = ("matmul_f16", "attention", "attention_bf16")
SOURCES = Path(__file__).parents[1] / "kernels"
COLUMNS = ("loop", "multiply", "LDSM", "copies", "BAR", "local", "registers", "shared KB")
_COPIES = ("LDG.", "LDGSTS", "UTMALDG", "UBLKCP")
"""From global memory."""


class Loop(NamedTuple):
    """One kernel's loop; `local` counts accesses of local memory in all of the kernel.

    Shared memory is known of our code only.
    """

    opcodes: Counter[str]
    local: int
    registers: int
    shared: int | None = None

    def count(self, *starts: str) -> int:
        return sum(n for name, n in self.opcodes.items() if name.startswith(starts))

    def cells(self) -> list[str]:
        shared = "?" if self.shared is None else str(self.shared >> 10)
        return [
            str(self.opcodes.total()), str(sass.products(self.opcodes)), str(self.count("LDSM")),
            str(self.count(*_COPIES)), str(self.count("BAR")), str(self.local),
            str(self.registers), shared,
        ]  # fmt: skip


class Pair(NamedTuple):
    """A loop by us and by tileiras."""

    kernel: str
    target: str
    ours: Loop
    theirs: Loop

    def row(self) -> list[str]:
        """What `COLUMNS` names, ours and theirs."""
        return [
            f"{a} / {b}" for a, b in zip(self.ours.cells(), self.theirs.cells(), strict=True)
        ]  # fmt: skip

    def plain(self) -> dict[str, object]:
        """The pair as JSON."""
        parts = {}
        for name, loop in (("ours", self.ours), ("tileiras", self.theirs)):
            parts[name] = loop._asdict() | {"opcodes": dict(loop.opcodes)}
        return {"kernel": self.kernel, "target": self.target, "main loop": parts}


def measure(names: Iterable[str], targets: Sequence[str]) -> Iterator[Pair]:
    """Both loops of kernels for every target."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for target in targets:
                yield pair(name, target, Path(folder))


def pair(name: str, target: str, folder: Path) -> Pair:
    """Both loops of a kernel, compiled in a folder."""
    bytecode = assemble((SOURCES / f"{name}.mlir").read_text())
    compiled = compile(bytecode, target)
    source, cubin = folder / "ours.ptx", folder / "ours.cubin"
    source.write_text(figures.without_twins(compiled.ptx, [compiled.plan[name]]))
    gpu = assembled_for(target, compiled.plan[name]["ptx_target"])
    _run("ptxas", f"-arch={gpu}", "-o", cubin, source)
    ours = _loop(cubin, compiled.plan[name]["dynamic_shared_memory"])
    source, cubin = folder / "theirs.tileirbc", folder / "theirs.cubin"
    source.write_bytes(bytecode.build())
    _run("tileiras", f"--gpu-name={target}", "-o", cubin, source)
    return Pair(name, target, ours, _loop(cubin))


def _loop(cubin: Path, shared: int | None = None) -> Loop:
    listing = _run("nvdisasm", "-c", cubin)
    everything = opcodes(listing)
    local = sum(n for opcode, n in everything.items() if opcode.startswith(("LDL", "STL")))
    return Loop(loops.main_loop(listing), local, sass.registers(cubin.read_bytes()), shared)


def _run(name: str, *arguments: object) -> str:
    done = subprocess.run(
        [nvidia_tool(name), *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr
