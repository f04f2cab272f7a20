"""Launches by roles: arrays bring extents and strides along, or are refused with a reason."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tileir
from tests.corpus import FIXTURES
from tests.launches import NAMES, Launch, newest
from tests.tileir.launch.test_roles import UNORDERED
from tileir.codegen.arguments.by_role import Parameters, arguments_of
from tileir.errors import LaunchError
from tileir.launch.roles import roles_of

SCALED = """
entry @scaled(%n: tile<i32>, %z: tile<ptr<f32>>, %m: tile<i32>, %x: tile<ptr<f32>>,
              %down: tile<i64>, %factor: tile<f32>) {
  %n_1 = exti %n unsigned : tile<i32> -> tile<i64>
  %m_1 = exti %m unsigned : tile<i32> -> tile<i64>
  %vz = make_tensor_view %z, shape = [%n_1, %m_1], strides = [%m_1, 1]
    : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
  %vx = make_tensor_view %x, shape = [%n_1, %m_1], strides = [%down, 1]
    : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
  %x0, %y0, %z0 = get_tile_block_id : tile<i32>
  %px = make_partition_view %vx : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %pz = make_partition_view %vz : partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %read = load_view_tko weak %px[%x0, %y0] : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x8xf32>, token
  %f_1 = reshape %factor : tile<f32> -> tile<1x1xf32>
  %f_8 = broadcast %f_1 : tile<1x1xf32> -> tile<8x8xf32>
  %product = mulf %tile, %f_8 : tile<8x8xf32>
  %stored = store_view_tko weak %product, %pz[%x0, %y0] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}"""  # noqa: E501 - as it is printed
"""z = x * factor, in no order of anybody's; z has no gaps, as its rows are as far apart as long."""


@cache
def kernel(target: str) -> Any:
    """SCALED, compiled for the host, or for a GPU and loaded into the emulator."""
    compiled = tileir.compile(tileir.assemble(SCALED), target, cache=False)
    return compiled["scaled"] if target == "host" else tileir.emulator.load(compiled)["scaled"]


def numbers(*shape: int) -> np.ndarray:
    """Numbers that all differ."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("target", ["host", "sm_80"])
def test_launches(target: str) -> None:
    x, z = numbers(20, 30)[:, 5:16], np.zeros((20, 11), np.float32)
    kernel(target).launch_arrays((3, 2), z, x, 2.0)
    assert np.array_equal(z, 2 * x)


def test_any_view_is_either_right_or_refused() -> None:
    """A view of memory that is taken is computed as NumPy has it."""
    random = np.random.default_rng(22)
    base, taken = numbers(24, 24), 0
    refused: list[str] = []
    for _ in range(120):
        cuts = [slice(*sorted(random.integers(0, 25, 2)), random.choice([1, 1, 2])) for _ in "xy"]
        x = base[tuple(cuts)]
        x = x.T if random.random() < 0.3 else x
        z = np.zeros(x.shape, np.float32)
        try:
            kernel("host").launch_arrays((3, 3), z, x, 3.0)
        except LaunchError as problem:
            refused.append(str(problem))
        else:
            assert np.array_equal(z, 3 * x)
            taken += x.size > 1
    assert taken > 30
    assert len(refused) > 30
    assert all("where the kernel assumes 1; pass x.copy() or np" in text for text in refused)


X, Z = numbers(16, 8), np.zeros((16, 8), np.float32)
REFUSED: list[tuple[tuple[Any, ...], str]] = [
    ((Z.T, X.T, 2.0), (r"parameter 1 \(ptr<f32>\): array 0 has a stride of 8 along dimension 1, "
     r"where the kernel assumes 1; pass x\.copy\(\) or np\.ascontiguousarray\(x\), and keep it: "
     "the kernel writes to it$")),
    ((Z, X[:, ::-1], 2.0), r"parameter 3 .*: array 1 has a stride of -1 along dimension 1"),
    ((Z, X[::-1], 2.0), "a stride of -8 along dimension 0, where the kernel assumes at least 0"),
    ((Z[0], X, 2.0), r"array 0 has shape \(8,\), where the kernel assumes a rank of 2; reshape it"),
    ((Z, X.astype("f8"), 2.0), (r"array 1 is of float64, where the kernel assumes float32; "
     r"pass x\.astype\('float32'\)$")),
    ((Z, X[:8], 2.0), (r"parameter 0 \(i32\): it is extent 0 of array 0, here 16, and extent 0 of "
     "array 1, here 8; pass arrays that agree")),
    ((numbers(16, 16)[:, :8], X, 2.0), (r"parameter 2 \(i32\): it is extent 1 of array 0, here 8, "
     "and stride 0 of array 0, here 16; pass an array without gaps, such as x.copy()")),
    ((as_strided(Z, (16, 8), (0, 4)), X, 2.0), ("array 0 repeats the same elements along dimension "
     "0, where the kernel writes to each")),
    ((Z, X), "scaled takes 2 arrays and 1 number, as kernel.roles says, not 2 arguments"),
    ((Z, X, 2.0, 3), "not 4 arguments"),
    ((Z, tileir.Buffer(0, 64), 2.0), "array 1 has to have a shape, and Buffer has none"),
    ((Z, 64, 2.0), "array 1 has to have a shape, and int has none"),
    ((Z, X.view("S4"), 2.0), "is of bytes32, where"),
    ((Z, X.view(">f4"), 2.0), "scaled: array 1: expected native byte order, got >f4"),
    ((Z, np.zeros((16, 8), "i4,u1")["f0"].view("f4"), 2.0), ("stride of 5 bytes, no multiple of the"
     " 4 of an element; pass x")),
    ((Z, X, X), r"parameter 5 \(f32\)"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_a_kernel_assumes_otherwise_is_refused_alike(given: Any, message: str) -> None:
    """The host and a GPU say the same."""
    texts = []
    for target in ("host", "sm_80"):
        with pytest.raises(LaunchError, match=message) as refused:
            kernel(target).launch_arrays((2, 1), *given)
        texts.append(str(refused.value))
    assert texts[0] == texts[1]
    assert not Z.any()


def test_a_gpu_refuses_before_it_needs_a_driver() -> None:
    compiled = tileir.compile(tileir.assemble(SCALED), "sm_80")["scaled"]
    with pytest.raises(LaunchError, match="array 1 has a stride of 8 along dimension 1"):
        compiled.launch_arrays(1, Z, X.T, 2.0)


def test_every_fixture_gets_what_cutile_passes() -> None:
    """The arguments that come with fixtures were made from the same arrays by other code."""
    sources = (FIXTURES / "SOURCES.md").read_text()
    by_cutile = set(re.findall(r"\| 13\.\d/(\w+)\.tileirbc \| cuTile,", sources))
    by_roles = 0
    for name in filter(by_cutile.__contains__, NAMES):
        launch, bytecode = Launch(name), newest(name)
        function = bytecode.function(launch.entry)
        elements = [parameter.element for parameter in function.type.parameters]
        arrays = {key: aligned(array) for key, array in launch.arrays().items()}
        flat, given, at = launch.arguments(arrays), [], 0
        while at < len(flat):
            given.append(flat[at])
            at += 1 + (2 * flat[at].ndim if isinstance(flat[at], np.ndarray) else 0)
        described = Parameters(function.name, elements, roles_of(function.body), ())
        assert same(arguments_of(described, given, "cutile"), flat), name
        if all(role.shape is not None for role in described.roles.arrays):
            assert same(arguments_of(described, given), flat), name
            by_roles += 1
    assert by_roles > 40


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy at a multiple of 256."""
    room = np.empty(array.nbytes + 256, np.uint8)
    start = -room.ctypes.data % 256
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def same(found: list[Any], expected: list[Any]) -> bool:
    pairs = zip(found, expected, strict=True)
    return all(a is b if isinstance(a, np.ndarray) else a == b for a, b in pairs)


def checked(text: str, *given: Any, convention: Any = None) -> list[Any]:
    """The arguments of the first entry of a text, or a name of a fixture."""
    bytecode = tileir.assemble(text) if "@" in text else newest(text)
    function = bytecode.functions[0]
    elements = [parameter.element for parameter in function.type.parameters]
    kernel = Parameters(function.name, elements, roles_of(function.body), ())
    return arguments_of(kernel, given, convention)


def refused(text: str, *given: Any, convention: Any = None) -> str:
    with pytest.raises(LaunchError) as problem:
        checked(text, *given, convention=convention)
    return re.sub("0x[0-9a-f]+", "N", str(problem.value))


def test_constants_divisors_and_bounds() -> None:
    room = aligned(np.zeros(4096, np.int32))
    whole = room.reshape(64, 64)
    assert checked("static_layout", whole[:8], whole[:8])[1:5] == [8, 64, 64, 1]
    assert refused("static_layout", whole[:7], whole[:8]) == (
        "static_layout: parameter 0 (ptr<i32>): array 0 has an extent of 7 along dimension 0, where"
        " the kernel assumes 8; pass such an array"
    )
    assert refused("assumed_layout", whole[:, :40], whole) == (
        "assumed_layout: parameter 0 (ptr<i32>): array 0 has an extent of 40 along dimension 1,"
        " where the kernel assumes a multiple of 32; pass such an array"
    )
    odd = room[: 8 * 72].reshape(8, 72)
    assert refused("assumed_layout", odd[:, :64], whole) == (
        "assumed_layout: parameter 0 (ptr<i32>): array 0 has a stride of 72 along dimension 0,"
        " where the kernel assumes a multiple of 32; pass x.copy() or np.ascontiguousarray(x)"
    )
    assert refused("assumed_layout", whole, room[4 : 4 + 8 * 64].reshape(8, 64)) == (
        "assumed_layout: parameter 5 (ptr<i32>): array 1 is at address N, where the kernel assumes"
        " a multiple of 128; pass x.copy() or np.ascontiguousarray(x), which starts at one"
    )


def test_columns_first() -> None:
    """What copy is advised has the strides that the kernel assumes."""
    x = np.zeros((8, 64), np.float32)
    assert refused(UNORDERED, x, 1.0, x) == (
        "unordered: parameter 1 (ptr<f32>): array 0 has a stride of 64 along dimension 0, where the"
        " kernel assumes 1; pass an array that is laid out so"
    )
    tall = np.zeros((64, 8), np.float32)
    assert refused(UNORDERED, tall, 1.0, tall).endswith("; pass np.asfortranarray(x)")
    assert checked(UNORDERED, np.asfortranarray(tall), 1.0, tall)[::5] == [64, 8]


def test_strides_that_nothing_multiplies() -> None:
    """Of one row or of no elements, strides are what the kernel assumes."""
    one = aligned(np.zeros(320, np.int32))
    row = as_strided(one, (4, 32), (32 * 4, 4))[:4]
    assert checked("assumed_layout", row, row)[3:5] == [32, 1]
    none = np.zeros((0, 32), np.int32)[:, ::-1]
    assert checked("assumed_layout", none, none)[1:5] == [0, 32, 0, 1]
    assert checked(SCALED, Z[:0], np.zeros((0, 8), "i4,u1")["f0"].view("f4"), 1.0)[0] == 0
    assert checked(WIDE, as_strided(X, (1, 8), (16, 4)))[2] == 16
    half = aligned(np.zeros((16, 16), np.float16))
    assert checked("matmul", as_strided(half, (1, 16), (1 << 40, 2)), half, half[:1])[3] == 0
    single = as_strided(aligned(X), (1, 1), (4 * 5, 4))
    assert checked(UNORDERED, single, 1.0, single)[3] == 8  # the next multiple of 8


def test_scalars_and_plain_pointers_are_checked_too() -> None:
    text = """
        entry @k(%n: tile<i32>, %x: tile<ptr<i8>>, %y: tile<ptr<i32>>) {
          %m = assume bounded<1, 64>, %n : tile<i32>
          %k = assume div_by<4>, %m : tile<i32>
          %p = assume div_by<32>, %x : tile<ptr<i8>>
          return
        }"""
    room = aligned(np.zeros(64, np.int8))
    assert checked(text, 8, room[32:], 0)[2] == 0
    assert checked(text, 8, 64, tileir.Buffer(0, 64))[1] == 64
    assert refused(text, 6, room, 0) == (
        "k: parameter 0 (i32): got 6, where the kernel assumes a multiple of 4"
    )
    assert "got 68, where the kernel assumes at most 64" in refused(text, 68, room, 0)
    assert "got 0, where the kernel assumes at least 1" in refused(text, np.int8(0), room, 0)
    assert "array 0 is at address N, where the kernel" in refused(text, 8, room[8:], 0)
    assert "array 1 is of int8, where the kernel assumes int32 or" in refused(text, 8, room, room)


def test_the_convention_of_cutile() -> None:
    x = aligned(np.arange(64, dtype=np.int32))
    assert checked("histogram", x, x, convention="cutile") == [x, 64, 1, x, 64, 1]
    assert "histogram takes 2 arrays and 4 numbers" in refused("histogram", x, x)
    assert refused("histogram", x, x).endswith("; of a kernel of cuTile, say convention='cutile'")
    assert "array 0 has a stride of 2 along dimension 0, where the kernel assumes 1;" in refused(
        "histogram", x[::2], x, convention="cutile"
    )
    assert "do not lead by cuTile's convention" in refused("histogram", x, convention="cutile")
    assert "'cutile' or None, not 'numba'" in refused("histogram", x, x, convention="numba")


WIDE = """
    entry @k(%x: tile<ptr<f32>>, %n: tile<i32>, %down: tile<i64>, %m: tile<i32>) {
      %n_1 = exti %n unsigned : tile<i32> -> tile<i64>
      %n_2 = assume bounded<0, ?>, %n_1 : tile<i64>
      %m_1 = exti %m unsigned : tile<i32> -> tile<i64>
      %down_1 = assume bounded<16, ?>, %down : tile<i64>
      %v = make_tensor_view %x, shape = [%n_2, %m_1], strides = [%down_1, 1]
        : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
      return
    }"""


def test_a_wide_extent_does_not_fit_a_narrow_parameter() -> None:
    def many(extent: int, step: int) -> np.ndarray:
        return as_strided(np.zeros(1, np.float32), (extent, 1), (4 * step, 4))

    text = "an extent of 2147483648 along dimension 0, where the kernel assumes at most 2147483647"
    assert text in refused(UNORDERED, many(2**31, 0), 1.0, many(2**31, 0))
    assert checked(WIDE, many(2**32 - 1, 16))[1] == 2**32 - 1
    assert "assumes at most 4294967295" in refused(WIDE, many(2**32, 16))
    assert "a stride of 8 along dimension 0, where the kernel assumes at least 16" in refused(
        WIDE, many(4, 8)
    )


def test_strides_that_a_kernel_reads_are_not_constant() -> None:
    reads = """
        entry @k(%x: tile<ptr<i32>>, %n: tile<i32>, %step: tile<i32>) {
          %moved = offset %x, OFFSET : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
          return
        }"""
    x = np.zeros(64, np.int32)
    stepped = reads.replace("OFFSET", "%step")
    assert checked(stepped, x[::2], convention="cutile")[1:] == [32, 2]
    stepless = reads.replace("OFFSET", "%n")
    assert "where the kernel assumes 1" in refused(stepless, x[::2], convention="cutile")
    unread = "entry @k(%x: tile<ptr<i32>>, %n: tile<i32>, %step: tile<i32>) { return }"
    assert checked(unread, x[::2], convention="cutile")[1:] == [32, 2]


def test_the_convention_counts_where_a_view_has_another_rank() -> None:
    flat = """
        entry @k(%x: tile<ptr<i32>>, %a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %d: tile<i32>) {
          %v = make_tensor_view %x, shape = [%a], strides = [%d]
            : tile<i32> -> tensor_view<?xi32, strides=[?]>
          return
        }"""
    matrix = np.zeros((4, 8), np.int32)
    assert checked(flat, matrix, convention="cutile")[1:] == [4, 8, 8, 1]
    assert "a rank of 1" in refused(flat, matrix, 8, 8)


def test_two_elements_in_a_byte() -> None:
    text = """
        entry @k(%x: tile<ptr<f4E2M1FN>>, %n: tile<i32>, %m: tile<i32>, %down: tile<i32>) {
          %v = make_tensor_view %x, shape = [%n, %m], strides = [%down, 1]
            : tile<i32> -> tensor_view<?x?xf4E2M1FN, strides=[?,1]>
          return
        }"""
    packed = np.zeros((4, 16), np.uint8)
    assert checked(text, packed)[1:] == [4, 32, 32]
    assert checked(text, packed[::2, :8])[1:] == [2, 16, 64]
    assert checked(text, packed[:, ::16])[1:] == [4, 2, 32]
    assert "where two elements share a byte" in refused(text, packed[:, ::2])
    assert "is of float4_e2m1fn, where the kernel assumes uint8" in refused(
        text, np.zeros((4, 16), ml_dtypes.float4_e2m1fn)
    )


def test_arrays_of_other_libraries() -> None:
    x = np.asfortranarray(numbers(16, 8))

    class Lent:
        __array_interface__ = x.__array_interface__

    class OnGpu:
        __cuda_array_interface__ = {**x.__array_interface__, "version": 3}

    class Exchanged:
        __dlpack__ = x.__dlpack__
        __dlpack_device__ = x.__dlpack_device__

    class RowMajor:
        __cuda_array_interface__ = {**X.__array_interface__, "strides": None, "version": 3}

    for each in (Lent(), OnGpu(), Exchanged()):
        assert "has a stride of 16 along dimension 1" in refused(SCALED, Z, each, 1.0)
    for good in (RowMajor(), X):
        assert checked(SCALED, Z, good, 1.0)[4] == 8

    class Broken:
        __cuda_array_interface__ = {"shape": (1,)}

    class Short:
        __cuda_array_interface__ = {**X.__array_interface__, "strides": (4,), "version": 3}

    for broken in (Broken(), Short()):
        assert "array 1: its __cuda_array_interface__ cannot be used" in refused(
            SCALED, Z, broken, 1.0
        )
