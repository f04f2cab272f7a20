"""Everything that needs no other package than construct, for environments that have none.

    python -I tests/wasm/construct_alone.py FIXTURES [EVERY]

Reads, verifies, prints, assembles, converts, edits and builds every fixture, or one of EVERY, reads
the broken ones, makes them and random modules with the builder, and runs the commands. Prints what
it did, as JSON; an exception or a false assertion ends it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
from collections import Counter
from pathlib import Path

import tileir
from tileir.__main__ import main
from tileir.builder import Module, number
from tileir.command_line.command_table import COMMANDS
from tileir.explain.annotate import annotate
from tileir.explain.op_tree import op_tree
from tileir.formats.version import SUPPORTED
from tileir.inspect import render
from tileir.ir.constants import to_constant
from tileir.ir.floats import FORMATS
from tileir.sampler import sample
from tileir.types import Scalar, Tile

counts: Counter[str] = Counter()


def read(path: Path) -> None:
    """Take a valid file through everything there is for it."""
    bytecode = tileir.load(path).touch()
    data = bytes(bytecode.data)
    assert bytecode.build() == data
    counts["bytes explained"] += sum(1 for line in render(annotate(bytecode)) if " | " in line)
    assert json.loads(op_tree(bytecode))["functions"]
    assert not [one for one in tileir.verify(bytecode) if one.severity == "error"]
    text = tileir.disassemble(bytecode, debug=True)
    again = tileir.assemble(text, bytecode.version)
    if not bytecode.warnings:  # the text of NVIDIA's tools lacks what is odd
        assert tileir.disassemble(again, debug=True) == text
    for version in SUPPORTED:
        with contextlib.suppress(tileir.VersionError, tileir.BuildError):
            tileir.Bytecode.parse(bytecode.to_version(version).build()).touch()
            counts["conversions"] += 1
    for function in bytecode.functions:
        for op in function.walk():
            op.location = None
            counts["ops"] += 1
    tileir.Bytecode.parse(bytecode.build()).touch()
    counts["files"] += 1


def refuse(path: Path) -> None:
    """Read a file that is broken: what is wrong is told."""
    try:
        problems = tileir.verify(tileir.load(path).touch())
    except tileir.BytecodeError:
        problems = [True]
    assert problems
    counts["refused"] += 1


def broken(folder: Path) -> None:
    """Make the files that break rules again."""
    sys.path.insert(0, str(folder))
    for made in importlib.import_module("rules").broken_files():
        assert (folder / "invalid" / "rules" / f"{made.rule}.tileirbc").read_bytes() == made.data
        counts["broken files made"] += 1


def constants() -> None:
    """Make a constant of each element type from Python's numbers, and read it again."""
    module = Module()
    kernel = module.function("constants")
    for name in ("i1", "i8", "i16", "i32", "i64", *FORMATS):
        values = [0, 1, 1, 0] if Scalar(name).is_integer else [0.5, 1.0, 2.0, 4.0]
        values = [1, 2, 3, 4] if name == "fnv8E5M3FNU" else values
        constant = to_constant(values, Tile(Scalar(name), (4,)))
        if name != "fnv8E5M3FNU":
            assert [constant.value(place) for place in range(4)] == values
        kernel.constant([values[:2], values[2:]], result=f"2x2x{name}")
        assert number(values[1], name).bits
        counts["constants"] += 1
    kernel.return_()
    assert "dense" not in tileir.disassemble(module.build())


def command(*arguments: object, code: int = 0) -> None:
    """Run a command, which prints something."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(printed):
        try:
            got = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # as argparse does after --help
            got = ended.code or 0
    printed.flush()
    assert got == code, arguments
    assert printed.buffer.getvalue()
    counts["commands"] += 1


def run(fixtures: Path, every: int) -> None:
    """Run it all."""
    valid = sorted(fixtures.glob("13.*/*.tileirbc"))
    for path in valid[::every]:
        read(path)
    for path in sorted(fixtures.glob("invalid/*.tileirbc")):
        refuse(path)
    broken(fixtures)
    constants()
    for seed, version in enumerate(SUPPORTED):
        assert not [d for d in tileir.verify(sample(seed, version)) if d.severity == "error"]
        counts["random modules"] += 1
    command("inspect", valid[0])
    command("inspect", "--json", valid[0])
    command("dis", "-g", *valid[:2])
    command("dis", "--json", valid[0])
    command("verify", *valid[:2])
    command("stats", *valid[:2])
    command("doctor")
    command("run", "--list", valid[0])
    for verb in COMMANDS:
        command(verb, "--help")


if __name__ == "__main__":
    folder, *rest = sys.argv[1:]
    run(Path(folder), int(rest[0]) if rest else 1)
    standard = {*sys.stdlib_module_names, *sys.builtin_module_names, "__main__", "__mp_main__"}
    imported = {name.partition(".")[0] for name, found in sys.modules.items() if found}
    own = {path.stem for path in Path(folder).glob("*.py")}
    print(json.dumps({**counts, "imported": sorted(imported - standard - own)}))
