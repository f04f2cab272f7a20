"""Names of values in the texts of stages: those that `tileir dis` prints, as far as values last.

Stages edit a copy of the body in place, so most values are still those of the module. An op that a
stage made instead of one of the module has that op's position, and its results may take over the
names of results that are gone. Everything else gets a name that no value of the module has, and
keeps it in the texts of later stages. `tileir dis` uses a name again in blocks side by side; names
that are given here are used once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count

from tileir.formats.errors import BytecodeError
from tileir.ir import Block, Body, Op, Value
from tileir.text.printer.functions import FunctionPrinter
from tileir.text.printer.names import Names, prefix_of

from .kernel import KernelIR


def _of_nobody(name: str) -> bool:
    return False


class OriginalNames:
    """The names that a kernel's values have in the text of its module.

    `of_value` has those of the values that the kernel began with, and of those that were named in
    the text of a stage since; `of_op` those of an op's results by the op's position in the module.
    """

    def __init__(self, kernel: KernelIR) -> None:
        printer = FunctionPrinter([], {}, None)
        try:
            printer.function(kernel.function)
        except BytecodeError:  # names would be too long for a text
            printer.names.value.clear()
        names = printer.names.value
        self.of_value: dict[Value, str] = {
            kernel.copies.get(value, value): name for value, name in names.items()
        }
        self.of_op: dict[int, list[str]] = {}
        for op in kernel.function.body.walk():
            if op.results:
                known = op.position in self.of_op
                stated = [names[each] for each in op.results if each in names]
                self.of_op[op.position] = [] if known else stated


class KeptNames(Names):
    """The names of one kernel's values after a stage.

    Ops called as in `moves` only hand on a value, so that another op has a better claim to a name.
    """

    def __init__(self, original: OriginalNames, body: Body, moves: Collection[str] = ()) -> None:
        super().__init__()
        self._original, self._moves = original, moves
        self._kept: dict[Value, str] = {}
        self._last: dict[int, Op] = {}
        self._holders: dict[str, list[Block]] = {}
        """Name -> the blocks with values that keep it."""
        self._look_into(body.block)
        self._reserved = {_stem(name) for name in self._kept.values()}
        self._claimed = {
            *self._reserved,
            *(_stem(name) for op in self._last.values() for name in self._names_before(op) if name),
        }
        numbers = [int(stem) for stem in map(_stem, original.of_value.values()) if stem.isdigit()]
        self._values = max(numbers, default=-1) + 1
        self._given: set[str] = set()
        """Names of results so far, in whatever block."""

    @contextmanager
    def nested(self) -> Iterator[None]:
        """See `Names`; numbers that are given here are not given again in other regions."""
        with super().nested():
            yield
            values = self._values
        self._values = values

    def remember(self) -> None:
        """Let results of ops have the same names in the texts of later stages."""
        for value, name in self.value.items():
            if isinstance(value.owner, Op):
                self._original.of_value.setdefault(value, name)

    def arguments(self, block: Block, hints: list[str] | None = None) -> list[str]:
        """See `Names`."""
        if hints is None:
            hints = [f"arg{index}" for index in range(len(block.arguments))]
        names = []
        for value, hint in zip(block.arguments, hints, strict=True):
            name = self.value[value] = f"%{self._chosen(self._kept.get(value), hint)}"
            names.append(name)
        return names

    def results(self, block: Block) -> dict[Op, str]:
        """See `Names`; names that are made up are those of no result in another block."""
        known = len(self._added)
        found = super().results(block)
        self._given.update(self._added[known:])
        return found

    def _results(self, op: Op) -> str:
        results, slots = op.results, op.spec.results
        if not results:
            return super()._results(op)
        before, others = self._before(op)
        if len(slots) > 1:
            names = []
            for name, slot, value in zip(before, slots, results, strict=True):
                self.value[value] = f"%{self._chosen(name, slot.name, others)}"
                names.append(self.value[value])
            return f"{', '.join(names)} = "
        name = f"%{self._chosen(before[0], self._hint(op), others)}"
        if len(results) == 1:
            self.value[results[0]] = name
            return f"{name} = "
        for index, value in enumerate(results):
            self.value[value] = f"{name}#{index}"
        return f"{name}:{len(results)} = "

    def _before(self, op: Op) -> tuple[list[str | None], Callable[[str], bool]]:
        """Return the names that results had, and whether a name belongs to others.

        The results may be those of the module, or of the last op made of one of the module, or
        what hands on the results of such an op.
        """
        kept: list[str | None] = [self._kept.get(value) for value in op.results]
        if any(kept):
            return kept, _of_nobody
        if self._last.get(op.position) is op:
            return self._names_before(op), partial(self._is_held, op.parent)
        handed_on = self._names_before(op) if op.name in self._moves else []
        return handed_on or kept, self._claimed.__contains__

    def _is_held(self, block: Block, name: str) -> bool:
        """Whether a value keeps a name where it would be in the way of one in a block."""
        return any(
            block.contains(holder) or holder.contains(block)
            for holder in self._holders.get(name, ())
        )

    def _names_before(self, op: Op) -> list[str | None]:
        """Return the names of the results of the op that an op came from, if they are as many."""
        names = self._original.of_op.get(op.position, [])
        prefix = prefix_of(op)
        if prefix and not all(_stem(name).startswith(prefix) for name in names):
            return []
        slots = min(len(op.spec.results), len(op.results))
        several = len({*map(_stem, names)})
        return [*names] if (len(names), several) == (len(op.results), slots) else []

    def _look_into(self, block: Block) -> None:
        """Note which values are still there, and the last op made of each one of the module."""
        self._keep(block, block.arguments)
        for op in block.ops:
            self._keep(block, op.results)
            if self._names_before(op) and op.name not in self._moves:
                self._last[op.position] = op
            for region in reversed(op.regions):  # of a pipelined loop, the body comes last
                for inner in region.blocks:
                    self._look_into(inner)

    def _keep(self, block: Block, values: Iterable[Value]) -> None:
        named = self._original.of_value
        for value in values:
            if value in named:
                self._kept[value] = named[value]
                self._holders.setdefault(_stem(named[value]), []).append(block)

    def _chosen(
        self, before: str | None, hint: str | None, others: Callable[[str], bool] = _of_nobody
    ) -> str:
        """Return an unused name that is not of others: that from before, or one from the hint."""
        stem = "" if before is None else _stem(before)
        if stem and stem not in self._taken and not others(stem):
            return self._take(stem)
        wanted = stem or hint or ""
        if not wanted or wanted.isdigit():
            self._values += 1
            return str(self._values - 1)
        name, numbered = wanted, (f"{wanted}_{number}" for number in count())
        while name in self._taken or name in self._claimed or name in self._given:
            name = next(numbered)
        return self._take(name)

    def _take(self, name: str) -> str:
        self._taken.add(name)
        self._added.append(name)
        return name


def _stem(name: str) -> str:
    """Return the name that all results of an op have in common: ``for`` of ``%for#1``."""
    return name.removeprefix("%").partition("#")[0]
