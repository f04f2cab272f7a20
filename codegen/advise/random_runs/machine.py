"""A kernel on a few sets of random arguments: what each of its values is, as a fingerprint.

Loops are gone through once, at some iteration, with random numbers for what they carry; both sides
of an `if` are. What an op gives that is not computed here is drawn by lot, the same for the same
operands. So values that are equal in all runs are equal whenever the kernel runs, most likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from tileir.attributes import Bounded, DivBy
from tileir.codegen.advise.trials.loops import ends_of
from tileir.codegen.advise.trials.parameters import parameters_of
from tileir.codegen.ops import writes_memory
from tileir.codegen.ops.extents import tensor_view_op
from tileir.formats.ops.spec import READS, SILENT
from tileir.ir import Block, Op, Value
from tileir.read.function import Function
from tileir.types import Pointer, Tile

from .elements import CONVERSIONS, FLOATS, INTEGERS, Array, whole, wrapped
from .memory import ARRAY_BITS
from .specials import SPECIAL
from .state import RUNS, Observed, State

MOST = 1 << 27
"""Elements of all values and runs: kernels with more are not looked at, as that takes long."""
_LARGE = (1 << 22, 1 << 20, 1 << 22, 1 << 21)
"""About how large whole numbers among the arguments are in the first runs."""
_MIXED = (1 << 30, 1 << 20, 1 << 9, 1 << 5, 1 << 4)
"""How large they may be in the others, in which tiles lie across the ends of arrays, or outside."""
_ROUNDS = (1, 4, 1, 0, 4, 0, 2, 0)
"""Loops are looked at in one of so many iterations, the first ones; or in the last one, if 0."""


def observed(
    function: Function, seed: int = 1, checked: Collection[Value] | None = None
) -> Observed | None:
    """Return what the values of a kernel are; None if it is too large.

    Of values that are `checked` all elements are kept, if there are not too many, or else a few of
    each value.
    """
    sizes = (v.type.size for v in function.body.defined() if isinstance(v.type, Tile))
    if sum(sizes) * RUNS > MOST:
        return None
    with np.errstate(all="ignore"):
        machine = _Machine(function, State(seed, checked))
        machine.run()
    return machine.found


class _Machine:
    """One kernel, op by op."""

    def __init__(self, function: Function, state: State) -> None:
        self.function, self._state = function, state
        self._env, self._memory = self._state.env, self._state.memory
        self._random, self._set, self._any = self._state.random, self._state.set, self._state.any
        self._numbers: dict[Op, int] = {}
        self._left: Counter[Value] = Counter()
        """Uses of values that are still to come."""
        for number, op in enumerate(function.walk()):
            self._numbers[op] = number
            self._left.update(op.operand_list())

    @property
    def found(self) -> Observed:
        """What is known by now."""
        return self._state.found

    def run(self) -> None:
        """Go through the kernel."""
        for number, value in enumerate(self.function.body.block.arguments):
            self._set(value, self._argument(number, value))
        self._block(self.function.body.block)

    def _argument(self, number: int, value: Value) -> Array:
        element = value.type.element
        if isinstance(element, Pointer):
            return np.full(RUNS, number + 1, np.int64) << ARRAY_BITS
        if element.is_integer and element.bits > 8:
            step, lowest = _promised(value)
            sizes = [*_LARGE, *self._random.choice(_MIXED, RUNS - len(_LARGE))]
            most = [max(int(size) // step, 2) for size in sizes]
            found = [step * self._random.integers(n // 2, n) for n in most]
            if lowest is None:
                found[-1] = -found[-1]
            return np.array(found, np.int64)
        return self._any(value.type)

    # Blocks -------------------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        if op.regions and op.name not in ("reduce", "scan"):
            self._region(op)
        elif op.results:
            results = self._results(op)
            for value, array in zip(op.results, results, strict=False):
                self._set(value, array)
        for value in op.operand_list():
            self._left[value] -= 1
            if not self._left[value] and getattr(value.type, "size", 0) > 1:
                self._env.pop(value, None)

    def _region(self, op: Op) -> None:
        """Go through both sides of an `if`, or an iteration of a loop."""
        written = self._written(op)
        if op.name == "if":
            for region in op.regions:
                for block in region.blocks:
                    self._block(block)
            self._memory.changed(written)
            self._merge(op)
            return
        self._memory.changed(written)
        block = op.regions[0].block
        given, carried = list(op.operands["initValues"]), list(block.arguments)
        if op.name == "for":
            slots = ("lowerBound", "upperBound", "step")
            lower, upper, step = (self._env[op.operands[slot]] for slot in slots)
            last = np.maximum((upper - lower - 1) // np.where(step == 0, 1, step), 0)
            rounds = self._random.integers(0, np.maximum(_ROUNDS, 1))
            rounds = np.where(np.array(_ROUNDS) == 0, last, rounds)
            self._set(carried.pop(0), lower + step * rounds)
        ends = [*ends_of(op), block.ops[-1]] if op.name == "for" else []  # no `for` has a break
        for number, (value, start) in enumerate(zip(carried, given, strict=True)):
            kept = _is_kept(value, number, ends)
            self._set(value, self._env[start] if kept else self._later(value.type, start))
        kinds = [(value, self._env[value]) for value in given if value in self._env]
        self._block(block)
        self._memory.changed(written)
        starts = dict(kinds)
        for number, value in enumerate(op.results):
            kept = _is_kept(carried[number], number, ends)
            start = given[number] if number < len(given) else None
            if kept and start in starts:
                self._set(value, starts[start])
            elif isinstance(value.type, Tile):
                self._set(value, self._later(value.type, None))

    def _later(self, kind: Any, start: Value | None) -> Any:
        """Return what a loop may carry: something near of numbers it began with, or anything."""
        if not isinstance(kind, Tile):
            return None
        whole = isinstance(kind.element, Pointer) or (
            kind.element.is_integer and kind.element.bits > 8
        )
        if start is not None and whole and start in self._env:
            more = self._random.integers(0, 1 << 10, RUNS) * 16
            return self._env[start] + more.reshape(-1, *[1] * len(kind.shape))
        return self._any(kind)

    def _merge(self, op: Op) -> None:
        sides = [region.blocks[0].ops[-1] for region in op.regions if region.blocks]
        condition = self._env[next(op.operand_list())]
        for number, value in enumerate(op.results):
            if not isinstance(value.type, Tile):
                continue
            given = []
            for side in sides:
                if side.name == "yield":
                    given.append(self._env.get(side.operands["operands"][number]))
            if len(given) == 2 and all(each is not None for each in given):
                shaped = condition.reshape(-1, *[1] * len(value.type.shape))
                self._set(value, np.where(shaped, *given))
            else:
                self._set(value, self._any(value.type))

    def _written(self, op: Op) -> set[int]:
        """Return the arrays that are written in an op's regions."""
        found: set[int] = set()
        for each in op.walk():
            if writes_memory(each):
                view = each.operands.get("view")
                at = each.operands.get("destination") or each.operands.get("pointers")
                made = None if view is None else tensor_view_op(view)
                at = at if made is None else made.operands["base"]
                roots = [] if at is None else parameters_of(at, self.function)
                roots = [value for value in roots if isinstance(value.type.element, Pointer)]
                found |= {int(self._env[value].flat[0]) >> ARRAY_BITS for value in roots}
        return found

    # Ops ----------------------------------------------------------------------------------------

    def _results(self, op: Op) -> Sequence[Any]:
        special = SPECIAL.get(op.name)
        made = None if special is None else special(self._state, op)
        if made is None:
            made = self._plain(op)
        if made is None:
            made = self._unknown(op)
        return made

    def _plain(self, op: Op) -> Sequence[Any] | None:
        if len(op.results) != 1 or op.regions:
            return None
        given: list[Any] = [self._env.get(value) for value in op.operand_list()]
        if any(each is None for each in given):
            return None
        if op.name in FLOATS:
            return (FLOATS[op.name](*given),)
        if op.name in INTEGERS:
            return (whole(op, given),)
        if op.name in CONVERSIONS:
            made = CONVERSIONS[op.name](op, *given)
            return (wrapped(made, op.result.type.element.bits),)
        return None

    def _unknown(self, op: Op) -> Sequence[Any]:
        """Draw the results of an op by lot, from what it is and what it gets."""
        known = [self._state.found.fingerprints.get(value) for value in op.operand_list()]
        kinds = [value.type for value in (*op.operand_list(), *op.results)]
        varies = op.spec.effects not in SILENT - {READS}
        for number, value in enumerate(op.results):
            if isinstance(value.type, Tile):
                attributes = sorted(map(repr, op.attributes.items()))
                key = repr((op.name, number, known, kinds, attributes))
                if varies or None in known or op.regions:
                    key = f"{key} {self._numbers[op]}"
                seed = int.from_bytes(blake2b(key.encode(), digest_size=6).digest(), "little")
                self._set(value, self._any(value.type, seed))
            else:
                self._set(value, None)
        return ()


def _is_kept(value: Value, number: int, ends: Sequence[Op]) -> bool:
    """Whether a `for` hands on what it carries as it is, at each of its ends; not if there are
    none."""
    return bool(ends) and all(each.operands["operands"][number] is value for each in ends)


def _promised(value: Value) -> tuple[int, int | None]:
    """Return what a parameter is a multiple of, and not less than, as far as that is assumed."""
    divisor, lowest, waiting = 1, None, [value]
    while waiting:
        for use in waiting.pop().uses:
            if use.op.name == "assume":
                predicate = use.op.attributes["predicate"]
                if isinstance(predicate, DivBy):
                    divisor = max(divisor, predicate.divisor)
                elif isinstance(predicate, Bounded):
                    lowest = predicate.lower
                waiting.append(use.op.result)
    return divisor, lowest
