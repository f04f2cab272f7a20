"""An entry as those see it who call it: the names of its functions, and where its arguments lie."""

from __future__ import annotations

from urllib.parse import quote

from tileir.codegen.kernel import KernelIR
from tileir.codegen.scalar.types import memory_bytes

_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '%"\\')
"""Characters of symbols that LLVM gets as they are."""


def llvm_name(symbol: str, part: str) -> str:
    """The name of something made for an entry: ASCII, as llvmlite wants it, never ambiguous."""
    name = quote(symbol, safe=_PLAIN, errors="backslashreplace")
    if name.startswith("llvm."):  # LLVM keeps these names to itself
        name = f"%6C{name[1:]}"
    return f"{name}.{part}"


def argument_offsets(kernel: KernelIR) -> tuple[list[int], int]:
    """Where each argument lies in the struct of a launch, and the size of the struct, in bytes."""
    offsets, end = [], 0
    for value in kernel.parameters:
        size = memory_bytes(value.type.element)
        end = -(-end // size) * size
        offsets.append(end)
        end += size
    return offsets, end
