"""The stand-in for the driver, with what cuTile's C code asks of it besides.

cuTile loads the same library by the same name. What it needs and is not here answers that it is not
supported. A graph is the list of launches in it.
"""

# ruff: noqa: N802, N815 - functions are named as in cuda.h

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Mapping
from ctypes import c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from tests.codegen.device import standin

NOT_SUPPORTED = 801
CONTEXT = 1
"""Of CUpointer_attribute."""
DRIVER_VERSION = 13040
GRID_X, GRID_Y, GRID_Z, L2_CACHE = 5, 6, 7, 38
"""Of CUdevice_attribute."""


class Node(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS."""

    _fields_ = [
        ("function", c_void_p), ("shape", c_uint * 6), ("shared", c_uint),
        ("arguments", c_void_p), ("extra", c_void_p), ("kernel", c_void_p), ("context", c_void_p),
    ]  # fmt: skip


class CuTilesDriver(standin.Driver):
    """The functions that cuTile loads, all of which it must find."""

    more_kinds: Mapping[str, tuple[Any, ...]] = {
        "cuCtxGetDevice": (c_void_p,),
        "cuCtxGetId": (c_void_p, c_void_p),
        "cuCtxPopCurrent": (c_void_p,),
        "cuCtxPushCurrent": (c_void_p,),
        "cuCtxSynchronize": (),
        "cuDeviceGetCount": (c_void_p,),
        "cuDriverGetVersion": (c_void_p,),
        "cuEventCreate": (c_void_p, c_uint),
        "cuEventDestroy": (c_void_p,),
        "cuEventElapsedTime": (c_void_p, c_void_p, c_void_p),
        "cuEventQuery": (c_void_p,),
        "cuEventRecord": (c_void_p, c_void_p),
        "cuGraphAddEventRecordNode": (c_void_p,) * 5,
        "cuGraphAddKernelNode": (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p),
        "cuGraphAddMemAllocNode": (c_void_p,) * 5,
        "cuGraphAddMemFreeNode": (c_void_p,) * 5,
        "cuGraphAddMemsetNode": (c_void_p,) * 6,
        "cuGraphCreate": (c_void_p, c_uint),
        "cuGraphDestroy": (c_void_p,),
        "cuGraphExecDestroy": (c_void_p,),
        "cuGraphInstantiateWithFlags": (c_void_p, c_void_p, c_uint64),
        "cuGraphLaunch": (c_void_p, c_void_p),
        "cuMemAllocHost": (c_void_p, c_size_t),
        "cuMemFreeHost": (c_void_p,),
        "cuMemcpyHtoDAsync": (c_void_p, c_void_p, c_size_t, c_void_p),
        "cuStreamGetCtx": (c_void_p, c_void_p),
        "cuStreamGetId": (c_void_p, c_void_p),
        "cuStreamIsCapturing": (c_void_p, c_void_p),
        "cuStreamWaitEvent": (c_void_p, c_void_p, c_uint),
    }

    def __init__(self) -> None:
        super().__init__()
        self.missing = ctypes.CFUNCTYPE(c_int)(lambda: NOT_SUPPORTED)
        self.graphs: dict[int, list[Any]] = {}

    def _find(self, name: bytes, found: int, *rest: Any) -> int:
        code = super()._find(name, found, *rest)
        if code:
            c_void_p.from_address(found).value = ctypes.cast(self.missing, c_void_p).value
        return standin.SUCCESS

    def _handle(self, out: int, kind: Any = c_void_p, value: int | None = None) -> None:
        kind.from_address(out).value = next(self.handles) if value is None else value

    # Devices, contexts, streams, events

    def cuDeviceGetAttribute(self, out: int, attribute: int, device: int) -> None:
        grid = dict(zip((GRID_X, GRID_Y, GRID_Z), standin.GRID_LIMITS, strict=True))
        more = {**grid, L2_CACHE: 1 << 10}
        if attribute in more:
            c_int.from_address(out).value = more[attribute]
        else:
            super().cuDeviceGetAttribute(out, attribute, device)

    def cuDeviceGetCount(self, out: int) -> None:
        self._handle(out, c_int, 1)

    def cuDriverGetVersion(self, out: int) -> None:
        self._handle(out, c_int, DRIVER_VERSION)

    def cuCtxGetDevice(self, out: int) -> None:
        self._handle(out, c_int, 0)

    def cuCtxGetId(self, context: int, out: int) -> None:
        self._handle(out, c_uint64, 1)

    def cuCtxPushCurrent(self, context: int) -> None:
        self.current = context

    def cuCtxPopCurrent(self, out: int) -> None:
        self._handle(out, c_void_p, self.current)

    def cuCtxSynchronize(self) -> int:
        return self.status

    def cuStreamGetCtx(self, stream: int, out: int) -> None:
        self._handle(out, c_void_p, standin.CONTEXTS)

    def cuStreamGetId(self, stream: int, out: int) -> None:
        self._handle(out, c_uint64, 1)

    def cuStreamIsCapturing(self, stream: int, out: int) -> None:
        self._handle(out, c_int, 0)

    def cuStreamWaitEvent(self, stream: int, event: int, flags: int) -> None: ...

    def cuEventCreate(self, out: int, flags: int) -> None:
        self._handle(out)

    def cuEventDestroy(self, event: int) -> None: ...

    def cuEventQuery(self, event: int) -> None: ...

    def cuEventRecord(self, event: int, stream: int) -> None: ...

    def cuEventElapsedTime(self, out: int, start: int, end: int) -> None:
        c_float.from_address(out).value = 0.5

    # Memory

    def cuPointerGetAttribute(self, out: int, kind: int, address: int) -> None:
        if kind == CONTEXT:
            self._handle(out, c_void_p, standin.CONTEXTS)
        else:
            super().cuPointerGetAttribute(out, kind, address)

    def cuMemAllocHost(self, out: int, size: int) -> None:
        self.cuMemAlloc(out, size)

    def cuMemFreeHost(self, address: int) -> None:
        self.cuMemFree(address)

    def cuMemcpyHtoDAsync(self, target: int, source: int, size: int, stream: int) -> None:
        ctypes.memmove(target, source, size)

    # Graphs

    def cuGraphCreate(self, out: int, flags: int) -> None:
        self._handle(out)
        self.graphs[c_void_p.from_address(out).value or 0] = []

    def cuGraphDestroy(self, graph: int) -> None: ...

    def cuGraphExecDestroy(self, graph: int) -> None: ...

    def cuGraphAddMemAllocNode(self, out: int, *_: Any) -> None:
        self._handle(out)

    cuGraphAddMemFreeNode = cuGraphAddMemsetNode = cuGraphAddEventRecordNode = (
        cuGraphAddMemAllocNode
    )

    def cuGraphAddKernelNode(
        self, out: int, graph: int, dependencies: int, count: int, node: int
    ) -> int:
        """Check the launch and keep it, with the values of its arguments."""
        self._handle(out)
        asked = Node.from_address(node)
        module, name = self.kernels[asked.kernel]
        entry = module.kernel(name).scope
        given = self._arguments(entry, asked.arguments, asked.extra)
        shape = list(asked.shape)
        if given is None or self._refused(asked.kernel, shape[3:], asked.shared):
            return standin.INVALID_VALUE
        sizes = [each.size for each in entry.entry.parameters]
        pairs = zip(given, sizes, strict=True)
        values = [ctypes.create_string_buffer(ctypes.string_at(*each), each[1]) for each in pairs]
        self.graphs[graph].append((asked.kernel, shape, asked.shared, values))
        return standin.SUCCESS

    def cuGraphInstantiateWithFlags(self, out: int, graph: int, flags: int) -> None:
        self._handle(out, c_void_p, graph)

    def cuGraphLaunch(self, graph: int, stream: int) -> int:
        for kernel, shape, shared, values in self.graphs[graph]:
            addresses = [ctypes.addressof(each) for each in values]
            if code := self._run(kernel, shape[:3], shape[3:], shared, addresses):
                return code
        return standin.SUCCESS


def install(
    folder: Path, capability: tuple[int, int], kind: type[CuTilesDriver] = CuTilesDriver
) -> CuTilesDriver:
    """Give this process a driver with one device of a compute capability, and no real one."""
    driver = standin.install(folder, kind)
    assert isinstance(driver, CuTilesDriver)
    driver.capability = capability
    return driver


def told_of_memory(driver: CuTilesDriver) -> None:
    """Let arrays of NumPy be arguments of launches, and be memory of the device while they are."""
    from tileir.cutile.arguments import Arguments

    tile, inner = (importlib.import_module(name) for name in ("cuda.tile", "cuda.tile._cext"))
    original = inner.launch

    def launch(stream: Any, grid: Any, kernel: Any, given: Any, **options: Any) -> None:
        arguments = Arguments((), tuple(given))
        before = dict(driver.memory)
        driver.memory |= {at: region.nbytes for at, region in arguments.regions.items()}
        driver.devices |= dict.fromkeys(arguments.regions, 0)
        driver.problem, driver.status = None, standin.SUCCESS
        try:
            original(stream, grid, kernel, arguments.offered, **options)
            problem = driver.problem
        finally:
            new = {at: size for at, size in driver.memory.items() if at in driver.rooms}
            driver.memory = {**before, **new}
        if problem is not None:
            raise problem

    for module in (tile, inner):
        vars(module)["launch"] = launch
