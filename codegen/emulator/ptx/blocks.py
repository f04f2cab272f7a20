"""Basic blocks: where the lanes of a kernel may part, meet or wait."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from tileir.codegen.emulator.errors import emulation_error

from .control import BRANCHES
from .syntax import UNDEFINED, Entry, Statement, split
from .table import Resolved, look_up

COUNTED, ARRIVE, TAKE = ".counted", ".arrive", ".take"
"""Suffixes of the two halves of a barrier with a result."""
CARRY = "CC.CF"
"""The register that no operand names."""
_ALIGNED = re.compile(r"bar\.(cta\.)?(sync|red|arrive)|barrier\..*\.aligned")
_CARRYING = re.compile(r"(?:add|sub|mad)(c?)(?:\.lo|\.hi)?(\.cc)?\.[su](?:32|64)")
_REDUCING = re.compile(r"(bar|barrier)(\.cta)?\.red\.")


@dataclass
class Block:
    """Statements that all lanes in it carry out together.

    `needs_warp` is about the first one. `aligned`: whole warps start together, which some statement
    in it needs.
    """

    statements: list[Statement] = field(default_factory=list)
    needs_warp: bool = False
    aligned: bool = False

    @cached_property
    def meets(self) -> bool:
        """Whether it ends at a barrier to which the lanes of a warp come together."""
        return bool(self.statements and _ALIGNED.match(self.statements[-1].opcode))

    def opcodes(self) -> Counter[str]:
        """How often each opcode stands in it."""
        return Counter(map(_as_written, self._spelled()))

    def _spelled(self) -> list[str]:
        opcodes = [statement.opcode for statement in self.statements]
        return [opcode for opcode in opcodes if not opcode.endswith(TAKE)]


def _as_written(opcode: str) -> str:
    return opcode.removesuffix(ARRIVE).removesuffix(COUNTED)


def resolve(statement: Statement) -> Resolved:
    """The row for a statement; every unknown instruction is an error before anything runs."""
    found = look_up(_name(statement))
    if found is None:
        raise emulation_error(
            "unknown",
            f"the emulator does not know {statement.opcode}",
            line=statement.line,
            text=statement.text,
        )
    return found


def _name(statement: Statement) -> str:
    """The opcode; a `mov` of parts, and two results, are told from others by the operands only."""
    for place, verb in enumerate(("unpack", "pack")):
        braced = len(statement.operands) == 2 and statement.operands[place].startswith("{")
        if braced and statement.opcode.startswith("mov."):
            return f"{statement.opcode}.{verb}{len(split(statement.operands[place][1:-1]))}"
    two = bool(statement.operands) and "|" in statement.operands[0]
    return f"{statement.opcode}.both" if two else statement.opcode


def _spelled_out(entry: Entry) -> Iterator[Statement]:
    """The statements with all that they mean.

    A barrier with a result becomes two: lanes arrive, and later take the result. The carry becomes
    an operand.
    """
    entry.registers[0][CARRY] = "pred"
    for statement in entry.statements:
        carrying = _CARRYING.fullmatch(statement.opcode)
        if _REDUCING.match(statement.opcode):
            first, *rest = statement.operands
            arrive = COUNTED + ARRIVE if len(rest) > 2 else ARRIVE
            yield replace(statement, opcode=statement.opcode + arrive, operands=tuple(rest))
            yield replace(statement, opcode=statement.opcode + TAKE, operands=(first,))
        elif carrying and any(carrying.groups()):
            result, *sources = statement.operands
            takes, gives = ((CARRY,) if flag else () for flag in carrying.groups())
            yield replace(statement, operands=(result, *gives, *sources, *takes))
        else:
            yield statement


def cut(entry: Entry) -> tuple[list[Block], dict[str, int]]:
    """The blocks in the order of the text, and the number of the block at each label."""
    blocks, labels = [Block()], {}
    for statement in _spelled_out(entry):
        if not statement.opcode:
            if blocks[-1].statements:
                blocks.append(Block())
            labels[statement.text[:-1]] = len(blocks) - 1
            continue
        branch = statement.opcode in BRANCHES
        row = None if branch or statement.opcode == UNDEFINED else resolve(statement).row
        if row and row.needs_warp:
            if blocks[-1].statements:
                blocks.append(Block())
            blocks[-1].needs_warp = True
        if row and row.aligned:
            if blocks[-1].needs_warp:
                blocks.append(Block())
            blocks[-1].aligned = True
        blocks[-1].statements.append(statement)
        if branch or (row and row.ends_block):
            blocks.append(Block())
    return blocks, labels
