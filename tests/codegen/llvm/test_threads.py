"""LLVM and llvmlite may be used from several threads from the start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

PROGRAM = """\
import tileir.codegen.llvm
from llvmlite import ir
from llvmlite.ir import values
values.chr = None  # what makes the table of escaped characters
print(ir.Constant(ir.ArrayType(ir.IntType(8), 2), bytearray(b"a\\0")))
"""


def test_characters_are_known_before_there_are_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ('[2 x i8] c"a\\00"\n', "")
