"""The scope of a kernel: its registers, labels and variables, by name."""

from __future__ import annotations

import re
import string

from .blocks import BasicBlock, cut
from .control import BRANCHES
from .convergence import convergence_order
from .syntax import PtxEntry, Statement, Variable

_NAME = re.compile(r"[%\w$]+")
_PRODUCT = "wgmma."


class Scope:
    """The names of a kernel: registers by number, labels by block, variables by address."""

    def __init__(self, entry: PtxEntry, globals_: dict[str, int], shared: list[Variable]) -> None:
        self.entry, self.name = entry, entry.name
        self.kinds: list[str] = []
        self._registers: dict[tuple[int, str], int] = {}
        self._families = {
            (scope, name.partition("<")[0]): (kind, int(name.partition("<")[2].rstrip(">")))
            for scope, names in entry.registers.items()
            for name, kind in names.items()
            if "<" in name
        }
        self.blocks, self._labels = cut(entry)
        following = [self._after(number, block) for number, block in enumerate(self.blocks)]
        self.order = convergence_order(following)
        """The numbers of the blocks in the order in which lanes that have diverged go on."""
        own = entry.variables
        self.shared, self.static_shared = _lay_out(
            [v for v in [*shared, *own] if v.space == "shared"]
        )
        self.local, self.local_bytes = _lay_out([v for v in own if v.space == "local"])
        self.parameters, self.parameter_bytes = _lay_out(entry.parameters)
        self.watched = self._watched()
        self._addresses = {**globals_, **self.shared, **self.local, **self.parameters}

    def register(self, name: str, scopes: tuple[int, ...]) -> int | None:
        """Return the number of a register, looked up from the innermost scope outwards."""
        for scope in reversed(scopes):
            key = (scope, name)
            if key in self._registers:
                return self._registers[key]
            kind = self._declared(scope, name)
            if kind:
                self._registers[key] = len(self.kinds)
                self.kinds.append(kind)
                return self._registers[key]
        return None

    def label(self, name: str, scopes: tuple[int, ...]) -> int | None:
        """Return the number of the block at a label, looked up as a register is."""
        found = (self._labels.get((scope, name)) for scope in reversed(scopes))
        return next((number for number in found if number is not None), None)

    def _after(self, number: int, block: BasicBlock) -> set[int]:
        """Return the blocks that may follow one; a branch is the last statement of its block."""
        last = block.statements[-1] if block.statements else None
        if last is None or last.opcode not in BRANCHES:
            return {number + 1}
        labels = last.operands[:1]
        if last.opcode.startswith("brx"):
            tables = (self.entry.tables.get(name, ()) for name in last.operands[1:])
            labels = tuple(label for table in tables for label in table)
        named = (self.label(label, last.scope) for label in labels)
        following = {at for at in named if at is not None}
        return {*following, number + 1} if last.guard else following

    def registers(self, text: str, scopes: tuple[int, ...]) -> list[int]:
        """Return the numbers of all registers that a text names."""
        numbers = (self.register(name, scopes) for name in _NAME.findall(text))
        return [number for number in numbers if number is not None]

    def _watched(self) -> dict[int, int]:
        """Number the registers that products of warpgroups access: register -> from 0 on."""
        found: dict[int, int] = {}
        for statement in self.entry.statements:
            if statement.opcode.startswith(_PRODUCT):
                braced = "".join(each for each in statement.operands if each.startswith("{"))
                for register in self.registers(braced, statement.scope):
                    found.setdefault(register, len(found))
        return found

    def touched(self, statement: Statement) -> list[int]:
        """Return the registers of products that an instruction of another kind names."""
        if not self.watched or statement.opcode.startswith(_PRODUCT):
            return []
        named = self.registers(" ".join(statement.operands), statement.scope)
        return sorted(self.watched.keys() & named)

    def _declared(self, scope: int, name: str) -> str | None:
        if kind := self.entry.registers[scope].get(name):
            return kind
        prefix = name.rstrip(string.digits)
        digits = name[len(prefix) :]
        kind, count = self._families.get((scope, prefix), ("", 0))
        return kind if digits and int(digits) < count else None

    def address(self, name: str) -> int | None:
        """Return the address of a variable in its space; None if there is no such variable."""
        base, _, offset = name.partition("+")
        address = self._addresses.get(base.strip())
        return None if address is None else address + int(offset or 0)


def _lay_out(variables: list[Variable]) -> tuple[dict[str, int], int]:
    """Return aligned offsets, those of arrays without a size last, and the end of all others."""
    offsets, end = {}, 0
    for variable in sorted(variables, key=lambda each: not each.size):
        end = -(-end // variable.align) * variable.align
        offsets[variable.name] = end
        end += variable.size
    return offsets, end
