"""`torch.cuda` with the CPU as its only device, where every launch has finished when it returns."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from types import SimpleNamespace
from typing import Any

from tileir.errors import UnsupportedError
from tileir.gpus import gpu_name

from .driver import MULTIPROCESSORS

MEMORY = 8 << 30
"""Bytes of memory that the device reports."""

_NOTHING = (
    "_lazy_init",
    "empty_cache",
    "init",
    "ipc_collect",
    "manual_seed",
    "manual_seed_all",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "set_device",
    "synchronize",
)
"""Functions without an effect. `torch.manual_seed` seeds the device's random numbers, the CPU's."""

_MARKS = ("mark", "range_pop", "range_push")
"""Functions of torch.cuda.nvtx without an effect, as there is no profiler."""

_ANSWERS = {
    "current_device": 0,
    "device_count": 1,
    "is_available": True,
    "is_bf16_supported": True,
    "is_current_stream_capturing": False,
    "is_initialized": True,
    "max_memory_allocated": 0,
    "max_memory_reserved": 0,
    "mem_get_info": (MEMORY, MEMORY),
    "memory_allocated": 0,
    "memory_reserved": 0,
}
"""Function -> the constant that it returns."""


class Event:
    """An event: a point in time, which needs no waiting."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        """Record the present time."""
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this event to another, at least one microsecond."""
        return max(1e3 * (end._time - self._time), 1e-3)

    def query(self) -> bool:
        """Return True: everything before the event has finished."""
        return True

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""

    def wait(self, stream: Any = None) -> None:
        """Do nothing: there is nothing to wait for."""


class Stream:
    """A stream, which is always empty; as a context manager, it makes itself the current one."""

    _numbers = itertools.count(16, 16)
    _current = threading.local()

    def __init__(self, device: Any = None, priority: int = 0, **options: Any) -> None:
        self.cuda_stream = self.stream_id = options.get("stream_ptr", next(self._numbers))
        self.priority = priority
        self.device_index = 0
        self._before: list[Stream] = []

    @classmethod
    def current(cls, device: Any = None) -> Stream:
        """Return the current stream of this thread."""
        return getattr(cls._current, "stream", DEFAULT_STREAM)

    @classmethod
    def make_current(cls, stream: Stream) -> None:
        """Make a stream the current one of this thread."""
        cls._current.stream = stream

    def __enter__(self) -> Stream:
        self._before.append(self.current())
        self.make_current(self)
        return self

    def __exit__(self, *error: object) -> None:
        self.make_current(self._before.pop())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.cuda_stream == self.cuda_stream

    def __hash__(self) -> int:
        return hash(self.cuda_stream)

    def query(self) -> bool:
        """Return True: everything in the stream has finished."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, or a new one, and return it."""
        event = event or Event()
        event.record()
        return event

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""

    def wait_event(self, event: Event) -> None:
        """Do nothing: there is nothing to wait for."""

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing: there is nothing to wait for."""


DEFAULT_STREAM = Stream(stream_ptr=0)


class _Device:
    """A context manager without an effect, which selects the only device."""

    def __init__(self, device: Any = None) -> None:
        self.idx = 0

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


class _Graph:
    """A CUDA graph, which cannot be recorded: a launch here runs at once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise UnsupportedError("CUDA graphs cannot be recorded on a CPU; launch kernels directly")


def install(torch: Any, capability: tuple[int, int]) -> None:
    """Replace the functions of `torch.cuda` that programs use, for this compute capability."""
    major, minor = capability
    name = f"tileir on the CPU, as {gpu_name(capability)}"
    properties = SimpleNamespace(
        name=name,
        major=major,
        minor=minor,
        total_memory=MEMORY,
        warp_size=32,
        multi_processor_count=MULTIPROCESSORS,
        L2_cache_size=1 << 20,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
    )
    constants = {
        **_ANSWERS,
        **dict.fromkeys(_NOTHING),
        "default_stream": DEFAULT_STREAM,
        "get_device_capability": capability,
        "get_device_name": name,
        "get_device_properties": properties,
    }
    for function, answer in constants.items():
        setattr(torch.cuda, function, _constant(answer))
    for function in _MARKS:
        setattr(torch.cuda.nvtx, function, _constant(None))
    torch.cuda.current_stream = Stream.current
    torch.cuda.set_stream = Stream.make_current
    torch.cuda.stream = torch.cuda.StreamContext = lambda stream: stream or Stream.current()
    torch.cuda.device = _Device
    torch.cuda.Stream, torch.cuda.Event = Stream, Event
    torch.cuda.CUDAGraph = torch.cuda.graph = _Graph
    # sdpa_kernel chooses among a GPU's kernels for attention, which a CPU does not have
    torch.nn.attention.sdpa_kernel = lambda *wanted, **options: contextlib.nullcontext()


def _constant(answer: Any) -> Any:
    return lambda *arguments, **options: answer
