"""Launches through the real bindings, on a driver that runs kernels on the emulator."""

from __future__ import annotations

import ctypes
import gc
import struct
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tileir
from tests.launches import newest
from tileir import Buffer
from tileir.codegen.device import launch as launching
from tileir.errors import DeviceError, KernelAssertionError, LaunchError

from . import standin
from .launched import check_fixture
from .standin import Driver

FIXTURES = (
    "vector_add", "softmax", "atomic_sum_f32", "from_fp8", "print_values", "two_entries",
    "transpose", "helper_calls",
)  # fmt: skip


@pytest.mark.parametrize("name", FIXTURES)
def test_fixtures(name: str, driver: Driver) -> None:
    """What a driver is told is enough to get the expected bits."""
    check_fixture(name, "sm_90")
    assert not driver.memory  # what was allocated has been freed


def stored(element: str) -> Any:
    """A kernel that stores its second parameter where the first one points."""
    return compiled(f"""
        entry @store(%place: tile<ptr<{element}>>, %number: tile<{element}>) {{
          %done = store_ptr_tko weak %place, %number
            : tile<ptr<{element}>>, tile<{element}> -> token
          return
        }}""")


@pytest.fixture
def room(driver: Driver) -> Iterator[np.ndarray]:
    """Some of the device's memory."""
    array = np.zeros(64, np.uint8)
    driver.lend(array)
    yield array
    assert driver.problem is None


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        ("i8", -3, struct.pack("<b", -3)),
        ("i16", 65535, struct.pack("<H", 65535)),
        ("i64", -(2**63), struct.pack("<q", -(2**63))),
        ("f16", 0.1, struct.pack("<e", 0.1)),
        ("f32", 0.1, struct.pack("<f", 0.1)),
        ("f64", 0.1, struct.pack("<d", 0.1)),
        ("bf16", 1.5, b"\xc0\x3f"),
    ],
)
def test_numbers(element: str, value: Any, expected: bytes, room: np.ndarray) -> None:
    stored(element).launch(1, [Buffer(room.ctypes.data, 64), value])
    assert room[: len(expected)].tobytes() == expected


def compiled(text: str, target: str = "sm_90") -> Any:
    """The only entry of a text."""
    (kernel,) = tileir.compile(tileir.assemble(text, version="13.5"), target).values()
    return kernel


def add(grid: Any = 1) -> None:
    """Add vectors of eight at address 0."""
    kernel = tileir.compile(newest("vector_add"), "sm_90")["vector_add"]
    kernel.launch(grid, [part for _ in range(3) for part in (0, 8, 1)])


def test_the_configuration_is_the_plan(driver: Driver) -> None:
    kernel = compiled("entry @idle() { return }")
    kernel.launch((2, 3), [])
    ((config, *clusters),) = driver.launches
    assert (list(config.grid), list(config.block)) == ([2, 3, 1], kernel.plan["block"])
    assert (config.shared, config.stream, clusters) == (0, None, [])


def test_a_stream_is_not_waited_for(driver: Driver, room: np.ndarray) -> None:
    kernel = stored("f32")
    kernel.launch(1, [room.ctypes.data, 1.0], stream=SimpleNamespace(cuda_stream=0x70))
    assert driver.launches[0][0].stream == 0x70
    assert "cuStreamSynchronize" not in driver.calls
    kernel.launch(1, [room.ctypes.data, 1.0])
    assert "cuStreamSynchronize" in driver.calls


def test_code_is_loaded_once_and_unloaded(driver: Driver) -> None:
    gc.collect()  # what earlier tests left
    before = len(driver.libraries)
    text = "entry @one() { return }\nentry @other() { return }"
    compilation = tileir.compile(tileir.assemble(text, version="13.5"), "sm_90")
    for kernel in list(compilation.values()) * 2:
        kernel.launch(1, [])
    assert driver.calls.count("cuLibraryLoadData") == 1
    assert len(driver.launches) == 4
    assert len(driver.libraries) == before + 1
    del compilation, kernel
    gc.collect()
    assert len(driver.libraries) == before


def test_code_may_be_loaded_before(driver: Driver) -> None:
    text = "entry @one() { return }"
    kernel = tileir.compile(tileir.assemble(text, version="13.5"), "sm_90")["one"]
    kernel.load()
    assert driver.calls.count("cuLibraryLoadData") == 1
    assert not driver.launches
    kernel.launch(1, [])
    assert driver.calls.count("cuLibraryLoadData") == 1


def test_errors_call_a_kernel_by_its_symbol(driver: Driver) -> None:
    text = 'entry @"a::b"() { return }'
    kernel = tileir.compile(tileir.assemble(text, version="13.5"), "sm_120")["a::b"]
    with pytest.raises(LaunchError, match=r"^a::b takes 0 arguments"):
        kernel.launch(1, [1])
    for use in (kernel.load, lambda: kernel.launch(1, [])):
        with pytest.raises(LaunchError, match=r"^a::b: it was compiled for sm_120"):
            use()


def changed_plan(kernel: Any, **changes: Any) -> None:
    """Launch with a plan that says something else."""
    plan = {**kernel.plan, **changes}
    launching.launch(kernel.symbol, plan, kernel.elements, kernel._image, 4, [64, 0.5], 0x70)


def test_shared_memory_above_what_everyone_gets(driver: Driver) -> None:
    changed_plan(stored("f32"), dynamic_shared_memory=48 << 10)
    assert driver.allowed == {}
    changed_plan(stored("f32"), dynamic_shared_memory=100_000)
    assert driver.allowed == {("store", standin.MAX_DYNAMIC_SHARED): 100_000}
    assert driver.launches[-1][0].shared == 100_000
    driver.most_shared = 99_000
    launching.driver.shared_memory.cache_clear()
    with pytest.raises(LaunchError, match=r"^store: a block needs 100000 bytes .* GPU has 99000"):
        changed_plan(stored("f32"), dynamic_shared_memory=100_000)


@pytest.mark.parametrize(
    ("options", "blocks", "clusters"),
    [
        ({"num_ctas": 2}, [4, 1, 1], [(2, 1, 1)]),
        ({"num_ctas": 2, "blocksareclusters": True}, [2, 1, 1], []),
    ],
)
def test_clusters(
    options: dict[str, Any], blocks: list[int], clusters: list[tuple[int, ...]],
    driver: Driver,
) -> None:  # fmt: skip
    """Two tiles, each by a cluster; the driver is told of it, or reads it in the PTX."""
    kernel = tileir.compile(newest("vector_add"), "sm_90", **options)["vector_add"]
    out = np.zeros(2000, np.float32)
    driver.lend(out)
    ones = np.ones(2000, np.float32)
    driver.lend(ones)
    places = [ones.ctypes.data, ones.ctypes.data, out.ctypes.data]
    kernel.launch(2, [part for place in places for part in (place, 2000, 1)])
    ((config, *asked),) = driver.launches
    assert (list(config.grid), asked) == (blocks, clusters)
    assert (out == 2).all()


def test_clusters_that_not_every_gpu_has(driver: Driver) -> None:
    """Without leave the driver refuses more than eight blocks."""
    idle = tileir.assemble("entry @idle() { return }")
    for blocks, allowed in ((8, {}), (16, {("idle", standin.LARGE_CLUSTERS): 1})):
        tileir.compile(idle, "sm_90", num_ctas=blocks)["idle"].launch(1, [])
        assert driver.allowed == allowed


@pytest.mark.parametrize(("blocks", "at_once"), [(2, 2), (3, 3), (100, 8)])
def test_the_heap_holds_what_blocks_take(blocks: int, at_once: int, driver: Driver) -> None:
    """No less than it was, and enough for as many blocks as the device runs at once."""
    driver.limits[standin.HEAP] = 5000
    kernel = compiled("""
        entry @takes() {
          %memory = alloca num_elem = 1000, alignment = 4 global : tile<ptr<i8>>
          %one = constant <i8: 1> : tile<i8>
          %t = store_ptr_tko weak %memory, %one : tile<ptr<i8>>, tile<i8> -> token
          return
        }""")
    assert kernel.plan["heap"] == 1000
    kernel.launch(blocks, [])
    assert driver.limits[standin.HEAP] == max(5000, 2 * at_once * 1000)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ((1, 65536), "grid extent 65536 along y is more than 65535"),
        (1 << 24, "grid extent 16777216 is not within 0 to 16777215"),
        ("x", "the grid must be integers"),
    ],
)
def test_wrong_grids(grid: Any, message: str, driver: Driver) -> None:
    with pytest.raises(LaunchError, match=f"^vector_add: {message}"):
        add(grid)


def test_the_gpu_of_the_arguments(driver: Driver) -> None:
    """Without a context it is chosen; with the context of another GPU it is an error."""
    array = np.zeros(1, np.float32)
    driver.lend(array, device=1)
    given = SimpleNamespace(__cuda_array_interface__=array.__array_interface__)
    kernel = stored("f32")
    kernel.launch(1, [given, 1.5])
    assert (array[0], driver.current) == (1.5, standin.CONTEXTS + 1)
    driver.current = standin.CONTEXTS
    message = "^store: parameter 0 is memory of GPU 1, but GPU 0 is the current one"
    with pytest.raises(LaunchError, match=message):
        kernel.launch(1, [given, 2.5])
    assert array[0] == 1.5


@pytest.mark.parametrize(
    ("capability", "target", "fits"),
    [
        ((9, 0), "sm_80", True), ((8, 9), "sm_90", False), ((12, 1), "sm_120", True),
        ((10, 7), "sm_107", True), ((10, 0), "sm_107", False), ((9, 0), "sm_90a", True),
        ((10, 0), "sm_90a", False), ((10, 7), "sm_103a", False),
    ],
)  # fmt: skip
def test_the_gpu_must_run_the_code(
    capability: tuple[int, int], target: str, fits: bool, driver: Driver
) -> None:
    driver.capability = capability
    kernel = compiled("entry @idle() { return }", target)
    if fits:
        kernel.launch(1, [])
        return
    name = f"sm_{capability[0]}{capability[1]}"
    with pytest.raises(LaunchError, match=f"was compiled for {target}, but the GPU is {name}"):
        kernel.launch(1, [])


@pytest.mark.parametrize(
    ("ptx_target", "fitting"),
    [
        ("sm_90", [(9, 0), (10, 0), (10, 3), (12, 0)]),
        ("sm_90a", [(9, 0)]),
        ("sm_103", [(10, 3), (12, 0)]),
    ],
)
def test_suffixes_of_targets(ptx_target: str, fitting: list[tuple[int, int]]) -> None:
    for capability in [(8, 9), (9, 0), (10, 0), (10, 3), (12, 0)]:
        try:
            launching.check_target({"target": "sm_90", "ptx_target": ptx_target}, capability)
            assert capability in fitting
        except LaunchError as problem:
            assert capability not in fitting
            said = str(problem).endswith("; PTX for sm_90a runs on 9.0 alone")
            assert said == (ptx_target == "sm_90a")


def test_a_false_assertion(driver: Driver, capsys) -> None:
    kernel = compiled("""
        entry @positive(%n: tile<i32>) {
          %zero = constant <i32: 0> : tile<i32>
          %holds = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
          assert %holds, "n is positive" : tile<i1>
          return
        }""")
    kernel.launch(1, [1])
    assert capsys.readouterr().out == ""
    with pytest.raises(
        KernelAssertionError, match=r"assertion is false; .* in positive$"
    ) as caught:
        kernel.launch(1, [0])
    assert caught.value.block is None
    assert "n is positive" in capsys.readouterr().out
    without = {**kernel.plan, "asserts": False}
    with pytest.raises(DeviceError, match=r"^positive: .*CUDA_ERROR_ASSERT"):
        launching.launch(kernel.symbol, without, kernel.elements, kernel._image, 1, [0], None)


def test_a_kernel_that_fails(driver: Driver) -> None:
    with pytest.raises(
        DeviceError, match=r"^vector_add: .* \(CUDA_ERROR_ILLEGAL_ADDRESS\)"
    ) as caught:
        add()
    assert caught.value.code == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert "bounds" in str(driver.problem)


def test_ptx_that_the_driver_refuses(driver: Driver) -> None:
    kernel = stored("f32")
    kernel._image._code_with = lambda _: ".entry store() {"
    with pytest.raises(DeviceError, match=r"(?s)CUDA_ERROR_INVALID_PTX\)\nsyntax: "):
        kernel.launch(1, [0, 1.0])


def test_arrays_bring_their_extents(driver: Driver) -> None:
    x, z = np.arange(2048, dtype=np.float32).reshape(32, 64), np.zeros((32, 64), np.float32)
    kernel = tileir.compile(newest("scaled_copy"), "sm_90")["scaled_copy"]
    for array in (x, z):
        driver.lend(array)
    lent = [SimpleNamespace(__cuda_array_interface__=each.__array_interface__) for each in (x, z)]
    kernel.launch_arrays((2, 2), *lent)
    assert np.array_equal(z, 1.5 * x)
    columns = SimpleNamespace(__cuda_array_interface__=x.T.__array_interface__)
    with pytest.raises(LaunchError, match="array 0 has a stride of 64 along dimension 1, where"):
        kernel.launch_arrays((2, 2), columns, lent[1])
    assert driver.problem is None


class Raw:
    """A kernel that takes an address and a number, launched without our launcher."""

    def __init__(self, driver: Driver, room: np.ndarray) -> None:
        self.entry = stored("f32")
        self.entry.launch(1, [room.ctypes.data, 1.0])
        self.kernel = list(driver.kernels)[-1]
        self.block, self.launch = self.entry.plan["block"], driver.cuLaunchKernel
        self.place, self.number = ctypes.c_uint64(room.ctypes.data), ctypes.c_float(2.5)

    def __call__(self, block: Any = None, shared: int = 0, size: int | None = None) -> int:
        """Launch; with a size, the arguments are in one buffer of so many bytes."""
        values = self.place, self.number
        each = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
        data = ctypes.create_string_buffer(b"".join(map(bytes, values)), 16)
        length = ctypes.c_size_t(size or 0)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(data), 2, ctypes.addressof(length), 0)
        grid, arguments = (1, 1, 1), ctypes.addressof(each)
        given = (arguments, None) if size is None else (None, ctypes.addressof(extra))
        return self.launch(self.kernel, *grid, *(block or self.block), shared, None, *given)


def test_the_stand_in_refuses_what_drivers_do(driver: Driver, room: np.ndarray) -> None:
    raw = Raw(driver, room)
    for wrong in (
        {"block": (1, 1, 1)}, {"shared": (48 << 10) + 1}, {"size": 8}, {"size": 16},
    ):  # fmt: skip
        assert raw(**wrong) == standin.INVALID_VALUE, wrong
    assert room[:4].view("f4") == 1
    for right in ({}, {"shared": 48 << 10}, {"size": 12}):
        room[:] = 0
        assert raw(**right) == standin.SUCCESS
        assert room[:4].view("f4") == 2.5
