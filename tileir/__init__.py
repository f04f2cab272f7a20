"""The open toolchain for CUDA Tile IR bytecode: read, explain, compile and run it.

    from tileir import Bytecode
    bytecode = Bytecode.parse(data)
    for op in bytecode.functions[0].walk(): ...

What `__all__` lists is the public interface, and the module `tileir.emulator`; the rest may change.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# A wheel ships codegen/ and formats/ inside this package; a checkout keeps them beside it.
_here = os.path.dirname(__file__)
if not os.path.isdir(os.path.join(_here, "formats")):
    __path__.append(os.path.dirname(_here))

if TYPE_CHECKING:
    from tileir.formats.limits import Limits
    from tileir.formats.version import Version

    from . import emulator as emulator
    from .bytecode import Bytecode, Function, Global, Section
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
        TileIRError,
        UncheckedWarning,
        UnsupportedError,
        VerifyError,
        VersionError,
    )
    from .launch.attributes import LaunchAttributes
    from .launch.buffer import Buffer

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
    "Section",
    "TileIRError",
    "UncheckedWarning",
    "UnsupportedError",
    "VerifyError",
    "Version",
    "VersionError",
    "assemble",
    "compile",
    "disassemble",
    "verify",
]

_HOMES = {
    "Buffer": "launch.buffer",
    "Bytecode": "bytecode",
    "Function": "bytecode",
    "Global": "bytecode",
    "LaunchAttributes": "launch.attributes",
    "Limits": "formats.limits",
    "Section": "bytecode",
    "Version": "formats.version",
}
"""Class -> the module that has it; all others are errors."""


def __getattr__(name: str) -> Any:
    """A class, imported when it is first asked for: commands start at once, and can be interrupted.

    `emulator` is a module that needs no import of its own either. AttributeError for what
    `__all__` does not list.
    """
    if name == "emulator":
        return import_module(".emulator", __name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_HOMES.get(name, 'errors')}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "emulator"})


def assemble(text: str, version: Version | str | None = None, name: str = "<text>") -> Bytecode:
    """The module that a text describes: what tileirdisasm prints, or its dialect in MLIR's syntax.

    version  bytecode version to write, the latest if None
    name     what the text is called in messages, for example its file

    Read are names with and without ``cuda_tile.`` and ``!cuda_tile.`` in front; a ``module`` or
    ``cuda_tile.module`` around it all, or none; aliases such as ``#loc1`` and ``!t`` before or
    behind their use; comments from ``//`` on. A ``return``, ``yield`` or ``continue`` without
    values may be left out at the end of its region. Not read is MLIR's generic form of ops, with
    their names in quotes.

    Attributes about launching, as ``tt.num_warps`` of a module and ``nvvm.maxnreg`` of an entry
    are, have no place in bytecode: they are in `Bytecode.launch_attributes` of what is returned.

    Raises AssemblyError, which lists everything that is wrong with the text, or that the version
    lacks; BuildError if `version` is none; TypeError if `text` is no str.
    """
    from .text.assembler import assemble as assemble_text

    return assemble_text(text, version, name)


def compile(bytecode, target: str | None = None, **options):
    """Compile every entry of a module for a target; needs the ``codegen`` extra.

    bytecode  a Bytecode, or the bytes of one
    target    ``host`` (the CPU this runs on) or a GPU, spelled ``sm_90``; if None, the GPU that
              the module's text names (``nv_tileaa.compute_capability``), or else the host
    symbols   compile these entries only; KeyError for a name that none has
    cache     False: compile for the host without looking into the cache on disk, nor adding to it
    check     host only: "memory", "undefined" or both, what to check while a kernel runs
    trace     host only: names of values, as `disassemble` spells them, to show once computed
    lineinfo  GPUs only: the PTX says which line of source each instruction comes from
    portable  GPUs only: the PTX runs on all later GPUs too; without, that for ``sm_90`` may become
              PTX for ``sm_90a``, which runs on 9.0 alone, where an entry gains by it

    For GPUs only, what is asked of launches; each comes before attributes of the module's text,
    and those before hints in bytecode. None asks nothing, and what holds anyway may be asked of
    the host too:

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
    ``help("tileir.codegen.nvptx.plan")`` says what is in the plan. Raises UnsupportedError, which
    lists everything that cannot be compiled for the target.
    """
    from .bytecode import Bytecode
    from .tools.missing_packages import compiling

    with compiling():
        from tileir.codegen import compile as compile_bytecode

        return compile_bytecode(Bytecode.of(bytecode), target, **options)


def disassemble(bytecode, debug: bool = False, function: str | None = None) -> str:
    """A module as text, byte for byte what NVIDIA's tileirdisasm 13.5 prints.

    bytecode  a Bytecode, or the bytes of one
    debug     with source locations, as ``tileirdisasm -g``
    function  leave out all other kernels; KeyError if there is none of that name

    Bytes of names that are not UTF-8 are lone surrogates, as everywhere: to write the text, encode
    it with ``"surrogateescape"``. Raises BytecodeError where the file cannot be read, VerifyError
    where an op is not as its syntax needs it, KeyError for a function that is not there, TypeError
    for what is no bytecode.
    """
    from .text.printer import disassemble as print_module

    return print_module(bytecode, debug, function)


def verify(bytecode, target: str | None = None, strict: bool = False) -> list[Diagnostic]:
    """Everything that is wrong with a module: a list of Diagnostics, empty if nothing is.

    bytecode  a Bytecode, or the bytes of one
    target    a GPU such as ``sm_90``: what tileiras refuses for it is a warning
    strict    warnings are errors

    Errors are what NVIDIA's tools refuse, in their words; warnings what they accept and users
    stumble over later. What is odd about the bytes alone is in `Bytecode.warnings`. Of a module
    that `assemble` made, each has its place in the text. Raises BytecodeError for what cannot be
    read, UnsupportedError for a target that nobody knows.
    """
    from .verifier.module import verify as verify_module

    return verify_module(bytecode, target, strict)
