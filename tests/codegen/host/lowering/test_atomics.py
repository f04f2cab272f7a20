"""Atomic ops: what they return and leave behind, and that no other thread comes in between."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tileir
from tests.codegen.build import Kernel
from tileir.codegen import compile
from tileir.codegen.host.running.exclusion import EXCLUSION

DTYPES = {
    "i32": np.int32, "i64": np.int64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "f32": np.float32, "f64": np.float64,
}  # fmt: skip

MODES = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "addf": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "umax": np.maximum,
    "umin": np.minimum,
    "xchg": lambda old, new: new,
}
INTEGERS = [(mode, element) for mode in MODES if mode != "addf" for element in ("i32", "i64")]
FLOATS = [("addf", element) for element in ("f16", "bf16", "f32", "f64")]
EXCHANGED = [("xchg", "f32"), ("xchg", "f64")]
SIZE = 32


def pointers(kernel: Kernel, base, where=None):
    """A tile of pointers to the elements behind `base`, in order or as the tile `where` says."""
    element = base.type.element.pointee
    row = kernel.op("reshape", base, results=[f"1xptr<{element}>"])
    row = kernel.op("broadcast", row, results=[f"{SIZE}xptr<{element}>"])
    where = where or kernel.op("iota", results=[f"{SIZE}xi32"])
    return kernel.op("offset", row, where, results=[f"{SIZE}xptr<{element}>"])


def numbers(element: str) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of all kinds of numbers, some of them special."""
    random = np.random.default_rng(11)
    if element[0] == "i":
        info = np.iinfo(DTYPES[element])
        drawn = random.integers(info.min, info.max, (2, SIZE), DTYPES[element], endpoint=True)
        drawn[:, :3] = [[0, -1, info.max], [-1, 0, 1]]
        return drawn[0], drawn[1]
    drawn = (random.standard_normal((2, SIZE)) * 8).astype(DTYPES[element])
    top = ml_dtypes.finfo(DTYPES[element]).max
    drawn[:, :4] = [[-0.0, np.inf, top, 1e-5], [-0.0, 1, top, -2e-5]]
    return drawn[0], drawn[1]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("mode", "element"), [*INTEGERS, *FLOATS, *EXCHANGED])
def test_modes(mode: str, element: str, masked: bool) -> None:
    kernel = Kernel("change", *[f"ptr<{element}>"] * 3, "ptr<i1>")
    memory, given, out, flags = kernel.parameters
    zero = kernel.zeros(1)
    argument = kernel.load(kernel.view(given, [SIZE], [SIZE]), *zero)
    mask = kernel.load(kernel.view(flags, [SIZE], [SIZE]), *zero) if masked else None
    old, _ = kernel.op(
        "atomic_rmw_tko", pointers(kernel, memory), argument, mask,
        results=[f"{SIZE}x{element}", "token"], mode=mode,
        memory_ordering_semantics="acq_rel", memory_scope="device",
    )  # fmt: skip
    kernel.store(old, kernel.view(out, [SIZE], [SIZE]), *zero)
    before, argument = numbers(element)
    chosen = np.arange(SIZE) % 3 > 0 if masked else np.ones(SIZE, bool)
    found, result = before.copy(), np.zeros_like(before)
    compile(kernel.module())["change"].launch(1, [found, argument, result, chosen])
    kind = f"u{before.dtype.itemsize}" if mode in ("umax", "umin") else before.dtype
    with np.errstate(over="ignore"):
        after = MODES[mode](before.view(kind), argument.view(kind)).view(before.dtype)
    bits = f"u{before.dtype.itemsize}"
    expected = np.where(chosen, after, before).astype(before.dtype)
    np.testing.assert_array_equal(found.view(bits), expected.view(bits))
    np.testing.assert_array_equal(result.view(bits)[chosen], before.view(bits)[chosen])


@pytest.mark.parametrize("scope", ["tl_blk", "device", "sys"])
def test_only_other_programs_need_atomic_instructions(scope: str) -> None:
    """Among launches, the lock is enough; it is free in the end."""
    kernel = Kernel("add", "ptr<i32>")
    kernel.op(
        "atomic_rmw_tko", pointers(kernel, *kernel.parameters),
        kernel.constant(f"{SIZE}xi32", 5), None,
        results=[f"{SIZE}xi32", "token"], mode="add",
        memory_ordering_semantics="relaxed", memory_scope=scope,
    )  # fmt: skip
    compiled = compile(kernel.module())
    assert ("atomicrmw add" in compiled.llvm_ir) == (scope == "sys")
    found = np.arange(SIZE, dtype=np.int32)
    compiled["add"].launch(100, [found], threads=3)
    np.testing.assert_array_equal(found, np.arange(SIZE) + 500)
    assert EXCLUSION.held == 0


@pytest.mark.parametrize("element", ["i32", "i64", "f32", "f64"])
def test_compare_and_swap_compares_bits(element: str) -> None:
    """-0.0 is not 0.0, and a NaN equals itself. A masked element returns what was expected."""
    kernel = Kernel("swap", *[f"ptr<{element}>"] * 4, "ptr<i1>")
    memory, expected, replacement, out, flags = kernel.parameters
    tiles = [
        kernel.load(kernel.view(base, [SIZE], [SIZE]), *kernel.zeros(1))
        for base in (expected, replacement, flags)
    ]
    old, _ = kernel.op(
        "atomic_cas_tko", pointers(kernel, memory), *tiles,
        results=[f"{SIZE}x{element}", "token"],
        memory_ordering_semantics="relaxed", memory_scope="sys",
    )  # fmt: skip
    kernel.store(old, kernel.view(out, [SIZE], [SIZE]), *kernel.zeros(1))
    present, new = numbers(element)
    wanted = present.copy()
    wanted[::2] += 1
    if element[0] == "f":
        wanted[1] = present[1] = np.nan
        present[3], wanted[3] = 0.0, -0.0
    chosen = np.arange(SIZE) % 5 > 0
    found, result = present.copy(), np.zeros_like(present)
    compile(kernel.module())["swap"].launch(1, [found, wanted, new, result, chosen])
    bits = f"u{present.dtype.itemsize}"
    present, wanted, new, found, result = (
        array.view(bits) for array in (present, wanted, new, found, result)
    )
    swapped = chosen & (present == wanted)
    assert 0 < swapped.sum() < chosen.sum()
    np.testing.assert_array_equal(found, np.where(swapped, new, present))
    np.testing.assert_array_equal(result, np.where(chosen, present, wanted))


@pytest.mark.parametrize("element", ["i32", "f16", "bf16", "f32", "f64"])
def test_all_threads_count(element: str) -> None:
    """Every element of every block adds one to one of four numbers."""
    kernel = Kernel("count", f"ptr<{element}>")
    (base,) = kernel.parameters
    where = kernel.op(
        "andi", kernel.op("iota", results=[f"{SIZE}xi32"]), kernel.constant(f"{SIZE}xi32", 3),
        results=[f"{SIZE}xi32"],
    )  # fmt: skip
    one = np.array(1, DTYPES[element])
    kernel.op(
        "atomic_rmw_tko", pointers(kernel, base, where),
        kernel.constant(f"{SIZE}x{element}", int(one.view(f"u{one.itemsize}"))),
        results=[f"{SIZE}x{element}", "token"], mode="add" if element == "i32" else "addf",
        memory_ordering_semantics="relaxed", memory_scope="device",
    )  # fmt: skip
    blocks = {"f16": 128, "bf16": 16}.get(element, 20000)  # as far as the type counts
    compiled = compile(kernel.module())["count"]
    for _ in range(5):
        found = np.zeros(4, DTYPES[element])
        compiled.launch(blocks, [found], threads=4)
        assert found.tolist() == [blocks * SIZE // 4] * 4


@pytest.mark.parametrize("kind", ["partition_view", "strided_view"])
@pytest.mark.parametrize(("mode", "element"), [("addf", "f16"), ("umax", "i32")])
def test_reductions_of_views_leave_out_what_is_outside(kind, mode: str, element: str) -> None:
    """Tiles of 4x8 over a tensor of 7x13, in steps of a tile or so that they overlap."""
    steps = "traversal_strides=[2,3], " if kind == "strided_view" else ""
    view = f"{kind}<tile=(4x8), {steps}tensor_view<7x13x{element}, strides=[13,1]>>"
    dense = f"tensor_view<4x8x{element}, strides=[8,1]>"
    make = f"make_{kind}"
    text = f"""
entry @k(%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %0 = constant <i32: 0> : tile<i32>
  %t = make_tensor_view %a, shape = [7, 13], strides = [13, 1] : tensor_view<7x13x{element}, strides=[13,1]>
  %v = {make} %t : {view}
  %u = make_tensor_view %b, shape = [4, 8], strides = [8, 1] : {dense}
  %w = make_partition_view %u : partition_view<tile=(4x8), {dense}>
  %d, %k = load_view_tko weak %w[%0, %0] : partition_view<tile=(4x8), {dense}>, tile<i32> -> tile<4x8x{element}>, token
  %r = atomic_red_view_tko relaxed device %v[%x, %y], {mode}, %d : tile<4x8x{element}>, {view}, tile<i32> -> token
  return
}}
"""  # noqa: E501
    compiled = compile(tileir.assemble(text))["k"]
    before = np.arange(91).reshape(7, 13).astype(DTYPES[element])
    given = (np.arange(32).reshape(4, 8) * 3).astype(DTYPES[element])
    across, down = (2, 3) if steps else (4, 8)
    grid = (-(-7 // across), -(-13 // down))
    found, expected = before.copy(), before.copy()
    compiled.launch(grid, [found, given], threads=2)
    for place in np.ndindex(grid):
        corner = expected[place[0] * across :, place[1] * down :][:4, :8]
        corner[:] = MODES[mode](corner, given[: corner.shape[0], : corner.shape[1]])
    np.testing.assert_array_equal(found, expected)


SPIN_LOCK = """
entry @k(%lock: tile<ptr<i32>>, %a: tile<ptr<i32>>) {
  %free = constant <i32: 0> : tile<i32>
  %taken = constant <i32: 1> : tile<i32>
  loop {
    %o, %t = atomic_cas_tko acquire device %lock, %free, %taken : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %got = cmpi equal %o, %free, signed : tile<i32> -> tile<i1>
    if %got {
      break
    }
  }
  %x, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
  %y = addi %x, %taken : tile<i32>
  %w = store_ptr_tko weak %a, %y : tile<ptr<i32>>, tile<i32> -> token
  %r = store_ptr_tko release device %lock, %free : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""  # noqa: E501


def test_a_spin_lock_keeps_plain_accesses_apart() -> None:
    compiled = compile(tileir.assemble(SPIN_LOCK))["k"]
    lock, count = np.zeros(1, np.int32), np.zeros(1, np.int32)
    compiled.launch(20000, [lock, count], threads=3)
    assert lock[0] == 0
    assert count[0] == 20000


TURNSTILE = """
entry @k(%turn: tile<ptr<i32>>, %a: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<8xi32>
  %tv = make_tensor_view %turn, shape = [1], strides = [1] : tensor_view<1xi32, strides=[1]>
  %pv = make_partition_view %tv : partition_view<tile=(1), tensor_view<1xi32, strides=[1]>>
  %av = make_tensor_view %a, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
  %aw = make_partition_view %av : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
  %0 = constant <i32: 0> : tile<i32>
  loop {
    %n, %t = load_view_tko acquire device %pv[%0] : partition_view<tile=(1), tensor_view<1xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %m = reshape %n : tile<1xi32> -> tile<i32>
    %mine = cmpi equal %m, %x, signed : tile<i32> -> tile<i1>
    if %mine {
      break
    }
  }
  %v, %t1 = load_view_tko weak %aw[%0] : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %w = muli %v, %three : tile<8xi32>
  %p = reshape %x : tile<i32> -> tile<1xi32>
  %b = broadcast %p : tile<1xi32> -> tile<8xi32>
  %s = addi %w, %b : tile<8xi32>
  %t2 = store_view_tko weak %s, %aw[%0] : tile<8xi32>, partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
  %next = addi %x, %one : tile<i32>
  %q = reshape %next : tile<i32> -> tile<1xi32>
  %t3 = store_view_tko release device %q, %pv[%0] : tile<1xi32>, partition_view<tile=(1), tensor_view<1xi32, strides=[1]>>, tile<i32> -> token
  return
}
"""  # noqa: E501


def test_blocks_pass_a_tile_on_in_order() -> None:
    """Each block waits for the one before it by reading a flag; the result depends on the order."""
    compiled = compile(tileir.assemble(TURNSTILE))["k"]
    turn, found = np.zeros(1, np.int32), np.arange(8, dtype=np.int32)
    expected = found.copy()
    blocks = 2000
    compiled.launch(blocks, [turn, found], threads=3)
    for block in range(blocks):
        expected = expected * np.int32(3) + np.int32(block)
    assert turn[0] == blocks
    np.testing.assert_array_equal(found, expected)
