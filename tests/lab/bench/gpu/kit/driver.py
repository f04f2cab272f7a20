"""The CUDA driver through ctypes: memory, code, launches, tensor maps and the clock of the device.

Functions and numbers are those of cuda.h. PyTorch, if it is imported, shares the context.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

NEWER = ("cuMemAlloc", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemFree", "cuEventDestroy")
"""Functions whose symbol in the library ends with _v2; the plain one is that of CUDA 2."""
LOG_BUFFER, LOG_SIZE = 5, 6
"""CU_JIT_ERROR_LOG_BUFFER and its size, of CUjit_option."""
LOG_BYTES = 4096
MAX_DYNAMIC_SHARED = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES."""
FREE_SHARED = 48 << 10
"""Bytes of dynamic shared memory that need not be asked for."""
HEAP = 2
"""CU_LIMIT_MALLOC_HEAP_SIZE."""
MAP_BYTES, MAP_ALIGNMENT = 128, 64
DATA_TYPES = {
    "u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8,
    "bf16": 9, "tf32": 11,
}  # fmt: skip
"""Their numbers in CUtensorMapDataType."""
SPANS = (0, 32, 64, 128)
"""Bytes, by their number in CUtensorMapSwizzle."""
PROMOTION = 2
"""CU_TENSOR_MAP_L2_PROMOTION_L2_128B."""
FLUSHED = 128 << 20
"""Bytes that are written before a launch is timed, more than any L2 cache has."""


class DriverError(RuntimeError):
    """A function of the driver that failed, and what the driver says about it."""


class Driver:
    """Device 0 and its primary context."""

    def __init__(self, library: Any = None) -> None:
        name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
        try:
            self._library = library or ctypes.CDLL(name)
        except OSError:
            raise DriverError("there is no NVIDIA driver here") from None
        self._call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        self._flushed = 0

    def _call(self, name: str, *arguments: Any) -> None:
        symbol = f"{name}_v2" if name in NEWER and hasattr(self._library, f"{name}_v2") else name
        code = getattr(self._library, symbol)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(code, ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'unknown').decode()} ({code})")

    def version(self) -> str:
        """The newest CUDA that the driver serves."""
        number = ctypes.c_int()
        self._call("cuDriverGetVersion", ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}"

    # Memory

    def allocate(self, size: int) -> int:
        """The address of so many bytes."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc", ctypes.byref(address), ctypes.c_size_t(max(size, 16)))
        return address.value

    def put(self, address: int, array: np.ndarray) -> None:
        """Copy an array to the device."""
        array = np.ascontiguousarray(array)
        if array.nbytes:
            self._call("cuMemcpyHtoD", ctypes.c_uint64(address), ctypes.c_void_p(
                array.ctypes.data), ctypes.c_size_t(array.nbytes))  # fmt: skip

    def uploaded(self, array: np.ndarray) -> int:
        """The address of a copy of an array."""
        address = self.allocate(array.nbytes)
        self.put(address, array)
        return address

    def free(self, address: int) -> None:
        """End the use of memory that was allocated."""
        self._call("cuMemFree", ctypes.c_uint64(address))

    def take(self, array: np.ndarray, address: int) -> np.ndarray:
        """Fill an array from the device, and return it."""
        if array.nbytes:
            self._call("cuMemcpyDtoH", ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(
                address), ctypes.c_size_t(array.nbytes))  # fmt: skip
        return array

    def enlarge_heap(self, size: int) -> None:
        """Give kernels that allocate memory so many bytes in all; before any of them runs."""
        self._call("cuCtxSetLimit", HEAP, ctypes.c_size_t(size))

    # Code

    def load(self, image: bytes, entry: str, shared: int) -> ctypes.c_void_p:
        """The kernel of PTX or a cubin; DriverError with what the driver's compiler says."""
        library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(LOG_BYTES)
        options = (ctypes.c_int * 2)(LOG_BUFFER, LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), LOG_BYTES)
        try:
            self._call("cuLibraryLoadData", ctypes.byref(library), image + b"\0", options, values,
                       2, None, None, 0)  # fmt: skip
        except DriverError as problem:
            said = log.value.decode(errors="replace").strip().partition("\n")[0]
            raise DriverError(f"{problem}: {said}" if said else str(problem)) from None
        self._call("cuLibraryGetKernel", ctypes.byref(kernel), library, entry.encode())
        if shared > FREE_SHARED:
            self._call("cuKernelSetAttribute", MAX_DYNAMIC_SHARED, shared, kernel, 0)
        return kernel

    def launch(self, kernel: Any, grid: Any, block: Any, shared: int, arguments: list[Any]) -> None:
        """Put a launch into the default stream. Arguments are ctypes values."""
        addresses = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        self._call("cuLaunchKernel", kernel, *grid, *block, shared, None, addresses, None)

    def wait(self) -> None:
        """Until everything is done; DriverError if any of it failed."""
        self._call("cuStreamSynchronize", None)

    def tensor_map(
        self, element: str, base: int, extents: Any, strides: Any, box: Any, swizzle: int
    ) -> Any:
        """A tensor map as a kernel takes it; dimensions from the innermost one on."""
        room = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT)
        start = -ctypes.addressof(room) % MAP_ALIGNMENT
        made = (ctypes.c_char * MAP_BYTES).from_buffer(room, start)
        rank = len(box)
        wide, narrow = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
        self._call(
            "cuTensorMapEncodeTiled", ctypes.c_void_p(ctypes.addressof(made)),
            DATA_TYPES[element], rank, ctypes.c_void_p(base), wide(*extents), wide(*strides),
            narrow(*box), narrow(*[1] * rank), 0, SPANS.index(swizzle), PROMOTION, 0,
        )  # fmt: skip
        return made

    def of_recipe(self, recipe: Any, arguments: list[Any]) -> Any:
        """The tensor map of a recipe in a launch plan, whose guard holds for these arguments."""

        def number(size: Any) -> int:
            if isinstance(size, int):
                return size
            value = arguments[size["parameter"]].value or 0
            return value * size["times"] + size["plus"]

        return self.tensor_map(
            recipe["element"], number(recipe["base"]), [*map(number, recipe["extents"])],
            [*map(number, recipe["strides"])], recipe["box"], recipe["swizzle"],
        )  # fmt: skip

    # The clock

    def seconds(self, run: Any, flush: bool = True) -> float:
        """How long a launch takes on the device; `flush`, with nothing of use in the L2 cache."""
        if flush:
            self._flushed = self._flushed or self.allocate(FLUSHED)
            self._call("cuMemsetD8Async", ctypes.c_uint64(self._flushed), ctypes.c_ubyte(0),
                       ctypes.c_size_t(FLUSHED), None)  # fmt: skip
        events = [ctypes.c_void_p() for _ in range(2)]
        for event in events:
            self._call("cuEventCreate", ctypes.byref(event), 0)
        self._call("cuEventRecord", events[0], None)
        run()
        self._call("cuEventRecord", events[1], None)
        self._call("cuEventSynchronize", events[1])
        took = ctypes.c_float()
        self._call("cuEventElapsedTime", ctypes.byref(took), *events)
        for event in events:
            self._call("cuEventDestroy", event)
        return took.value / 1e3
