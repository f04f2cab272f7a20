"""Which parameters a kernel writes through, so that read-only arrays are refused for those only."""

from __future__ import annotations

from tileir.formats.ops.spec import READS_WRITES, WRITES
from tileir.ir import Op, Value
from tileir.types import Pointer, Tile, Token

from ..kernel import Kernel

_FRESH = ("alloca", "get_global")
"""Ops whose address is memory of the kernel's own."""


def written_parameters(kernel: Kernel) -> set[int]:
    """Numbers of the pointer parameters that a store or an atomic may reach."""
    pointers = {
        id(value): number
        for number, value in enumerate(kernel.parameters)
        if isinstance(value.type.element, Pointer)
    }
    parents = _parents(kernel)
    written: set[int] = set()
    seen: set[int] = set()
    stack = [value for op in kernel.walk() for value in _targets(op)]
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if id(value) in pointers:
            written.add(pointers[id(value)])
            continue
        op = value.owner if isinstance(value.owner, Op) else parents[id(value.owner)]
        sources = [] if op.name in _FRESH else _sources(op)
        if not sources and op.name not in _FRESH:  # a number became an address: it could be any
            return set(pointers.values())
        stack += sources
    return written


def _targets(op: Op) -> list[Value]:
    """The addresses that an op writes to. A tile of pointers may also be what is written."""
    if op.spec.effects not in (WRITES, READS_WRITES):
        return []
    slots = ("view", "destination", "pointers")
    return [op.operands[slot] for slot in slots if slot in op.operands]


def _sources(op: Op) -> list[Value]:
    """All that the addresses among an op's results, or in its regions, can be made of."""
    ends = [inner for inner in op.walk() if inner.spec.terminator]
    return [value for end in (op, *ends) for value in end.operand_list() if _has_address(value)]


def _has_address(value: Value) -> bool:
    if isinstance(value.type, Tile):
        return isinstance(value.type.element, Pointer)
    return not isinstance(value.type, Token)


def _parents(kernel: Kernel) -> dict[int, Op]:
    """Id of a nested block -> the op that it is part of."""
    return {
        id(block): op for op in kernel.walk() for region in op.regions for block in region.blocks
    }
