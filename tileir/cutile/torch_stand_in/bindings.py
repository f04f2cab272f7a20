"""What `torch.cuda` calls in C++: the functions of `torch._C` that a build for CPUs lacks.

`torch.cuda` itself is Python, the same in all builds, and stays as it is; so whatever it offers
works as with a GPU, as far as the few functions below it do.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Callable
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

from tileir.cutile import device
from tileir.cutile.device import MEMORY
from tileir.errors import UnsupportedError
from tileir.gpus import gpu_name

from . import streams
from .generators import Generator

_CUDA_VERSION = "13.0"
"""The version of CUDA that torch says it is built for."""

_ANSWERS: dict[str, Any] = {
    "_cuda_canDeviceAccessPeer": False,
    "_cuda_clearCublasWorkspaces": None,
    "_cuda_cudaCachingAllocator_enable": None,
    "_cuda_cudaCachingAllocator_is_enabled": True,
    "_cuda_emptyCache": None,
    "_cuda_exchangeDevice": 0,
    "_cuda_getAllocatorBackend": "native",
    "_cuda_getCompiledVersion": 13000,
    "_cuda_getCublasLtWorkspaceSize": 1 << 20,
    "_cuda_getCublasWorkspaceSize": 1 << 20,
    "_cuda_getCurrentBlasHandle": 0,
    "_cuda_getCurrentSolverHandle": 0,
    "_cuda_getDevice": 0,
    "_cuda_getDeviceCount": 1,
    "_cuda_getMemoryFraction": 1.0,
    "_cuda_getMemoryMetadata": "",
    "_cuda_get_conv_benchmark_empty_cache": False,
    "_cuda_get_cudnn_benchmark_limit": 10,
    "_cuda_get_sync_debug_mode": 0,
    "_cuda_hasPrimaryContext": True,
    "_cuda_init": None,
    "_cuda_ipc_collect": None,
    "_cuda_isCurrentStreamCapturing": False,
    "_cuda_isHistoryEnabled": False,
    "_cuda_isInBadFork": False,
    "_cuda_maybeExchangeDevice": 0,
    "_cuda_record_memory_history": None,
    "_cuda_record_memory_history_legacy": None,
    "_cuda_record_untuned_enable": None,
    "_cuda_record_untuned_is_enabled": False,
    "_cuda_resetAccumulatedHostMemoryStats": None,
    "_cuda_resetAccumulatedMemoryStats": None,
    "_cuda_resetPeakHostMemoryStats": None,
    "_cuda_resetPeakMemoryStats": None,
    "_cuda_setCublasLtWorkspaceSize": None,
    "_cuda_setCublasWorkspaceSize": None,
    "_cuda_setMemoryFraction": None,
    "_cuda_setMemoryMetadata": None,
    "_cuda_set_cudnn_benchmark_limit": None,
    "_cuda_set_sync_debug_mode": None,
    "_cuda_sleep": None,
    "_cuda_synchronize": None,
    "_cuda_tunableop_enable": None,
    "_cuda_tunableop_is_enabled": False,
    "_cuda_tunableop_tuning_enable": None,
    "_cuda_tunableop_tuning_is_enabled": False,
}
"""Function -> the constant that it returns."""

_REFUSED = {
    "CUDA graphs": (
        "_cuda_CUDAAllocator_AllocatorState", "_graph_pool_handle", "_cuda_beginAllocateToPool",
        "_cuda_endAllocateToPool",
        "_cuda_beginAllocateCurrentThreadToPool", "_cuda_beginAllocateCurrentStreamToPool",
        "_cuda_releasePool", "_cuda_checkPoolLiveAllocations", "_cuda_getCheckpointState",
        "_cuda_setCheckpointPoolState",
    ),
    "green contexts": ("_CUDAGreenContext",),
    "memory allocators of GPUs": (
        "_cuda_customAllocator", "_cuda_changeCurrentAllocator", "_cuda_getAllocator",
        "_cuda_cudaHostAllocator", "_cuda_cudaCachingAllocator_raw_alloc",
        "_cuda_cudaCachingAllocator_raw_delete", "_cuda_allocationTraceback",
        "_cuda_attach_out_of_memory_observer", "_cuda_memorySnapshot",
    ),
    "kernels in CUDA C++": ("_cuda_jiterator_compile_and_launch_kernel",),
    "NCCL": (
        "_nccl_all_gather", "_nccl_all_reduce", "_nccl_broadcast", "_nccl_init_rank",
        "_nccl_reduce", "_nccl_reduce_scatter", "_nccl_unique_id", "_nccl_version",
        "_nccl_version_suffix",
    ),
    "tuning of cuBLAS": (
        "_cuda_tunableop_get_filename", "_cuda_tunableop_get_max_tuning_duration",
        "_cuda_tunableop_get_max_tuning_iterations", "_cuda_tunableop_get_results",
        "_cuda_tunableop_get_rotating_buffer_size", "_cuda_tunableop_get_validators",
        "_cuda_tunableop_read_file", "_cuda_tunableop_set_filename",
        "_cuda_tunableop_set_max_tuning_duration", "_cuda_tunableop_set_max_tuning_iterations",
        "_cuda_tunableop_set_numerical_check_tolerances",
        "_cuda_tunableop_set_rotating_buffer_size",
    ),
}  # fmt: skip
"""What the CPU cannot stand in for -> the functions that need it."""

_MARKS = {"markA": None, "rangeEnd": None, "rangePop": -2, "rangePushA": 0, "rangeStartA": 0}
"""Functions for profilers, of which there is none -> what they return without one."""

_UNITS = ("allocation", "segment", "active", "inactive_split")
_BYTES = ("allocated_bytes", "reserved_bytes", "active_bytes", "inactive_split_bytes",
          "requested_bytes")  # fmt: skip
_POOLS = ("all", "large_pool", "small_pool")
_METRICS = ("current", "peak", "allocated", "freed")


class _Error(IntEnum):
    success = 0


class _Properties(SimpleNamespace):
    """The type of what `torch.cuda.get_device_properties` returns."""


def install(torch: Any, capability: tuple[int, int]) -> None:
    """Give `torch._C` the functions, and what else a build for GPUs has, for this capability."""
    native = torch._C
    functions: dict[str, Any] = {name: _constant(answer) for name, answer in _ANSWERS.items()}
    for what, names in _REFUSED.items():
        functions.update({name: refusal(what) for name in names})
    functions |= {
        "_cuda_getArchFlags": _constant(gpu_name(capability)),
        "_cuda_getCurrentRawStream": lambda index: streams.current(),
        "_cuda_getCurrentStream": lambda index: (streams.current(), 0, streams.CUDA),
        "_cuda_getDefaultStream": lambda index: (0, 0, streams.CUDA),
        "_cuda_getStreamFromExternal": lambda handle, index: (handle, 0, streams.CUDA),
        "_cuda_hostMemoryStats": _constant(defaultdict(int)),
        "_cuda_memoryStats": lambda index: _memory(),
        "_cuda_setDevice": _only_device(torch),
        "_cuda_setStream": lambda stream_id, **place: streams.make_current(stream_id),
        "_CudaStreamBase": streams.StreamBase,
        "_CudaEventBase": streams.EventBase,
        "_CudaDeviceProperties": _Properties,
        "_has_cuda": True,
        "_scatter": lambda tensor, devices, *how: (tensor.to("cuda"),) * len(devices),
        "_nvtx": SimpleNamespace(**{name: _constant(value) for name, value in _MARKS.items()}),
    }
    for name, function in functions.items():
        setattr(native, name, function)
    _again(torch)
    torch.Generator = native.Generator = Generator
    properties = _properties(capability)
    vars(torch.cuda).update(
        _cached_device_count=1,
        _cudart=SimpleNamespace(
            cudaDeviceSynchronize=_constant(_Error.success),
            cudaError=_Error,
            cudaGetErrorString=_constant("no error"),
            cudaHostRegister=_constant(_Error.success),
            cudaHostUnregister=_constant(_Error.success),
            cudaMemGetInfo=_constant((MEMORY, MEMORY)),
            cudaProfilerStart=_constant(_Error.success),
            cudaProfilerStop=_constant(_Error.success),
        ),
        _exchange_device=_constant(0),
        _get_device_properties=_constant(properties),
        _initialized=True,
        _is_in_bad_fork=_constant(False),
        _maybe_exchange_device=_constant(0),
        default_generators=(Generator("cuda"),),
        mem_get_info=_constant((MEMORY, MEMORY)),
    )
    torch.version.cuda = torch.version.cuda or _CUDA_VERSION


def _again(torch: Any) -> None:
    """Define the classes anew whose bases, when torch was imported, were not those of a GPU."""
    module = importlib.reload(torch.cuda.streams)
    for name in ("Stream", "ExternalStream", "Event"):
        setattr(torch.cuda, name, getattr(module, name))
    for module, names in (
        (torch.cuda.graphs, ("_graph_pool_handle", "_cuda_isCurrentStreamCapturing")),
        (torch.cuda.memory, [n for n in vars(torch.cuda.memory) if n.startswith("_cuda_")]),
        (torch.cuda.nvtx, ("_nvtx",)),
    ):
        for name in names:
            setattr(module, name, getattr(torch._C, name, refusal(f"torch._C.{name}")))
    torch.cuda.CUDAGraph.__new__ = staticmethod(refusal("CUDA graphs"))
    torch.cuda.MemPool.__new__ = staticmethod(refusal("memory allocators of GPUs"))


def _constant(answer: Any) -> Callable[..., Any]:
    return lambda *arguments, **options: answer


def refusal(what: str) -> Callable[..., Any]:
    """Return a function that raises an UnsupportedError, which names what is not supported."""

    def refuse(*arguments: Any, **options: Any) -> Any:
        raise UnsupportedError(f"there is no support for {what} where a CPU stands in for the GPU")

    return refuse


def _only_device(torch: Any) -> Callable[[int], None]:
    def select(index: int) -> None:
        if index > 0:
            raise torch.AcceleratorError("CUDA error: invalid device ordinal")

    return select


def _memory() -> dict[str, Any]:
    """Return the statistics of an allocator that counts nothing, in the form of torch's."""
    zeros = {pool: dict.fromkeys(_METRICS, 0) for pool in _POOLS}
    return {
        **dict.fromkeys((*_UNITS, *_BYTES), zeros),
        **dict.fromkeys(("num_alloc_retries", "num_ooms", "num_sync_all_streams"), 0),
        "oversize_allocations": dict.fromkeys(_METRICS, 0),
        "oversize_segments": dict.fromkeys(_METRICS, 0),
    }


def _properties(capability: tuple[int, int]) -> _Properties:
    major, minor = capability
    return _Properties(
        name=device.name(capability),
        major=major,
        minor=minor,
        total_memory=MEMORY,
        warp_size=device.WARP,
        multi_processor_count=device.MULTIPROCESSORS,
        is_integrated=0,
        is_multi_gpu_board=0,
        L2_cache_size=device.L2_CACHE,
        clock_rate=1_000_000,
        memory_clock_rate=1_000_000,
        memory_bus_width=512,
        max_threads_per_block=device.THREADS_PER_BLOCK,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=device.SHARED_MEMORY,
        shared_memory_per_block_optin=device.SHARED_MEMORY_OPTIN,
        shared_memory_per_multiprocessor=device.SHARED_MEMORY_OF_MULTIPROCESSOR,
        gcnArchName="",
        uuid="00000000-0000-0000-0000-000000000000",
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
    )
