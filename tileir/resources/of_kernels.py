"""`resources_of`: what the machine code of kernels takes, for our PTX and for finished cubins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from tileir.errors import PackageError, UnsupportedError
from tileir.gpus import TARGETS, TILEIRAS, gpu_named, unknown
from tileir.tools import nvidia

from .cubin import ELF, Cubin, CubinKernel, read_cubin
from .kernel_resources import KernelResources
from .loops import main_loop
from .machine_code import functions, mix, opcodes
from .occupancy import occupancy

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode
    from tileir.codegen.compilation import Compilation

OURS, THEIRS, UNKNOWN = "tileir", "tileiras", "ptxas"
"""Who made the code: our PTX and ptxas, tileiras, or ptxas of somebody's PTX."""


def resources_of(
    compiled: Compilation[Any] | bytes, *, instructions: bool = True
) -> list[KernelResources]:
    """Return what kernels take of a GPU: those of a compilation for a GPU, or of a cubin.

    compiled      what `tileir.compile` returned, of which ptxas makes machine code here; or the
                  bytes of a cubin, of tileiras or of ptxas
    instructions  whether nvdisasm is asked for the instructions; without, it is not needed

    An entry's twin, for arguments that no tensor map describes, is not in the list. ToolError if
    ptxas or nvdisasm is not installed or fails, MissingPackageError without pyelftools,
    PackageError for bytes that are no cubin, UnsupportedError for kernels of the host.
    """
    if isinstance(compiled, bytes):
        return _of_cubin(compiled, instructions)
    if compiled.ptx is None:
        raise UnsupportedError("the host's kernels take no resources of a GPU; compile for one")
    check_tools(("ptxas",), instructions)
    made = nvidia.assemble_verbosely(_ptx_of(compiled), compiled.target)
    cubin = read_cubin(made.cubin)
    kernels = {kernel.name: kernel for kernel in cubin.kernels}
    counted = _counted(made.cubin) if instructions else {}
    return [
        _record(
            kernels[plan["entry"]],
            symbol,
            compiled.target,
            OURS,
            counted.get(plan["entry"]),
            (prod(plan["block"]), plan["dynamic_shared_memory"]),
            made.usage.get(plan["entry"]),
        )
        for symbol, plan in compiled.plan.items()
    ]


def resources_by_tileiras(
    bytecode: Bytecode, target: str, *, instructions: bool = True
) -> list[KernelResources]:
    """Return what the kernels of a module take if NVIDIA's tileiras compiles them for a GPU.

    ToolError if tileiras is not installed, or refuses the module; UnsupportedError for a target
    that it does not have. Others as for `resources_of`.
    """
    if target not in TARGETS or TARGETS[target].tileiras is None:
        raise unknown(target, TILEIRAS, "target of tileiras")
    check_tools(("tileiras",), instructions)
    cubin = nvidia.compile_by_tileiras(bytecode.build(), TARGETS[target].gpu)
    return _of_cubin(cubin, instructions, target)


def check_tools(tools: Sequence[str], instructions: bool) -> None:
    """Raise one error that names all that is missing: ToolError, or MissingPackageError."""
    tools = (*tools, *(["nvdisasm"] if instructions else []))
    nvidia.check_installed("measuring kernels", tools, ["elftools"])


def _of_cubin(data: bytes, instructions: bool, target: str = "") -> list[KernelResources]:
    """Return what a cubin's kernels take; `target` is what it was asked for, if that is known."""
    if not data.startswith(ELF):
        raise PackageError("no cubin: it does not begin as an ELF file does")
    check_tools((), instructions)
    cubin: Cubin = read_cubin(data)
    counted = _counted(data) if instructions else {}
    maker = THEIRS if cubin.tile_ir else UNKNOWN
    return [
        _record(kernel, kernel.name, target or cubin.target, maker, counted.get(kernel.name))
        for kernel in cubin.kernels
    ]


def _ptx_of(compiled: Compilation[Any]) -> str:
    """Return the PTX of all entries, without their twins where that is less work."""
    text = getattr(compiled, "text", None)
    return text.without_twins() if text is not None and text.apart else compiled.ptx or ""


class _Counted(NamedTuple):
    """Opcode -> instructions of a kernel, and how many are in its main loop."""

    opcodes: Mapping[str, int]
    main_loop: int


def _counted(cubin: bytes) -> dict[str, _Counted]:
    listing = nvidia.disassemble(cubin).decode("utf-8", "replace")
    return {
        name: _Counted(opcodes(part), sum((main_loop(part) or {}).values()))
        for name, part in functions(listing).items()
    }


def _record(
    kernel: CubinKernel,
    symbol: str,
    target: str,
    compiler: str,
    counted: _Counted | None,
    launch: tuple[int, int] | None = None,
    usage: nvidia.Usage | None = None,
) -> KernelResources:
    """Return the record of a kernel, given threads and shared memory that its plan asks for."""
    threads, dynamic = launch or (kernel.threads, 0)
    fits = None
    if threads is not None and gpu_named(target) is not None:
        shared = kernel.shared + dynamic
        fits = occupancy(target, threads, kernel.registers, shared, kernel.barriers)
    return KernelResources(
        kernel=symbol,
        entry=kernel.name,
        target=target,
        compiler=compiler,
        registers=kernel.registers,
        threads=threads,
        static_shared=kernel.shared,
        dynamic_shared=dynamic,
        reserved_shared=kernel.reserved,
        stack=kernel.stack,
        spill_stores=usage.stored if usage else None,
        spill_loads=usage.loaded if usage else None,
        barriers=kernel.barriers,
        mbarriers=kernel.mbarriers,
        code_bytes=kernel.code_bytes,
        opcodes=None if counted is None else dict(sorted(counted.opcodes.items())),
        instructions=None if counted is None else mix(counted.opcodes),
        main_loop=None if counted is None else counted.main_loop,
        occupancy=fits,
    )
