"""Where addresses come from: parameters, memory of the kernel's own, or who knows where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value
from tileir.types import Pointer, Tile, Token


@dataclass(frozen=True, slots=True)
class Origin:
    """What some addresses may be made of: numbers of pointer parameters, and ops that have memory.

    `any`: a number became an address, which could be any.
    """

    parameters: frozenset[int]
    fresh: tuple[Op, ...]
    any: bool


class Origins:
    """The analysis that follows addresses through the ops and regions of a kernel."""

    def __init__(self, kernel: KernelIR) -> None:
        self._pointers = {
            id(value): number
            for number, value in enumerate(kernel.parameters)
            if isinstance(value.type.element, Pointer)
        }
        self._parents = {
            id(block): op
            for op in kernel.walk()
            for region in op.regions
            for block in region.blocks
        }
        self._fresh = tuple(op for op in kernel.walk() if family_of(op) is Family.VARIABLE)

    @classmethod
    def of(cls, kernel: KernelIR) -> Origins:
        """Of the addresses of a kernel."""
        return cls(kernel)

    @property
    def everything(self) -> Origin:
        """All that a kernel knows the address of."""
        return Origin(frozenset(self._pointers.values()), self._fresh, True)

    def behind(self, values: Iterable[Value]) -> Origin:
        """The origins of addresses and views."""
        parameters: set[int] = set()
        fresh: list[Op] = []
        seen: set[int] = set()
        stack = list(values)
        while stack:
            value = stack.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if id(value) in self._pointers:
                parameters.add(self._pointers[id(value)])
                continue
            op = value.owner if isinstance(value.owner, Op) else self._parents[id(value.owner)]
            if family_of(op) is Family.VARIABLE:
                fresh.append(op)
                continue
            sources = _sources(op)
            if not sources:
                return self.everything
            stack += sources
        return Origin(frozenset(parameters), tuple(fresh), False)


def addresses_of(op: Op) -> list[Value]:
    """The operands that say where an op accesses memory."""
    slots = ("view", "destination", "pointers", "source")
    return [op.operands[slot] for slot in slots if slot in op.operands]


def _sources(op: Op) -> list[Value]:
    """All that the addresses among an op's results, or in its regions, can be made of."""
    ends = [inner for inner in op.walk() if inner.spec.terminator]
    return [value for end in (op, *ends) for value in end.operand_list() if _has_address(value)]


def _has_address(value: Value) -> bool:
    if isinstance(value.type, Tile):
        return isinstance(value.type.element, Pointer)
    return not isinstance(value.type, Token)
