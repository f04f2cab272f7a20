"""The state of a module on its way from Tile IR to PTX: the decisions of the stages so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding

from tileir.codegen.kernel import KernelIR
from tileir.gpus import Target
from tileir.ir import Op, Value

from .launch.contract import Contract
from .launch.line_table import LineTable
from .launch.tensor_maps import Twin
from .reasons import Decision, Reasons
from .schedule.allocations import Area
from .schedule.assignment import Assignment
from .schedule.group_products import Restaged
from .schedule.mma_plan import ProductPlan
from .schedule.prefer_layouts import Preferences
from .schedule.read_conversions import Readings
from .schedule.staged import SCRATCH
from .schedule.tensor_recipes import TensorRecipe


@dataclass(slots=True, eq=False)
class KernelState:
    """A kernel, and what has been decided about it.

    `symbol` is its name in Tile IR; `kernel.symbol` becomes its name in PTX. A field without a
    decision yet has its default, which can also be a decision: no barriers, no rings, 0 bytes.
    """

    kernel: KernelIR
    symbol: str
    dropped: int = 0
    """Dead ops that were eliminated."""
    shared: Mapping[Op, int] = field(default_factory=dict)
    """Op -> the number of equal ones that it took the place of."""
    hoisted: Mapping[Op, Op] = field(default_factory=dict)
    """Op -> the outermost loop that it was moved out of."""
    counted: Sequence[Op] = ()
    """Loops that became `for` loops."""
    contract: Contract = field(default_factory=Contract)
    """The settled terms of its launch."""
    rank: Value | None = None
    """Where the blocks of a cluster work together: the number of a block in its cluster."""
    written: Collection[int] = ()
    """Numbers of the pointer parameters that it may write through."""
    threads: int = 0
    """Threads of a block."""
    longest_vector: int = 1
    """The most elements of a vector of a thread, where layouts are chosen."""
    variables: Area = field(default_factory=Area)
    """The memory of `alloca` ops at the start of shared memory."""
    heap: Area = field(default_factory=Area)
    """The memory of `alloca` ops on the device's heap."""
    products: dict[Op, ProductPlan] = field(default_factory=dict)
    """Matrix product -> its atom, and how warps share it."""
    readings: Readings = field(default_factory=dict)
    """Product and slot -> how its operand is converted on the way from a load."""
    restaged: dict[tuple[Op, str], Restaged] = field(default_factory=dict)
    """Product and slot -> the operand that is staged twice."""
    preferences: Preferences = field(default_factory=dict)
    """Tile -> the layout in which it is computed at the least cost."""
    assignment: Assignment = field(default_factory=lambda: Assignment(0))
    """Layouts and staged tiles, until they become types and ops of the block IR."""
    folded: int = 0
    """Conversions between layouts that were removed."""
    reasons: dict[Decision, Reasons] = field(
        default_factory=lambda: {decision: Reasons() for decision in Decision}
    )
    """Why the ops of block IR are as they are."""
    ordered: bool = False
    """Whether barriers and fences order all accesses of shared memory."""
    shared_bytes: int = 0
    """Bytes of shared memory of a block."""
    tensor_maps: list[TensorRecipe] = field(default_factory=list)
    """The recipes for the hidden parameters, in order."""
    untouched: KernelState | None = None
    """The same before tensor copies are chosen, if the kernel may have some."""
    twin_of: KernelState | None = None
    """The kernel that this one is the twin of: the same without tensor maps."""
    twin: Twin | None = None
    """The entry without tensor maps; only kernels with tensor maps have one."""

    def copy(self) -> KernelState:
        """Return the same decisions about a copy of the kernel, for later stages to go on with.

        What was decided about single ops of Tile IR is done, and reasons are told of one kernel.
        """
        return KernelState(
            self.kernel.copy(),
            self.symbol,
            contract=self.contract,
            written=self.written,
            threads=self.threads,
            longest_vector=self.longest_vector,
            variables=self.variables,
            heap=self.heap,
        )

    def room(self, target: Target) -> int:
        """Return the bytes of shared memory that variables and scratch memory leave."""
        return target.shared_bytes - SCRATCH - self.variables.size


@dataclass(slots=True, eq=False)
class State:
    """The kernels of a module, and what they have in common.

    Before its stage has run, a field is None or empty.
    """

    kernels: list[KernelState]
    target: Target
    """The GPU; from `choose_ptx` on with the module's PTX version."""
    launch: Mapping[str, object]
    """The options about the launch, by their names."""
    lineinfo: bool = False
    lines: LineTable | None = None
    """The source locations, if line information is asked for."""
    llvm_ir: str = ""
    machine: binding.TargetMachine | Any = None
    """LLVM's code generator for the GPU."""
    optimised: binding.ModuleRef | None = None
    """The optimised module inside of LLVM."""
    ptx: str = ""
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Symbol -> launch plan."""

    @property
    def observed(self) -> bool:
        """False: checks and traces are for the host."""
        return False
