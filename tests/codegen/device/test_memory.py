"""What may be passed for a pointer, and as a stream."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tileir import Buffer
from tileir.codegen.arguments.dlpack import _pointer, _Tensor, _Versioned
from tileir.codegen.device.copies import copied
from tileir.codegen.device.memory import memory_of, ready
from tileir.codegen.device.own_target import own_target
from tileir.codegen.device.streams import handle_of
from tileir.errors import LaunchError
from tileir.types import Scalar

from .standin import Driver

F32, BF16 = Scalar("f32"), Scalar("bf16")


class Exported:
    """An array that says it lies on a GPU: NumPy's own export with another device in it."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (2, 0), old: bool = False):
        self.array, self.device, self.old = array, device, old
        self.asked: dict[str, Any] = {}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, stream: int | None = None, **version: Any) -> Any:
        if self.old and version:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked = {"stream": stream}
        capsule = self.array.__dlpack__(**version)
        name = b"dltensor" if self.old else b"dltensor_versioned"
        address = _pointer(capsule, name)
        kept = _Tensor if self.old else _Versioned
        tensor = kept.from_address(address)
        tensor = tensor if self.old else tensor.tensor
        tensor.device_type, tensor.device_id = self.device
        return capsule


def interface(array: np.ndarray, **more: Any) -> Any:
    """An object with `__cuda_array_interface__`."""
    about = {**array.__array_interface__, "version": 3, **more}
    return SimpleNamespace(__cuda_array_interface__=about)


@pytest.mark.parametrize("old", [False, True])
def test_dlpack(old: bool) -> None:
    array = np.zeros(4, np.float32)
    given = Exported(array, (2, 3), old)
    memory = memory_of(given, F32, 0x70, written=True)
    assert (memory.address, memory.device) == (array.ctypes.data, 3)
    assert given.asked == {"stream": 0x70}
    memory_of(given, F32, 0, written=True)
    assert given.asked == {"stream": 1}  # the default stream, as DLPack spells it


def test_the_cuda_array_interface(driver: Driver) -> None:
    array = np.zeros(4, np.float32)
    driver.lend(array, device=2)
    memory = memory_of(interface(array), F32, 0, written=True)
    assert (memory.address, ready(memory)) == (array.ctypes.data, 2)
    assert "cuStreamSynchronize" not in driver.calls
    ready(memory_of(interface(array, stream=1), F32, 0, written=True))
    assert "cuStreamSynchronize" not in driver.calls
    ready(memory_of(interface(array, stream=0x70), F32, 0, written=True))
    assert "cuStreamSynchronize" in driver.calls


def test_addresses_and_buffers() -> None:
    assert memory_of(Buffer(64, 4), F32, 0, written=True)[:2] == (64, None)
    assert memory_of(64, F32, 0, written=True)[:2] == (64, None)
    assert memory_of(np.uint64(64), F32, 0, written=True)[:2] == (64, None)


@pytest.mark.parametrize(
    ("argument", "element", "message"),
    [
        (np.zeros(4, np.float32), F32, "memory of a GPU, got a numpy.ndarray that is elsewhere"),
        (Exported(np.zeros(4), (1, 0)), F32, "got a tests.Exported that is elsewhere"),
        (Exported(np.zeros(4)), F32, "expected an array of float32, got float64"),
        (Exported(np.zeros(4, np.float16)), BF16, "expected an array of bfloat16 or uint16, got"),
        (interface(np.zeros(4)), F32, "expected an array of float32, got float64"),
        (interface(np.zeros(4, ">f4")), F32, "expected native byte order"),
        (SimpleNamespace(__cuda_array_interface__={}), F32, "interface__ cannot be used: 'data'"),
        (
            SimpleNamespace(__cuda_array_interface__={"data": (64, False), "typestr": "<f4"}),
            F32,
            "interface__ cannot be used: 'shape'",
        ),
        (interface(np.zeros(4), data=("x", False)), F32, "interface__ cannot be used: 'str'"),
        (interface(np.zeros(4, np.float32), stream="x"), F32, "expected a CUDA stream"),
        (SimpleNamespace(__dlpack_device__=None), F32, "__dlpack_device__ cannot be used"),
        (2, F32, "expected an address divisible by 4"),
        (Buffer(-1, 4), F32, "expected an address and a size"),
        ("x", F32, "expected an array, a Buffer or an address, got str"),
        (1.5, F32, "expected an array, a Buffer or an address, got float"),
    ],
)
def test_what_is_refused(argument: Any, element: Scalar, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        memory_of(argument, element, 0, written=True)


def test_memory_that_can_only_be_read(driver: Driver) -> None:
    """Refused where the kernel writes. NumPy says so in its exports of read-only arrays."""
    array = np.arange(4, dtype=np.float32)
    array.flags.writeable = False
    lent = interface(array, data=(64, True))
    with copied([array]) as (copy,):
        for argument in (Exported(array), lent, copy):
            memory_of(argument, F32, 0, written=False)
            with pytest.raises(LaunchError, match="can be written to, got a read-only one"):
                memory_of(argument, F32, 0, written=True)
    assert array.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "stream",
    [
        7,
        SimpleNamespace(cuda_stream=7),
        SimpleNamespace(ptr=7),
        SimpleNamespace(handle=SimpleNamespace(value=7)),
        SimpleNamespace(__cuda_stream__=lambda: (0, 7)),
        SimpleNamespace(__cuda_stream__=(0, 7)),
    ],
)
def test_streams(stream: Any) -> None:
    assert handle_of(stream) == 7


def test_the_default_stream_of_numba() -> None:
    assert handle_of(SimpleNamespace(handle=SimpleNamespace(value=None))) == 0


@pytest.mark.parametrize("stream", [True, -1, 1 << 64, "x", 1.0, SimpleNamespace(ptr="x")])
def test_what_is_no_stream(stream: Any) -> None:
    with pytest.raises(LaunchError, match="expected a CUDA stream or the handle of one, got"):
        handle_of(stream)


def test_copies_there_and_back(driver: Driver) -> None:
    one = np.arange(6, dtype=np.float32).reshape(2, 3).T  # column-major
    other = np.ones(3, ml_dtypes.bfloat16)
    with copied([one, 5, other, one]) as arguments:
        first, number, second, again = arguments
        assert (number, first) == (5, again)
        held = driver.rooms[first.address]
        start = first.address - held.ctypes.data
        assert held[start : start + 24].view(np.float32).tolist() == [0, 1, 2, 3, 4, 5]
        held[start : start + 4] = np.float32(9).reshape(1).view(np.uint8)
        assert memory_of(second, BF16, 0, written=True).address == second.address
        with pytest.raises(LaunchError, match="float32, got bfloat16"):
            memory_of(second, F32, 0, written=True)
    assert one[0, 0] == 9
    assert not driver.memory


def test_copies_of_what_has_gaps(driver: Driver) -> None:
    with pytest.raises(LaunchError, match="without gaps"), copied([np.zeros((4, 4))[:, :2]]):
        pass


@pytest.mark.parametrize(
    ("capability", "target"),
    [((9, 0), "sm_90"), ((8, 6), "sm_86"), ((12, 1), "sm_121"), ((9, 9), "sm_90"),
     ((13, 0), "sm_121"), ((7, 5), "sm_75")],
)  # fmt: skip
def test_the_target_of_a_gpu(capability: tuple[int, int], target: str, driver: Driver) -> None:
    driver.capability = capability
    assert own_target() == target
