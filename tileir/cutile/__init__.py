"""cuTile programs on the CPU: a stand-in for the GPU under NVIDIA's `cuda.tile`.

cuTile itself is unchanged: it turns Python into bytecode, specialises kernels for their arguments
and launches them through the CUDA driver. Two parts are replaced: the driver (`driver.py`), and the
compiler that cuTile calls, whose output is the bytecode itself (`image.py`). torch's device "cuda"
becomes the CPU (`torch_stand_in/`), and so does cupy (`cupy_stand_in/`).

    tileir cutile program.py    # or python -m tileir.cutile
    pytest -p tileir.cutile.plugin
    tileir.cutile.install()     # in a notebook, before cuda.tile is imported
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable
from typing import Any, cast

from tileir.gpus import GPUS, capability_of, unknown
from tileir.launch.compile_options import Check
from tileir.messages.missing_packages import CODEGEN, needing

__all__ = ["DEFAULT_GPU", "install"]

DEFAULT_GPU = "sm_100"
"""The GPU that programs see unless told otherwise."""

OPTIONS: dict[str, dict[str, Any]] = {
    "sm": {
        "metavar": "GPU",
        "default": DEFAULT_GPU,
        "help": f"GPU to stand in for ({DEFAULT_GPU})",
    },
    "threads": {"metavar": "N", "type": int, "help": "CPU threads (default: all)"},
    "check": {
        "metavar": "WHAT",
        "default": [],
        "type": lambda text: [w for w in text.split(",") if w],
        "help": "end a launch that goes wrong: memory (it leaves its arrays), undefined (results "
        "are undefined, assumptions false), or memory,undefined",
    },
    "trace": {
        "metavar": "NAME",
        "action": "append",
        "default": [],
        "help": "print this value of kernels that have it; names are those of `tileir dis`",
    },
}
"""Option of `install` on command lines -> its keyword arguments for argparse."""


def install(
    sm: str = DEFAULT_GPU,
    threads: int | None = None,
    check: str | Iterable[str] = (),
    trace: str | Iterable[str] = (),
) -> None:
    """Run every cuTile kernel of this process on the CPU from now on; this cannot be undone.

    sm       the GPU that programs see, such as ``sm_100``
    threads  CPU threads for each launch; None for all of them
    check    "memory", "undefined" or both: the errors that end a launch with a KernelError
    trace    names of values, as `tileir.disassemble` spells them, to print where a kernel has them;
             those that no kernel had are told on standard error when the process ends

    A second call has no effect. Raises MissingPackageError without cuda-tile; UnsupportedError for
    an unknown version of cuda-tile, GPU or check, for less than one thread, and if cuTile has
    already loaded the real driver.
    """
    with needing(CODEGEN, "cuTile on the CPU"):
        from . import cutile_internals, refused_imports, torch_stand_in, traced
        from .driver import Driver
        from .options import Options

    checks, names = ((n,) if isinstance(n, str) else tuple(n) for n in (check, trace))
    driver = Driver(capability(sm), Options(threads, cast(tuple[Check, ...], checks), names))
    cutile_internals.check_version()
    if not cutile_internals.is_installed():
        torch_stand_in.install(driver.capability)
        cutile_internals.install(driver)
        refused_imports.install(driver.capability)
        atexit.register(traced.tell, trace)


def capability(sm: str) -> tuple[int, int]:
    """Return a GPU's compute capability: ``sm_121`` is (12, 1). UnsupportedError if unknown."""
    if not isinstance(sm, str):
        raise TypeError(f"expected the name of a GPU, got {sm!r}")
    if sm not in GPUS:
        raise unknown(sm, GPUS, "GPU")
    return capability_of(sm)
