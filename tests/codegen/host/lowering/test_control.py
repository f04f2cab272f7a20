"""Loops, branches and early exits, and the tiles that they carry."""
# ruff: noqa: E501

from __future__ import annotations

import threading

import numpy as np
import pytest

import tileir
from tests.codegen.host.decided import workspace
from tileir.codegen.kernel import KernelIR

VIEW = "partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>"
HEAD = f"""
entry @k(%a: tile<ptr<i32>>, %o: tile<ptr<i32>>, %n: tile<i32>) {{
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %c3 = constant <i32: 3> : tile<i32>
  %length = constant <i32: 64> : tile<i32>
  %zero = constant <i32: 0> : tile<16xi32>
  %one = constant <i32: 1> : tile<16xi32>
  %ta = make_tensor_view %a, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %va = make_partition_view %ta : {VIEW}
  %to = make_tensor_view %o, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %vo = make_partition_view %to : {VIEW}
"""


def load(name: str, index: str) -> str:
    return f"%{name}, %{name}_t = load_view_tko weak %va[%{index}] : {VIEW}, tile<i32> -> tile<16xi32>, token"


def store(name: str, index: str) -> str:
    token = f"{name}_{index}".replace("#", "_")
    return f"%{token} = store_view_tko weak %{name}, %vo[%{index}] : tile<16xi32>, {VIEW}, tile<i32> -> token"


def assembled(body: str) -> tileir.Bytecode:
    return tileir.assemble(HEAD + body + "\n  return\n}\n")


def run(body: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The input, and what the kernel made of 64 zeros."""
    data = np.arange(64, dtype=np.int32) ** 2
    out = np.zeros(64, np.int32)
    tileir.compile(assembled(body))["k"].launch(1, [data, out, n])
    return data, out


@pytest.mark.parametrize("n", [0, 1, 3, 4])
def test_a_counted_loop_carries_a_tile_and_a_number(n: int) -> None:
    data, out = run(
        f"""
  %r:2 = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %one, %s = %c2) -> (tile<16xi32>, tile<i32>) {{
    {load("x", "i")}
    %sum = addi %acc, %x : tile<16xi32>
    %t = addi %s, %i : tile<i32>
    continue %sum, %t : tile<16xi32>, tile<i32>
  }}
  {store("r#0", "c0")}
  %row = reshape %r#1 : tile<i32> -> tile<1xi32>
  %rows = broadcast %row : tile<1xi32> -> tile<16xi32>
  {store("rows", "c1")}
""",
        n,
    )  # fmt: skip
    assert (out[:16] == 1 + data.reshape(4, 16)[:n].sum(0)).all()
    assert (out[16:32] == 2 + sum(range(n))).all()


def test_an_accumulator_stays_where_it_is() -> None:
    body = f"""
  %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %one) -> (tile<16xi32>) {{
    {load("x", "i")}
    %sum = addi %acc, %x : tile<16xi32>
    continue %sum : tile<16xi32>
  }}
  {store("r", "c0")}
"""
    kernel = KernelIR.of(assembled(body).functions[0])
    assert workspace(kernel) == 2 * 64  # the accumulator and what is loaded


def test_carried_tiles_that_change_places() -> None:
    _, out = run(
        """
  %two = addi %one, %one : tile<16xi32>
  %count = iota : tile<16xi32>
  %r:3 = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%x = %one, %y = %two, %z = %count) -> (tile<16xi32>, tile<16xi32>, tile<16xi32>) {
    %sum = addi %x, %z : tile<16xi32>
    continue %y, %z, %sum : tile<16xi32>, tile<16xi32>, tile<16xi32>
  }
"""
        + "\n".join(store(f"r#{k}", f"c{k}") for k in range(3)),
        5,
    )
    x, y, z = np.full(16, 1), np.full(16, 2), np.arange(16)
    for _ in range(5):
        x, y, z = y, z, x + z
    assert (out[:48].reshape(3, 16) == [x, y, z]).all()


def test_a_carried_tile_that_is_permuted() -> None:
    _, out = run(
        """
  %count = iota : tile<16xi32>
  %start = reshape %count : tile<16xi32> -> tile<4x4xi32>
  %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%x = %start) -> (tile<4x4xi32>) {
    %turned = permute %x [1, 0] : tile<4x4xi32> -> tile<4x4xi32>
    %sum = addi %turned, %x : tile<4x4xi32>
    %less = subi %sum, %start : tile<4x4xi32>
    continue %less : tile<4x4xi32>
  }
  %flat = reshape %r : tile<4x4xi32> -> tile<16xi32>
"""
        + store("flat", "c0"),
        3,
    )
    x = start = np.arange(16).reshape(4, 4)
    for _ in range(3):
        x = x.T + x - start
    assert (out[:16] == x.ravel()).all()


@pytest.mark.parametrize("n", [0, 1, 7])
def test_an_endless_loop_is_left_by_a_break_inside_branches(n: int) -> None:
    _, out = run(
        f"""
  %r:2 = loop iter_values(%j = %c0, %x = %one) : tile<i32>, tile<16xi32> -> tile<16xi32>, tile<i32> {{
    %done = cmpi greater_than_or_equal %j, %n, signed : tile<i32> -> tile<i1>
    %next = addi %j, %c1 : tile<i32>
    if %done {{
      %twice = addi %x, %x : tile<16xi32>
      break %twice, %j : tile<16xi32>, tile<i32>
    }} else {{
      %odd = trunci %j : tile<i32> -> tile<i1>
      if %odd {{
        %more = addi %x, %one : tile<16xi32>
        continue %next, %more : tile<i32>, tile<16xi32>
      }}
    }}
    %double = addi %x, %x : tile<16xi32>
    continue %next, %double : tile<i32>, tile<16xi32>
  }}
  {store("r#0", "c0")}
  %row = reshape %r#1 : tile<i32> -> tile<1xi32>
  %rows = broadcast %row : tile<1xi32> -> tile<16xi32>
  {store("rows", "c1")}
""",
        n,
    )  # fmt: skip
    x = 1
    for j in range(n):
        x = x + 1 if j % 2 else 2 * x
    assert (out[:16] == 2 * x).all()
    assert (out[16:32] == n).all()


@pytest.mark.parametrize("n", [0, 1])
def test_branches_yield_tiles_and_numbers(n: int) -> None:
    data, out = run(
        f"""
  %flag = trunci %n : tile<i32> -> tile<i1>
  {load("x", "c1")}
  %r:2 = if %flag -> (tile<16xi32>, tile<i32>) {{
    %sum = addi %x, %one : tile<16xi32>
    yield %sum, %c1 : tile<16xi32>, tile<i32>
  }} else {{
    yield %x, %c2 : tile<16xi32>, tile<i32>
  }}
  {store("r#0", "r#1")}
""",
        n,
    )  # fmt: skip
    where = 1 if n else 2
    assert (out[16 * where : 16 * where + 16] == data[16:32] + n).all()


def test_a_return_ends_the_block_early() -> None:
    _, out = run(
        f"""
  {store("one", "c0")}
  %flag = trunci %n : tile<i32> -> tile<i1>
  if %flag {{
    return
  }}
  {store("one", "c1")}
""",
        1,
    )  # fmt: skip
    assert (out[:16] == 1).all()
    assert (out[16:] == 0).all()


@pytest.mark.parametrize(("start", "stop", "step", "unsigned", "trips"), [
    (0x7FFFFFF0, 0x7FFFFFFF, 10, False, 2),  # the counter would wrap
    (-5, 5, 3, False, 4),
    (-5, 5, 3, True, 0),
    (5, -5, 1 << 30, True, 4),
    (5, 5, 1, False, 0),
])  # fmt: skip
def test_how_often_a_loop_runs(
    start: int, stop: int, step: int, unsigned: bool, trips: int
) -> None:
    text = f"""
entry @k(%o: tile<ptr<i32>>, %low: tile<i32>, %high: tile<i32>, %step: tile<i32>) {{
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %r = for {"unsigned " if unsigned else ""}%i in (%low to %high, step %step) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {{
    %t = addi %s, %c1 : tile<i32>
    continue %t : tile<i32>
  }}
  %st = store_ptr_tko weak %o, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}}
"""
    out = np.zeros(1, np.int32)
    tileir.compile(tileir.assemble(text))["k"].launch(1, [out, start, stop, step])
    assert out[0] == trips


def test_loops_in_loops_and_what_comes_from_outside() -> None:
    data, out = run(
        f"""
  {load("x", "c0")}
  %square = muli %x, %x : tile<16xi32>
  %cube = muli %square, %x : tile<16xi32>
  %power = muli %cube, %square : tile<16xi32>
  %big = addi %power, %cube : tile<16xi32>
  %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (tile<16xi32>) {{
    {load("y", "i")}
    %inner = for %j in (%c0 to %i, step %c1) : tile<i32> iter_values(%b = %acc) -> (tile<16xi32>) {{
      {load("z", "j")}
      %p = muli %z, %y : tile<16xi32>
      %q = addi %b, %p : tile<16xi32>
      %w = addi %q, %big : tile<16xi32>
      continue %w : tile<16xi32>
    }}
    %s = addi %inner, %y : tile<16xi32>
    continue %s : tile<16xi32>
  }}
  {store("r", "c0")}
  {store("big", "c1")}
""",
        4,
    )  # fmt: skip
    rows = data.reshape(4, 16)
    with np.errstate(over="ignore"):
        big = rows[0] ** 5 + rows[0] ** 3
        expected = np.zeros(16, np.int32)
        for i in range(4):
            for j in range(i):
                expected = expected + rows[j] * rows[i] + big
            expected = expected + rows[i]
    assert (out[:16] == expected).all()
    assert (out[16:32] == big).all()


def test_extract_pack_and_unpack() -> None:
    data, out = run(
        f"""
  {load("x", "c1")}
  %part = extract %x[%n] : tile<16xi32> -> tile<4xi32>
  %bytes = pack %part : tile<4xi32> -> tile<16xi8>
  %wide = exti %bytes unsigned : tile<16xi8> -> tile<16xi32>
  {store("wide", "c0")}
  %bits = unpack %bytes : tile<16xi8> -> tile<128xi1>
  %low = extract %bits[%c1] : tile<128xi1> -> tile<16xi1>
  %numbers = exti %low unsigned : tile<16xi1> -> tile<16xi32>
  {store("numbers", "c1")}
  %again = unpack %bytes : tile<16xi8> -> tile<8xi16>
  %pair = reshape %again : tile<8xi16> -> tile<1x8xi16>
  %pairs = broadcast %pair : tile<1x8xi16> -> tile<2x8xi16>
  %both = reshape %pairs : tile<2x8xi16> -> tile<16xi16>
  %back = exti %both signed : tile<16xi16> -> tile<16xi32>
  {store("back", "c2")}
""",
        2,
    )  # fmt: skip
    part = data[16:32].reshape(4, 4)[2]
    assert (out[:16] == part.view(np.uint8)).all()
    bits = np.unpackbits(part.view(np.uint8), bitorder="little")
    assert (out[16:32] == bits[16:32]).all()
    assert (out[32:48] == np.tile(part.view(np.int16), 2)).all()


def test_blocks_may_wait_for_lower_ones() -> None:
    text = """
entry @k(%turn: tile<ptr<i32>>) {
  %c1 = constant <i32: 1> : tile<i32>
  %x, %y, %z = get_tile_block_id : tile<i32>
  loop {
    %now, %t = load_ptr_tko acquire device %turn : tile<ptr<i32>> -> tile<i32>, token
    %mine = cmpi equal %now, %x, signed : tile<i32> -> tile<i1>
    if %mine {
      break
    }
    continue
  }
  %next = addi %x, %c1 : tile<i32>
  %s = store_ptr_tko release device %turn, %next : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""
    kernel = tileir.compile(tileir.assemble(text))["k"]
    turn = np.zeros(1, np.int32)
    runner = threading.Thread(target=kernel.launch, args=(500, [turn]), kwargs={"threads": 4})
    runner.start()
    runner.join(60)
    assert not runner.is_alive()
    assert turn[0] == 500
