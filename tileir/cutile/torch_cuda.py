"""`torch.cuda` with one device that is the CPU: every launch has finished when it returns."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from types import SimpleNamespace
from typing import Any

from tileir.errors import UnsupportedError
from tileir.gpus import spelled

from .driver import MULTIPROCESSORS

MEMORY = 8 << 30
"""Bytes of memory that the device is said to have."""

_NOTHING = (
    "_lazy_init", "empty_cache", "init", "ipc_collect", "manual_seed", "manual_seed_all",
    "reset_max_memory_allocated", "reset_peak_memory_stats", "set_device", "synchronize",
)  # fmt: skip
"""Functions without an effect. Random numbers of the device are the CPU's: torch.manual_seed."""

_MARKS = ("mark", "range_pop", "range_push")
"""Functions of torch.cuda.nvtx, for profilers that are not there."""

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
"""Functions that always answer the same."""


class Event:
    """A moment: nothing is ever waited for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        """Remember that it is now."""
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to another, not less than a microsecond."""
        return max(1e3 * (end._time - self._time), 1e-3)

    def query(self) -> bool:
        """Whether everything before it has finished: yes."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait(self, stream: Any = None) -> None:
        """Nothing to wait for."""


class Stream:
    """A queue that is always empty, and a context in which it is the current one."""

    _numbers = itertools.count(16, 16)
    _current = threading.local()

    def __init__(self, device: Any = None, priority: int = 0, **options: Any) -> None:
        self.cuda_stream = self.stream_id = options.get("stream_ptr", next(self._numbers))
        self.priority = priority
        self.device_index = 0
        self._before: list[Stream] = []

    @classmethod
    def current(cls, device: Any = None) -> Stream:
        """The stream of this thread."""
        return getattr(cls._current, "stream", DEFAULT_STREAM)

    @classmethod
    def make_current(cls, stream: Stream) -> None:
        """Make it the stream of this thread."""
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
        """Whether everything in it has finished: yes."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """The event, or a new one, recorded."""
        event = event or Event()
        event.record()
        return event

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait_event(self, event: Event) -> None:
        """Nothing to wait for."""

    def wait_stream(self, stream: Stream) -> None:
        """Nothing to wait for."""


DEFAULT_STREAM = Stream(stream_ptr=0)


class _Device:
    """The context in which a device is the current one; there is no other."""

    def __init__(self, device: Any = None) -> None:
        self.idx = 0

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


class _Graph:
    """Launches that are recorded first and replayed later, which is not what a launch is here."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise UnsupportedError("CUDA graphs cannot be recorded on a CPU; launch kernels directly")


def install(torch: Any, capability: tuple[int, int]) -> None:
    """Replace what programs use of `torch.cuda`, for a device of this compute capability."""
    major, minor = capability
    name = f"tileir on the CPU, as {spelled(capability)}"
    properties = SimpleNamespace(
        name=name, major=major, minor=minor, total_memory=MEMORY, warp_size=32,
        multi_processor_count=MULTIPROCESSORS, L2_cache_size=1 << 20,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=48 << 10, shared_memory_per_block_optin=227 << 10,
    )  # fmt: skip
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
    # which kernels of a GPU compute attention: a CPU has none of them
    torch.nn.attention.sdpa_kernel = lambda *wanted, **options: contextlib.nullcontext()


def _constant(answer: Any) -> Any:
    return lambda *arguments, **options: answer
