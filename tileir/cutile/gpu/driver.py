"""Between cuTile and the CUDA driver: calls about our kernels are changed as the plan says.

cuTile's C code asks one function of the driver for all others. Here that function hands out those
of the driver itself, but for the few below: each looks whether a handle is one of ours. If so, the
grid, the block, shared memory, the arguments (with tensor maps behind them) and the entry itself
(a twin, where no tensor map can be made) become what `CompiledEntry.prepare` says, and the driver
gets the call; launch attributes stay what cuTile has set. Names and structures are those of cuda.h.
"""

# ruff: noqa: N802 - functions are named as in cuda.h

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from ctypes import c_char_p, c_int, c_uint, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any

from tileir.cutile.packed import is_packed
from tileir.errors import DeviceError

from .compiler import Request, compiled

if TYPE_CHECKING:
    from tileir.codegen.nvptx import CompiledEntry

SUCCESS, INVALID_VALUE, INVALID_HANDLE, NOT_FOUND = 0, 1, 400, 500
"""Of CUresult."""

MOST = (2**31 - 1, 65535, 65535)
"""Blocks along x, y and z that CUDA launches at most."""

_KNOWN = 1024
"""Launches of a kernel that are remembered: grids and arguments."""

_LIBRARY = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
_LOOKUP = "cuGetProcAddress_v2"
_LOOKED_UP = (c_char_p, c_void_p, c_int, c_uint64, c_void_p)


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("count", c_uint),
    ]


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS, as it is since CUDA 12.0."""

    _fields_ = [
        ("function", c_void_p),
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("arguments", c_void_p),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    ]


class Between:
    """What cuTile takes for the driver; `error` is what was raised in a call, which C cannot pass.

    DeviceError if there is no driver.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None
        try:
            lookup = ctypes.CDLL(_LIBRARY)[_LOOKUP]
        except (OSError, AttributeError):
            raise DeviceError("there is no NVIDIA driver here") from None
        # Python's lock is kept, as it is while cuTile calls the driver itself.
        address = ctypes.cast(lookup, c_void_p).value or 0
        self._lookup = ctypes.PYFUNCTYPE(c_int, *_LOOKED_UP)(address)
        self._driver: dict[str, Any] = {}
        """Name -> the driver's function, of those that are changed here."""
        self._ours: dict[int, Any] = {}
        """Handle -> the compilation behind it, or the `Kernel`."""
        self._kernels: dict[int, list[int]] = {}
        """Handle of a compilation -> those of its kernels."""
        self._handles: dict[int, Any] = {}
        self._kinds = _kinds()
        self._changed = {
            name: self._callback(getattr(self, name), kinds) for name, kinds in self._kinds.items()
        }
        self.get_proc_address = ctypes.CFUNCTYPE(c_int, *_LOOKED_UP)(self._get_proc_address)

    def _callback(self, action: Callable[..., int], kinds: tuple[Any, ...]) -> Any:
        def guarded(*arguments: Any) -> int:
            try:
                return action(*arguments)
            except BaseException as error:
                self.error = error
                return 999  # CUDA_ERROR_UNKNOWN; a global may be gone at exit

        return ctypes.CFUNCTYPE(c_int, *kinds)(guarded)

    def _get_proc_address(
        self, name: bytes, out: int, version: int, flags: int, status: int
    ) -> int:
        code = self._lookup(name, out, version, flags, status)
        known, found = name.decode(), c_void_p.from_address(out)
        if code == SUCCESS and found.value and known in self._changed:
            kinds = self._kinds[known]
            self._driver[known] = ctypes.PYFUNCTYPE(c_int, *kinds)(found.value)
            found.value = ctypes.cast(self._changed[known], c_void_p).value
        return code

    def _keep(self, out: int, thing: Any) -> int:
        """Write a handle, which is an address that nobody else has, and return it."""
        place = ctypes.create_string_buffer(8)
        handle = ctypes.addressof(place)
        self._handles[handle], self._ours[handle] = place, thing
        c_void_p.from_address(out).value = handle
        return handle

    # Code

    def cuLibraryLoadData(self, out: int, code: int, *rest: Any) -> int:
        """Compile what an image stands for, where this has not been done."""
        if not is_packed(code):
            return self._driver["cuLibraryLoadData"](out, code, *rest)
        self._keep(out, compiled(Request.of(code)))
        return SUCCESS

    def cuLibraryUnload(self, library: int) -> int:
        """Forget a compilation. At exit, too, when globals are gone: so there are none in here."""
        if library not in self._ours:
            return self._driver["cuLibraryUnload"](library)
        for handle in [library, *self._kernels.pop(library, ())]:
            del self._ours[handle], self._handles[handle]
        return 0

    def cuLibraryGetKernel(self, out: int, library: int, name: bytes) -> int:
        """Look up an entry; the driver loads its code when it is launched."""
        module = self._ours.get(library)
        if module is None:
            return self._driver["cuLibraryGetKernel"](out, library, name)
        symbol = name.decode("utf-8", "surrogateescape")
        if symbol not in module:
            return NOT_FOUND
        handle = self._keep(out, Kernel(module[symbol]))
        self._kernels.setdefault(library, []).append(handle)
        return SUCCESS

    def cuKernelGetFunction(self, out: int, kernel: int) -> int:
        """Return a kernel of ours as its own function: it is launched as either."""
        if kernel not in self._ours:
            return self._driver["cuKernelGetFunction"](out, kernel)
        c_void_p.from_address(out).value = kernel
        return SUCCESS

    def cuKernelGetAttribute(self, out: int, kind: int, kernel: int, device: int) -> int:
        """Nobody asks for attributes of our kernels: the plan has them."""
        if kernel in self._ours:
            return INVALID_HANDLE
        return self._driver["cuKernelGetAttribute"](out, kind, kernel, device)

    def cuKernelSetAttribute(self, kind: int, value: int, kernel: int, device: int) -> int:
        """Nobody sets attributes of our kernels: a launch does what the plan asks for."""
        if kernel in self._ours:
            return INVALID_HANDLE
        return self._driver["cuKernelSetAttribute"](kind, value, kernel, device)

    # Launches

    def cuLaunchKernelEx(self, config: int, kernel: int, arguments: int, extra: int) -> int:
        """Launch a kernel of ours with what its plan says, and cuTile's stream and attributes."""
        ours = self._ours.get(kernel)
        if ours is None:
            return self._driver["cuLaunchKernelEx"](config, kernel, arguments, extra)
        asked = LaunchConfig.from_buffer_copy(LaunchConfig.from_address(config))
        return self._launch(ours, asked, arguments)

    def cuLaunchKernel(self, kernel: int, *rest: Any) -> int:
        """The same, for a kernel that was asked for as a function."""
        ours = self._ours.get(kernel)
        if ours is None:
            return self._driver["cuLaunchKernel"](kernel, *rest)
        *extents, shared, stream, arguments, _ = rest
        asked = LaunchConfig(tuple(extents[:3]), tuple(extents[3:]), shared, stream, None, 0)
        return self._launch(ours, asked, arguments)

    def _launch(self, ours: Kernel, asked: LaunchConfig, arguments: int) -> int:
        told = ours.told(tuple(asked.grid), arguments)
        if told is None:
            return INVALID_VALUE
        asked.grid, asked.block = told.config.grid, told.config.block
        asked.shared = told.config.shared
        launch = self._driver["cuLaunchKernelEx"]
        return launch(
            ctypes.addressof(asked), int(told.kernel), ctypes.addressof(told.arguments), None
        )

    def cuGraphAddKernelNode(self, out: int, graph: int, *rest: Any) -> int:
        """Add a launch of a kernel to a graph, which is how cuTile's tuner measures it."""
        *dependencies, node = rest
        add, asked = self._driver["cuGraphAddKernelNode"], KernelNode.from_address(node)
        ours = self._ours.get(asked.kernel or asked.function)
        if ours is None:
            return add(out, graph, *dependencies, node)
        told = ours.told(tuple(asked.grid), asked.arguments)
        if told is None:
            return INVALID_VALUE
        changed = KernelNode(
            None,
            told.config.grid,
            told.config.block,
            told.config.shared,
            ctypes.addressof(told.arguments),
            None,
            int(told.kernel),
            asked.context,
        )
        return add(out, graph, *dependencies, ctypes.addressof(changed))


class Kernel:
    """A kernel of ours, and what the driver was told of its launches, which are often repeated."""

    def __init__(self, entry: CompiledEntry) -> None:
        from tileir.codegen.device import driver

        self._entry = entry
        self._rows = [(row["offset"], row["size"]) for row in entry.plan["parameters"]]
        self._size = max((offset + size for offset, size in self._rows), default=0)
        self._driver = driver
        self._known: dict[tuple[Any, ...], Any] = {}

    def told(self, grid: tuple[int, ...], arguments: int) -> Any:
        """Return what the driver is told for a launch; None for a grid that it refuses.

        cuTile words why a grid was refused. `arguments` is where the addresses of arguments lie.
        """
        if not all(1 <= extent <= most for extent, most in zip(grid, MOST, strict=True)):
            return None
        packed = bytearray(self._size)
        addresses = (c_void_p * len(self._rows)).from_address(arguments) if self._rows else ()
        for (offset, size), address in zip(self._rows, addresses, strict=True):
            packed[offset : offset + size] = ctypes.string_at(address or 0, size)
        given = bytes(packed)
        context = self._driver.current_context()
        if not context:
            self._driver.current_device()  # which makes one current, as a first launch needs it
            context = self._driver.current_context()
        key = grid, given, context
        found = self._known.get(key)
        if found is None:
            found = self._entry.prepare(grid, given)
            if len(self._known) == _KNOWN:
                self._known.clear()
            self._known[key] = found
        return found


def _kinds() -> dict[str, tuple[Any, ...]]:
    """Return the functions that are changed, with the types of their arguments."""
    return {
        "cuGraphAddKernelNode": (c_void_p, c_void_p, c_void_p, ctypes.c_size_t, c_void_p),
        "cuKernelGetAttribute": (c_void_p, c_int, c_void_p, c_int),
        "cuKernelGetFunction": (c_void_p, c_void_p),
        "cuKernelSetAttribute": (c_int, c_int, c_void_p, c_int),
        "cuLaunchKernel": (c_void_p, *(c_uint,) * 7, c_void_p, c_void_p, c_void_p),
        "cuLaunchKernelEx": (c_void_p,) * 4,
        "cuLibraryGetKernel": (c_void_p, c_void_p, c_char_p),
        "cuLibraryLoadData": (*(c_void_p,) * 4, c_uint, c_void_p, c_void_p, c_uint),
        "cuLibraryUnload": (c_void_p,),
    }
