"""torch's profiler: a launch is a row like an op, and nothing waits for a GPU's events.

A build for CPUs cannot record these events, and would say so, with a stack of C++, for each op.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

Recorder = Callable[[str], AbstractContextManager[Any]]
"""Takes the name of a kernel; its launch runs inside of what it returns."""


def install(torch: Any) -> Recorder:
    """Let the profiler measure on the CPU what is to be measured on the device."""
    module = torch.autograd.profiler
    states = module.ProfilerState
    on_cpu = {**states.__members__, "KINETO_GPU_FALLBACK": states.KINETO}
    module.ProfilerState = SimpleNamespace(**on_cpu)
    is_running = torch.autograd._profiler_enabled
    record = torch._C._profiler._RecordFunctionFast
    unrecorded = nullcontext()
    return lambda name: record(name) if is_running() else unrecorded
