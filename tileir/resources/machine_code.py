"""Machine code as nvdisasm prints it: how often each opcode occurs, and of which class it is.

Instructions are read in the order in which they stand, whatever branches over them. Classes follow
the tables of instruction sets in NVIDIA's "CUDA Binary Utilities", with memory told apart by space.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

INSTRUCTION = re.compile(
    r"^\s+/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)([^;\n]*);", re.MULTILINE
)
"""The guard, the opcode and the operands of an instruction."""
_SECTION = re.compile(r"^[ \t]*\.section[ \t]+\.text\.([^\s,]+)", re.MULTILINE)
PADDING = "NOP"
"""An instruction that does nothing."""

CLASSES: Mapping[str, str] = {
    "tensor cores": r"[BDHIOQ]MMA|[HIQ]GMMA|UTC[A-Z]+MMA",
    "float": r"[DFH](ADD|MUL|FMA|MNMX|SET|SETP)2?|FHADD|FHFMA|FSEL|FCHK|FRND|FSWZADD|MUFU",
    "integer": r"U?(I(ABS|ADD|ADD3|DP|DP4A|MAD|MNMX|MUL|SAD|SCADD|SETP)|V(ADD|IADD|IMNMX3?)"
    r"|VABSDIFF4?|VIADDMNMX|LOP3?|PLOP3|LEA|SHF|SHL|SHR|PRMT|BREV|FLO|POPC|BMSK|SGXT)",
    "conversion": r"U?([FI]2[FI]P?|I2IP)",
    "move": r"U?(MOV|SEL|P2U?R|U?R2U?P|[BCRS]2U?R|CS2U?R)|R2B|MOVM|LEPC|USETMAXREG",
    "global memory": r"LDG|STG|LD|ST|LDGSTS|LDGMC|ATOMG?|REDG?|CCTLL?|QSPC",
    "bulk copies": r"UTMA\w+|UBLK\w+|ACQBULK",
    "shared memory": r"LDS|STS|LDSM|STSM|ATOMS|STAS|REDAS",
    "tensor memory": r"LDTM?|STTM?|UTC(CP|SHIFT|ATOMSWS)",
    "local memory": r"LDL|STL",
    "constant memory": r"U?LDCU?",
    "exchange": r"SHFL|U?VOTEU?|MATCH|C?REDUX|ELECT",
    "synchronisation": r"BAR|WARPSYNC|ENDCOLLECTIVE|SYNCS|ARRIVES|(LDG)?DEPBAR|MEMBAR|FENCE|ERRBAR"
    r"|CGAERRBAR|U?CGABAR\w*|WARPGROUP|UTCBAR|NANOSLEEP|PREEXIT|YIELD",
    "control": r"U?(BRA|BRX|JMP|JMX)|CALL|RET|EXIT|BSSY|BSYNC|BREAK|BMOV|BPT|KILL|NOP",
    "other": "",
}
"""Class of instructions -> the opcodes in it, as a pattern for all before the first dot."""

_OF_OPCODE = [(name, re.compile(pattern)) for name, pattern in CLASSES.items() if pattern]
_TENSOR_CORES = _OF_OPCODE[0][1]


def functions(listing: str) -> dict[str, str]:
    """Return the parts of a listing of `nvdisasm -c`: the name of a section of code -> its lines.

    A listing without sections is one part, with the name "".
    """
    found = list(_SECTION.finditer(listing))
    if not found:
        return {"": listing}
    ends = [*(each.start() for each in found[1:]), len(listing)]
    return {
        each[1].strip('"'): listing[each.end() : end]
        for each, end in zip(found, ends, strict=True)
    }  # fmt: skip


def instructions(listing: str) -> Iterator[tuple[str, str]]:
    """Yield the opcode and the operands of each instruction."""
    return ((match[2], match[3]) for match in INSTRUCTION.finditer(listing))


def opcodes(listing: str) -> Counter[str]:
    """Return how often each opcode occurs, without what fills up the end of each function.

    That are a branch to itself, which stops what runs past the end, and no-operations.
    """
    found: Counter[str] = Counter()
    for part in functions(listing).values():
        names = [name for name, _ in instructions(part)]
        names = names[: len(names) - padding(names)]
        found.update(name for name in names if name != PADDING)
    return found


def padding(opcodes: Sequence[str]) -> int:
    """Return how many instructions fill up the end of a function, given the opcodes of all."""
    end = len(opcodes)
    while end and opcodes[end - 1] == PADDING:
        end -= 1
    return len(opcodes) - end + (end > 0 and opcodes[end - 1] == "BRA")


def class_of(opcode: str) -> str:
    """Return the class of an opcode, with or without what follows its first dot."""
    name = opcode.partition(".")[0]
    return next((each for each, known in _OF_OPCODE if known.fullmatch(name)), "other")


def mix(opcodes: Mapping[str, int]) -> dict[str, int]:
    """Return how many instructions each class has; all classes are keys."""
    found = dict.fromkeys(CLASSES, 0)
    for opcode, count in opcodes.items():
        found[class_of(opcode)] += count
    return found


def multiplies(opcode: str) -> bool:
    """Whether an instruction multiplies matrices: of a warp, of a warpgroup, or by tcgen05."""
    return _TENSOR_CORES.fullmatch(opcode.partition(".")[0]) is not None
