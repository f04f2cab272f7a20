"""Running a kernel: one tile block after the other, one op after the other."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tileir import ir
from tileir.bytecode import Bytecode
from tileir.ir.constants import Constant
from tileir.types import Element, Pointer, Tile, Token

from . import (
    access,
    atomics,
    control,
    conversions,
    effects,
    floats,
    functions,
    integers,
    matrix,
    views,
)
from . import shape as shapes
from .control import Leave
from .elements import PACKED, bits, dtype, wrapped
from .memory import Memory
from .undefined import Undefined

PURE = {
    name: function
    for chapter in (conversions, floats, functions, integers, matrix, shapes, views)
    for name, function in chapter.OPS.items()
}
"""Ops that know nothing but their operands: mnemonic -> function of the op and these."""

IN_BLOCK = {
    name: function
    for chapter in (access, atomics, control, effects)
    for name, function in chapter.OPS.items()
}
"""The others: mnemonic -> function of the tile block, the op and its operands."""


@dataclass(slots=True)
class Outcome:
    """What a launch said: (format, values) of each print, (message, index) of each element that an
    assert found to be 0. What it computed is in the arrays."""

    prints: list[tuple[str, tuple[np.ndarray, ...]]] = field(default_factory=list)
    asserts: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)


@dataclass(slots=True)
class Launch:
    """What all tile blocks share."""

    grid: tuple[int, int, int]
    memory: Memory
    globals: dict[str, int]
    outcome: Outcome


class Block:
    """One tile block at work. `allocated` has what allocas keep alive, for each block of ops."""

    def __init__(self, launch: Launch, position: tuple[int, int, int]) -> None:
        self.launch = launch
        self.memory = launch.memory
        self.position = position
        self.values: dict[ir.Value, Any] = {}
        self.allocated: list[list[tuple[int, np.ndarray]]] = []

    def enter(self, block: ir.Block, arguments: Sequence[Any]) -> None:
        """Run the ops of a block; its terminator is raised."""
        self.values.update(zip(block.arguments, arguments, strict=True))
        self.allocated.append([])
        try:
            for op in block.ops:
                self.step(op)
        finally:
            for address, _ in self.allocated.pop():
                self.memory.remove(address)

    def step(self, op: ir.Op) -> None:
        """Run one op and keep its results."""
        operands = [self._value(operand) for operand in op.operands.values()]
        try:
            if op.name in PURE:
                found = PURE[op.name](op, *operands)
            else:
                found = IN_BLOCK[op.name](self, op, *operands)
        except Undefined as problem:
            problem.op = problem.op or op
            raise
        values = iter(found if isinstance(found, tuple) else () if found is None else (found,))
        carried = op.name in ("for", "if", "loop")
        for result in op.results:
            is_token = isinstance(result.type, Token)
            value = None if is_token and not carried else next(values)
            self.values[result] = _checked(result, value)

    def _value(self, operand: ir.Value | tuple | None) -> Any:
        if isinstance(operand, tuple):
            return tuple(map(self._value, operand))
        return None if operand is None else self.values[operand]


def _checked(result: ir.Value, value: Any) -> Any:
    """The value, which must be what the result's type says: the model watches itself."""
    if not isinstance(result.type, Tile):
        return value
    array = np.asarray(value)
    expected = dtype(result.type.element), result.type.shape
    assert (array.dtype, array.shape) == expected, f"{result.owner}: {array.dtype} {array.shape}"
    return array


def run(
    bytecode: Bytecode,
    symbol: str,
    grid: Sequence[int],
    args: Sequence[Any],
    allocations: Sequence[np.ndarray] = (),
) -> Outcome:
    """Launch a kernel; arrays change in place.

    grid         up to three extents
    args         for a pointer a contiguous array or an address, else a number
    allocations  contiguous arrays that addresses may lead to besides

    Undefined if the kernel does something that has no meaning.
    """
    memory, outcome = Memory(), Outcome()
    for array in allocations:
        memory.add(array)
    function = next(each for each in bytecode.functions if each.name == symbol)
    parameters = function.body.block.arguments
    values = [
        _argument(value.type.element, argument, memory)
        for value, argument in zip(parameters, args, strict=True)
    ]
    contents = {variable.name: variable for variable in bytecode.globals}
    arrays = {name: _image(variable.value) for name, variable in contents.items()}
    addresses = {
        name: memory.add(array, writable=not contents[name].constant)
        for name, array in arrays.items()
    }
    extents = (*grid, 1, 1, 1)[:3]
    launch = Launch(extents, memory, addresses, outcome)
    with np.errstate(all="ignore"):
        for z, y, x in itertools.product(*map(range, reversed(extents))):
            with contextlib.suppress(Leave):
                Block(launch, (x, y, z)).enter(function.body.block, values)
    return outcome


def _image(constant: Constant) -> np.ndarray:
    """A constant as memory has it."""
    array = constant.array()
    if constant.type.element.name not in PACKED:
        return array
    nibbles = bits(array, constant.type.element).astype(np.uint8)
    return nibbles[::2] | nibbles[1::2] << 4


def _argument(element: Element, argument: Any, memory: Memory) -> np.ndarray:
    if isinstance(element, Pointer):
        is_array = isinstance(argument, np.ndarray)
        return np.asarray(memory.add(argument) if is_array else argument, np.uint64)
    if element.is_integer:
        return wrapped(int(argument), element)
    return np.asarray(argument).astype(dtype(element))
