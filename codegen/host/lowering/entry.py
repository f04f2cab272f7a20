"""The calling interface of an entry: names of its functions and offsets of its arguments."""

from __future__ import annotations

from urllib.parse import quote

from tileir.codegen.kernel import KernelIR
from tileir.codegen.scalar.types import memory_bytes

_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '%"\\')
"""Characters of symbols that need no escape in LLVM names."""


def llvm_name(symbol: str, part: str) -> str:
    """Return the name of an entry's part: ASCII, as llvmlite requires, and unambiguous."""
    name = quote(symbol, safe=_PLAIN, errors="backslashreplace")
    if name.startswith("llvm."):  # LLVM reserves these names
        name = f"%6C{name[1:]}"
    return f"{name}.{part}"


def argument_offsets(kernel: KernelIR) -> tuple[list[int], int]:
    """Return each argument's offset in the struct of a launch, and the struct's size, in bytes."""
    offsets, end = [], 0
    for value in kernel.parameters:
        size = memory_bytes(value.type.element)
        end = -(-end // size) * size
        offsets.append(end)
        end += size
    return offsets, end
