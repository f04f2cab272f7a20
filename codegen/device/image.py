"""PTX loaded into the driver at the first launch, unloaded when no longer referenced."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from tileir.errors import LaunchError

from . import driver

_FREE_SHARED = 48 << 10
"""Bytes of dynamic shared memory that a kernel may have without setting an attribute."""
_FREE_CLUSTER = 8
"""Blocks of a cluster that a kernel may have without setting an attribute."""


class Image:
    """The code of a compilation, for every device and context: the driver loads it where it runs.

    `code_with` returns PTX that has an entry, given its name, or a cubin.
    """

    def __init__(self, code_with: Callable[[str], str | bytes]) -> None:
        self._code_with = code_with
        self._libraries: dict[str | bytes, Any] = {}
        """PTX or cubin -> the library that the driver made of it."""
        self._kernels: dict[tuple[str, int], Any] = {}
        self._lock = threading.Lock()

    def kernel(self, plan: Mapping[str, Any], device: int) -> Any:
        """Return the kernel of a plan, set up for a device; LaunchError if it does not fit."""
        key = plan["entry"], device
        with self._lock:
            if key not in self._kernels:
                self._kernels[key] = self._prepared(plan, device)
            return self._kernels[key]

    def _prepared(self, plan: Mapping[str, Any], device: int) -> Any:
        shared, most = plan["dynamic_shared_memory"], driver.shared_memory(device)
        if shared > most:
            raise LaunchError(f"a block needs {shared} bytes of shared memory, the GPU has {most}")
        code = self._code_with(plan["entry"])
        library = self._libraries.get(code)
        if library is None:
            image = code if isinstance(code, bytes) else code.encode()
            library = self._libraries[code] = driver.load(image)
            # At exit the driver may have been shut down, which frees everything.
            weakref.finalize(self, driver.unload, library).atexit = False
        kernel = driver.kernel(library, plan["entry"])
        if shared > _FREE_SHARED:
            driver.allow_shared(kernel, device, shared)
        if prod(plan["cluster"]) > _FREE_CLUSTER:
            driver.allow_large_clusters(kernel, device)
        return kernel
