"""The undocumented parts of cuTile that are used or changed, for the tested versions.

Five parts of `cuda.tile` are replaced: the search for the driver, the search for its compiler, the
printing of bytecode as text, `launch`, and its tuner (`tuner.py`). On a GPU the tuner stays, but
for the process of its own that measures with a timeout.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import sys
import threading
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import tileir
from tileir.errors import (
    BytecodeError,
    KernelError,
    TileIRError,
    UncheckedWarning,
    UnsupportedError,
)
from tileir.launch.breakpoints import ARGUMENTS
from tileir.messages.missing_packages import missing
from tileir.messages.texts import display
from tileir.tileiras.compiler import known_module
from tileir.tools import cutile_hooks
from tileir.tools.cutile_versions import VERSIONS

from . import image, tuner
from .arguments import Arguments, offered_at_once
from .driver import Driver
from .gpu.compiler import Compiler
from .gpu.driver import Between
from .packed import pack
from .torch_stand_in import graphs

_LOADER = "cuda.tile._load_libcuda"
"""The module that loads the driver; cuTile imports it at the first launch."""

_launching = threading.RLock()
"""cuTile relies on no other thread running while it launches."""


def check_version() -> None:
    """Raise UnsupportedError for a cuda-tile that cannot be changed, MissingPackageError for none.

    A version that is not among the tested ones is tried, with a warning, if it has all that we use
    and change (`tools/cutile_hooks.py`). Nothing of cuTile is imported for that.
    """
    try:
        installed = version("cuda-tile")
    except PackageNotFoundError:
        raise missing(["cuda-tile"], "cuTile on the CPU") from None
    if installed in VERSIONS:
        return
    tested = f"{', '.join(VERSIONS[:-1])} and {VERSIONS[-1]}"
    folder = cutile_hooks.package()
    wrong = ["its source is not found"] if folder is None else cutile_hooks.problems(folder)
    if wrong:
        more = f", and {len(wrong) - 1} more" if wrong[1:] else ""
        raise UnsupportedError(
            f"cuda-tile {installed} is not known, and not what tileir can change: "
            f"{wrong[0]}{more}; tested are versions {tested}"
        )
    if not _tried:
        _tried.append(installed)
        text = f"cuda-tile {installed} has not been tested, only versions {tested}; it is tried"
        warnings.warn(text, UncheckedWarning, stacklevel=_OUR_FRAMES)


_OUR_FRAMES = 3
"""Frames from `check_version` to the caller of `tileir.cutile.install`."""

_tried: list[str] = []
"""The version that is not known and of which has been warned."""


def is_installed(on_gpu: bool) -> bool:
    """Whether it has been installed, for a GPU or the CPU.

    UnsupportedError if it was for the other one, or if cuTile has loaded the real driver.
    """
    loader = sys.modules.get(_LOADER)
    if loader is None:
        return False
    if not isinstance(loader, _Loader):
        raise UnsupportedError("cuTile has loaded the CUDA driver; install before the first launch")
    if isinstance(loader.driver, Between) != on_gpu:
        where = "the CPU" if on_gpu else "a GPU, compiled by tileir"
        raise UnsupportedError(f"kernels of this process run on {where}, which cannot be undone")
    return True


def install(driver: Driver, autotune: str | int) -> None:
    """Replace cuTile's driver and compiler. The classes of torch must have been replaced before.

    cuTile unloads its libraries in Python's last garbage collection, and calls the driver for that:
    so the driver must never be collected, even if an exception of a launch keeps frames alive.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(driver))
    sys.modules[_LOADER] = _Loader(driver)
    tile = import_module("cuda.tile")
    launch = _launcher(tile.launch, driver)
    for module in (tile, import_module("cuda.tile._cext")):
        vars(module)["launch"] = launch
    compiling = import_module("cuda.tile._compile")
    _replace_compiler(compiling, _Compiler(compiling, driver))
    tuner.install(launch, _launching, driver, autotune)
    ARGUMENTS.append(lambda: _named(driver.launched))


def install_on_gpu() -> None:
    """Put ourselves between cuTile and the real driver, and in the place of its compiler.

    DeviceError if there is no driver.
    """
    between = Between()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(between))
    sys.modules[_LOADER] = _Loader(between)
    modules = [import_module(f"cuda.tile{name}") for name in ("", "._cext", ".tune._tune")]
    timed = import_module("cuda.tile.tune._tune_utils")
    for name in ("launch", "_benchmark"):
        original = getattr(modules[1], name)
        told = _telling(original, between)
        for module in (*modules, timed):
            if vars(module).get(name) is original:
                vars(module)[name] = told
    # Its process has not these changes. Without a payload, cuTile measures without a timeout.
    vars(timed)["_export_ipc_benchmark_payload"] = lambda *_: None
    compiling = import_module("cuda.tile._compile")
    _replace_compiler(compiling, Compiler(compiling))


def _telling(function: Any, between: Between) -> Any:
    """Return a function of cuTile that raises what was raised between it and the driver."""

    @functools.wraps(function)
    def telling(*arguments: Any, **options: Any) -> Any:
        with _launching:
            between.error = cause = None
            try:
                return function(*arguments, **options)
            except BaseException as error:
                cause = error
            cause, between.error = between.error or cause, None
        try:
            raise _shortened(cause).with_traceback(cause.__traceback__)
        finally:
            del cause  # the frame and the exception would keep each other, and arrays, alive

    graphs.leave_out(telling)
    return telling


class _Loader(ModuleType):
    """The module from which cuTile's C code reads the address of cuGetProcAddress.

    Programs that launch what cuTile has exported call the function itself.
    """

    def __init__(self, driver: Driver | Between) -> None:
        super().__init__(_LOADER)
        self.driver = driver
        self._cell = ctypes.c_void_p(ctypes.cast(driver.get_proc_address, ctypes.c_void_p).value)
        self.cuGetProcAddress_v2_ptrptr = ctypes.addressof(self._cell)
        self._cuGetProcAddress_v2 = driver.get_proc_address


def _launcher(launch: Any, driver: Driver) -> Any:
    """Return cuTile's launch, extended to NumPy arrays and to exceptions raised in the driver."""

    @functools.wraps(launch)
    def launch_on_cpu(*arguments: Any, **options: Any) -> None:
        with _launching:
            driver.error = cause = None
            driver.launched = arguments
            try:
                launch(*_prepared(arguments, driver), **options)
            except BaseException as error:
                cause = error
            cause, driver.error = driver.error or cause, None
            driver.launched = ()
        try:
            if cause is not None:
                traceback = _stopped(cause, arguments)
                raise _shortened(cause).with_traceback(traceback or cause.__traceback__)
        finally:
            del cause  # the frame and the exception would keep each other, and arrays, alive

    graphs.leave_out(launch_on_cpu)
    return launch_on_cpu


def _shortened(error: BaseException) -> BaseException:
    """Return a TileIRError or an interrupt without our and cuTile's frames; others unchanged."""
    if isinstance(error, TileIRError | KeyboardInterrupt):
        error.__suppress_context__ = True
        return error.with_traceback(None)
    return error


def _stopped(error: BaseException, arguments: tuple[Any, ...]) -> TracebackType | None:
    """Show the variables of a kernel where it went wrong, if they were asked for.

    Returns a traceback in the kernel's source.
    """
    if not (isinstance(error, KernelError) and error.variables):
        return None
    from tileir.codegen.host.debugging.frames import stop_after

    return stop_after(error, arguments[2]._pyfunc.__name__, _named(arguments))


def _named(arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Return a kernel's arguments by their names in source, given those of a launch of cuTile."""
    if len(arguments) != 4:
        return {}
    _, _, kernel, passed = arguments
    code = kernel._pyfunc.__code__
    return dict(zip(code.co_varnames[: code.co_argcount], passed, strict=False))


def _prepared(arguments: tuple[Any, ...], driver: Driver) -> tuple[Any, ...]:
    """Return the arguments for cuTile's launch, and give the driver their memory regions."""
    driver.regions = None
    if len(arguments) != 4 or not isinstance(arguments[3], tuple | list):
        return arguments  # cuTile says what is wrong
    stream, grid, kernel, passed = arguments
    if not driver.options.needs_memory:
        offered = offered_at_once(passed)
        if offered is not None:
            return stream, grid, kernel, tuple(offered)
    code = getattr(getattr(kernel, "_pyfunc", None), "__code__", None)
    prepared = Arguments(code.co_varnames if code else (), tuple(passed))
    driver.regions = prepared.regions
    return stream, grid, kernel, prepared.offered


def _replace_compiler(compiling: ModuleType, compiler: Any) -> None:
    """Make cuTile find our compiler as tileiras, and print bytecode without NVIDIA's tools.

    cuTile's own cache keeps nothing then: images are no cubins, and we have a cache.
    """
    vars(compiling).update(
        _find_compiler_bin=lambda: compiler,
        _bytecode_to_mlir_text=lambda bytecode, **_: tileir.disassemble(bytes(bytecode)),
    )
    import_module("cuda.tile._cext").default_tile_context.config.cache_dir = None


class _Compiler:
    """Stands in for tileiras: reads a file of bytecode, and writes an image for the driver.

    A kernel that cannot be compiled raises UnsupportedError here, and thereby in the launch.
    """

    path = "tileiras"

    def __init__(self, compiling: ModuleType, driver: Driver) -> None:
        self._compiling = compiling
        self._driver = driver

    def run(self, arguments: list[str], flags: list[str], timeout_sec: float | None = None) -> None:
        """Compile; `arguments` are the input, ``-o`` and the output, `flags` are about GPUs."""
        source, _, target, *_ = arguments
        driver = self._driver
        if "-l" in flags and driver.options.run:
            raise UnsupportedError("the kernel links a library for GPUs, which a CPU cannot run")
        bytecode = Path(source).read_bytes()
        try:
            kernels = known_module(bytecode).functions
        except BytecodeError as error:
            # cuTile tries several bytecode versions, and this error makes it try the next one
            raise self._refusal(str(error)) from error
        if driver.dump is not None:
            driver.dump.write(bytecode)
        try:
            image.compiled(bytecode, driver.options)
        except BytecodeError as error:  # for example, a type that no tile can have
            where = ", ".join(f"{display(k.name)} ({k.location})" for k in kernels)
            raise UnsupportedError(f"{where}: {error}") from None
        Path(target).write_bytes(pack(bytecode))

    def _refusal(self, message: str) -> Exception:
        """Return cuTile's error about bytecode that its compiler refuses; 1.5 locates none."""
        kind = self._compiling.TileCompilerExecutionError
        located = "loc" in inspect.signature(kind).parameters
        location = (self._compiling.Loc.unknown(),) if located else ()
        return kind(1, message, *location, "", None)
