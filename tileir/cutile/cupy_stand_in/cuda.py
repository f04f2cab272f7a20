"""`cupy.cuda`: one device, whose streams are always empty; what needs a compiler is refused."""

from __future__ import annotations

import sys
import threading
import time
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from tileir.cutile import device as reported
from tileir.cutile.device import MEMORY, MULTIPROCESSORS
from tileir.cutile.driver import VERSION
from tileir.errors import UnsupportedError

capability = (0, 0)
"""The compute capability of the device, which `install` sets."""

_current = threading.local()


class Stream:
    """A stream, which is always empty; as a context manager, it makes itself the current one."""

    _count = 0
    null: Stream
    ptds: Stream

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: Any = None,
    ) -> None:
        if null or ptds:
            self.ptr = 0
        else:
            Stream._count += 1
            self.ptr = 16 * Stream._count
        self.device_id = 0
        self._before: list[Stream] = []

    def __enter__(self) -> Stream:
        self._before.append(get_current_stream())
        return self.use()

    def __exit__(self, *error: object) -> None:
        self._before.pop().use()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.ptr == self.ptr

    def __hash__(self) -> int:
        return hash(self.ptr)

    def use(self) -> Stream:
        """Make this stream the current one of the thread."""
        _current.stream = self
        return self

    @property
    def done(self) -> bool:
        """True: everything in the stream has finished."""
        return True

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""

    def record(self, event: Event | None = None) -> Event:
        """Record an event, or a new one, and return it."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Do nothing: there is nothing to wait for."""

    def launch_host_func(self, callback: Any, arg: Any) -> None:
        """Call a function, as everything before it has finished."""
        callback(arg)

    def begin_capture(self, mode: Any = None) -> None:
        """Refuse to make a graph."""
        raise _no_graphs()

    end_capture = begin_capture

    def is_capturing(self) -> bool:
        """Return False: there are no graphs."""
        return False


class ExternalStream(Stream):
    """A stream by its handle."""

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        super().__init__(null=True)
        self.ptr = ptr


Stream.null = Stream(null=True)
Stream.ptds = Stream.null


def get_current_stream(device_id: int = -1) -> Stream:
    """Return the current stream of this thread."""
    return getattr(_current, "stream", Stream.null)


class Event:
    """An event: a point in time, which needs no waiting."""

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ):
        self.ptr = id(self)
        self.time = 0.0

    @property
    def done(self) -> bool:
        """True: everything before the event has finished."""
        return True

    def record(self, stream: Any = None) -> None:
        """Record the present time."""
        self.time = time.perf_counter()

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Return the milliseconds from one event to another, at least one microsecond."""
    return max(1e3 * (end_event.time - start_event.time), 1e-3)


class Device:
    """The device, which is number 0; as a context manager without an effect."""

    def __init__(self, device: Any = 0) -> None:
        self.id = int(device)
        if self.id > 0:
            raise runtime.CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: object) -> None: ...

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    def use(self) -> None:
        """Do nothing: the device is the only one."""

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""

    @property
    def compute_capability(self) -> str:
        """The compute capability without a point, such as "100"."""
        return "{}{}".format(*capability)

    @property
    def mem_info(self) -> tuple[int, int]:
        """Free and total bytes of memory."""
        return MEMORY, MEMORY

    @property
    def attributes(self) -> dict[str, int]:
        """Some attributes of the device."""
        return {
            "ComputeCapabilityMajor": capability[0],
            "ComputeCapabilityMinor": capability[1],
            "MultiProcessorCount": MULTIPROCESSORS,
            "WarpSize": reported.WARP,
            "MaxSharedMemoryPerBlockOptin": reported.SHARED_MEMORY_OPTIN,
        }


class MemoryPointer:
    """The memory of an array."""

    def __init__(self, array: np.ndarray) -> None:
        self.mem, self.offset, self.device = array, 0, Device(0)
        self.ptr = array.__array_interface__["data"][0]

    def __int__(self) -> int:
        return self.ptr


class MemoryPool:
    """A pool of memory, which keeps none: arrays are NumPy's."""

    def used_bytes(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return 0

    def free_bytes(self) -> int:
        return 0

    def n_free_blocks(self) -> int:
        return 0

    def free_all_blocks(self, stream: Any = None) -> None: ...

    def set_limit(self, size: Any = None, fraction: Any = None) -> None: ...

    def malloc(self, size: int) -> MemoryPointer:
        """Return new memory."""
        return MemoryPointer(np.empty(size, np.uint8))


PinnedMemoryPool = MemoryPool


def is_available() -> bool:
    """Return True: the device is there."""
    return True


def set_allocator(allocator: Any = None) -> None:
    """Do nothing: memory is NumPy's."""


set_pinned_memory_allocator = set_allocator


def alloc_pinned_memory(size: int) -> np.ndarray:
    """Return memory of the CPU."""
    return np.empty(size, np.uint8)


def _no_graphs() -> UnsupportedError:
    return UnsupportedError(
        "there is no support for CUDA graphs where a CPU stands in for cupy's GPU"
    )


def __getattr__(name: str) -> Any:
    if name in ("Graph", "graph"):
        raise _no_graphs()
    raise AttributeError(f"cuda.{name} is not supported where a CPU stands in for cupy's GPU")


class _Error(RuntimeError):
    """An error of CUDA's runtime."""


def _properties(device: int = 0) -> dict[str, Any]:
    Device(device)
    return {
        "name": reported.name(capability).encode(),
        "major": capability[0],
        "minor": capability[1],
        "multiProcessorCount": MULTIPROCESSORS,
        "totalGlobalMem": MEMORY,
        "warpSize": reported.WARP,
        "sharedMemPerBlock": reported.SHARED_MEMORY,
        "sharedMemPerMultiprocessor": reported.SHARED_MEMORY_OF_MULTIPROCESSOR,
        "maxThreadsPerBlock": reported.THREADS_PER_BLOCK,
        "l2CacheSize": reported.L2_CACHE,
    }


def _nothing(*arguments: Any) -> None: ...


runtime = ModuleType(f"{__name__}.runtime")
vars(runtime).update(
    CUDARuntimeError=_Error,
    deviceCanAccessPeer=lambda device, peer: 0,
    deviceEnablePeerAccess=_nothing,
    deviceSynchronize=_nothing,
    driverGetVersion=lambda: VERSION,
    eventSynchronize=_nothing,
    getDevice=lambda: 0,
    getDeviceCount=lambda: 1,
    getDeviceProperties=_properties,
    is_hip=False,
    memGetInfo=lambda: (MEMORY, MEMORY),
    profilerStart=_nothing,
    profilerStop=_nothing,
    runtimeGetVersion=lambda: VERSION,
    setDevice=Device,
    streamSynchronize=_nothing,
)
nvtx = ModuleType(f"{__name__}.nvtx")
vars(nvtx).update(Mark=_nothing, RangePop=_nothing, RangePush=_nothing)
stream = SimpleNamespace(
    Event=Event, ExternalStream=ExternalStream, Stream=Stream,
    get_current_stream=get_current_stream, get_elapsed_time=get_elapsed_time,
)  # fmt: skip
memory = SimpleNamespace(MemoryPointer=MemoryPointer, MemoryPool=MemoryPool)
device = SimpleNamespace(Device=Device)
sys.modules |= {module.__name__: module for module in (runtime, nvtx)}
