"""What a kernel accesses and computes, counted while the model runs it, element by element.

It knows nothing of how the product counts: every access and every op of the model is seen here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tileir.bytecode import Bytecode, Function
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op

from . import machine, run
from .elements import stored_bits
from .memory import Memory

ONE_FOR_AN_ELEMENT = frozenset((
    "addf", "atan2", "cos", "cosh", "divf", "exp", "exp2", "fpowf", "fpowi", "log", "log2", "maxf",
    "minf", "mulf", "remf", "rsqrt", "sin", "sinh", "sqrt", "subf", "tan", "tanh",
))  # fmt: skip
"""Ops that take one floating-point operation for an element; fma takes two."""


@dataclass
class Seen:
    """By memory and way ("read", "written", "atomic"): bits, and the places of all bytes.

    `memory` is the number of the first argument that has the address, or None. `flops` are by type
    and whether they are of products, `trips` by the loop's place in the kernel; `blocks` has, for
    each block, bits and floating-point operations.
    """

    arrays: list[tuple[int, int]]
    bits: Counter[tuple[int | None, str]] = field(default_factory=Counter)
    elements: Counter[tuple[int | None, str]] = field(default_factory=Counter)
    places: dict[tuple[int | None, str], set[int]] = field(default_factory=dict)
    flops: Counter[tuple[str, bool]] = field(default_factory=Counter)
    trips: Counter[int] = field(default_factory=Counter)
    entered: Counter[int] = field(default_factory=Counter)
    blocks: list[list[int]] = field(default_factory=list)

    def access(self, position: int, element: Any, way: str) -> None:
        """See an element; `position` is in bits."""
        width, address = stored_bits(element), position // 8
        memory = next(
            (n for n, (low, high) in enumerate(self.arrays) if low <= address < high), None
        )
        self.bits[memory, way] += width
        self.elements[memory, way] += 1
        held = self.places.setdefault((memory, way), set())
        held.update(range(address, address + max(width // 8, 1)))
        if memory is not None:  # not what the kernel has for itself
            self.blocks[-1][0] += width * (1 + (way == "atomic"))

    def compute(self, op: Op) -> None:
        """See an op that is executed."""
        kind, number = None, 0
        if op.name in ("mmaf", "mmaf_scaled", "mmai"):
            left, right = op.operands["lhs"].type, op.operands["rhs"].type
            kind = str(left.element), True
            number = 2 * int(np.prod(left.shape)) * right.shape[-1]
        elif op.name in ONE_FOR_AN_ELEMENT or op.name == "fma":
            kind = str(op.result.type.element), False
            number = int(np.prod(op.result.type.shape)) * (2 if op.name == "fma" else 1)
        if kind:
            self.flops[kind] += number
            self.blocks[-1][1] += number if op.name != "mmai" else 0


def seen(bytecode: Bytecode, symbol: str, grid: Sequence[int], args: Sequence[Any]) -> Seen:
    """Run a kernel in the model and return what was seen; arrays change in place."""
    arrays = [
        (each.ctypes.data, each.ctypes.data + each.nbytes)
        if isinstance(each, np.ndarray)
        else (0, 0)
        for each in args
    ]
    found = Seen(arrays)
    function = next(each for each in bytecode.functions if each.name == symbol)
    with _watched(found, function):
        run(bytecode, symbol, grid, args)
    return found


@contextmanager
def _watched(found: Seen, function: Function) -> Iterator[None]:
    dead = _unused(function)
    loops = [op for op in function.walk() if op.name in ("for", "loop")]
    bodies = {id(op.regions[0].block): number for number, op in enumerate(loops)}
    numbers = {id(op): number for number, op in enumerate(loops)}
    entry = function.body.block
    stack: list[Op] = []
    read, write, step, enter = Memory.read, Memory.write, machine.Block.step, machine.Block.enter

    def watch(position: int, element: Any, way: str) -> None:
        op = stack[-1] if stack else None
        if op is None or id(op) in dead:
            return
        if op.name.startswith("atomic"):
            if way == "read":
                found.access(position, element, "atomic")
        else:
            found.access(position, element, way)

    def reading(self: Memory, position: int, element: Any) -> int:
        watch(position, element, "read")
        return read(self, position, element)

    def writing(self: Memory, position: int, element: Any, pattern: int) -> None:
        watch(position, element, "written")
        write(self, position, element, pattern)

    def stepping(self: machine.Block, op: Op) -> None:
        if id(op) not in dead:
            found.compute(op)
        if id(op) in numbers:
            found.entered[numbers[id(op)]] += 1
        stack.append(op)
        try:
            step(self, op)
        finally:
            stack.pop()

    def entering(self: machine.Block, block: Any, arguments: Any) -> None:
        if block is entry:
            found.blocks.append([0, 0])
        if id(block) in bodies:
            found.trips[bodies[id(block)]] += 1
        enter(self, block, arguments)

    places = (
        (Memory, "read", reading, read),
        (Memory, "write", writing, write),
        (machine.Block, "step", stepping, step),
        (machine.Block, "enter", entering, enter),
    )
    for owner, name, watching, _ in places:
        setattr(owner, name, watching)
    try:
        yield
    finally:
        for owner, name, _, before in places:
            setattr(owner, name, before)


def _unused(function: Function) -> set[int]:
    """The ids of ops without effect on anything that is kept, which a compiler may leave out."""
    used: set[int] = set()
    live: set[int] = set()
    for op in reversed(list(function.walk())):
        weak = op.attributes.get("memory_ordering_semantics", "weak") == "weak"
        stays = op.regions or not weak or op.spec.effects not in SILENT
        if stays or any(id(result) in used for result in op.results):
            live.add(id(op))
            used.update(map(id, op.operand_list()))
    return {id(op) for op in function.walk()} - live
