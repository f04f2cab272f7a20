"""Kernels written in LLVM IR by hand: how machine code is run, without the code generator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.codegen.host.machine.cpu import object_code, optimised, triple_and_layout
from tileir.codegen.host.machine.machine_code import MachineCode
from tileir.codegen.host.running.compilation import HostCompilation, HostKernel
from tileir.codegen.host.running.kernel_info import KernelInfo
from tileir.types import Pointer, Scalar

DRIVER = """\
target triple = "{}"
target datalayout = "{}"

define void @by_hand.blocks(ptr %arguments, i64 %first, i64 %last, i32 %sx, i32 %sy, i32 %sz,
                            ptr %workspace, ptr %context) {{
entry:
  %array = load ptr, ptr %arguments
  br label %block
block:
  %number = phi i64 [ %first, %entry ], [ %next, %done ]
  %mine = getelementptr i32, ptr %array, i64 %number
  br label %body
body:
{}
done:
  %next = add i64 %number, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %block, label %end
end:
  ret void
}}
"""
"""Runs a body for each block: `%number` is its number, `%mine` its element of the only argument."""

MARK = """\
  store i32 1, ptr %mine
  br label %done
"""

ENDLESS = """\
  store i32 1, ptr %mine
  br label %loop
loop:
  %stop = load atomic i32, ptr %context monotonic, align 4
  %go = icmp eq i32 %stop, 0
  br i1 %go, label %loop, label %end
"""
"""Marks its element and loops until it is told to stop."""

WAITING = """\
  %before = getelementptr i32, ptr %mine, i64 -1
  br label %loop
loop:
  %ready = load atomic i32, ptr %before acquire, align 4
  %stop = load atomic i32, ptr %context monotonic, align 4
  %either = or i32 %ready, %stop
  %go = icmp eq i32 %either, 0
  br i1 %go, label %loop, label %mark
mark:
  %value = add i32 %ready, 1
  store atomic i32 %value, ptr %mine release, align 4
  br label %done
"""
"""Waits for the block before it, and writes one more than that."""

REPORTING = """\
  %place = getelementptr i8, ptr %context, i64 8
  %report = load ptr, ptr %place
  %x = trunc i64 %number to i32
  %site = and i32 %x, 1
  call void %report(i32 %site, i64 %number, ptr %mine, i32 %x, i32 7, i32 -1)
  store i32 1, ptr %mine
  br label %done
"""
"""Reports its number and its element, even ones at site 0, odd ones at site 1."""

COUNTING = """\
  %place = getelementptr i8, ptr %context, i64 16
  %table = load ptr, ptr %place
  %row = getelementptr {i64, i64}, ptr %table, i64 %number
  %low = load i64, ptr %row
  %second = getelementptr i8, ptr %row, i64 8
  %high = load i64, ptr %second
  %size = sub i64 %high, %low
  %short = trunc i64 %size to i32
  store i32 %short, ptr %mine
  br label %done
"""
"""Stores how many bytes the extent with its number has."""


def kernel(
    body: str, sites: tuple[Mapping[str, Any], ...] = (), may_run_long: bool = True
) -> HostKernel:
    """An entry that takes an i32 array with an element for each block."""
    text = DRIVER.format(*triple_and_layout(), body)
    elements = (Pointer(Scalar("i32")),)
    info = KernelInfo("by_hand", elements, (0,), 8, frozenset({0}), 0, may_run_long, sites)
    return HostCompilation(MachineCode((info,), object_code(optimised(text)), text))["by_hand"]
