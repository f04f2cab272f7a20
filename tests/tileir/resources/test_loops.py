"""Loops of a kernel, beside the graph of control flow that nvdisasm draws."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tileir.resources.loops import innermost, main_loop
from tileir.tools import nvidia

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 at, .param .u32 rows, .param .u32 columns)
{
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<2>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [at];
  ld.param.u32 %r1, [rows];
ROW:
  ld.param.u32 %r2, [columns];
  mov.f32 %f1, 0f00000000;
COLUMN:
  ld.volatile.global.f32 %f2, [%rd1];
  add.f32 %f1, %f1, %f2;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra COLUMN;
  st.volatile.global.f32 [%rd1], %f1;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra ROW;
  ret;
}
"""

OPCODE = re.compile(r"(?:\\l|<exit\d>)(?:\\ )*(?:@!?\w+\\ (?:\\ )*)?([A-Z][A-Z0-9.]*)")
"""An instruction in the label of a block."""


@pytest.mark.oracle
def test_innermost_loops_are_the_blocks_that_go_to_themselves(tool, tmp_path: Path) -> None:
    path = tmp_path / "k.cubin"
    tool("ptxas", "--version")
    path.write_bytes(nvidia.assemble(PTX, "sm_80"))
    tool("nvdisasm", "--version")
    command = [nvidia.find("nvdisasm"), "-bbcfg", path]
    drawn = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    arrows = re.findall(r'^"([^"]+)":\w+:\w -> "([^"]+)"', drawn, re.MULTILINE)
    labels = dict(re.findall(r'^"([^"]+)"\n\[label="([^\n]*)', drawn, re.MULTILINE))
    blocks = [OPCODE.findall(labels[one]) for one, two in arrows if one == two]
    blocks = [opcodes for opcodes in blocks if opcodes != ["BRA"]]  # what stops who runs past
    listing = nvidia.disassemble(path.read_bytes()).decode()
    found = innermost(listing)
    assert len(found) > 1  # ptxas unrolls, and has a loop for what is left
    assert sorted(sorted(each.elements()) for each in found) == sorted(map(sorted, blocks))
    main = main_loop(listing)
    assert main == max(found, key=Counter.total)
    assert main["LDG.E.STRONG.SYS"] > 1
