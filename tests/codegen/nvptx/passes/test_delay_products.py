"""Products that are delayed by an iteration: right under all schedules, for any number of trips.

The kernels do what attention does, with numbers that have no rounding errors: the second product of
an iteration multiplies what is computed from the first one, and its sum is scaled by what the first
one says, too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.decided import decided
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.passes import delay_products
from tileir.codegen.nvptx.reasons import Reason
from tileir.ir import Op


def _loop(size: int, name: str, low: str, high: str, most: str, acc: str) -> str:
    """Return a loop over tiles of keys and values, with its results `name`#0 and `name`#1."""
    row, full, score = f"tile<{size}x1xf32>", f"tile<{size}x64xf32>", f"tile<{size}x{size}xf32>"
    half, keys, values = (
        f"tile<{each}xf16>" for each in (f"{size}x{size}", f"64x{size}", f"{size}x64")
    )
    return f"""
    %{name}:2 = for %i in (%{low} to %{high}, step %one) : tile<i32>
        iter_values(%most = %{most}, %acc = %{acc}) -> ({row}, {full}) {{
      %k, %tk = load_view_tko weak %pk[%zero, %i] : {_turned(size)}, tile<i32> -> {keys}, token
      %score = mmaf %query, %k, %fresh : {values}, {keys}, {score}
      %high = reduce %score dim=1 identities=[0xFF800000 : f32] : {score} -> tile<{size}xf32>
      (%x0: tile<f32>, %x1: tile<f32>) {{
        %x2 = maxf %x0, %x1 : tile<f32>
        yield %x2 : tile<f32>
      }}
      %column = reshape %high : tile<{size}xf32> -> {row}
      %higher = maxf %most, %column : {row}
      %grows = cmpf greater_than ordered %higher, %most : {row} -> tile<{size}x1xi1>
      %sign = select %grows, %minus, %plus : tile<{size}x1xi1>, {row}
      %signs = broadcast %sign : {row} -> {full}
      %scaled = mulf %acc, %signs : {full}
      %least = maxf %score, %low2 : {score}
      %power = minf %least, %high2 : {score}
      %half = ftof %power : {score} -> {half}
      %v, %tv = load_view_tko weak %pv[%i, %zero] : {_view(size)}, tile<i32> -> {values}, token
      %next = mmaf %half, %v, %scaled : {half}, {values}, {full}
      continue %higher, %next : {row}, {full}
    }}"""


def _view(size: int) -> str:
    tensor = "tensor_view<?x64xf16, strides=[64,1]>"
    return f"partition_view<tile=({size}x64), padding_value = zero, {tensor}>"


def _turned(size: int) -> str:
    return _view(size).replace(f"({size}x64)", f"(64x{size})")[:-1] + ", dim_map=[1, 0]>"


def texts(size: int) -> dict[str, str]:
    """Return the kernels, with so many rows and keys in an iteration."""
    row, full, score = f"tile<{size}x1xf32>", f"tile<{size}x64xf32>", f"tile<{size}x{size}xf32>"
    results = f"partition_view<tile=({size}x64), tensor_view<?x64xf32, strides=[64,1]>>"
    loop = _loop(size, "r", "low", "end", "start", "none")
    tile = f"""
    %query, %tq = load_view_tko weak %pq[%x, %zero]
      : {_view(size)}, tile<i32> -> tile<{size}x64xf16>, token
    {loop}
    %u = store_view_tko weak %r#1, %pc[%x, %zero] : {full}, {results}, tile<i32> -> token"""
    text = f"""
cuda_tile.module @m {{
  entry @k(%q0: tile<ptr<f16>>, %k0: tile<ptr<f16>>, %v0: tile<ptr<f16>>, %c0: tile<ptr<f32>>,
           %m: tile<i32>, %n: tile<i32>, %low: tile<i32>, %end: tile<i32>) {{
    %qa = assume div_by<16>, %q0 : tile<ptr<f16>>
    %ka = assume div_by<16>, %k0 : tile<ptr<f16>>
    %va = assume div_by<16>, %v0 : tile<ptr<f16>>
    %vq = make_tensor_view %qa, shape = [%m, 64], strides = [64, 1]
      : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %vk = make_tensor_view %ka, shape = [%n, 64], strides = [64, 1]
      : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %vv = make_tensor_view %va, shape = [%n, 64], strides = [64, 1]
      : tile<i32> -> tensor_view<?x64xf16, strides=[64,1]>
    %vc = make_tensor_view %c0, shape = [%m, 64], strides = [64, 1]
      : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %pq = make_partition_view %vq : {_view(size)}
    %pk = make_partition_view %vk : {_turned(size)}
    %pv = make_partition_view %vv : {_view(size)}
    %pc = make_partition_view %vc : {results}
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %none = constant <f32: 0.0> : {full}
    %fresh = constant <f32: 0.0> : {score}
    %start = constant <f32: 0xFF800000> : {row}
    %minus = constant <f32: -1.0> : {row}
    %plus = constant <f32: 1.0> : {row}
    %low2 = constant <f32: -2.0> : {score}
    %high2 = constant <f32: 2.0> : {score}
    {tile}
    return
  }}
}}
"""
    two_loops = text.replace(
        loop,
        "%half2 = divi %end, %two signed rounding<zero> : tile<i32>\n%middle = maxi %half2, %low"
        f" signed : tile<i32>{_loop(size, 's', 'low', 'middle', 'start', 'none')}"
        f"{_loop(size, 'r', 'middle', 'end', 's#0', 's#1')}",
    )
    persistent = text.replace(
        tile,
        f"""
    %tiles = constant <i32: 3> : tile<i32>
    for %x9 in (%zero to %tiles, step %one) : tile<i32> {{
      {tile.replace("%x,", "%x9,")}
      continue
    }}""",
    )
    stored = text.replace(
        "continue %higher, %next",
        f"""%w = store_view_tko weak %next, %pc[%x, %zero] : {full}, {results}, tile<i32> -> token
      continue %higher, %next""",
    )
    return {
        "attention": text,
        "two loops": two_loops,  # the same iterations, which take turns with one ring
        "unscaled": text.replace("%half, %v, %scaled", "%half, %v, %acc"),
        "persistent": persistent,  # one block has three tiles of rows
        # both products multiply the same tile, of which two slots are read at a time
        "one tile": text.replace("%half, %v, %scaled", "%half, %k, %scaled"),
        # the first product adds to the sum of the second one
        "used": text.replace("mmaf %query, %k, %fresh", "mmaf %query, %k, %acc"),
        "stored": stored,  # each iteration stores its sum
    }


TEXTS = texts(64)
STORED, TEXT = TEXTS.pop("stored"), TEXTS["attention"]
LARGE = {f"{name}, large": texts(128)[name] for name in ("two loops", "persistent")}
"""For two warpgroups."""
TEXTS |= LARGE
DELAYED = ["attention", "two loops", "unscaled", "persistent", "one tile", *LARGE]


@cache
def kernel(name: str) -> Any:
    return compile(assemble(TEXTS[name]), "sm_90", cache=False)


def _expected(name: str, q: Any, k: Any, v: Any, low: int, end: int) -> np.ndarray:
    """Return the result, by the iterations of the text."""
    size = 128 if name in LARGE else 64
    acc = np.zeros((len(q), 64), np.float32)
    most = np.full((len(q), 1), -np.inf, np.float32)
    for i in range(low, end):
        keys, values = np.zeros((size, 64), np.float32), np.zeros((size, 64), np.float32)
        for tile, source in ((keys, k), (values, v)):
            part = source[size * i : size * (i + 1)]
            tile[: len(part)] = part
        if name == "one tile":
            values = keys.T
        score = q.astype(np.float32) @ keys.T + (acc if name == "used" else 0)
        higher = np.maximum(most, score.max(1, keepdims=True))
        scaled = acc * np.where(higher > most, -1, 1)
        acc = (acc if name == "unscaled" else scaled) + np.clip(score, -2, 2) @ values
        most = higher
    return acc


def launch(
    name: str, rows: int, keys: int, trips: tuple[int, int]
) -> tuple[list[Any], tuple[int], np.ndarray]:
    """Return the arguments of a launch, of which the fourth is the result, the grid, and what is
    expected."""
    random = np.random.default_rng(rows + keys)
    q, k, v = (
        aligned(random.integers(-2, 3, (count, 64)).astype(np.float16))
        for count in (rows, keys, keys)
    )
    c = aligned(np.full((rows, 64), 99, np.float32))
    size = 128 if name in LARGE else 64
    grid = (1 if name.startswith("persistent") else -(-rows // size),)
    return [q, k, v, c, rows, keys, *trips], grid, _expected(name, q, k, v, *trips)


def run(
    name: str, rows: int, keys: int, trips: tuple[int, int], schedule: str = "lock-step"
) -> None:
    arguments, grid, expected = launch(name, rows, keys, trips)
    emulator.load(kernel(name))["k"].launch(grid, arguments, schedule=schedule)
    np.testing.assert_array_equal(arguments[3], expected)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", ["attention", "two loops", "one tile", *LARGE])
def test_results_are_right_under_every_schedule(name: str, schedule: str) -> None:
    run(name, 150, 300, (0, 5), schedule)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("trips", [(0, 0), (2, 1), (1, 2), (0, 2), (1, 4)])
def test_any_number_of_iterations(name: str, trips: tuple[int, int]) -> None:
    run(name, 64, 230, trips)


@pytest.mark.parametrize("name", ["unscaled", "persistent"])
def test_results_are_right_for_ragged_tiles(name: str) -> None:
    run(name, 150, 300, (0, 5))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_a_token_orders_is_behind_the_copy(schedule: str) -> None:
    """The values of an iteration are overwritten behind their load; their product is delayed."""
    text = TEXT.replace(
        "%two = constant", "%zeros = constant <f16: 0.0> : tile<64x64xf16>\n    %two = constant"
    ).replace(
        "continue %higher",
        "%w = store_view_tko weak %zeros, %pv[%i, %zero] token = %tv : tile<64x64xf16>, "
        f"{_view(64)}, tile<i32> -> token\n      continue %higher",
    )
    arguments, grid, expected = launch("attention", 64, 256, (0, 4))
    made = compile(assemble(text), "sm_90", cache=False)
    emulator.load(made)["k"].launch(grid, arguments, schedule=schedule)
    np.testing.assert_array_equal(arguments[3], expected)
    assert not arguments[2].any()


def test_bounds_near_the_end_of_integers() -> None:
    """The index of the second iteration would overflow; there is none."""
    text = TEXT.replace("step %one", "step %large").replace(
        "%two = constant <i32: 2>",
        "%large = constant <i32: 2147483647> : tile<i32>\n%two = constant <i32: 2>",
    )
    made = emulator.load(compile(assemble(text), "sm_90", cache=False))["k"]
    q, k, v = (aligned(np.ones((128, 64), np.float16)) for _ in range(3))
    c = aligned(np.full((64, 64), 99, np.float32))
    made.launch((1,), [q, k, v, c, 64, 128, 1, 2])
    np.testing.assert_array_equal(c, _expected("attention", q[:64], k, v, 1, 2))


@pytest.mark.parametrize("name", DELAYED)
def test_one_product_is_under_way_while_powers_are_computed(name: str) -> None:
    entry = kernel(name).ptx.partition(".entry k_without")[0]
    waits = re.findall(r"wgmma.wait_group.sync.aligned (\d+);", entry)
    assert set(waits) == {"0", "1"}


def test_a_sum_that_the_first_product_needs_is_awaited() -> None:
    entry = kernel("used").ptx.partition(".entry k_without")[0]
    assert set(re.findall(r"wgmma.wait_group.sync.aligned (\d+);", entry)) == {"0"}


def _consuming_loop(text: str) -> Op:
    """Return the loop of the consumer, before products are delayed."""
    bytecode = assemble(text)
    ir = KernelIR.copy_of(bytecode.functions[0], bytecode)
    body = decided(ir, "sm_90", "specialise_warps").kernel.body
    return next(op.parent.parent_op for op in body.walk() if op.name == "mma_async")


def _why(text: str, registers: int = 232) -> str:
    found = delay_products.delay_products(_consuming_loop(text), registers)
    assert isinstance(found, Reason)
    return found.id


def test_why_products_are_not_delayed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _why(TEXTS["used"]) == "sum_used"
    assert _why(STORED) == "delayed_effect"
    assert _why(TEXT, 96) == "delayed_registers"
    monkeypatch.setattr(delay_products, "TWICE_READ", 6)
    assert _why(TEXTS["one tile"]) == "delayed_slots"


def test_keys_and_values_are_awaited_and_released_by_themselves() -> None:
    """Values an iteration later than keys, so two slots of each are enough."""
    loop = _consuming_loop(TEXT)
    made = delay_products.delay_products(loop, 232)
    assert isinstance(made, Op)
    block = made.regions[0].block
    slots = [op for op in block.ops if op.name in ("wait_slot", "release_slot")]
    assert [op.name for op in slots] == ["wait_slot", "wait_slot", "release_slot", "release_slot"]
    keys, values = ({op.operands["turn"] for op in slots[part::2]} for part in (0, 1))
    assert len(keys) == len(values) == 1
    assert keys != values
    assert not any(op.name == "held_slot" for op in block.ops)


@pytest.mark.parametrize("name", LARGE)
def test_warpgroups_take_turns_to_start_products(name: str) -> None:
    """At a barrier of each, at which only the group before it arrives as well."""
    made = kernel(name)
    (consumer, _) = made.plan["k"]["roles"]
    assert consumer["warps"] == 8
    entry = made.ptx.partition(".entry k_without")[0]
    loop = entry[: entry.index("wait_group.sync.aligned 1")].rpartition("$L__BB")[2]
    places = [
        re.search(each, loop) for each in (r"bar.sync \t%r", "wgmma.mma_async", r"bar.arrive \t%r")
    ]
    assert [each.start() for each in places if each] == sorted(
        each.start() for each in places if each
    )
    remarks = made.stages["overlap_products"].remarks
    assert all("ordered_groups" in each.facts["reasons"] for each in remarks)
    assert (
        len(re.findall("bar.arrive \t2, 256", entry))
        == len(re.findall("bar.sync \t2, 256", entry))
        == 1
    )


def test_one_warpgroup_has_nobody_to_take_turns_with() -> None:
    assert "bar.arrive" not in kernel("attention").ptx


def test_a_loop_without_dependent_products_is_left_alone() -> None:
    one = TEXT.replace("%next = mmaf %half, %v, %scaled", "%next = mmaf %query, %v, %acc")
    loop = _consuming_loop(one)
    assert delay_products.delay_products(loop, 232) is None
