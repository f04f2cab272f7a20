"""A stand-in for the CUDA driver, with one device, whose memory is that of the process.

cuTile asks `cuGetProcAddress` for the functions that it needs, and gets callbacks from here. Names,
arguments and numbers are those of the driver API's public header, cuda.h. A launch returns when
the kernel has finished, so events and streams have nothing to do.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from ctypes import c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from itertools import count
from typing import TYPE_CHECKING, Any

from . import image
from .arguments import Region
from .device import MULTIPROCESSORS
from .dumped import Dump
from .options import Options
from .packed import unpack

if TYPE_CHECKING:
    from tileir.codegen.host.running.work import Progress

SUCCESS, INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED, UNKNOWN = 0, 1, 500, 801, 999
VERSION = 13040
"""The driver's version, 13.4, in the form of cuDriverGetVersion."""

_HANDLE = 0x7171
"""The handle of all contexts, streams and events; nothing ever dereferences it."""

_MAX_GRID = (2**31 - 1, 65535, 65535)
_EXTENTS = c_uint * 3
_ALIGNMENT = 256

_NOTHING = (
    "cuCtxPushCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuEventDestroy",
    "cuEventQuery",
    "cuEventRecord",
    "cuInit",
    "cuKernelSetAttribute",
    "cuLibraryUnload",
    "cuStreamDestroy",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
)
"""Driver functions that succeed without doing anything."""

_ANSWERS = (
    ("cuCtxGetCurrent", 0, c_void_p, _HANDLE),
    ("cuCtxGetDevice", 0, c_int, 0),
    ("cuCtxGetId", 1, c_uint64, 1),
    ("cuCtxPopCurrent", 0, c_void_p, _HANDLE),
    ("cuDeviceGet", 0, c_int, 0),
    ("cuDeviceGetCount", 0, c_int, 1),
    ("cuDevicePrimaryCtxRetain", 0, c_void_p, _HANDLE),
    ("cuDriverGetVersion", 0, c_int, VERSION),
    ("cuEventCreate", 0, c_void_p, _HANDLE),
    ("cuKernelGetAttribute", 0, c_int, 0),
    ("cuStreamCreate", 0, c_void_p, _HANDLE),
    ("cuStreamGetCtx", 1, c_void_p, _HANDLE),
    ("cuStreamGetId", 1, c_uint64, 1),
    ("cuStreamIsCapturing", 1, c_int, 0),
)
"""Driver functions that write one constant: name, index of the output argument, type, value."""

_GET_PROC_ADDRESS = ctypes.CFUNCTYPE(c_int, c_char_p, c_void_p, c_int, c_uint64, c_void_p)


class LaunchTimeoutError(Exception):
    """A launch has taken longer than the driver's `limit`."""


class Driver:
    """The functions of the driver, and the modules, kernels and memory behind its handles.

    capability  the compute capability of the device
    options     how kernels are compiled and launched
    error       the exception raised inside a callback, which cannot pass through C
    regions     address -> memory region, for the arguments of the next launch; None if nothing
                has to know it
    launched    what cuTile's launch that runs was called with; empty while none does
    recorder    takes the name of a kernel; its launch runs inside of what that returns; or None
    dump        where the bytecode of kernels is written, and launches are counted; or None
    limit       seconds after which a launch ends with a LaunchTimeoutError; None for no limit
    """

    def __init__(self, capability: tuple[int, int], options: Options) -> None:
        self.capability = capability
        self.options = options
        self.regions: dict[int, Region] | None = {}
        self.error: BaseException | None = None
        self.launched: tuple[Any, ...] = ()
        self.recorder: Callable[[str], AbstractContextManager[Any]] | None = None
        self.dump: Dump | None = None
        self.limit: float | None = None
        self._attributes = _attributes(capability)
        self._objects: dict[int, Any] = {}
        self._memory: dict[int, Region] = {}
        self._handles = count(16, 16)
        self._message = ctypes.create_string_buffer(b"see the exception of tileir")
        # int() is SUCCESS, even at exit, when cuTile unloads libraries and our globals are gone
        self._functions = {name: ctypes.CFUNCTYPE(c_int)(int) for name in _NOTHING}
        for name, position, kind, value in _ANSWERS:
            self._functions[name] = self._answer(position, kind, value)
        for name, (kinds, method) in self._methods().items():
            self._functions[name] = self._callback(method, *kinds)
        self._missing = self._callback(lambda: NOT_SUPPORTED)
        self.get_proc_address = _GET_PROC_ADDRESS(self._get_proc_address)

    def _methods(self) -> dict[str, tuple[tuple[Any, ...], Callable[..., int | None]]]:
        """Return the other driver functions: name -> argument types and method."""
        grid = (c_uint,) * 3
        return {
            "cuDeviceGetAttribute": ((c_void_p, c_int, c_int), self._device_attribute),
            "cuGetErrorString": ((c_int, c_void_p), self._error_string),
            "cuLaunchKernel": (
                (c_void_p, *grid, *grid, c_uint, c_void_p, c_void_p, c_void_p),
                self._launch_kernel,
            ),
            "cuLaunchKernelEx": ((c_void_p,) * 4, self._launch_kernel_ex),
            "cuLibraryGetKernel": ((c_void_p, c_void_p, c_char_p), self._library_kernel),
            "cuLibraryLoadData": ((c_void_p, c_void_p), self._load_library),
            "cuMemAlloc": ((c_void_p, c_size_t), self._allocate),
            "cuMemAllocHost": ((c_void_p, c_size_t), self._allocate),
            "cuMemFree": ((c_void_p,), self._free),
            "cuMemFreeHost": ((c_void_p,), self._free),
            "cuMemcpyHtoDAsync": ((c_void_p, c_void_p, c_size_t, c_void_p), self._copy),
        }

    def _callback(self, action: Callable[..., int | None], *kinds: Any) -> Any:
        """Return a C function that calls a Python one; an exception is kept in `error`."""

        def guarded(*arguments: Any) -> int:
            try:
                return action(*arguments) or SUCCESS
            except BaseException as error:
                self.error = error
                return UNKNOWN

        return ctypes.CFUNCTYPE(c_int, *kinds)(guarded)

    def _answer(self, position: int, kind: Any, value: int) -> Any:
        def write(*arguments: int) -> None:
            kind.from_address(arguments[position]).value = value

        return self._callback(write, *[c_void_p] * (position + 1))

    def _get_proc_address(
        self, name: bytes, out: int, version: int, flags: int, status: int
    ) -> int:
        function: Any = self._functions.get(name.decode(), self._missing)
        c_void_p.from_address(out).value = ctypes.cast(function, c_void_p).value
        return SUCCESS

    def _keep(self, out: int, thing: Any) -> None:
        handle = next(self._handles)
        self._objects[handle] = thing
        c_void_p.from_address(out).value = handle

    def _device_attribute(self, out: int, attribute: int, device: int) -> None:
        c_int.from_address(out).value = self._attributes.get(attribute, 0)

    def _error_string(self, code: int, out: int) -> None:
        c_void_p.from_address(out).value = ctypes.addressof(self._message)

    def _load_library(self, out: int, code: int) -> None:
        bytecode = unpack(code)
        module = image.compiled(bytecode, self.options)
        if self.dump is not None:
            self.dump.loaded(bytecode, module.entries)
        self._keep(out, module)

    def _library_kernel(self, out: int, library: int, name: bytes) -> int | None:
        entry = self._objects[library].entries.get(name.decode())
        return NOT_FOUND if entry is None else self._keep(out, entry)

    def _launch_kernel_ex(self, config: int, kernel: int, arguments: int, extra: int) -> int:
        """Launch a kernel; the configuration starts with the three extents of the grid."""
        return self._launch(kernel, _EXTENTS.from_address(config)[:], arguments)

    def _launch_kernel(self, kernel: int, x: int, y: int, z: int, *rest: int) -> int:
        *_, arguments, _ = rest
        return self._launch(kernel, (x, y, z), arguments)

    def _launch(self, kernel: int, grid: Sequence[int], arguments: int) -> int:
        x, y, z = grid
        most_x, most_y, most_z = _MAX_GRID
        if x > most_x or y > most_y or z > most_z:
            return INVALID_VALUE
        known = None if self.regions is None else {**self._memory, **self.regions}
        watch = None if self.limit is None else _watch(self.limit)
        try:
            entry = self._objects[kernel]
            if self.dump is not None:
                self.dump.launched(entry, (x, y, z))
            with nullcontext() if self.recorder is None else self.recorder(entry.name):
                entry.launch((x, y, z), arguments, known, self.options.threads, watch)
        except BaseException as error:
            # If told, cuTile would set a Python exception and then call more of these callbacks,
            # which cannot run while one is set.
            self.error = error
        return SUCCESS

    def _allocate(self, out: int, size: int) -> None:
        memory = ctypes.create_string_buffer(size + _ALIGNMENT)
        address = ctypes.addressof(memory)
        address += -address % _ALIGNMENT
        self._objects[address] = memory
        self._memory[address] = Region("", size, True)
        c_void_p.from_address(out).value = address

    def _free(self, address: int) -> None:
        self._objects.pop(address, None)
        self._memory.pop(address, None)

    def _copy(self, target: int, source: int, size: int, stream: int) -> None:
        ctypes.memmove(target, source, size)


def _watch(seconds: float) -> Progress:
    """Return a function that a launch calls now and then, and that ends it after some seconds."""
    end = time.monotonic() + seconds

    def look(begun: int, total: int) -> None:
        if time.monotonic() > end:
            raise LaunchTimeoutError

    return look


def _attributes(capability: tuple[int, int]) -> dict[int, int]:
    """Return the device attributes that cuTile asks for, by CUdevice_attribute; others are 0."""
    major, minor = capability
    extents = dict(zip((5, 6, 7), _MAX_GRID, strict=True))
    return {**extents, 16: MULTIPROCESSORS, 75: major, 76: minor}
