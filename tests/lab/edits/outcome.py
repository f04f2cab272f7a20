"""One edit script tried to the end: edits, verify, build, text, and what other tools say."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import tileir
from tests.conftest import nvidia_tool
from tileir import BuildError, Bytecode, TileIRError

from .script import Script
from .truth import untruths

STEPS = 8


@dataclass
class Outcome:
    """What a script did, and every promise that it broke."""

    seed: int
    log: list[str] = field(default_factory=list)
    valid: bool = False
    broken: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """Which others gave a verdict: "tileirdisasm", "host", "sm_80"."""


def outcome(data: bytes, seed: int, nvidia: bool = False, compiled: bool = False) -> Outcome:
    """Run the script of a seed on a file. Every other seed makes changes by hand, too."""
    made = Outcome(seed)
    try:
        _run(made, data, nvidia, compiled)
    except Exception:  # every exception that gets here is a finding
        made.broken.append(traceback.format_exc())
    return made


def _run(made: Outcome, data: bytes, nvidia: bool, compiled: bool) -> None:
    bytecode = Bytecode.parse(data)
    script = Script(bytecode, made.seed, by_hand=made.seed % 2 == 1)
    made.log = script.log

    def after_step() -> None:
        made.broken += [f"{script.log[-1]}: {text}" for text in untruths(bytecode)]

    script.run(STEPS, after_step)
    errors = _errors(bytecode)
    made.valid = not errors
    try:
        written = bytecode.build()
    except BuildError as error:
        if made.valid:
            made.broken.append(f"valid, but it cannot be built: {error}")
        written = None
    else:
        if errors:
            made.broken.append(f"built, although {errors[0]}")
    if made.valid and written is not None:
        _check_written(made, bytecode, written)
        if compiled:
            _compile(made, bytecode)
    else:
        _refused(made, bytecode)
        written = _unchecked(bytecode)
    if nvidia and written is not None:
        _ask(made, written)


def _check_written(made: Outcome, bytecode: Bytecode, written: bytes) -> None:
    again = Bytecode.parse(written)
    errors = _errors(again)
    if errors:
        made.broken.append(f"valid, but what was written is not: {errors[0]}")
    if again.build() != written:
        made.broken.append("what was written is not written again the same")
    if tileir.disassemble(again) != tileir.disassemble(bytecode):
        made.broken.append("the text differs from that of what was written")


def _refused(made: Outcome, bytecode: Bytecode) -> None:
    """What is not valid has one clear error everywhere else."""
    for name, call in (
        ("disassemble", lambda: tileir.disassemble(bytecode)),
        ("compile", lambda: tileir.compile(bytecode, target="host", cache=False)),
    ):
        try:
            call()
        except TileIRError:
            continue
        if name == "compile":
            made.broken.append("compiled, although it is not valid")


def _unchecked(bytecode: Bytecode) -> bytes | None:
    try:
        return bytecode.build(check=False)
    except BuildError:
        return None


def _compile(made: Outcome, bytecode: Bytecode) -> None:
    for target in ("host", "sm_80"):
        with contextlib.suppress(tileir.UnsupportedError):  # multicast memory on the host
            tileir.compile(bytecode, target=target, cache=False)
            made.asked.append(target)


def _ask(made: Outcome, written: bytes) -> None:
    """Compare the verdict with that of NVIDIA's disassembler."""
    program = nvidia_tool("tileirdisasm")
    if program is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "edited.tileirbc")
        path.write_bytes(written)
        done = subprocess.run([program, "-g", path], capture_output=True, check=False)
    made.asked.append("tileirdisasm")
    try:  # what is malformed in memory can be right in bytes
        ours = not _errors(Bytecode.parse(written))
    except TileIRError:
        ours = False
    if (done.returncode == 0) != ours:
        said = done.stderr.decode(errors="replace").strip()[-400:] or "it is valid"
        made.broken.append(f"verify says {'' if ours else 'in'}valid, tileirdisasm: {said}")


def _errors(bytecode: Bytecode) -> list[tileir.Diagnostic]:
    return [each for each in tileir.verify(bytecode) if each.severity == "error"]
