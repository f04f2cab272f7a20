"""One target computes something else: a row of its lowering is another one.

The model says what is right, and what is undefined: a kernel that is, is no evidence. All of it
runs in a child, because what a wrong row makes of an address may be any.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tests.lab.model import Undefined, run
from tests.lab.model.elements import dtype
from tileir import Bytecode, TileIRError, compile, emulator
from tileir.errors import WorkerError
from tileir.smith.case import Case
from tileir.smith.program import Program
from tileir.smith.scene import memory_element
from tileir.supervisor import Supervisor
from tileir.tools.sampler.draws import Draws
from tileir.types import Pointer, Scalar, Tile

LONGEST_S = 600.0
"""Seconds for one kernel, on both: it takes one or two, which a machine with other work may make
minutes of. What takes longer is no answer, and is told: it may keep a module from being reduced."""
ROOM = 4096
"""Elements of an array that the program had none for."""


def _low_half(builder: Any, op: Any, x: Any, y: Any) -> Any:
    return builder.mul(x, y)


def _both(builder: Any, op: Any, lhs: Any, rhs: Any) -> Any:
    return builder.or_(lhs, rhs)


def _unchanged(builder: Any, op: Any, source: Any) -> Any:
    return source


def _exclusive(builder: Any, op: Any, lhs: Any, rhs: Any) -> Any:
    return builder.xor(lhs, rhs)


class Row(NamedTuple):
    """A wrong row: what is emitted, and of which element type and how many operands."""

    emit: Callable[..., Any]
    element: str
    operands: int


WRONG = {
    "mulhii": Row(_low_half, "i32", 2),
    "xori": Row(_both, "i32", 2),
    "absf": Row(_unchanged, "f32", 1),
    "negf": Row(_unchanged, "f16", 1),
    "ori": Row(_exclusive, "i64", 2),
}
"""Op -> what a target makes of it."""


FEATURES = ("integers", "control", "views", "shapes", "memory")
"""What programs are made of: results are exact."""


class Planted(Program):
    """A program in which the op is computed and stored when half of it is there."""

    def __init__(self, op: str, seed: int, ops: int) -> None:
        super().__init__(Draws(seed), ops, features=FEATURES)
        self._op, self._waits = op, True

    def _statement(self) -> None:
        if self._waits and not self._depth and self._size() >= self.ops // 2:
            self._waits, row = False, WRONG[self._op]
            type = Tile(Scalar(row.element), self.scene.pool.shape())
            given = [self.scene.value(type) for _ in range(row.operands)]
            self.scene.keep(getattr(self.kernel, self._op)(*given))
        super()._statement()


@cache
def planted(op: str, seed: int, ops: int) -> Case:
    """Return the program of a seed and of about so many ops, with the op in it."""
    return Planted(op, seed, ops).grow()


@dataclass(frozen=True)
class Wrong:
    """Holds if a target with a wrong row for an op stores something else than the model.

    The arrays are those of the program of a seed and a size, in the order of the parameters that
    are left.
    """

    op: str
    target: str
    seed: int
    ops: int

    @property
    def description(self) -> str:
        """When it holds."""
        return f"{self.target} computes another {self.op} than the model"

    def holds(self, data: bytes) -> bool:
        """Whether the memory differs after a launch."""
        words = f"{self.op} {self.target} {self.seed} {self.ops}\n".encode()
        try:
            return _child().call(words + data, self.op) == b"wrong"
        except WorkerError as error:
            if error.kind == "time":
                print(f"{self.description}: {error}", file=sys.stderr, flush=True)
            return False


@cache
def _child() -> Supervisor:
    return Supervisor(f"{__name__}:look", seconds=LONGEST_S)


def look(request: bytes) -> bytes:
    """Launch a kernel twice: in the model, and on a target with a wrong row."""
    os.environ["TILEIR_CACHE_DIR"] = "off"
    words, _, data = request.partition(b"\n")
    op, target, seed, ops = words.decode().split()
    case = planted(op, int(seed), int(ops))
    try:
        bytecode = Bytecode.parse(data)
        (function,) = bytecode.functions
        expected = _arguments(case, [value.type.element for value in function.parameters])
        found = [array.copy() for array in expected]
        run(bytecode, function.name, case.grid, expected)
        with _lowered_wrongly(op):
            compiled = compile(bytecode, target=target)
        if target == "host":
            compiled[function.name].launch(case.grid, found, threads=1)
        else:
            emulator.load(compiled)[function.name].launch(case.grid, found)
    except (TileIRError, Undefined, ValueError):
        return b"none"
    same = all(a.tobytes() == b.tobytes() for a, b in zip(found, expected, strict=True))
    return b"same" if same else b"wrong"


def _arguments(case: Case, elements: list[Any]) -> list[np.ndarray]:
    """Arrays for pointers to these elements: those of the program, each type's in order."""
    known: dict[str, list[np.ndarray]] = {}
    for value, array in zip(case.bytecode.functions[0].parameters, case.args, strict=True):
        known.setdefault(str(value.type.pointee), []).append(array)
    arrays = []
    for element in elements:
        if not isinstance(element, Pointer):
            raise ValueError("numbers are not passed")
        name = memory_element(element.pointee.name)
        given = known.get(name)
        arrays.append(given.pop(0).copy() if given else np.zeros(ROOM, dtype(Scalar(name))))
    return arrays


@contextmanager
def _lowered_wrongly(op: str) -> Iterator[None]:
    from tileir.codegen.scalar.elementwise import ELEMENTWISE

    right = ELEMENTWISE[op]
    ELEMENTWISE[op] = WRONG[op].emit
    try:
        yield
    finally:
        ELEMENTWISE[op] = right
