"""The CUDA driver: the few calls that a launch needs, through NVIDIA's bindings for Python.

Only this file imports `cuda.bindings.driver`. Any status but success is raised as a DeviceError
with the driver's name for it. Handles are integers; devices have CUDA's ordinals.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tileir.errors import DeviceError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import missing

ASSERTED = "CUDA_ERROR_ASSERT"
"""The driver's status after a kernel has called `__assertfail`."""

_NO_DRIVER = "there is no NVIDIA driver here"
_LOG_BYTES = 8192
"""Size of the buffer for the driver's messages about PTX that it refuses."""


def start() -> None:
    """Start the driver. MissingPackageError without the bindings, DeviceError without a driver."""
    _bindings()


@cache
def _bindings() -> Any:
    try:
        with not_forking:
            from cuda.bindings import driver
    except ModuleNotFoundError:
        raise missing(["cuda-bindings"], "launching on a GPU") from None
    try:
        answer = driver.cuInit(0)
    except (RuntimeError, OSError):  # raised by the bindings if they cannot load the library
        raise DeviceError(_NO_DRIVER) from None
    _checked(driver, "cuInit", answer)
    return driver


def _checked(driver: Any, name: str, answer: tuple[Any, ...]) -> Any:
    """Return the result of a call; DeviceError unless its status is success."""
    status, *results = answer
    if status == driver.CUresult.CUDA_SUCCESS:
        return results[0] if results else None
    code = driver.CUresult(status).name
    _, text = driver.cuGetErrorString(status)
    raise DeviceError(f"{name}: {text.decode() if text else 'unknown'} ({code})", code)


def _call(name: str, *arguments: Any) -> Any:
    driver = _bindings()
    return _checked(driver, name, getattr(driver, name)(*arguments))


def function(name: str, version: int) -> int:
    """Return the address of a function of the driver, as it is since a version of CUDA (12000)."""
    return int(_call("cuGetProcAddress", name.encode(), version, 0))


def check(name: str, status: int) -> None:
    """Raise DeviceError unless the status that a function has returned is success."""
    driver = _bindings()
    _checked(driver, name, (driver.CUresult(status),))


# Devices and contexts -------------------------------------------------------------------------


def current_context() -> int:
    """Return this thread's context, 0 if there is none."""
    return int(_call("cuCtxGetCurrent"))


def current_device(otherwise: int = 0) -> int:
    """Return the device of this thread's context; without one, set that of device `otherwise`."""
    if not current_context():
        shared = _call("cuDevicePrimaryCtxRetain", _call("cuDeviceGet", otherwise))
        _call("cuCtxSetCurrent", shared)
    return int(_call("cuCtxGetDevice"))


@cache
def capability(device: int) -> tuple[int, int]:
    """Return the compute capability of a device, major and minor."""
    names = "COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR"
    major, minor = (_attribute(name, device) for name in names)
    return major, minor


@cache
def shared_memory(device: int) -> int:
    """Return the most bytes of shared memory that a block may have."""
    return _attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", device)


def _attribute(name: str, device: int) -> int:
    kind = getattr(_bindings().CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
    return int(_call("cuDeviceGetAttribute", kind, device))


@cache
def blocks_at_once(device: int) -> int:
    """Return how many blocks a device may run at the same time."""
    return _attribute("MULTIPROCESSOR_COUNT", device) * _attribute(
        "MAX_BLOCKS_PER_MULTIPROCESSOR", device
    )


def enlarge_heap(size: int) -> None:
    """Set the context's heap for device-side malloc to at least so many bytes.

    The driver refuses that, with a DeviceError, once kernels have run there that use the heap.
    """
    limit = _bindings().CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE
    if int(_call("cuCtxGetLimit", limit)) < size:
        _call("cuCtxSetLimit", limit, size)


# Code -----------------------------------------------------------------------------------------


def load(image: bytes) -> Any:
    """Load PTX or a cubin for all contexts; DeviceError with the messages of its compiler."""
    driver = _bindings()
    option, log = driver.CUjit_option, bytearray(_LOG_BYTES)
    options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    data = image + b"\0"  # PTX is a text that ends with a zero
    try:
        return _call("cuLibraryLoadData", data, options, [log, len(log)], 2, [], [], 0)
    except DeviceError as problem:
        said = log.partition(b"\0")[0].decode(errors="replace").strip()
        raise DeviceError(f"{problem}\n{said}".rstrip(), problem.code) from None


def unload(library: Any) -> None:
    """Unload a library."""
    _call("cuLibraryUnload", library)


def kernel(library: Any, symbol: str) -> Any:
    """Return an entry of a library."""
    return _call("cuLibraryGetKernel", library, symbol.encode("utf-8", "surrogateescape"))


def allow_shared(kernel: Any, device: int, size: int) -> None:
    """Let blocks of a kernel have so many bytes of dynamic shared memory on a device."""
    _allow(kernel, device, "MAX_DYNAMIC_SHARED_SIZE_BYTES", size)


def allow_large_clusters(kernel: Any, device: int) -> None:
    """Let a kernel have clusters of a size that not every GPU with clusters has."""
    _allow(kernel, device, "NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)


def _allow(kernel: Any, device: int, name: str, value: int) -> None:
    kind = getattr(_bindings().CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
    _call("cuKernelSetAttribute", kind, value, kernel, device)


class LaunchConfig(NamedTuple):
    """The configuration of a launch.

    `grid` counts blocks, `block` threads, `cluster` blocks; `shared` is bytes of dynamic shared
    memory for each block.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared: int


def launch(kernel: Any, config: LaunchConfig, arguments: ctypes.Array, stream: int) -> None:
    """Enqueue a launch in a stream; `arguments` has the address of each argument."""
    driver = _bindings()
    native = driver.CUlaunchConfig()
    native.gridDimX, native.gridDimY, native.gridDimZ = config.grid
    native.blockDimX, native.blockDimY, native.blockDimZ = config.block
    native.sharedMemBytes, native.hStream = config.shared, stream
    if config.cluster != (1, 1, 1):
        cluster = driver.CUlaunchAttribute()
        cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        extents = cluster.value.clusterDim
        extents.x, extents.y, extents.z = config.cluster
        native.attrs, native.numAttrs = [cluster], 1
    _call("cuLaunchKernelEx", native, kernel, ctypes.addressof(arguments), 0)


def synchronize(stream: int) -> None:
    """Wait for all work in a stream; DeviceError if any of it failed."""
    _call("cuStreamSynchronize", stream)


# Memory ---------------------------------------------------------------------------------------


def device_of(address: int) -> int:
    """Return the device that memory belongs to."""
    kind = _bindings().CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    return int(_call("cuPointerGetAttribute", kind, address))


def allocate(size: int) -> int:
    """Allocate memory on the context's device; return its address."""
    return int(_call("cuMemAlloc", max(size, 1)))


def free(address: int) -> None:
    """Free memory."""
    _call("cuMemFree", address)


def copy_in(address: int, array: np.ndarray) -> None:
    """Copy a contiguous array to the device, after all work in the default stream."""
    if array.nbytes:
        _call("cuMemcpyHtoD", address, array.ctypes.data, array.nbytes)


def copy_out(array: np.ndarray, address: int) -> None:
    """Copy memory of the device to a contiguous array, after all work in the default stream."""
    if array.nbytes:
        _call("cuMemcpyDtoH", array.ctypes.data, address, array.nbytes)
