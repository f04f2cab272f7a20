"""Alias analysis by origin: which parameters or own memory of the kernel an address comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value
from tileir.types import Pointer, Tile, Token


@dataclass(frozen=True, slots=True)
class Origin:
    """Possible origin of addresses: numbers of pointer parameters, and ops that yield own memory.

    `any`: an address was made of a number, or read from memory, so it may be any.
    """

    parameters: frozenset[int]
    fresh: tuple[Op, ...]
    any: bool


class Origins:
    """Traces addresses back through the ops and regions of a kernel."""

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
        """Analyse the addresses of a kernel."""
        return cls(kernel)

    @property
    def everything(self) -> Origin:
        """All memory that a kernel may access."""
        return Origin(frozenset(self._pointers.values()), self._fresh, True)

    def behind(self, values: Iterable[Value]) -> Origin:
        """Return the origin of addresses and views."""
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
    """Return the operands that are the addresses of an op's memory accesses."""
    slots = ("view", "destination", "pointers", "source")
    return [op.operands[slot] for slot in slots if slot in op.operands]


def _sources(op: Op) -> list[Value]:
    """Return all values that addresses among an op's results, or in its regions, may come from."""
    ends = [inner for inner in op.walk() if inner.spec.terminator]
    return [value for end in (op, *ends) for value in end.operand_list() if _has_address(value)]


def _has_address(value: Value) -> bool:
    if isinstance(value.type, Tile):
        return isinstance(value.type.element, Pointer)
    return not isinstance(value.type, Token)
