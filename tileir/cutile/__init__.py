"""cuTile programs without NVIDIA's compiler: on the CPU, or on a GPU with kernels made by tileir.

On the CPU, a stand-in for the GPU is put under NVIDIA's `cuda.tile`.
cuTile itself is unchanged: it turns Python into bytecode, specialises kernels for their arguments
and launches them through the CUDA driver. Two parts are replaced: the driver (`driver.py`), and the
compiler that cuTile calls, whose output is the bytecode itself (`image.py`). torch's device "cuda"
becomes the CPU (`torch_stand_in/`), and so does cupy (`cupy_stand_in/`).

    tileir cutile program.py    # or python -m tileir.cutile
    pytest -p tileir.cutile.plugin
    tileir.cutile.install()     # in a notebook, before cuda.tile is imported

On a GPU, the driver stays, and tileir is the compiler (`gpu/`):

    tileir cutile --gpu program.py
    tileir.cutile.install(compiler="tileir")
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

from tileir.errors import UnsupportedError
from tileir.gpus import GPUS, capability_of, unknown
from tileir.launch.compile_options import Check
from tileir.messages.flags import flag as flag_of
from tileir.messages.missing_packages import CODEGEN, is_installed, missing, needing

if TYPE_CHECKING:
    from .dumped import Dump

__all__ = ["DEFAULT_GPU", "install"]

DEFAULT_GPU = "sm_100"
"""The GPU that programs see unless told otherwise."""

TILEIR = "tileir"
"""The compiler that `install` can put in the place of tileiras, for kernels on a GPU."""

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
        "are undefined, assumptions false), nan (an op makes a NaN or an infinity), or several, as "
        "in memory,undefined",
    },
    "break_on": {
        "metavar": "WHAT",
        "default": [],
        "type": lambda text: [w for w in text.split(",") if w],
        "help": "open pdb with the kernel's variables where an assertion fails (assert), where a "
        "check finds something (finding), or at both (assert,finding); print them if nobody is "
        "at a terminal",
    },
    "trace": {
        "metavar": "NAME",
        "action": "append",
        "default": [],
        "help": "print this variable of kernels that have it, or value by its name in `tileir dis`",
    },
    "autotune": {
        "metavar": "WHICH",
        "default": "first",
        "help": "configurations that cuTile's tuner measures: first (it takes the first that can "
        "be launched, and measures nothing), all, or the number of them (first)",
    },
}
"""Argument of `install` -> what its option on command lines is for argparse."""


ON_GPU: dict[str, Any] = {
    "action": "store_const",
    "dest": "compiler",
    "const": TILEIR,
    "help": "run kernels on the GPU, compiled by tileir instead of NVIDIA's tileiras; the options"
    " above are for the CPU",
}
"""What the option that says so is for argparse."""


def flag(name: str) -> str:
    """Return the name on command lines of an argument of `install`."""
    return name.removesuffix("_on")


def install(
    sm: str = DEFAULT_GPU,
    threads: int | None = None,
    check: str | Iterable[str] = (),
    trace: str | Iterable[str] = (),
    break_on: str | Iterable[str] = (),
    autotune: str | int = "first",
    compiler: str | None = None,
    dump: str | os.PathLike[str] | Dump | None = None,
    run: bool = True,
) -> None:
    """Run every cuTile kernel of this process on the CPU from now on; this cannot be undone.

    With ``compiler="tileir"`` kernels run on the GPU that is there, and tileir compiles them, where
    cuTile would call NVIDIA's tileiras. Launches are told what the kernel's plan says. cuTile's
    cache is not used, and its tuner measures without timeouts. The other arguments are for the CPU.

    sm       the GPU that programs see, such as ``sm_100``
    threads  CPU threads for each launch; None for all of them
    check    some of "memory", "undefined" and "nan": what ends a launch with a KernelError
    trace    names of values to print where a kernel has them, as the source calls its variables or
             `tileir.disassemble` spells them; those that no kernel had are told on standard error
             when the process ends
    break_on "assert", "finding" or both: where a launch shows its variables, and opens pdb if
             somebody is at a terminal; the traceback of its error ends in the kernel, so that
             `%debug` of a notebook finds them, too
    autotune "first", "all" or a number: the configurations that cuTile's tuner measures; "first"
             takes the first one that can be launched, and measures nothing
    dump     a folder for the bytecode of each kernel, as `tileir dump` writes it
    run      False: launch no kernel, and compile none, so that arrays stay as they are

    A version of cuda-tile that is not among the tested ones is tried, with an UncheckedWarning, if
    it has all that is used and changed of it.

    A second call has no effect. Raises MissingPackageError without cuda-tile; UnsupportedError for
    a version of cuda-tile that cannot be changed, an unknown GPU or check, for less than one thread
    or configuration, and if cuTile has already loaded the real driver, or kernels run elsewhere
    than asked for. With a compiler, MissingPackageError without cuda-bindings, DeviceError without
    a driver.
    """
    if compiler is not None:
        given = locals()
        asked = [name for name in OPTIONS if given[name] and given[name] != _DEFAULTS[name]]
        asked += [name for name, used in (("dump", dump), ("run", not run)) if used]
        _install_on_gpu(compiler, asked)
        return
    with needing(CODEGEN, "cuTile on the CPU"):
        from tileir.tools import cutile_hooks

        from . import cutile_internals, refused_imports, torch_stand_in, traced
        from .driver import Driver
        from .dumped import Dump
        from .options import Options, measured

    listed = ((n,) if isinstance(n, str) else tuple(n) for n in (check, trace, break_on))
    checks, names, breaks = listed
    options = Options(threads, cast(tuple[Check, ...], checks), names, breaks, flag_of("run", run))
    driver = Driver(capability(sm), options)
    measured(autotune)
    cutile_internals.check_version()
    if not cutile_internals.is_installed(on_gpu=False):
        driver.dump = dump if dump is None or isinstance(dump, Dump) else Dump(dump)
        driver.recorder = torch_stand_in.install(driver.capability)
        with cutile_hooks.all_or_none():
            cutile_internals.install(driver, autotune)
        refused_imports.install(driver.capability)
        atexit.register(traced.tell, trace)


_DEFAULTS = {name: each.default for name, each in signature(install).parameters.items()}


def _install_on_gpu(compiler: str, for_cpu: list[str]) -> None:
    if compiler != TILEIR:
        raise UnsupportedError(f"compiler must be {TILEIR!r} or None, not {compiler!r}")
    if for_cpu:
        raise UnsupportedError(f"{for_cpu[0]} is for the CPU, not for kernels on a GPU")
    with needing(CODEGEN, "compiling for cuTile"):
        from tileir.codegen import llvm, nvptx  # noqa: F401
        from tileir.tools import cutile_hooks

        from . import cutile_internals
    if not is_installed("cuda.bindings"):
        raise missing(["cuda-bindings"], "launching on a GPU")
    cutile_internals.check_version()
    if not cutile_internals.is_installed(on_gpu=True):
        with cutile_hooks.all_or_none():
            cutile_internals.install_on_gpu()


def capability(sm: str) -> tuple[int, int]:
    """Return a GPU's compute capability: ``sm_121`` is (12, 1). UnsupportedError if unknown."""
    if not isinstance(sm, str):
        raise TypeError(f"expected the name of a GPU, got {sm!r}")
    if sm not in GPUS:
        raise unknown(sm, GPUS, "GPU")
    return capability_of(sm)
