"""The symbol of a block's shared memory.

The memory is dynamic: the launch says how large it is. The code that defines the function sets the
alignment of the symbol.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.machine.spaces import SHARED

NAME = "tileir$shared"
ALIGNMENT = 16
"""The least alignment of the symbol, in bytes: that of the widest access."""
_WORD = ir.IntType(32)


def shared_symbol(module: ir.Module) -> ir.GlobalVariable:
    """Return the symbol of a module's shared memory; all its kernels have it in common."""
    memory = module.globals.get(NAME)
    if memory is None:
        memory = ir.GlobalVariable(module, ir.ArrayType(ir.IntType(8), 0), NAME, SHARED)
        memory.linkage = "external"
        memory.align = ALIGNMENT
    return memory


def shared_address(builder: ir.IRBuilder, offset: int) -> ir.Constant:
    """Return the address (i32) of the byte at an offset from the start of shared memory."""
    start = shared_symbol(builder.module).ptrtoint(_WORD)
    return ir.Constant(_WORD, offset).add(start) if offset else start
