"""A module on its way from Tile IR to PTX: what the stages have decided so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding

from tileir.codegen.analysis.early_loads import EarlyLoad
from tileir.codegen.kernel import Kernel
from tileir.codegen.remarks import Remark
from tileir.gpus import Target
from tileir.ir import Op

from .emit.shared import SCRATCH
from .launch.contract import Contract
from .launch.line_table import LineTable
from .schedule.allocations import Area
from .schedule.assignment import Assignment
from .schedule.mma_plan import ProductPlan
from .schedule.prefer_layouts import Preferences


@dataclass(slots=True, eq=False)
class KernelState:
    """A kernel, and what has been decided about it.

    `symbol` is what Tile IR calls it; `kernel.symbol` becomes its name in PTX.
    """

    kernel: Kernel
    symbol: str
    dropped: int = 0
    """Ops that nobody needs."""
    contract: Contract = field(default_factory=Contract)
    """What is settled about its launch."""
    threads: int = 0
    """Of one block."""
    longest_vector: int = 1
    """Neighbours that one thread holds, at most."""
    variables: Area = field(default_factory=Area)
    """What `alloca` makes in shared memory, at its start."""
    heap: Area = field(default_factory=Area)
    """What `alloca` makes on the device's heap."""
    products: dict[Op, ProductPlan] = field(default_factory=dict)
    """Which atoms carry out each matrix product, and which warp does what."""
    preferences: Preferences = field(default_factory=dict)
    """In which layout tiles come into being most cheaply."""
    assignment: Assignment = field(default_factory=lambda: Assignment(0))
    """Layouts, staged tiles and rings."""
    barriers: set[Op] = field(default_factory=set)
    """Ops before which all threads meet, because of what they and earlier ones access."""
    updates_nibbles: bool = False
    """Whether bytes in memory are updated a half at a time; see `nibbles`."""
    reads_ahead: dict[Op, tuple[EarlyLoad, ...]] = field(default_factory=dict)
    """Loops -> what they load one trip ahead, into registers."""
    kept_bytes: int = 0
    """Shared memory of variables and staged tiles, from its start."""
    unroll_factors: dict[Op, int] = field(default_factory=dict)
    """Loops -> how many trips are to be made at once, where it is more than one."""
    shared_bytes: int = 0
    """All shared memory of a block; known when the kernel has been emitted."""
    remarks: list[Remark] = field(default_factory=list)
    """What was decided while it was emitted."""

    def room(self, target: Target) -> int:
        """Bytes of shared memory left for staged tiles, beside variables and what ops exchange."""
        return target.shared_bytes - SCRATCH - self.variables.size


@dataclass(slots=True, eq=False)
class State:
    """The kernels of a module, and what is the same for all of them."""

    kernels: list[KernelState]
    target: Target
    """The GPU; its PTX version is that of the module once it has been chosen."""
    launch: Mapping[str, object]
    """What options say about launches."""
    lineinfo: bool = False
    lines: LineTable | None = None
    """The positions in source, if they are asked for."""
    llvm_ir: str = ""
    machine: binding.TargetMachine | None = None
    """LLVM's code generator for the GPU."""
    optimised: binding.ModuleRef | None = None
    """The module inside of LLVM."""
    ptx: str = ""
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Symbol -> how to launch the kernel."""
