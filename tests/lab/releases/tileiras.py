"""The joints with NVIDIA's tools of Tile IR: what they read, and how they print it."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

import tileir
from tileir.formats.ops import BY_OPCODE
from tileir.formats.version import LATEST, SUPPORTED
from tileir.gpus import GPUS, gpus_among
from tileir.sampler import sample as sampled
from tileir.tools import nvidia

BIN = ("nvidia", "cu13", "bin")
SEEDS = range(1)
PROBED = [opcode for opcode in range(140) if opcode not in BY_OPCODE]
"""Opcodes that nobody had given out."""

NEWEST = re.compile(r"supports versions \[(\S+) - (\S+)\]")
UNKNOWN_OPCODE = re.compile(r"(unsupported|unknown or unimplemented) opcode")


def tool(name: str, folder: Path | None) -> Path:
    """Return a tool of a release."""
    path = nvidia.find(name) if folder is None else folder.joinpath(*BIN, name)
    if path is None or not path.is_file():
        raise FileNotFoundError(f"there is no {name}")
    return path


def printed(folder: Path | None, data: bytes) -> tuple[str, str]:
    """Return what tileirdisasm prints of a file: the text, and complaints."""
    with tempfile.NamedTemporaryFile(suffix=".tileirbc") as file:
        file.write(data)
        file.flush()
        done = subprocess.run(
            [tool("tileirdisasm", folder), file.name],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    return done.stdout, done.stderr


def versions(folder: Path | None) -> dict[str, str]:
    """The range of bytecode versions that it reads, which it says of one that does not exist."""
    data = bytes(sampled(0, ops=1).data)
    _, said = printed(folder, data[:8] + b"\xff\xff" + data[10:])
    found = NEWEST.search(said)
    if found is None:
        return {"range": "not said"}
    last = found[2] if found[2] == str(LATEST) else f"{found[2]}, of which ours end at {LATEST}"
    return {"range": f"{found[1]} to {last}"}


def ops(folder: Path | None) -> dict[str, str]:
    """Opcodes that it knows and we do not, in files of our latest version."""
    module = tileir.assemble("entry @f() {\n  return\n}\n")
    code = module.functions[0].code
    found = {}
    for opcode in PROBED:
        number = bytes((opcode & 0x7F | 0x80, opcode >> 7)) if opcode > 0x7F else bytes((opcode,))
        body = (number + bytes(code.data))[: len(code.data)]
        start = code.offset
        data = bytes(module.data)
        _, said = printed(folder, data[:start] + body + data[start + len(body) :])
        if not UNKNOWN_OPCODE.search(said):
            found[f"opcode {opcode}"] = "in no table of ours"
    return found


def gpus(folder: Path | None) -> dict[str, str]:
    """The GPUs that tileiras compiles for."""
    path = tool("tileiras", folder)
    said = nvidia.output(path, "--help")
    names = gpus_among(re.findall(r"['=](\w+)\b", said)) or re.findall(r"\bsm_\d+\w*\b", said)
    return {name: "known" if name in GPUS else "in no table of ours" for name in names}


def sample(folder: Path | None) -> dict[str, str]:
    """The text of random modules in each version, and whether ours is the same."""
    found = {}
    for version in SUPPORTED:
        for seed in SEEDS:
            module = sampled(seed, version)
            text, said = printed(folder, bytes(module.data))
            same = "as ours" if text == tileir.disassemble(module) else "not as ours"
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            complaint = said.splitlines()[0] if said and not text else ""
            found[f"{version}, seed {seed}"] = complaint or f"{same}, {digest}"
    return found


JOINTS = {"bytecode versions": versions, "ops": ops, "GPUs": gpus, "sample": sample}
