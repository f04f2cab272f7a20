"""Compiled kernels that run long: Ctrl-C ends them, and blocks wait for lower ones."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from tileir import assemble
from tileir.codegen import compile

from .interrupt import interrupt_when

ENDLESS = """\
entry @endless(%flag: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %start = make_token : token
  %done = store_ptr_tko weak %flag, %one token=%start : tile<ptr<i32>>, tile<i32> -> token
  %last = loop iter_values(%x = %one) : tile<i32> -> tile<i32> {
    %next = addi %x, %one : tile<i32>
    continue %next : tile<i32>
  }
  return
}
"""

WAITING = """\
entry @waiting(%flags: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %start = make_token : token
  %block, %y, %z = get_tile_block_id : tile<i32>
  %before = offset %flags, %block : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %mine = offset %before, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %found = loop iter_values(%old = %zero) : tile<i32> -> tile<i32> {
    %flag, %read = load_ptr_tko acquire device %before token=%start
        : tile<ptr<i32>> -> tile<i32>, token
    %ready = cmpi not_equal %flag, %zero, signed : tile<i32> -> tile<i1>
    if %ready {
      break %flag : tile<i32>
    }
    continue %old : tile<i32>
  }
  %next = addi %found, %one : tile<i32>
  %done = store_ptr_tko release device %mine, %next token=%start
      : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""
"""Waits until the flag before its own is set, then sets its own to one more."""


@pytest.mark.skipif(os.name == "nt", reason="a program cannot send itself Ctrl-C alone")
@pytest.mark.parametrize("threads", [1, 3])
def test_an_endless_kernel_can_be_interrupted(threads: int) -> None:
    kernel, flag = compile(assemble(ENDLESS))["endless"], np.zeros(1, np.int32)
    before = set(threading.enumerate())
    sender = interrupt_when(flag.any)
    with pytest.raises(KeyboardInterrupt):
        kernel.launch(5, [flag], threads=threads)
    sender.join()
    assert flag.tolist() == [1]
    # A thread whose start was interrupted is not known to run: it ends by itself, a little later.
    end = time.monotonic() + 10
    while (left := set(threading.enumerate()) - before) and time.monotonic() < end:
        time.sleep(0.001)
    assert not left


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_blocks_wait_for_lower_ones(threads: int) -> None:
    flags = np.zeros(1001, np.int32)
    flags[0] = 1
    compile(assemble(WAITING))["waiting"].launch(1000, [flags], threads=threads)
    np.testing.assert_array_equal(flags, np.arange(1, 1002))
