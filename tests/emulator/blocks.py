"""Basic blocks: where the lanes of a kernel may part, meet or wait."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from . import ops  # noqa: F401  (fills the table)
from .control import BRANCHES
from .errors import EmulationError
from .syntax import UNDEFINED, Entry, Statement, split
from .table import Resolved, look_up


@dataclass(slots=True)
class Block:
    """Statements that all lanes in it carry out together; `needs_warp` is about the first one."""

    statements: list[Statement] = field(default_factory=list)
    needs_warp: bool = False

    def opcodes(self) -> Counter[str]:
        """How often each opcode stands in it."""
        return Counter(statement.opcode for statement in self.statements)


def resolve(statement: Statement) -> Resolved:
    """The row for a statement; every unknown instruction is an error before anything runs."""
    found = look_up(_name(statement))
    if found is None:
        raise EmulationError(
            "unknown", f"no row for {statement.opcode}", line=statement.line, text=statement.text
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


def cut(entry: Entry) -> tuple[list[Block], dict[str, int]]:
    """The blocks in the order of the text, and the number of the block at each label."""
    blocks, labels = [Block()], {}
    for statement in entry.statements:
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
        blocks[-1].statements.append(statement)
        if branch or (row and row.ends_block):
            blocks.append(Block())
    return blocks, labels
