"""The names of values in the text: ``%0``, ``%cst_1_i32``, ``%loopIdx``, ``%for:2``.

The printer makes them up; the file has none. Values without a hint are numbered. All results of a
block are named before those of nested regions, and every nested region starts with the names and
counters at the end of the enclosing block.
"""

from __future__ import annotations

from contextlib import contextmanager

from tileir.formats.errors import BytecodeError
from tileir.ir import Block, Op, Value
from tileir.ir.constants import Constant

SHORT = 64
"""Characters of a name that do not count towards `LONG_NAMES`."""

LONG_NAMES = 1 << 22
"""The most characters of a kernel's longer names: chains of assumptions have longer and longer
ones."""


class Names:
    """The names of one function's values.

    value  the name of each value as an operand: ``%5#1``
    """

    def __init__(self) -> None:
        self.value: dict[Value, str] = {}
        self._hints: dict[Value, str] = {}
        self._taken: set[str] = set()
        self._added: list[str] = []
        self._values = self._arguments = self._conflicts = self._long = 0

    @contextmanager
    def nested(self):
        """Forget names at the end of the `with` block, so that sibling regions share names."""
        counters = self._values, self._arguments, self._conflicts
        known = len(self._added)
        yield
        self._values, self._arguments, self._conflicts = counters
        self._taken.difference_update(self._added[known:])
        del self._added[known:]

    def arguments(self, block: Block, hints: list[str] | None = None) -> list[str]:
        """Name the arguments of a block, from hints if there are any, and return the names."""
        names = []
        for index, value in enumerate(block.arguments):
            if hints is None:
                name = f"%{self._unused(f'arg{self._arguments}')}"
                self._arguments += 1
            else:
                name = f"%{self._unused(hints[index])}"
            self.value[value] = name
            names.append(name)
        return names

    def results(self, block: Block) -> dict[Op, str]:
        """Name all results of a block's ops, and return the text in front of each op."""
        return {op: self._results(op) for op in block.ops if op.results or op.spec.results}

    def _results(self, op: Op) -> str:
        results, spec = op.results, op.spec
        if not results:
            return self._missing(op)
        if len(spec.results) > 1:
            names = []
            for slot, value in zip(spec.results, results, strict=True):
                self.value[value] = name = f"%{self._unused(slot.name)}"
                self._hints[value] = slot.name
                names.append(name)
            return f"{', '.join(names)} = "
        hint = self._hint(op)
        if hint:
            name = f"%{self._unused(hint)}"
        else:
            name = f"%{self._values}"
            self._values += 1
        if hint is not None:
            self._hints.update(dict.fromkeys(results, ""))
            self._hints[results[0]] = hint
        self.value[results[0]] = name
        if len(results) == 1:
            return f"{name} = "
        for index, value in enumerate(results):
            self.value[value] = f"{name}#{index}"
        return f"{name}:{len(results)} = "

    def _missing(self, op: Op) -> str:
        """Return the name of a result that an op of an old file lacks, but that is printed."""
        if any(slot.arity == "many" for slot in op.spec.results):
            return ""
        self._values += 1
        return f"%{self._values - 1} = "

    def _hint(self, op: Op) -> str | None:
        """Return the hint for the first result; "" or None if there is none.

        The difference matters for the names of assumptions about such results.
        """
        spec = op.spec
        if spec.mnemonic == "constant":
            return constant_name(op.attributes["value"])
        if spec.mnemonic == "assume":
            below = self._hints.get(op.operands["value"])
            return spec.prefix if below is None else self._chained(op, f"{spec.prefix}_{below}")
        return prefix_of(op) or ("" if spec.regions else None)

    def _chained(self, op: Op, hint: str) -> str:
        self._long += len(hint) if len(hint) > SHORT else 0
        if self._long > LONG_NAMES:
            raise BytecodeError(
                "limit",
                offset=op.offset,
                section="Func",
                expected=f"long names of {LONG_NAMES} characters altogether",
                found="chains of assumptions, each named after all its steps",
            )
        return hint

    def _unused(self, name: str) -> str:
        taken, unused = self._taken, name
        while unused in taken:
            unused = f"{name}_{self._conflicts}"
            self._conflicts += 1
        taken.add(unused)
        self._added.append(unused)
        return unused


def prefix_of(op: Op) -> str:
    """Return what the names of an op's results begin with, "" if its row says nothing."""
    return op.spec.prefix.format_map(op.attributes)


def constant_name(value: Constant) -> str:
    """Return ``cst``, the number if all elements are the same, and the element type."""
    type = value.type.element
    if not value.uniform:
        return f"cst_{type}"
    bits = value.bits()
    if type.name == "i1":
        return "true" if bits else "false"
    number = value.value()
    if type.is_float:
        if number is None or number != number:
            return f"cst_NaN_{type}" if number is not None else f"cst_{type}"
        whole = float(number).is_integer() and 0 <= number < 2**64 and str(number)[0] != "-"
        return f"cst_{int(number)}_{type}" if whole else f"cst_{type}"
    return f"cst_{number}_{type}"
