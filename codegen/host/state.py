"""A module on its way from Tile IR to machine code: what the stages have decided so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from llvmlite import binding

from tileir.codegen.kernel import KernelIR
from tileir.codegen.remarks import Remark

from .planning.buffers import Fusion, Storage
from .planning.order import Order
from .running.kernel_info import KernelInfo


@dataclass(slots=True, eq=False)
class KernelState:
    """A kernel, and what has been decided about it; None is what has not been decided yet."""

    kernel: KernelIR
    dropped: int = 0
    """Ops that nobody needs."""
    order: Order | None = None
    """When each op runs, and the loops around it."""
    fusion: Fusion | None = None
    """Which tiles are worth a buffer."""
    storage: Storage | None = None
    """Where the buffers lie."""
    remarks: list[Remark] = field(default_factory=list)
    """What was decided while it was emitted."""

    @property
    def symbol(self) -> str:
        """What Tile IR calls it."""
        return self.kernel.symbol


@dataclass(slots=True, eq=False)
class State:
    """The kernels of a module, and what is made of all of them."""

    kernels: list[KernelState]
    checks: Sequence[str] = ()
    """What is checked while kernels run; see `api.CHECKS`."""
    entries: list[KernelInfo] = field(default_factory=list)
    llvm_ir: str = ""
    optimised: binding.ModuleRef | None = None
    """The module inside of LLVM."""
    object_file: bytes = b""
