"""What lines cost: how many machine instructions an op was made into, and how many are in loops.

These are static counts of what stands in the code. Nobody knows from them how often an instruction
runs, nor how long it takes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tileir.resources.loops import looped
from tileir.resources.machine_code import CLASSES, PADDING, class_of, instructions, padding


def cost_of(listing: str, ops: list[int]) -> dict[str, Any]:
    """Return the cost of ops, given the part of an entry in a listing of nvdisasm.

    `ops` has the number of the op of each instruction. What fills up the end is not counted, nor
    are no-operations, as `tileir resources` does not count them. Columns are op (-1 for what
    belongs to none), instructions, looped (of these, in loops) and classes (class -> how many).
    """
    opcodes = [opcode for opcode, _ in instructions(listing)]
    counted = opcodes[: len(opcodes) - padding(opcodes)]
    total, inside = Counter[int](), Counter[int]()
    classes: dict[int, Counter[str]] = {}
    for op, name, again in zip(ops, counted, looped(listing), strict=False):
        if name != PADDING:
            total[op] += 1
            inside[op] += again
            classes.setdefault(op, Counter())[class_of(name)] += 1
    return {
        "op": sorted(total),
        "instructions": [total[op] for op in sorted(total)],
        "looped": [inside[op] for op in sorted(total)],
        "classes": [
            {name: classes[op][name] for name in CLASSES if classes[op][name]}
            for op in sorted(total)
        ],
    }
