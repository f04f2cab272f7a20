"""Streams and events of a device where everything has finished when a call returns.

These are the bases that torch's own classes `torch.cuda.Stream` and `Event` have in a build for
GPUs; what they inherit there from C++ stands here.
"""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

CUDA = 1
"""Number of the type of device, as torch counts them."""

_numbers = itertools.count(16, 16)
_current = threading.local()


def current() -> int:
    """Return the number of this thread's current stream; the default one is 0."""
    return getattr(_current, "number", 0)


def make_current(number: int) -> None:
    """Make a stream the current one of this thread."""
    _current.number = number


class StreamBase(torch.Stream):
    """`torch._C._CudaStreamBase`: a stream, which is always empty."""

    priority = 0

    def __new__(
        cls,
        priority: int = 0,
        stream_id: int | None = None,
        device_index: int = 0,
        device_type: int = CUDA,
        stream_ptr: int | None = None,
    ) -> Any:
        number = stream_ptr if stream_id is None else stream_id
        if number is None:
            number = next(_numbers)
        stream = super().__new__(cls, stream_id=number, device_index=0, device_type=CUDA)
        if priority:
            stream.priority = priority
        return stream

    @property
    def cuda_stream(self) -> int:
        """The handle of the stream, which the driver is given."""
        return self.stream_id

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Return the lowest and the highest priority."""
        return 0, -5

    def query(self) -> bool:
        """Return True: everything in the stream has finished."""
        return True

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, torch.Stream) and other.stream_id == self.stream_id

    def __hash__(self) -> int:
        return hash((CUDA, self.stream_id))

    def __enter__(self) -> Any:
        self.__dict__.setdefault("before", []).append(current())
        make_current(self.stream_id)
        return self

    def __exit__(self, *error: object) -> None:
        make_current(self.__dict__["before"].pop())


class EventBase:
    """`torch._C._CudaEventBase`: a point in time, which needs no waiting."""

    _timed: bool
    _time: float | None

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        event: Any = super().__new__(cls)
        event._timed = options.get("enable_timing", False)
        event._time = None
        return event

    @property
    def cuda_event(self) -> int:
        """The handle of the event; 0 before it is recorded."""
        return 0 if self._time is None else id(self)

    @property
    def device(self) -> Any:
        """The device of the event, which has one once it is recorded."""
        return None if self._time is None else torch.device("cuda", 0)

    def record(self, stream: Any = None) -> None:
        """Record the present time."""
        self._time = time.perf_counter()

    def elapsed_time(self, end: Any) -> float:
        """Return the milliseconds from this event to another, at least one microsecond.

        As with a GPU, ValueError for events that are not recorded or measure no time.
        """
        if not (self._timed and end._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return max(1e3 * (end._time - self._time), 1e-3)

    def query(self) -> bool:
        """Return True: everything before the event has finished."""
        return True

    def synchronize(self) -> None:
        """Do nothing: there is nothing to wait for."""

    def wait(self, stream: Any = None) -> None:
        """Do nothing: there is nothing to wait for."""
