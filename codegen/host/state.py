"""The state of a module between the stages from Tile IR to machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding

from tileir.codegen.kernel import KernelIR
from tileir.ir import Op

from .planning.buffers import Fusion, Storage
from .planning.order import Order
from .running.kernel_info import KernelInfo


@dataclass(slots=True, eq=False)
class KernelState:
    """A kernel and the decisions of the stages about it.

    A field without a decision yet has its default: None, 0 or nothing in a list. Stages ask for
    what those before them have decided, so a checker need not expect None.
    """

    kernel: KernelIR
    dropped: int = 0
    """Number of dead ops that were dropped."""
    shared: Mapping[Op, int] = field(default_factory=dict)
    """Op -> the number of equal ones that it took the place of."""
    hoisted: Mapping[Op, Op] = field(default_factory=dict)
    """Op -> the outermost loop that it was moved out of."""
    order: Order | Any = None
    """The number of each op in program order, and the loops around it."""
    fusion: Fusion | Any = None
    """Which tiles are kept in buffers."""
    storage: Storage | Any = None
    """The offsets of the buffers in the workspace."""

    @property
    def symbol(self) -> str:
        """The symbol of the kernel in Tile IR."""
        return self.kernel.symbol


@dataclass(slots=True, eq=False)
class State:
    """The kernels of a module, and the code made of all of them.

    The code is None or empty until its stage has run.
    """

    kernels: list[KernelState]
    checks: Sequence[str] = ()
    """Names of the run-time checks; see `compile_options.CHECKS`."""
    counts: bool = False
    """Whether the kernels count what they do."""
    entries: list[KernelInfo] = field(default_factory=list)
    llvm_ir: str = ""
    optimised: binding.ModuleRef | None = None
    """The optimised module, in LLVM's memory."""
    object_file: bytes = b""

    @property
    def looks_at_elements(self) -> bool:
        """Whether checks or counters look at single elements on their way."""
        return bool(self.checks) or self.counts

    @property
    def observed(self) -> bool:
        """See `codegen.state.State`."""
        return self.looks_at_elements or any(each.kernel.traces for each in self.kernels)
