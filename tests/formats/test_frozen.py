"""Numbers that files hold can never change: a line of `frozen.txt` may be added, not edited."""

from __future__ import annotations

from pathlib import Path

from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.enums import ENUMS
from tileir.formats.ops import OPS
from tileir.formats.ops.wire import flag_slots
from tileir.formats.sections import SECTIONS
from tileir.formats.types import TYPE

FROZEN = Path(__file__).parent / "frozen.txt"


def numbers() -> list[str]:
    """Every number on the wire with the name it stands for."""
    lines = [f"section {section.number} {section.name}" for section in SECTIONS]
    for what, variant in (("type", TYPE), ("attribute", ATTRIBUTE), ("debug", DEBUG_RECORD)):
        lines += [f"{what} {arm.tag} {arm.name} {arm.since}" for arm in variant.arms.values()]
    for enum in ENUMS:
        lines += [f"enum {enum.name} {case.value} {case.name} {case.since}" for case in enum.cases]
    for op in OPS:
        lines.append(f"op {op.opcode} {op.mnemonic} {op.since}")
        lines += [
            f"flag {op.mnemonic} {bit} {slot.name} {slot.since}"
            for bit, slot in enumerate(flag_slots(op))
        ]
    return lines


def test_numbers_are_frozen(update: bool) -> None:
    if update:
        FROZEN.write_text("\n".join(numbers()) + "\n")
    frozen = FROZEN.read_text().splitlines()
    assert set(frozen) <= set(numbers()), "a frozen number changed"
    assert frozen == numbers(), "new numbers: run with --update"
