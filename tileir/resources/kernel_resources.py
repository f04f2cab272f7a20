"""What a kernel takes of a GPU: the record that `tileir resources` shows and programs ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .occupancy import Occupancy


@dataclass(frozen=True, slots=True)
class KernelResources:
    """The machine code of a kernel for a GPU, in figures.

    kernel          the symbol of the kernel in the module; that of the cubin, if only that is known
    entry           its symbol in the machine code
    target          the GPU, such as sm_90, or its form with the suffix a
    compiler        what made it: "tileir" (our PTX and ptxas), "tileiras", or "ptxas" for a cubin
                    of other PTX
    registers       registers of a thread
    threads         threads of a block; None if neither plan nor cubin say how many
    static_shared   bytes of shared memory that the code asks for, without `reserved_shared`
    dynamic_shared  bytes of shared memory that the launch adds; 0 for a cubin, which does not say
    reserved_shared bytes of shared memory that the system takes in each block besides
    stack           bytes of local memory of a thread: its stack frame, for spills and arrays
    spill_stores    bytes of spilled registers that the code of a thread stores; None for a cubin
                    that we have not assembled, as the file does not say
    spill_loads     bytes of spilled registers that it loads; None likewise
    barriers        barriers of the block (bar.sync and so on) that are in use, of 16
    mbarriers       mbarriers in shared memory that the code is known to initialise
    code_bytes      bytes of machine code, padding included
    opcodes         opcode of the machine code -> instructions; None if nvdisasm was not asked
    instructions    class of instructions -> how many; None likewise. All classes are keys
    main_loop       instructions of the loop in which the kernel works, for one trip of a thread, as
                    `loops.main_loop` finds it; 0 if it has no loop, None likewise
    occupancy       resident blocks of an SM, and what limits them; None if `threads` or the GPU's
                    limits are not known
    """

    kernel: str
    entry: str
    target: str
    compiler: str
    registers: int
    threads: int | None
    static_shared: int
    dynamic_shared: int
    reserved_shared: int
    stack: int
    spill_stores: int | None
    spill_loads: int | None
    barriers: int
    mbarriers: int
    code_bytes: int
    opcodes: Mapping[str, int] | None
    instructions: Mapping[str, int] | None
    main_loop: int | None
    occupancy: Occupancy | None

    @property
    def shared(self) -> int:
        """Bytes of shared memory of a block, without those that the system reserves."""
        return self.static_shared + self.dynamic_shared

    @property
    def spilled(self) -> int | None:
        """Bytes of spilled registers that are stored and loaded; None if that is not known."""
        if self.spill_stores is None or self.spill_loads is None:
            return None
        return self.spill_stores + self.spill_loads
