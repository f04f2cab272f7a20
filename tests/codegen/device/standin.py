"""A CUDA driver without a GPU: the library that NVIDIA's bindings load, kernels on the emulator.

A shared library of one function, which C compiles, hands every look-up of the bindings to Python;
what they find are callbacks with the names, arguments and numbers of cuda.h. So a launch goes
through the real bindings, and what a kernel gets is what a driver would see: the sizes of its
parameters are those that the PTX declares, the memory of the device is memory of this process.
"""

# ruff: noqa: N802 - functions are named as in cuda.h

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Mapping
from ctypes import c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from itertools import count
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tileir import Buffer
from tileir.codegen import emulator

from . import encoded_maps

LIBRARY = "libcuda.so.1"
SOURCE = """
typedef int (*lookup)(const char *, void **, int, unsigned long long, void *);
lookup stand_in;
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long long flags,
                        void *status)
{ return stand_in(name, found, version, flags, status); }
"""
SUCCESS, INVALID_VALUE, INVALID_PTX, INVALID_HANDLE, NOT_FOUND = 0, 1, 218, 400, 500
INVALID_CLUSTER_SIZE = 912
ILLEGAL_ADDRESS, ASSERTED, FAILED = 700, 710, 719
NAMES = {
    INVALID_VALUE: b"invalid argument", INVALID_PTX: b"a PTX JIT compilation failed",
    ILLEGAL_ADDRESS: b"an illegal memory access was encountered",
    ASSERTED: b"device-side assert triggered", FAILED: b"unspecified launch failure",
}  # fmt: skip
STATUS = {"assert": ASSERTED, "trap": FAILED}
"""What a driver answers after a kernel has gone wrong, by the emulator's kinds; else it is
ILLEGAL_ADDRESS. cuda.h says of the first that it comes from device-side asserts."""
ERROR_LOG, ERROR_LOG_SIZE = 5, 6
"""Of CUjit_option."""
MAX_SHARED_OPTIN, MAJOR, MINOR, PROCESSORS, BLOCKS_EACH = 97, 75, 76, 16, 106
"""Of CUdevice_attribute."""
MAX_DYNAMIC_SHARED, LARGE_CLUSTERS = 8, 14
"""Of CUfunction_attribute."""
CLUSTER = 4
"""Of CUlaunchAttributeID."""
PORTABLE_CLUSTER = 8
"""The most blocks of a cluster that need no leave."""
HEAP = 2
"""Of CUlimit."""
FREE_SHARED = 48 << 10
"""Bytes of dynamic shared memory that need no leave."""
BUFFER, BUFFER_SIZE = 1, 2
"""CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE, in front of values in a list that ends with 0."""
GRID_LIMITS = (2**31 - 1, 65535, 65535)
"""Blocks along x, y and z that devices launch."""
CONTEXTS = 0x100
"""The handle of the context of device 0; the others follow."""

installed = False
"""Whether this process has the stand-in for its driver."""

_LOOKUP = ctypes.CFUNCTYPE(c_int, c_char_p, c_void_p, c_int, c_uint64, c_void_p)


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
        ("attributes", c_void_p), ("count", c_uint),
    ]  # fmt: skip


class Attribute(ctypes.Structure):
    """CUlaunchAttribute, whose value takes 64 bytes."""

    _fields_ = [("id", c_uint), ("padding", c_uint), ("value", c_uint * 16)]


class Driver:
    """The functions, and what they were asked for.

    capability, most_shared  of every device
    functions  what C can call, by name
    memory     sizes of allocations by address; `lend` adds what tests own
    calls      names of the functions that were called, in order
    launches   one (configuration, clusters) each
    allowed    (kernel, attribute) -> the value that it was set to
    """

    more_kinds: Mapping[str, tuple[Any, ...]] = {}
    """The functions that a derived class adds, as `KINDS` has them."""

    def __init__(self) -> None:
        kinds = {**KINDS, **self.more_kinds}
        self.functions = {name: self._callback(name, *each) for name, each in kinds.items()}
        self.lookup = _LOOKUP(self._find)
        self.libraries: dict[int, Any] = {}
        self.kernels: dict[int, tuple[Any, str]] = {}
        self.rooms: dict[int, np.ndarray] = {}
        self.leave: dict[tuple[int, int], int] = {}
        """(handle of a kernel, attribute) -> its value, as long as libraries stay loaded."""
        self.handles = count(0x1000, 16)
        self.reset()

    def reset(self) -> None:
        """As after a start, but that libraries stay loaded."""
        self.capability, self.most_shared = (9, 0), 232448
        self.current, self.status = 0, SUCCESS
        self.memory: dict[int, Any] = {}
        self.devices: dict[int, int] = {}
        self.calls: list[str] = []
        self.launches: list[tuple[Config, tuple[int, ...]]] = []
        self.allowed: dict[tuple[str, int], int] = {}
        self.problem: BaseException | None = None
        self.limits = {HEAP: 8 << 20}

    def lend(self, array: np.ndarray, device: int = 0) -> None:
        """Make memory of the process the device's."""
        self.memory[array.ctypes.data] = array.nbytes
        self.devices[array.ctypes.data] = device

    def _callback(self, name: str, *kinds: Any) -> Any:
        def run(*arguments: Any) -> int:
            self.calls.append(name)
            try:
                return getattr(self, name)(*arguments) or SUCCESS
            except BaseException as problem:  # C cannot be told
                self.problem = problem
                return FAILED

        return ctypes.CFUNCTYPE(c_int, *kinds)(run)

    def _find(self, name: bytes, found: int, *_: Any) -> int:
        function = self.functions.get(name.decode())
        address = ctypes.cast(function, c_void_p).value if function else None
        c_void_p.from_address(found).value = address
        return SUCCESS if function else NOT_FOUND

    # Devices and contexts

    def cuInit(self, flags: int) -> None: ...

    def cuGetProcAddress(self, name: bytes, out: int, version: int, flags: int, said: int) -> int:
        c_int.from_address(said).value = 0
        return self._find(name, out)

    def cuGetErrorString(self, code: int, out: int) -> None:
        c_char_p.from_address(out).value = NAMES.get(code, b"an error")

    def cuDeviceGet(self, out: int, ordinal: int) -> None:
        c_int.from_address(out).value = ordinal

    def cuDeviceGetAttribute(self, out: int, attribute: int, device: int) -> None:
        known = {MAX_SHARED_OPTIN: self.most_shared, PROCESSORS: 4, BLOCKS_EACH: 2}
        known[MAJOR], known[MINOR] = self.capability
        c_int.from_address(out).value = known[attribute]

    def cuCtxGetCurrent(self, out: int) -> None:
        c_void_p.from_address(out).value = self.current

    def cuDevicePrimaryCtxRetain(self, out: int, device: int) -> None:
        c_void_p.from_address(out).value = CONTEXTS + device

    def cuCtxSetCurrent(self, context: int) -> None:
        self.current = context

    def cuCtxGetDevice(self, out: int) -> None:
        c_int.from_address(out).value = self.current - CONTEXTS

    def cuCtxGetLimit(self, out: int, limit: int) -> None:
        c_size_t.from_address(out).value = self.limits[limit]

    def cuCtxSetLimit(self, limit: int, size: int) -> None:
        self.limits[limit] = size

    # Code

    def cuLibraryLoadData(
        self, out: int, code: int, options: int, values: int, number: int, *_: Any
    ) -> int:
        try:
            module = emulator.load_module(ctypes.string_at(code).decode())
        except emulator.EmulationError as problem:
            kinds, given = (c_int * number).from_address(options), (c_void_p * number)
            said = dict(zip(kinds, given.from_address(values), strict=True))
            text = str(problem).encode()[: said[ERROR_LOG_SIZE] - 1] + b"\0"
            ctypes.memmove(said[ERROR_LOG], text, len(text))
            return INVALID_PTX
        handle = next(self.handles)
        self.libraries[handle] = module
        c_void_p.from_address(out).value = handle
        return SUCCESS

    def cuLibraryUnload(self, library: int) -> None:
        del self.libraries[library]

    def cuLibraryGetKernel(self, out: int, library: int, name: bytes) -> int:
        module = self.libraries[library]
        if name.decode() not in module.text.entries:
            return NOT_FOUND
        handle = next(self.handles)
        self.kernels[handle] = module, name.decode()
        c_void_p.from_address(out).value = handle
        return SUCCESS

    def cuKernelSetAttribute(self, kind: int, value: int, kernel: int, device: int) -> None:
        self.allowed[self.kernels[kernel][1], kind] = self.leave[kernel, kind] = value

    def cuLaunchKernelEx(self, config: int, kernel: int, arguments: int, extra: int) -> int:
        asked = Config.from_buffer_copy(Config.from_address(config))
        attributes = (Attribute * asked.count).from_address(asked.attributes or config)
        clusters = [tuple(each.value[:3]) for each in attributes if each.id == CLUSTER]
        self.launches.append((asked, *clusters))
        module, name = self.kernels[kernel]
        declared = module.kernel(name).scope.entry.cluster
        if any(cluster != (declared or (1, 1, 1)) for cluster in clusters):
            return INVALID_VALUE
        if prod(declared or (1,)) > PORTABLE_CLUSTER and not self.leave.get(
            (kernel, LARGE_CLUSTERS)
        ):
            return INVALID_CLUSTER_SIZE
        given = self._arguments(module.kernel(name).scope, arguments, extra)
        return self._run(kernel, list(asked.grid), list(asked.block), asked.shared, given)

    def cuLaunchKernel(self, kernel: int, *rest: int) -> int:
        *shape, shared, _, arguments, extra = rest
        module, name = self.kernels[kernel]
        given = self._arguments(module.kernel(name).scope, arguments, extra)
        return self._run(kernel, shape[:3], shape[3:], shared, given)

    @staticmethod
    def _arguments(entry: Any, arguments: int | None, extra: int | None) -> list[int] | None:
        """The address of each argument; None where the driver sees that they are not the kernel's.

        Of arguments in one buffer it knows the size; of others it reads as many as there have to
        be, and cannot but trust the addresses.
        """
        count = len(entry.parameters)
        if extra:
            words = (c_void_p * 5).from_address(extra)
            given = dict(zip(words[0:4:2], words[1:4:2], strict=True))
            size = c_size_t.from_address(given[BUFFER_SIZE]).value
            offsets = entry.parameters.values()
            return [given[BUFFER] + n for n in offsets] if size == entry.parameter_bytes else None
        if not count:
            return []
        addresses = list((c_void_p * count).from_address(arguments)) if arguments else [None]
        return addresses if all(addresses) else None

    def _refused(self, kernel: int, block: list[int], shared: int) -> bool:
        """Whether a driver refuses a launch: another block than the code is for (.reqntid), more
        shared memory than it has leave for, or than there is."""
        module, name = self.kernels[kernel]
        threads = module.kernel(name).scope.entry.threads
        if threads not in (None, tuple(block)) or shared > self.most_shared:
            return True
        return shared > max(FREE_SHARED, self.leave.get((kernel, MAX_DYNAMIC_SHARED), 0))

    def _run(
        self, kernel: int, grid: list[int], block: list[int], shared: int,
        addresses: list[int] | None,
    ) -> int:  # fmt: skip
        module, name = self.kernels[kernel]
        if addresses is None or 0 in grid or self._refused(kernel, block, shared):
            return INVALID_VALUE
        entry = module.kernel(name).scope
        values, rows = [], []
        for index, variable in enumerate(entry.entry.parameters):
            data = ctypes.string_at(addresses[index], variable.size)
            is_map = variable.size == encoded_maps.BYTES
            values.append(encoded_maps.decode(data) if is_map else int.from_bytes(data, "little"))
            rows.append({
                "index": index, "type": "tensor_map" if is_map else "bits",
                "size": variable.size, "offset": entry.parameters[variable.name],
            })  # fmt: skip
        plan = {
            "entry": name, "parameters": rows, "block": block, "grid": "xyz",
            "grid_scale": (1, 1, 1), "grid_limits": GRID_LIMITS,
            "cluster": entry.entry.cluster or (1, 1, 1),
            "dynamic_shared_memory": shared,
        }  # fmt: skip
        known = [Buffer(address, size) for address, size in self.memory.items()]
        try:
            emulator.launch(module, plan, grid, values, allocations=known)
        except emulator.EmulationError as problem:
            self.problem = problem
            self.status = STATUS.get(problem.kind, ILLEGAL_ADDRESS)
        return SUCCESS

    def cuStreamSynchronize(self, stream: int | None) -> int:
        return self.status

    # Tensor maps

    def cuTensorMapEncodeTiled(self, *arguments: int) -> int:
        asked = encoded_maps.Asked(*(each or 0 for each in arguments))
        if (data := encoded_maps.encode(asked)) is None:
            return INVALID_VALUE
        ctypes.memmove(asked.map, data, len(data))
        return SUCCESS

    # Memory

    def cuPointerGetAttribute(self, out: int, kind: int, address: int) -> None:
        c_int.from_address(out).value = self.devices[address]

    def cuMemAlloc(self, out: int, size: int) -> None:
        room = np.zeros(size + 256, np.uint8)
        address = room.ctypes.data + -room.ctypes.data % 256
        self.memory[address] = size
        self.rooms[address] = room
        c_uint64.from_address(out).value = address

    def cuMemFree(self, address: int) -> None:
        del self.memory[address], self.rooms[address]

    def cuMemcpyHtoD(self, target: int, source: int, size: int) -> int:
        ctypes.memmove(target, source, size)
        return self.status

    def cuMemcpyDtoH(self, target: int, source: int, size: int) -> int:
        ctypes.memmove(target, source, size)
        return self.status


KINDS: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuGetProcAddress": (c_char_p, c_void_p, c_int, c_uint64, c_void_p),
    "cuGetErrorString": (c_int, c_void_p),
    "cuDeviceGet": (c_void_p, c_int),
    "cuDeviceGetAttribute": (c_void_p, c_int, c_int),
    "cuCtxGetCurrent": (c_void_p,),
    "cuDevicePrimaryCtxRetain": (c_void_p, c_int),
    "cuCtxSetCurrent": (c_void_p,),
    "cuCtxGetDevice": (c_void_p,),
    "cuCtxGetLimit": (c_void_p, c_int),
    "cuCtxSetLimit": (c_int, c_size_t),
    "cuLibraryLoadData": (*(c_void_p,) * 4, c_uint, c_void_p, c_void_p, c_uint),
    "cuLibraryUnload": (c_void_p,),
    "cuLibraryGetKernel": (c_void_p, c_void_p, c_char_p),
    "cuKernelSetAttribute": (c_int, c_int, c_void_p, c_int),
    "cuLaunchKernel": (c_void_p, *(c_uint,) * 7, c_void_p, c_void_p, c_void_p),
    "cuLaunchKernelEx": (c_void_p,) * 4,
    "cuStreamSynchronize": (c_void_p,),
    "cuTensorMapEncodeTiled": (c_void_p, c_int, c_uint, *(c_void_p,) * 5, *(c_int,) * 4),
    "cuPointerGetAttribute": (c_void_p, c_int, c_uint64),
    "cuMemAlloc": (c_void_p, c_size_t),
    "cuMemFree": (c_uint64,),
    "cuMemcpyHtoD": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyDtoH": (c_void_p, c_uint64, c_size_t),
}  # fmt: skip
"""The types of arguments, as in cuda.h."""


def why_not() -> str | None:
    """Why there can be no stand-in here, or None."""
    if sys.platform != "linux":
        return "the stand-in for the driver is a shared library of Linux"
    if importlib.util.find_spec("cuda") is None or not importlib.util.find_spec("cuda.bindings"):
        return "cuda-bindings is not installed (pip install -e .[test])"
    if shutil.which("cc") is None:
        return "there is no C compiler"
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    return "there is a real driver"


def install(folder: Path, kind: type[Driver] = Driver) -> Driver:
    """Make the bindings find the stand-in; for the rest of the process."""
    source, library = folder / "standin.c", folder / LIBRARY
    source.write_text(SOURCE)
    global installed
    command = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}", "-o", library, source]
    subprocess.run(command, check=True)
    loaded, driver = ctypes.CDLL(str(library)), kind()
    function = ctypes.cast(driver.lookup, c_void_p).value
    c_void_p.in_dll(loaded, "stand_in").value = function
    installed = True
    return driver
