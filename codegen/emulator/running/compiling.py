"""The compiler of basic blocks: each becomes a Python function over its active lanes.

The function fetches the registers that it reads, works on local names only, and at last writes back
the registers that it changed: so the same code serves whether all lanes are active or a few. Where
all lanes agree, a register is a NumPy scalar, and so is what is computed from it.

A register that is first written under a guard gets a mask of the lanes in which it is defined, and
is checked where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any, cast

import numpy as np

from tileir.codegen.emulator import ops  # noqa: F401  (fills the table)
from tileir.codegen.emulator.counting.recorder import record_of
from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx import types
from tileir.codegen.emulator.ptx.blocks import BasicBlock, resolve
from tileir.codegen.emulator.ptx.control import BRANCHES, DONE
from tileir.codegen.emulator.ptx.scope import Scope
from tileir.codegen.emulator.ptx.syntax import UNDEFINED, Statement, split
from tileir.codegen.emulator.ptx.table import Resolved
from tileir.codegen.emulator.threads import special
from tileir.errors import EmulationError

_ADDRESS = re.compile(r"\[\s*([%\w$]+)\s*(?:\+\s*(-?\w+))?\s*\]", re.ASCII)
_COORDINATES = re.compile(r"\[\s*([^,{}]+?)\s*,\s*\{([^{}]*)\}\s*\]")


def compile_block(
    scope: Scope, number: int, block: BasicBlock, counting: bool = False
) -> Callable[..., Any]:
    """Return the function of a block: it takes the active lanes, and returns their next blocks.

    With `counting` it tells the recorder of the batch about accesses to memory.
    """
    return _BlockCompiler(scope, number, block, counting).function()


@lru_cache(maxsize=4096)
def _code(source: str, name: str) -> CodeType:
    """Compile Python source; cached, because similar kernels have most blocks in common."""
    return compile(source, name, "exec")


class _BlockCompiler:
    def __init__(self, scope: Scope, number: int, block: BasicBlock, counting: bool) -> None:
        self.scope, self.number, self.block, self.counting = scope, number, block, counting
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"where": np.where, "np": np}
        self.fetched: list[str] = []
        self.local: set[int] = set()
        self.written: dict[int, None] = {}
        self.partial: set[int] = set()
        self.statement: Statement | Any = None

    def function(self) -> Callable[..., Any]:
        leaving = f"return {self.number + 1}"
        for statement in self.block.statements:
            self.statement = statement
            if statement.opcode in BRANCHES:
                leaving = self._leave(statement)
            elif statement.opcode == UNDEFINED:
                self._define(statement.operands[0])
            else:
                self._instruction(statement, resolve(statement))
        body = [*self.fetched, *self.lines, *map(self._put_back, self.written), leaving]
        source = "def run(A):\n " + "\n ".join(body) + "\n"
        exec(_code(source, f"<block {self.number} of {self.scope.name}>"), self.names)
        return self.names["run"]

    def _put_back(self, register: int) -> str:
        if register in self.partial:
            return f"A.write_some({register}, r{register}, d{register})"
        return f"A.write({register}, r{register})"

    # Branches ---------------------------------------------------------------------------------

    def _leave(self, statement: Statement) -> str:
        following = self.number + 1
        if statement.opcode.startswith("brx"):
            labels = self._labels(statement)
            targets = np.array([self._label(label, statement) for label in labels], np.int32)
            index = self._source(statement.operands[0], "u32")
            return f"return {self._constant(targets)}[{index}]"
        target = self._label(statement.operands[0], statement) if statement.operands else DONE
        if not statement.guard:
            return f"return {target}"
        guard = self._guard(statement)
        return f"return ({guard}, {target}, {following})"

    def _labels(self, statement: Statement) -> list[str]:
        """Return the labels that a brx chooses from."""
        if len(statement.operands) != 2:
            raise self._error("syntax", f"{statement.opcode} takes an index and a list of labels")
        labels = self.scope.entry.tables.get(statement.operands[1])
        if labels is None:
            raise self._error("unknown", f"no list of labels {statement.operands[1]}")
        return labels

    def _label(self, name: str, statement: Statement) -> int:
        number = self.scope.label(name, statement.scope)
        if number is None:
            raise self._error("unknown", f"no label {name}")
        return number

    # Instructions -----------------------------------------------------------------------------

    def _instruction(self, statement: Statement, resolved: Resolved) -> None:
        results, sources = self._slots(statement, resolved)
        guard = self._guard(statement) if statement.guard else None
        function = self._constant(resolved.function)
        for register in self.scope.touched(statement):
            self.lines.append(f"A.touch({register}, {self._constant(statement)}, {guard})")
        arguments = [self._argument(text, slot) for text, slot in sources]
        record = record_of(statement.opcode) if self.counting else None
        if record is not None:
            given = ", ".join((self._constant(statement), guard or "None", *arguments))
            self.lines.append(f"{self._constant(record)}(A.batch.recorder, A, {given})")
        if resolved.row.role == "effect":
            arguments = ["A", self._constant(statement), guard or "None", *arguments]
        call = f"{function}({', '.join(arguments)})"
        targets = self._targets(results)
        if not targets:
            self.lines.append(call)
            return
        temporaries = [f"t{index}" for index in range(len(targets))]
        if resolved.row.role == "effect" or len(targets) > 1:
            left = ", ".join(temporaries) + ("," if len(temporaries) == 1 else "")
            self.lines.append(f"{left} = {call}")
        else:
            self.lines.append(f"t0 = {call}")
        for temporary, (text, kind) in zip(temporaries, targets, strict=True):
            self._write(text, kind, temporary, guard)

    def _define(self, text: str) -> None:
        """Give a register that LLVM leaves undefined the value 1."""
        register = self.scope.register(text, self.statement.scope)
        kind = self.scope.kinds[cast(int, register)]
        self._write(text, kind, self._constant(types.immediate("1", kind)), None)

    def _slots(self, statement: Statement, resolved: Resolved) -> tuple[list, list]:
        """Pair operands with the row's slots: results, then sources."""
        operands = list(statement.operands)
        if resolved.results and "|" in operands[0]:
            operands[:1] = operands[0].split("|")
        slots = [*resolved.results, *resolved.sources]
        missing = len(slots) - len(operands)
        optional = sum(slot.endswith("?") for slot in slots)
        if not 0 <= missing <= optional:
            raise self._error("syntax", f"{len(operands)} operands, expected {len(slots)}")
        operands += [""] * missing
        pairs = list(zip(operands, slots, strict=True))
        return pairs[: len(resolved.results)], pairs[len(resolved.results) :]

    def _targets(self, results: list[tuple[str, str]]) -> list[tuple[str, str]]:
        targets = []
        for text, slot in results:
            names = split(text[1:-1]) if text.startswith("{") else [text]
            targets += [(name, slot.rstrip("*?")) for name in names]
        return targets

    def _argument(self, text: str, slot: str) -> str:
        optional, many = "?" in slot, "*" in slot
        kind, _, predicate = slot.rstrip("*?").partition("|")
        if optional and not text:
            return "None"
        if predicate and self._held_as(text) == predicate:
            kind = predicate
        if kind == "$":
            return self._constant(text)
        if kind == "&":
            return self._constant(tuple(self.scope.registers(text, self.statement.scope)))
        if kind == "@":
            return self._address(text)
        if kind == "#":
            return self._coordinates(text)
        if many:
            names = split(text[1:-1]) if text.startswith("{") else [text]
            return f"({' '.join(self._source(name, kind) + ',' for name in names)})"
        return self._source(text, kind)

    # Operands ---------------------------------------------------------------------------------

    def _guard(self, statement: Statement) -> str:
        value = self._source(statement.guard, "pred")
        return f"(~{value})" if statement.negated else value

    def _source(self, text: str, kind: str) -> str:
        if text.startswith("!"):
            return f"(~{self._source(text[1:], kind)})"
        if re.match(r"-?\d", text):
            try:
                return self._constant(types.immediate(text, kind))
            except ValueError:
                raise self._error("syntax", f"no number of type {kind}: {text}") from None
        register = self.scope.register(text, self.statement.scope)
        if register is not None:
            return self._as(self._fetch(register), self.scope.kinds[register], kind)
        if held := special.type_of(text):
            name = f"s{len(self.fetched)}"
            self.fetched.append(f"{name} = A.special({text!r})")
            return self._as(name, held, kind)
        address = self.scope.address(text)
        if address is None:
            raise self._error("unknown", f"no such operand: {text}")
        return self._constant(types.immediate(str(address), kind))

    def _held_as(self, text: str) -> str | None:
        """Return the type of a register; None if the operand is not a register."""
        register = self.scope.register(text, self.statement.scope)
        return None if register is None else self.scope.kinds[register]

    def _fetch(self, register: int) -> str:
        name = f"r{register}"
        if register not in self.local:
            self.local.add(register)
            self.fetched.append(f"{name} = A.read({register}, {self._constant(self.statement)})")
        elif register in self.partial:
            line = self._constant(self.statement)
            self.lines.append(f"A.check({register}, d{register}, {line})")
        return name

    def _as(self, name: str, held: str, kind: str) -> str:
        """Return a register as an operand of a type; of a wider register the lower bits."""
        if kind == "pred" or held == "pred":
            if held != kind:
                raise self._error("syntax", f"a {held} register where {kind} is expected")
            return name
        if types.width(held) < types.width(kind):
            raise self._error("syntax", f"a {held} register is too small for {kind}")
        if types.width(held) > types.width(kind):
            name = f"{name}.astype({self._constant(types.storage(kind))})"
        if types.dtype(kind) == types.storage(kind):
            return name
        return f"{name}.view({self._constant(types.dtype(kind))})"

    def _address(self, text: str) -> str:
        match = _ADDRESS.fullmatch(text)
        if not match:
            raise self._error("syntax", f"not an address: {text}")
        base, offset = match[1], self._whole(match[2] or "0")
        register = self.scope.register(base, self.statement.scope)
        if register is None:
            number = self._whole(base) if base[0].isdigit() else self.scope.address(base)
            if number is not None:
                return self._constant(np.uint64((number + offset) & (2**64 - 1)))
            if ".param" in self.statement.opcode:  # of a call
                return f"({base!r}, {offset})"
            raise self._error("unknown", f"no such address: {text}")
        name = self._fetch(register)
        if types.width(self.scope.kinds[register]) < 8:
            # Offsets from a 32-bit address wrap around in 32 bits.
            offset = self._constant(np.uint32(offset & 0xFFFFFFFF))
            return f"({name} + {offset}).astype(np.uint64)"
        if not offset:
            return name
        return f"({name} + {self._constant(np.uint64(offset & (2**64 - 1)))})"

    def _whole(self, text: str) -> int:
        """Return a whole number in an address, of 64 bits."""
        try:
            return int(types.immediate(text, "s64"))
        except ValueError:
            raise self._error("syntax", f"no number: {text}") from None

    def _coordinates(self, text: str) -> str:
        """Return the address of a tensor map and a tuple of coordinates."""
        match = _COORDINATES.fullmatch(text)
        if not match:
            raise self._error("syntax", f"not a tensor map with coordinates: {text}")
        places = " ".join(self._source(each, "s32") + "," for each in split(match[2]))
        return f"{self._address(f'[{match[1]}]')}, ({places})"

    def _write(self, text: str, kind: str, value: str, guard: str | None) -> None:
        if text == "_":
            return
        register = self.scope.register(text, self.statement.scope)
        if register is None:
            raise self._error("unknown", f"no such register: {text}")
        held = self.scope.kinds[register]
        converted = self._held(value, kind, held)
        name = f"r{register}"
        if guard is None:
            self.lines.append(f"{name} = {converted}")
            self.partial.discard(register)
        else:
            if register not in self.local:
                self.fetched.append(f"{name}, d{register} = A.read_some({register})")
                self.partial.add(register)
            if register in self.partial:
                self.lines.append(f"d{register} = d{register} | {guard}")
            self.lines.append(f"{name} = where({guard}, {converted}, {name})")
        self.local.add(register)
        self.written[register] = None

    def _held(self, value: str, kind: str, held: str) -> str:
        """Return a result as its register holds it: sign- or zero-extended to a wider one."""
        if kind == "pred" or held == "pred":
            if held != kind:
                raise self._error("syntax", f"a {held} register for a result of type {kind}")
            return value
        if types.width(held) < types.width(kind):
            raise self._error("syntax", f"a {held} register is too small for {kind}")
        if types.dtype(kind) != types.storage(kind):
            value = f"{value}.view({self._constant(types.storage(kind))})"
        if types.width(held) == types.width(kind):
            return value
        if types.is_signed(kind):
            signed = self._constant(types.dtype(kind))
            wide = self._constant(np.dtype(f"i{types.width(held)}"))
            value = f"{value}.view({signed}).astype({wide})"
            return f"{value}.view({self._constant(types.storage(held))})"
        return f"{value}.astype({self._constant(types.storage(held))})"

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def _error(self, kind: str, message: str) -> EmulationError:
        return emulation_error(kind, message, line=self.statement.line, text=self.statement.text)
