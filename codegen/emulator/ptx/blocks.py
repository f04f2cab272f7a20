"""Basic blocks: between them, lanes of a kernel may diverge, converge or wait."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from tileir.codegen.emulator.errors import emulation_error

from .control import BRANCHES
from .syntax import UNDEFINED, PtxEntry, Statement, split
from .table import Resolved, look_up

FRAGMENT = ".fragment"
"""Suffix of a product whose first factor is in registers."""
COUNTED, ARRIVE, ASK, TAKE = ".counted", ".arrive", ".ask", ".take"
"""Suffixes of the two halves of a barrier with a result, and of a wait at an mbarrier."""
CARRY = "CC.CF"
"""The condition code register with the carry flag, which no operand names."""
_ALIGNED = re.compile(r"bar\.(cta\.)?(sync|red|arrive)|barrier\..*\.aligned")
_CARRYING = re.compile(r"(?:add|sub|mad)(c?)(?:\.lo|\.hi)?(\.cc)?\.[su](?:32|64)")
_TRYING = "mbarrier.try_wait."
_REDUCING = re.compile(r"(bar|barrier)(\.cta)?\.red\.")


@dataclass
class BasicBlock:
    """Statements that the lanes in the block execute together.

    `needs_warp`: the first statement waits for the lanes that its member mask names. `aligned`:
    some statement is `.aligned`, so that whole warps start the block together. `warpgroup`: the
    only statement is executed by whole warpgroups.
    """

    statements: list[Statement] = field(default_factory=list)
    needs_warp: bool = False
    aligned: bool = False
    warpgroup: bool = False

    @cached_property
    def ends_at_aligned_barrier(self) -> bool:
        """Whether the last statement is a barrier at which whole warps arrive together."""
        return bool(self.statements and _ALIGNED.match(self.statements[-1].opcode))

    def opcodes(self) -> Counter[str]:
        """Count each opcode in the block, as the text spells it."""
        opcodes = (written_opcode(statement.opcode) for statement in self.statements)
        return Counter(opcode for opcode in opcodes if opcode is not None)


def written_opcode(opcode: str) -> str | None:
    """Return an opcode as the text spells it; None for the second half of an instruction."""
    if opcode.endswith(TAKE):
        return None
    if opcode.startswith(_TRYING):
        return opcode.removesuffix(ASK)
    return opcode.removesuffix(ARRIVE).removesuffix(COUNTED)


def resolve(statement: Statement) -> Resolved:
    """Return the row for a statement; EmulationError if the instruction is unknown."""
    resolved = look_up(_name(statement))
    if resolved is None:
        raise emulation_error(
            "unknown",
            f"the emulator does not know {statement.opcode}",
            line=statement.line,
            text=statement.text,
        )
    return resolved


def _name(statement: Statement) -> str:
    """Return the opcode, with a suffix for what only the operands tell: packing, or two results."""
    for index, verb in enumerate(("unpack", "pack")):
        braced = len(statement.operands) == 2 and statement.operands[index].startswith("{")
        if braced and statement.opcode.startswith("mov."):
            return f"{statement.opcode}.{verb}{len(split(statement.operands[index][1:-1]))}"
    fragment = len(statement.operands) > 1 and statement.operands[1].startswith("{")
    if fragment and statement.opcode.startswith("wgmma."):
        return statement.opcode + FRAGMENT
    two = bool(statement.operands) and "|" in statement.operands[0]
    return f"{statement.opcode}.both" if two else statement.opcode


def _expanded(entry: PtxEntry) -> Iterator[Statement]:
    """Yield the statements with what is implicit in them.

    A barrier with a result becomes two statements: lanes arrive, and later take the result; so does
    a wait at an mbarrier. The carry flag becomes an operand.
    """
    entry.registers[0][CARRY] = "pred"
    for statement in entry.statements:
        carrying = _CARRYING.fullmatch(statement.opcode)
        if _REDUCING.match(statement.opcode):
            first, *rest = statement.operands
            arrive = COUNTED + ARRIVE if len(rest) > 2 else ARRIVE
            yield replace(statement, opcode=statement.opcode + arrive, operands=tuple(rest))
            yield replace(statement, opcode=statement.opcode + TAKE, operands=(first,))
        elif statement.opcode.startswith(_TRYING):
            asked = statement.operands[1:]
            yield replace(statement, opcode=statement.opcode + ASK, operands=asked)
            yield replace(statement, opcode=statement.opcode + TAKE)
        elif carrying and any(carrying.groups()):
            result, *sources = statement.operands
            takes, gives = ((CARRY,) if flag else () for flag in carrying.groups())
            yield replace(statement, operands=(result, *gives, *sources, *takes))
        else:
            yield statement


def cut(entry: PtxEntry) -> tuple[list[BasicBlock], dict[tuple[int, str], int]]:
    """Return the blocks in the order of the text, and the number of the block at each label.

    A label is known by its scope and its name.
    """
    blocks: list[BasicBlock] = [BasicBlock()]
    labels: dict[tuple[int, str], int] = {}
    for statement in _expanded(entry):
        if not statement.opcode:
            if blocks[-1].statements:
                blocks.append(BasicBlock())
            labels[statement.scope[-1], statement.text[:-1]] = len(blocks) - 1
            continue
        branch = statement.opcode in BRANCHES
        row = None if branch or statement.opcode == UNDEFINED else resolve(statement).row
        if row and (row.needs_warp or row.warpgroup):
            if blocks[-1].statements:
                blocks.append(BasicBlock())
            blocks[-1].needs_warp, blocks[-1].warpgroup = row.needs_warp, row.warpgroup
        if row and row.aligned:
            if blocks[-1].needs_warp:
                blocks.append(BasicBlock())
            blocks[-1].aligned = True
        blocks[-1].statements.append(statement)
        if branch or (row and (row.ends_block or row.warpgroup)):
            blocks.append(BasicBlock())
    # A thread that comes to the closing brace has ended.
    blocks[-1].statements.append(Statement(0, "ret", "ret"))
    return blocks, labels
