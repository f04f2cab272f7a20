"""The open toolchain for CUDA Tile IR bytecode: read, explain, compile and run it.

    bytecode = tileir.Bytecode.parse(data)
    for op in bytecode.functions[0].walk(): ...
    tileir.compile(bytecode)["vector_add"].launch(grid, args)
    tileir.compile(bytecode, "sm_90").ptx

Functions; help(tileir.compile) says more
    assemble(text)                text to Bytecode
    batch(modules, verb)          one thing done with many modules; help(tileir.batch)
    breakpoint()                  in kernels of cuTile: look at its tiles, on the CPU in pdb
    compile(bytecode, target)     Bytecode to a Compilation: kernels to launch, by their symbols
    disassemble(bytecode)         Bytecode to text
    load(path)                    a file of bytecode to Bytecode
    load_package(path)            a file of compiled kernels to a Package; help(tileir.tilepack)
    variants(module, target, space)   a kernel compiled in many ways, ordered by what they take
    verify(bytecode, target)      everything that is wrong with a module, as Diagnostics

Classes
    Bytecode           a module: parse, build, to_version, functions, globals, warnings
    Function, Global   a kernel: name, type, walk(), body; a global variable
    Section, Version   a part of the file; a version of the format, such as 13.4
    Limits             how deep what is read may be nested
    LaunchAttributes   what a text says about launches and bytecode cannot hold
    Buffer             memory to launch a kernel on, by its address
    Diagnostic, Feature   what is wrong, and where; something that a version of the format lacks

Errors: each is a TileIRError, so catching that one is enough
    BytecodeError, AssemblyError      bytes or a text that cannot be read
    VerifyError                       a module that breaks rules of Tile IR
    BuildError, VersionError          what cannot be built, or not in that version
    UnsupportedError                  what cannot be compiled for a target
    LaunchError, PackageError         arguments that do not fit; a package that cannot be read
    KernelError, KernelAssertionError, EmulationError, DeviceError   what a running kernel does
    MissingPackageError, UncheckedWarning   it is not installed; a check that could not be made

Modules
    tileir.builder    modules from nothing, and edits; see tileir.types and tileir.attributes, too
    tileir.emulator   load(compiled)[symbol].launch(grid, args): kernels for GPUs, without one
    tileir.gpus       TARGETS: the GPUs, and their features
    tileir.sampler    sample(seed, version): random modules; tileir.inspect: every byte explained
    tileir.cutile     install(): programs of cuTile on the CPU; tileir.cutile.plugin is for pytest
    tileir.kernel_tuner         KernelTuner on variants: tune_kernel(module, target, space, ...)
    tileir.codegen.nvptx.plan   what a launch plan says

What stands here is the public interface; everything else may change.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

# A wheel ships codegen/ and formats/ inside this package; a checkout keeps them beside it.
_here = os.path.dirname(__file__)
if not os.path.isdir(os.path.join(_here, "formats")):
    __path__.append(os.path.dirname(_here))

from tileir.formats.forks import not_forking  # noqa: E402  the path comes first

if TYPE_CHECKING:
    from typing import Unpack

    from _typeshed import ReadableBuffer

    from tileir.codegen.compilation import Compilation, Compiled
    from tileir.codegen.host import HostCompilation
    from tileir.codegen.nvptx import PtxCompilation
    from tileir.formats.limits import Limits
    from tileir.formats.version import Version

    from . import emulator as emulator
    from .batches.batching import batch as batch
    from .batches.variants.varying import variants as variants
    from .bytecode import Bytecode, Function, Global, Section
    from .cutile.breakpoints import breakpoint as breakpoint
    from .errors import (
        AssemblyError,
        BuildError,
        BytecodeError,
        DeviceError,
        Diagnostic,
        EmulationError,
        Feature,
        KernelAssertionError,
        KernelError,
        LaunchError,
        MissingPackageError,
        PackageError,
        TileIRError,
        UncheckedWarning,
        UnsupportedError,
        VerifyError,
        VersionError,
    )
    from .gpus import TargetName
    from .launch.attributes import LaunchAttributes
    from .launch.buffer import Buffer
    from .launch.compile_options import CompileOptions
    from .tilepack.package import Package

__version__ = "0.1.0"

__all__ = [
    "AssemblyError",
    "Buffer",
    "BuildError",
    "Bytecode",
    "BytecodeError",
    "DeviceError",
    "Diagnostic",
    "EmulationError",
    "Feature",
    "Function",
    "Global",
    "KernelAssertionError",
    "KernelError",
    "LaunchAttributes",
    "LaunchError",
    "Limits",
    "MissingPackageError",
    "PackageError",
    "Section",
    "TileIRError",
    "UncheckedWarning",
    "UnsupportedError",
    "VerifyError",
    "Version",
    "VersionError",
    "assemble",
    "batch",
    "compile",
    "disassemble",
    "load",
    "load_package",
    "variants",
    "verify",
]

_MODULES = {
    "Buffer": "launch.buffer",
    "Bytecode": "bytecode",
    "Function": "bytecode",
    "Global": "bytecode",
    "LaunchAttributes": "launch.attributes",
    "Limits": "formats.limits",
    "Section": "bytecode",
    "Version": "formats.version",
    "batch": "batches.batching",
    "variants": "batches.variants.varying",
    "breakpoint": "cutile.breakpoints",
}
"""Public name -> module that defines it; the classes not listed are in `errors`.

`breakpoint` is not in `__all__`: `from tileir import *` must leave Python's own alone.
"""


if not TYPE_CHECKING:  # for a checker, a module with this function has every name

    def __getattr__(name: str) -> Any:
        """Return a class of the public interface, imported when it is first asked for.

        Commands start at once that way, and can be interrupted. `emulator` is a module, which needs
        no import of its own either. AttributeError for a name that neither `__all__` nor `_MODULES`
        lists.
        """
        if name == "emulator":
            with not_forking:
                return import_module(".emulator", __name__)
        if name not in __all__ and name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with not_forking:
            value = getattr(import_module(f".{_MODULES.get(name, 'errors')}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the names of the module; none for `help`, which then shows the overview alone.

    It would add the whole text of each class and function: two thousand lines.
    """
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_globals.get("__name__") == "pydoc":
            return []
    return sorted({*globals(), *__all__, *_MODULES, "emulator"})


def assemble(text: str, version: Version | str | None = None, name: str = "<text>") -> Bytecode:
    """Return the module that a text describes: tileirdisasm's output or the dialect in MLIR syntax.

    version  bytecode version to write, the latest if None
    name     what the text is called in messages, for example its file

    Names may have ``cuda_tile.`` and ``!cuda_tile.`` in front. A ``module`` or
    ``cuda_tile.module`` may stand around everything. Aliases such as ``#loc1`` and ``!t`` may be
    defined before or after their use; comments begin with ``//``. A ``return``, ``yield`` or
    ``continue`` without values may be left out at the end of its region. MLIR's generic form of
    ops, with their names in quotes, is not read.

    Bytecode cannot hold attributes about launching, such as ``tt.num_warps`` of a module and
    ``nvvm.maxnreg`` of an entry: they are in `Bytecode.launch_attributes` of the result.

    Raises AssemblyError, which lists everything that is wrong with the text or missing from the
    version; BuildError if `version` is not a bytecode version; TypeError if `text` is not a str.
    """
    with not_forking:
        from .text.assembler import assemble as assemble_text

    return assemble_text(text, version, name)


@overload
def compile(
    bytecode: Bytecode | ReadableBuffer, target: Literal["host"], **options: Unpack[CompileOptions]
) -> HostCompilation: ...
@overload
def compile(
    bytecode: Bytecode | ReadableBuffer, target: TargetName, **options: Unpack[CompileOptions]
) -> PtxCompilation: ...
@overload
def compile(
    bytecode: Bytecode | ReadableBuffer,
    target: str | None = None,
    **options: Unpack[CompileOptions],
) -> Compilation[Compiled]: ...
def compile(
    bytecode: Bytecode | ReadableBuffer,
    target: str | None = None,
    **options: Unpack[CompileOptions],
) -> Compilation[Any]:
    """Compile every entry of a module for a target; needs the ``codegen`` extra.

    bytecode  a Bytecode, or the bytes of one
    target    ``host`` (the CPU this runs on) or a GPU, spelled ``sm_90``; if None, the GPU that
              the module's text names (``nv_tileaa.compute_capability``), or else the host
    symbols   compile these entries only; KeyError for a symbol that no entry has
    cache     False: compile without reading or writing the cache on disk
    check     host only: some of "memory", "undefined" and "nan", what to check while a kernel runs
    trace     host only: names of values, as `disassemble` spells them, to print once computed
    lineinfo  GPUs only: the PTX says which line of source each instruction comes from
    portable  GPUs only: the PTX runs on all later GPUs too; without, that for ``sm_90`` may become
              PTX for ``sm_90a``, which runs on 9.0 alone, where an entry gains by it

    The following are requests about launches, for GPUs only. Each takes precedence over attributes
    of the module's text, and those over hints in bytecode. None requests nothing, and lifts a hint.
    For the host, a request is accepted if it holds anyway:

    num_warps          warps of a block: 1, 2, 4, ... 32
    cluster_dim        blocks of a cluster along x, y and z, such as (2, 1, 1); from sm_90 on
    num_ctas           blocks of a cluster along x
    maxnreg            registers of a thread at most: 24 to 255
    minnctapersm       blocks that an SM holds at the same time, at least
    maxclusterrank     blocks of a cluster at most, where the launch says how many
    blocksareclusters  True: the launch grid counts clusters

    Returns a Compilation: ``.llvm_ir``, ``.ptx`` and ``.plan`` of the whole module, ``.stages``
    (what each stage of compiling decided, found out when asked for), and a mapping
    from entry symbol to a kernel with ``.launch(grid, args)``. For other launchers of the PTX,
    ``help("tileir.codegen.nvptx.plan")`` describes the plan. Raises UnsupportedError, which
    lists everything that cannot be compiled for the target.

    Many threads may call it at once, with the same module or others. Each gets what it would get
    alone: a call keeps nothing that changes another, leaves the process as it was, and writes to no
    stream; what there is to warn of is a Python warning. It cannot be cancelled while LLVM runs,
    which lets one thread in at a time, and ends the process where it gets no memory: who needs
    limits has ``tileir serve``, whose workers may be killed.
    """
    with not_forking:
        from tileir.bytecode import Bytecode

        from .messages.missing_packages import compiling

    with compiling():
        with not_forking:
            from tileir.codegen import compile as compile_bytecode

        return compile_bytecode(Bytecode.of(bytecode), target, **options)


def disassemble(
    bytecode: Bytecode | ReadableBuffer, debug: bool = False, function: str | None = None
) -> str:
    """Return a module as text, byte for byte what NVIDIA's tileirdisasm 13.5 prints.

    bytecode  a Bytecode, or the bytes of one
    debug     include source locations, as ``tileirdisasm -g`` does
    function  leave out all other kernels; KeyError if no kernel has that name

    Bytes of names that are not UTF-8 become lone surrogates, as everywhere: to write the text,
    encode it with ``"surrogateescape"``. Raises BytecodeError if the file cannot be read,
    VerifyError if an op cannot be written in its syntax, TypeError if `bytecode` is neither a
    Bytecode nor bytes.
    """
    with not_forking:
        from .text.printer import disassemble as print_module

    return print_module(bytecode, debug, function)


def load(
    path: str | os.PathLike[str],
    strict: bool = False,
    *,
    limits: Limits | None = None,
    assume_version: Version | str | tuple[int, int] | None = None,
) -> Bytecode:
    """Return the module in a file of bytecode, read as `Bytecode.parse` reads its bytes.

    path    the file's path; ``Bytecode.parse`` takes bytes, `assemble` the text of a module
    strict  refuse what is readable but odd, and read everything at once
    limits  how deep things may be nested, and how long texts may be
    assume_version  read it as a file of this version, whatever its header states

    Raises BytecodeError for what is not Tile IR bytecode, with the path as a note; OSError for a
    file that cannot be opened; TypeError if `path` is not a path.
    """
    with not_forking:
        from tileir.formats.limits import DEFAULT

        from .bytecode import Bytecode
        from .errors import BytecodeError

    if not isinstance(path, str | os.PathLike):
        kind = type(path).__name__
        raise TypeError(f"expected the path of a file, got {kind}; Bytecode.parse takes bytes")
    with open(path, "rb") as file:
        data = file.read()
    try:
        limits = DEFAULT if limits is None else limits
        return Bytecode.parse(data, strict, limits=limits, assume_version=assume_version)
    except BytecodeError as error:
        error.add_note(f"in {os.fspath(path)}")
        raise


def load_package(path: str | os.PathLike[str]) -> Package:
    """Return the compiled kernels in a file that `tileir package` has written.

    package[target] has `ptx`, `cubin` and `plan` for a GPU, and is a mapping from entry symbol to a
    kernel with ``.launch(grid, args)``, as what `compile` returns; package.for_gpu() chooses what
    runs best on the GPU of this machine, package.for_gpu("sm_86") on another. `tileir.emulator`
    takes package[target], too. Nothing is compiled, and llvmlite is not needed.

    Raises PackageError, with the path as a note, for a file that is none or damaged; OSError for
    one that cannot be opened.
    """
    with not_forking:
        from .tilepack.package import load as load_file

    return load_file(path)


def verify(
    bytecode: Bytecode | ReadableBuffer, target: str | None = None, strict: bool = False
) -> list[Diagnostic]:
    """Return everything that is wrong with a module: a list of Diagnostics, empty if nothing is.

    bytecode  a Bytecode, or the bytes of one
    target    a GPU such as ``sm_90``: what tileiras refuses for it is a warning
    strict    warnings are errors

    Errors are what NVIDIA's tools refuse, in their words; warnings are what they accept and users
    stumble over later. Oddities of the bytes alone are in `Bytecode.warnings`. The diagnostics of
    a module that `assemble` made have their position in the text. Raises BytecodeError if the file
    cannot be read, UnsupportedError for an unknown target.
    """
    with not_forking:
        from .verifier.module import verify as verify_module

    return verify_module(bytecode, target, strict)
