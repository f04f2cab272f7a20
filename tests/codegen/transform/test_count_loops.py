"""Loops that count become `for` loops: which ones, and that they do the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tileir import assemble
from tileir.codegen import compile, emulator
from tileir.codegen.kernel import KernelIR
from tileir.codegen.transform.count_loops import counted_loops

TEST = "cmpi less_than %i, %n, signed"
LEAVE = "break %i, %acc : tile<i32>, tile<16xi32>"


def text(
    *, test: str = TEST, step: str = "%one", leave: str = LEAVE, body: str = "",
    after: str = "", begin: str = "if %go {\n    } else {\n      %LEAVE\n    }",
    following: str = "addi %i, %step0", first: str = "%low",
) -> str:  # fmt: skip
    """z = 1 * low + ... + (n - 1), in every element; and what `after` adds."""
    view = "tensor_view<16xi32, strides=[1]>"
    return f"""
entry @k(%pz: tile<ptr<i32>>, %low: tile<i32>, %n: tile<i32>, %flag: tile<i1>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %none = constant <i32: 0> : tile<16xi32>
  %step0 = addi %zero, {step} : tile<i32>
  %last, %sum = loop iter_values(%i = {first}, %acc = %none) : tile<i32>, tile<16xi32> -> tile<i32>, tile<16xi32> {{
    %go = {test} : tile<i32> -> tile<i1>
    {begin.replace("%LEAVE", leave)}
    %i1 = reshape %i : tile<i32> -> tile<1xi32>
    %i2 = broadcast %i1 : tile<1xi32> -> tile<16xi32>
    %next = addi %acc, %i2 : tile<16xi32>
    {body}
    %j = {following} : tile<i32>
    continue %j, %next : tile<i32>, tile<16xi32>
  }}
  {after}
  %view = make_tensor_view %pz, shape = [16], strides = [1] : {view}
  %tiles = make_partition_view %view : partition_view<tile=(16), {view}>
  %done = store_view_tko weak %sum, %tiles[%zero] : tile<16xi32>, partition_view<tile=(16), {view}>, tile<i32> -> token
  return
}}
"""  # noqa: E501


def counted(source: str) -> bool:
    module = assemble(source)
    kernel = KernelIR.copy_of(module.functions[0], module)
    found = counted_loops(kernel)
    names = [op.name for op in kernel.walk()]
    assert len(found) == names.count("for")
    assert ("loop" in names) == (not found)
    return bool(found)


def total(source: str, low: int, n: int, flag: bool = False) -> int:
    z = aligned(np.full(16, 77, np.int32))
    compiled = compile(assemble(source), "sm_90")
    emulator.launch(compiled.ptx, compiled.plan["k"], 1, [z, low, n, flag])
    assert (z == z[0]).all()
    return int(z[0])


@pytest.mark.parametrize(("low", "n"), [(0, 5), (2, 3), (3, 3), (7, -2), (-3, 3)])
def test_a_counted_loop_is_a_for(low: int, n: int) -> None:
    assert counted(text())
    assert total(text(), low, n) == sum(range(low, n))


def test_what_the_loop_breaks_with_may_be_from_outside() -> None:
    source = text(leave="break %i, %none : tile<i32>, tile<16xi32>")
    assert counted(source)
    assert total(source, 0, 4) == 0


def test_loops_in_loops() -> None:
    inner = """%l2, %s2 = loop iter_values(%k = %zero, %more = %next) : tile<i32>, tile<16xi32> -> tile<i32>, tile<16xi32> {
      %go2 = cmpi less_than %k, %i, signed : tile<i32> -> tile<i1>
      if %go2 {
      } else {
        break %k, %more : tile<i32>, tile<16xi32>
      }
      %t = addi %more, %i2 : tile<16xi32>
      %k2 = addi %k, %one : tile<i32>
      continue %k2, %t : tile<i32>, tile<16xi32>
    }"""  # noqa: E501
    source = text(body=inner).replace("continue %j, %next", "continue %j, %s2")
    assert counted(source)
    assert total(source, 1, 5) == sum(i + i * i for i in range(1, 5))


PRINTED = 'print_tko "%d", %last : tile<i32> -> token'
SKIPS = """if %flag {
      %skipped = addi %i, %one : tile<i32>
      continue %skipped, %acc : tile<i32>, tile<16xi32>
    }"""


@pytest.mark.parametrize("source", [
    text(after=f"%p = {PRINTED}"),
    text(step="%two"), text(step="%n"),
    text(test="cmpi less_than %i, %n, unsigned"), text(test="cmpi not_equal %i, %n, signed"),
    text(test="cmpi less_than %n, %i, signed"),
    text(following="addi %i, %i"), text(following="subi %i, %step0"),
    text(body=SKIPS),
    text(body="if %flag {\n      break %i, %acc : tile<i32>, tile<16xi32>\n    }"),
    text(begin="if %go {\n      %LEAVE\n    }"),
    text(begin='%t = print_tko "x" -> token\n    if %go {\n    } else {\n      %LEAVE\n    }'),
])  # fmt: skip
def test_what_does_not_count_stays(source: str) -> None:
    """Its counter is wanted, steps are others, or it may end in another way."""
    assert not counted(source)
