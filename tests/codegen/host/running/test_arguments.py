"""Arguments as machine code gets them: addresses, extents, and what is refused and why."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.build import tile
from tileir import Buffer
from tileir.codegen.arguments.extents import of_allocations
from tileir.codegen.arguments.grid import check_grid
from tileir.codegen.host.running.arguments import Packer, pack
from tileir.codegen.host.running.kernel_info import KernelInfo
from tileir.codegen.host.running.launch import check_threads
from tileir.errors import LaunchError
from tileir.launch.array_address import address_of

from .passing import WAYS


class Info:
    """Entries with the given parameters, of which only the arguments matter."""

    def __new__(cls, *elements: str, written: tuple[int, ...] = ()) -> KernelInfo:
        kinds = tuple(tile(element).element for element in elements)
        offsets = tuple(8 * number for number in range(len(kinds)))
        return KernelInfo("entry", kinds, offsets, 8 * len(kinds), frozenset(written), 0)


def test_four_bit_elements_are_packed() -> None:
    packed = np.zeros(8, np.uint8)
    assert pack(Info("ptr<f4E2M1FN>"), [packed]).extents == [extent_of(packed)]
    unpacked = packed.astype(ml_dtypes.float4_e2m1fn)
    with pytest.raises(LaunchError, match=r"have one element a byte; pack two a byte into uint8"):
        pack(Info("ptr<f4E2M1FN>"), [unpacked])
    with pytest.raises(LaunchError, match="got uint16"):
        pack(Info("ptr<f4E2M1FN>"), [np.zeros(8, np.uint16)])


def test_the_advice_on_packing_is_right() -> None:
    """The even element is in the low half, as in memory of a tensor."""
    numbers = np.array([[1.5, -2, 6, 0.5]], ml_dtypes.float4_e2m1fn)
    a = numbers.view(np.uint8)
    low = (a[..., ::2] & 15 | a[..., 1::2] << 4) & 15
    np.testing.assert_array_equal(low.view(ml_dtypes.float4_e2m1fn), numbers[..., ::2])


USUAL = {
    "i8": [0, 127, -128, 255, np.int8(-3), True, 256, -129, 1.0, "1"],
    "i16": [-5, 65535, 65536, np.uint16(9)],
    "i32": [7, -(2**31), 2**32 - 1, 2**32, np.int64(3), np.array(4), np.array([4]), None],
    "i64": [-(2**63), 2**64 - 1, 2**64],
    "i1": [True, 0, 2],
    "f16": [0.1, 65504.0, 65520.0, 3, float("nan")],
    "f32": [0.1, 1e38, 1e39, 1, True, np.float64(0.1), np.float32(0.1), "x"],
    "f64": [0.1, -1e300, 10**400, np.float32(0.1)],
    "bf16": [0.1, 1e39],
}


def outcome(run) -> object:
    try:
        return bytes(run().data)
    except LaunchError as problem:
        return str(problem)


@pytest.mark.parametrize("element", USUAL)
def test_numbers_are_packed_the_same_the_second_time(element: str) -> None:
    info = Info("i32", element, "ptr<f32>")
    packer, array = Packer(info), np.zeros(3, np.float32)
    for value in USUAL[element]:
        args = [5, value, array]
        expected = outcome(lambda args=args: pack(info, args))
        for given in (args, tuple(args), args):
            assert outcome(lambda given=given: packer.pack(given)) == expected


def test_arrays_are_checked_the_same_the_second_time() -> None:
    info = Info("ptr<f32>", "ptr<f32>", written=(1,))
    packer, array = Packer(info), np.arange(4, dtype=np.float32)
    fixed, wrong = array.copy(), np.zeros(4, np.float64)
    fixed.flags.writeable = False
    shifted = np.zeros(17, np.uint8)[1:].view(np.float32)
    for _ in range(2):
        for args in (
            [array, array[::-2]], [fixed, array], [array, fixed], [wrong, array], [array, shifted],
            [array], [array, array, array], [array, array.astype(">f4")], [array, 64], 5,
            [array, Buffer(64, 8)], [array, np.zeros(0, np.float32)], iter([array, array]),
        ):  # fmt: skip
            again = args if not hasattr(args, "__next__") else [array, array]
            assert outcome(lambda a=args: packer.pack(a)) == outcome(lambda a=again: pack(info, a))


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "bool", "float8_e4m3fn"])
def test_addresses(kind: str) -> None:
    array = np.zeros((4, 6), kind)
    for part in (array, array[1:, ::-2], array[:0], array.T, array[2, 3, ...]):
        assert address_of(part) == part.ctypes.data


def extent_of(array: np.ndarray) -> tuple[int, int]:
    """By looking where each single element lies."""
    places = [array[(*index, None)].ctypes.data for index in np.ndindex(array.shape)]
    return min(places), max(places) + array.itemsize


def strided() -> dict[str, np.ndarray]:
    whole = np.zeros((6, 8), np.float32)
    return {
        "whole": whole, "column": whole[:, 3], "backwards": whole[::-1, ::-2],
        "inner": whole[2:4, 1:5], "turned": whole.T[::3],
        "repeated": np.broadcast_to(whole[1:2, ::-1], (5, 8)),
        "scalar": np.array(3, np.float32),
    }  # fmt: skip


@pytest.mark.parametrize("way", ["array", "interface", "dlpack", "old dlpack"])
@pytest.mark.parametrize("kind", strided())
def test_extents_of_arrays(kind: str, way: str) -> None:
    array = strided()[kind]
    if way == "old dlpack" and not array.flags.writeable:
        pytest.skip("this protocol cannot say that memory is read-only")
    packed = pack(Info("i32", "ptr<f32>"), [7, WAYS[way](array)])
    assert packed.extents == [extent_of(array)]
    assert int.from_bytes(packed.data[8:], "little") == array.ctypes.data


def test_extents_without_an_array() -> None:
    info = Info("ptr<f32>", "ptr<f32>", "ptr<f32>")
    assert pack(info, [64, Buffer(64, 100), np.int64(8)]).extents == [None, (64, 164), None]
    empty = np.zeros((3, 0), np.float32)
    ((low, high), _, _) = pack(info, [empty, 64, 64]).extents
    assert low == high != 0


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch", reason="torch is not needed, but its tensors are common")
    halves = torch.zeros(16, dtype=torch.bfloat16)
    packed = pack(Info("ptr<bf16>"), [halves])
    assert int.from_bytes(packed.data, "little") == halves.data_ptr()
    cut = torch.zeros(6, 8)[1:, 2:5]
    first = cut.data_ptr()
    assert pack(Info("ptr<f32>"), [cut]).extents == [(first, first + 4 * 8 * 4 + 3 * 4)]
    packed = torch.zeros(8, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    ((low, high),) = pack(Info("ptr<f4E2M1FN>"), [packed]).extents
    assert high - low == 8
    weights = torch.zeros(2, requires_grad=True)
    packed = pack(Info("ptr<f32>"), [weights])
    assert int.from_bytes(packed.data, "little") == weights.data_ptr()
    with pytest.raises(LaunchError, match=r"DLPack export failed|expected host memory"):
        pack(Info("ptr<f32>"), [torch.zeros(2, device="meta")])


class Broken:
    """An object whose protocol does not work."""

    __array_interface__ = {"version": 3}


def test_protocols_that_do_not_work() -> None:
    with pytest.raises(LaunchError, match=r"parameter 0 .*__array_interface__ cannot be used"):
        pack(Info("ptr<f32>"), [Broken()])


@pytest.mark.parametrize(
    ("allocations", "words"),
    [
        (5, "allocations must be a list, got 5"),
        ([np.zeros(3), 4096], "allocation 1: expected an array or a Buffer, got int"),
        ([Buffer(5, -5)], "allocation 0: expected an address and a size"),
    ],
)
def test_allocations_that_are_none(allocations, words: str) -> None:
    with pytest.raises(LaunchError) as caught:
        of_allocations(allocations)
    assert words in str(caught.value)


@pytest.mark.parametrize("way", ["array", "interface", "dlpack", "buffer"])
def test_allocations_may_have_any_elements(way: str) -> None:
    array = np.zeros((3, 5), np.complex128)
    array.flags.writeable = way != "array"
    extents, owners = of_allocations([WAYS[way](array)])
    assert extents == [extent_of(array)]
    assert len(owners) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1 / 3, 1365 / 4096),
        (1 + 2**-11 + 2**-40, 1 + 2**-10),
        (1 + 2**-11, 1),
        (float("-inf"),) * 2,
    ],
)
def test_tf32_numbers_are_rounded_once(value: float, expected: float) -> None:
    assert np.frombuffer(pack(Info("tf32"), [value]).data[:4], np.float32) == expected


def test_what_is_said_is_one_line() -> None:
    large = np.arange(10_000).reshape(100, 100)
    for call in (
        lambda: pack(Info("i32"), [large]),
        lambda: pack(Info("f32"), [large]),
        lambda: pack(Info("i32"), "one\ntwo"),
        lambda: check_grid("entry", large),
        lambda: check_threads("entry", large),
    ):
        with pytest.raises(LaunchError) as caught:
            call()
        message = str(caught.value)
        assert message.isprintable()
        assert len(message) < 160


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 0), (-0.0, 0), (2.0**-17, 1), (1 + 2**-4, 0x78), (1 + 2**-4 + 2**-50, 0x79),
     (114688, 0xFE), (118783, 0xFE), (float("inf"), 0xFF), (float("nan"), 0xFF)],
)  # fmt: skip
def test_numbers_without_sign(value: float, expected: int) -> None:
    assert pack(Info("fnv8E5M3FNU"), [value]).data[0] == expected


@pytest.mark.parametrize("value", [-1.0, 122881, 1e300])
def test_numbers_that_have_no_place_without_sign(value: float) -> None:
    with pytest.raises(LaunchError, match="is out of range"):
        pack(Info("fnv8E5M3FNU"), [value])
