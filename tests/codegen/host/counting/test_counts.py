"""Kernels that count: bytes, operations, trips and atomics are those that there are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.lab.model.counting import Seen, seen
from tests.lab.model.kernels.comparing import copied
from tests.lab.model.test_fixtures import aligned
from tests.launches import NAMES, Launch, newest
from tileir.bytecode import Bytecode
from tileir.codegen import compile
from tileir.codegen.host.running.kernel_info import KernelInfo
from tileir.errors import LaunchError, UnsupportedError
from tileir.launch.buffer import Buffer
from tileir.launch.counts import Counts
from tileir.smith.program import program


def counted(bytecode: Bytecode, symbol: str, grid: Any, args: list[Any], **options: Any) -> Counts:
    """What a launch counts."""
    found: list[Counts] = []
    kernel = compile(bytecode, symbols=[symbol], count=True, **options)[symbol]
    kernel.launch(grid, args, on_counts=found.append)
    return found[0]


def agree(counts: Counts, model: Seen, args: list[Any]) -> None:
    """The counts are what the model has seen."""
    addresses = [arg.ctypes.data if isinstance(arg, np.ndarray) else -1 for arg in args]
    alone = {n for n, at in enumerate(addresses) if at >= 0 and addresses.count(at) == 1}
    for array in counts.arrays:
        if array.parameter in alone:
            both = {
                way: (
                    model.bits[array.parameter, way],
                    model.places.get((array.parameter, way), set()),
                )
                for way in ("read", "written", "atomic")
            }
            for way, traffic in (("read", array.read), ("written", array.written)):
                bits = both[way][0] + both["atomic"][0]
                assert traffic.bytes == -(-bits // 8), (array, way)
                assert traffic.distinct == len(both[way][1] | both["atomic"][1]), (array, way)
            assert array.touched == len(set().union(*(places for _, places in both.values())))
            assert array.atomics == model.elements[array.parameter, "atomic"]
    for kind, way in (("read", "read"), ("written", "written"), ("atomic", "atomic")):
        elements = sum(each.elements for each in counts.accesses if each.kind == kind)
        assert elements == sum(n for (_, found), n in model.elements.items() if found == way)
    flops = {
        (each.type, product): number
        for each in counts.flops
        for product, number in ((True, each.products), (False, each.others))
        if number
    }
    assert flops == {kind: n for kind, n in model.flops.items() if n}
    assert [each.trips for each in counts.loops] == [
        model.trips[n] for n in range(len(counts.loops))
    ]
    assert [each.entered for each in counts.loops] == [
        model.entered[n] for n in range(len(counts.loops))
    ]
    for column, spread in ((0, counts.bytes_per_block), (1, counts.flops_per_block)):
        numbers = [each[column] if column else -(-each[0] // 8) for each in model.blocks]
        assert (spread.least, spread.most) == (min(numbers), max(numbers))
        assert spread.median == np.median(numbers)


SMALL = [name for name in NAMES if name not in ("dependent_launch", "print_values", "check_values")]


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", SMALL)
def test_fixtures_count_what_the_model_sees(name: str) -> None:
    launch = Launch(name)
    here, there = ({n: aligned(a) for n, a in launch.arrays().items()} for _ in range(2))
    args = launch.arguments(here)
    counts = counted(newest(name), launch.entry, launch.grid, args)
    launch.check(here)
    model = seen(newest(name), launch.entry, launch.grid, launch.arguments(there))
    agree(counts, model, args)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_count_what_the_model_sees(seed: int) -> None:
    case = program(seed)
    here, there = copied(case), copied(case)
    model = seen(case.bytecode, case.symbol, case.grid, there)
    agree(counted(case.bytecode, case.symbol, case.grid, here), model, here)


VECTOR_ADD = newest("vector_add")


def vector_add(n: int, x: Any, y: Any, z: Any, **options: Any) -> Counts:
    args = [x, n, 1, y, n, 1, z, n, 1]
    return counted(VECTOR_ADD, "vector_add", -(-n // 1024), args, **options)


def test_a_ragged_vector_by_hand() -> None:
    """Tiles of 1,024: the last of three has 452 elements, and is added as a whole."""
    x, y, z = (np.zeros(3000, np.float32) for _ in range(3))
    counts = vector_add(2500, x, y, z, check="memory")
    rows = [
        (a.parameter, a.size, a.read.bytes, a.read.distinct, a.written.bytes) for a in counts.arrays
    ]
    assert rows == [
        (0, 12000, 10000, 10000, 0),
        (3, 12000, 10000, 10000, 0),
        (6, 12000, 0, 0, 10000),
    ]
    assert counts.arrays[2].written.distinct == counts.arrays[2].touched == 10000
    assert counts.total_flops == 3 * 1024
    assert counts.distinct_bytes == counts.bytes_read + counts.bytes_written == 30000
    assert counts.intensity == counts.intensity_at_best == 3072 / 30000
    spread = counts.bytes_per_block
    assert (spread.least, spread.median, spread.most) == (3 * 4 * 452, 3 * 4096, 3 * 4096)
    assert (spread.block_of_least, spread.block_of_most) == ((2, 0, 0), (0, 0, 0))
    assert counts.flops_per_block.least == counts.flops_per_block.most == 1024


def test_an_array_that_is_read_twice_and_written() -> None:
    """In place: what is read and written is attributed to each parameter by itself."""
    x = np.ones(1024, np.float32)
    counts = vector_add(1024, x, x, x)
    assert [(a.read.bytes, a.written.bytes) for a in counts.arrays] == [
        (4096, 0),
        (4096, 0),
        (0, 4096),
    ]
    np.testing.assert_array_equal(x, 2)


def test_a_matrix_product_by_hand() -> None:
    """Tiles of 64x64 over slices of 32: each of them is computed, none beyond the edge is read."""
    m, k, n = 100, 70, 90
    x, y, z = (np.zeros(shape, np.float16) for shape in ((m, k), (k, n), (m, n)))
    fixture = Launch("matmul")
    args: list[Any] = [each for a in (x, y, z) for each in (a, *a.shape, a.shape[1], 1)]
    assert len(args) == len(fixture.parameters)
    counts = counted(newest("matmul"), fixture.entry, (2, 2), args)
    left, right, result = counts.arrays
    assert (left.read.bytes, left.read.distinct) == (2 * 2 * m * k, 2 * m * k)
    assert (right.read.bytes, right.read.distinct) == (2 * 2 * k * n, 2 * k * n)
    assert (result.written.bytes, result.written.distinct) == (2 * m * n, 2 * m * n)
    trips = 2 * 2 * 3
    [products] = [each for each in counts.flops if each.products]
    assert (products.type, products.products) == ("f16", trips * 2 * 64 * 64 * 32)
    [loop] = counts.loops
    assert (loop.entered, loop.trips, loop.per_block.least, loop.per_block.most) == (4, trips, 3, 3)
    assert loop.location.rpartition("/")[2].startswith("matrix.py:")


def test_a_histogram_by_hand() -> None:
    fixture = Launch("histogram")
    arrays = fixture.arrays()
    counts = counted(newest("histogram"), fixture.entry, fixture.grid, fixture.arguments(arrays))
    names = [row.get("array") for row in fixture.parameters]
    values = arrays[names[0]]
    [bins] = [array for array in counts.arrays if array.atomics]
    size = arrays[names[bins.parameter]].size
    inside = values[(values >= 0) & (values < size)]
    assert (bins.atomics, bins.atomic_addresses) == (inside.size, len(np.unique(inside)))
    assert bins.read == bins.written
    assert bins.read.bytes == bins.atomics * arrays[names[bins.parameter]].itemsize


def test_trips_that_depend_on_data() -> None:
    """Each block has a number, and takes as many trips as it has steps."""
    fixture = Launch("collatz")
    arrays = fixture.arrays()
    counts = counted(newest("collatz"), fixture.entry, fixture.grid, fixture.arguments(arrays))
    [loop] = counts.loops
    steps = arrays[fixture.outputs[0]][: fixture.grid[0]]
    trips = loop.per_block
    assert (trips.least - steps.min(), trips.most - steps.max()) in ((0, 0), (1, 1))
    assert trips.block_of_most == (int(steps.argmax()), 0, 0)
    assert loop.entered == fixture.grid[0]
    assert loop.trips - steps.sum() in (0, loop.entered)


def test_softmax_by_hand() -> None:
    """A row of 64, of which some are padding: maximum, difference, power, sum, quotient."""
    fixture = Launch("softmax")
    args = fixture.arguments(fixture.arrays())
    counts = counted(newest("softmax"), fixture.entry, fixture.grid, args)
    assert counts.flops_per_block.most == 63 + 64 + 64 + 63 + 64
    source = args[0]
    assert counts.arrays[0].read.bytes == source.nbytes == counts.arrays[0].read.distinct


def test_a_gather_with_a_mask() -> None:
    """Only chosen elements are read, one of them three times."""
    x, z = np.arange(64, dtype=np.int32), np.zeros(8, np.int32)
    kernel = Kernel()
    places = kernel.load(np.array([5, 5, 5, 60, 7, 8, 100, 9], np.int32))
    limit = kernel.load(np.full(8, 64, np.int32))
    base = f"%array{len(kernel.arrays)}_base"
    kernel.arrays.append(x)
    kernel.line(f"%one = reshape {base} : tile<ptr<i32>> -> tile<1xptr<i32>>")
    kernel.line("%all = broadcast %one : tile<1xptr<i32>> -> tile<8xptr<i32>>")
    kernel.line(f"%at = offset %all, {places} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>")
    kernel.line(f"%in = cmpi less_than {places}, {limit}, signed : tile<8xi32> -> tile<8xi1>")
    kernel.line("%pad = constant <i32: 0> : tile<8xi32>")
    kernel.line("%got, %t = load_ptr_tko weak %at, %in, %pad : tile<8xptr<i32>>, tile<8xi1>, "
                "tile<8xi32> -> tile<8xi32>, token")  # fmt: skip
    kernel.store("%got", z)
    counts = counted(tileir.assemble(kernel.module()), "k", 1, kernel.arrays)
    [row] = [each for each in counts.accesses if each.op == "load_ptr_tko"]
    assert (row.elements, row.bytes) == (7, 28)
    array = next(each for each in counts.arrays if each.parameter == row.parameter)
    assert (array.read.bytes, array.read.distinct) == (28, 20)
    assert (counts.total_flops, counts.flops) == (0, ())


def test_many_threads_and_blocks_lose_nothing() -> None:
    n = 1 << 18
    x, y, z = (np.zeros(n, np.float32) for _ in range(3))
    counts = vector_add(n, x, y, z)
    assert (counts.bytes_read, counts.total_flops, counts.distinct_bytes) == (8 * n, n, 12 * n)


def test_memory_of_unknown_extent_has_no_distinct_bytes() -> None:
    x, y, z = (np.zeros(1024, np.float32) for _ in range(3))
    counts = vector_add(1024, x.ctypes.data, Buffer(y.ctypes.data, y.nbytes), z)
    first, second, _ = counts.arrays
    assert (first.read.bytes, first.read.distinct, first.size) == (4096, None, None)
    assert (second.read.bytes, second.read.distinct) == (4096, 4096)
    assert (counts.distinct_bytes, counts.intensity_at_best) == (None, None)
    assert "?" in str(counts)
    huge = Buffer(y.ctypes.data, 1 << 40)
    assert vector_add(1024, x, huge, z).arrays[1].read.distinct is None


def test_an_empty_grid_counts_nothing() -> None:
    x = np.zeros(4, np.float32)
    counts = vector_add(0, x, x, x)
    assert (counts.bytes_read, counts.total_flops, counts.intensity) == (0, 0, None)
    assert counts.bytes_per_block.block_of_least is None


def test_json_has_all_of_it() -> None:
    x, y, z = (np.zeros(1024, np.float32) for _ in range(3))
    counts = vector_add(1024, x, y, z)
    data = json.loads(json.dumps(counts.to_json()))
    assert data["arrays"][0]["read"] == {"bytes": 4096, "distinct": 4096}
    assert data["intensity"] == counts.intensity
    assert data["flops"] == [{"type": "f32", "products": 0, "others": 1024, "is_float": True}]


def test_it_comes_from_the_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    x, y, z = (np.zeros(1024, np.float32) for _ in range(3))
    first, again = (vector_add(1024, x, y, z) for _ in range(2))
    assert first == again


def test_kernels_that_do_not_count() -> None:
    """Their code is that without counters, and a launch says what is missing."""
    x = np.zeros(1024, np.float32)
    kernel = compile(VECTOR_ADD)["vector_add"]
    with pytest.raises(TypeError, match="compiled with count=True"):
        kernel.launch(1, [x, 1024, 1] * 3, on_counts=print)
    with pytest.raises(UnsupportedError, match="count on target host, not on sm_90"):
        compile(VECTOR_ADD, "sm_90", count=True)
    compile(VECTOR_ADD, count=True)["vector_add"].launch(1, [x, 1024, 1] * 3)


def test_more_blocks_than_rows_fit() -> None:
    x = np.zeros(4, np.float32)
    kernel = compile(VECTOR_ADD, count=True)["vector_add"]
    with pytest.raises(LaunchError, match="no memory for what 281474943156225 blocks count"):
        kernel.launch((0xFFFFFF, 0xFFFFFF), [x, 4, 1] * 3, on_counts=print)


@pytest.mark.parametrize("damage", [{"size": 1}, {"maps": [[1, "read"]]}, {"loops": [{}]}])
def test_damaged_counters_are_refused(damage: dict[str, Any]) -> None:
    """Machine code that counts into other places than its table says would write anywhere."""
    data = compile(VECTOR_ADD, count=True)["vector_add"].info.to_json()
    data = json.loads(json.dumps(data))
    assert KernelInfo.from_json(data).counters == data["counters"]
    data["counters"] |= damage
    with pytest.raises(ValueError, match="metadata"):
        KernelInfo.from_json(data)


def test_operations_behind_an_exit_of_a_loop() -> None:
    """The loop is left before its additions in the sixth trip; every third trip ends before the
    multiplication, and a fold with a branch in its region takes it for some elements alone."""
    x, z = np.array([1, 5, 2, 7], np.float32), np.zeros(4, np.float32)
    kernel = Kernel()
    tile = kernel.load(x)
    four, single = "tile<4xf32>", "tile<f32>"
    for name, value in (("one", 1), ("three", 3), ("last", 5)):
        kernel.line(f"%{name} = constant <i32: {value}> : tile<i32>")
    kernel.line(f"""
    %end:2 = loop iter_values(%n = %zero, %sum = {tile}) : tile<i32>, {four} -> tile<i32>, {four} {{
      %next = addi %n, %one : tile<i32>
      %over = cmpi greater_than %next, %last, signed : tile<i32> -> tile<i1>
      if %over {{
        break %next, %sum : tile<i32>, {four}
      }} else {{
      }}
      %more = addf %sum, {tile} : {four}
      %rest = remi %next, %three signed : tile<i32>
      %third = cmpi equal %rest, %zero, signed : tile<i32> -> tile<i1>
      if %third {{
        continue %next, %more : tile<i32>, {four}
      }} else {{
      }}
      %product = mulf %more, %more : {four}
      continue %next, %product : tile<i32>, {four}
    }}
    %fold = scan {tile} dim=0 reverse=false identities=[0.000000e+00 : f32] : {four} -> {four}
    (%before: {single}, %element: {single}) {{
      %greater = cmpf greater_than ordered %element, %before : {single} -> tile<i1>
      %chosen = if %greater -> ({single}) {{
        %both = addf %element, %before : {single}
        %twice = addf %both, %both : {single}
        yield %twice : {single}
      }} else {{
        yield %before : {single}
      }}
      yield %chosen : {single}
    }}""")
    kernel.line(f"%result = addf %end#1, %fold : {four}")
    kernel.store("%result", z)
    counts = counted(tileir.assemble(kernel.module()), "k", 1, kernel.arrays)
    model = seen(tileir.assemble(kernel.module()), "k", [1], [aligned(a) for a in kernel.arrays])
    [loop] = counts.loops
    assert (loop.entered, loop.trips) == (1, 6)
    [found] = counts.flops
    # 5 is more than 1, and makes 12 with it, which neither 2 nor 7 is more than.
    assert found.others == model.flops["f32", False] == 4 * 5 + 4 * 4 + 2 + 4
