"""Numbers that files hold can never change: a line of `frozen.txt` may be added, not edited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from construct import Construct, Renamed

from tileir.formats.attributes import ATTRIBUTE, INT_LIST
from tileir.formats.container import ALIGNED, FILE, MAGIC, PREVIEW_BIT
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.enums import ENUMS
from tileir.formats.functions import EXTERN_IMPL, FUNCTION
from tileir.formats.leaves import FILL, EnumValue, Fixed, FlagWord
from tileir.formats.nodes import Alternative, Flag, If, Record, Since, Unless, Variant
from tileir.formats.ops import OPS
from tileir.formats.ops.wire import OP, flag_slots
from tileir.formats.sections import END, SECTIONS
from tileir.formats.types import DYNAMIC, TYPE
from tileir.formats.version import PREVIEW, SUPPORTED, V13_1, Version

FROZEN = Path(__file__).parent / "frozen.txt"
VARIANTS = {"type": TYPE, "attribute": ATTRIBUTE, "debug": DEBUG_RECORD}


def numbers() -> list[str]:
    """Every number on the wire with the name it stands for."""
    lines = [f"section {section.number} {section.name}" for section in SECTIONS]
    for what, variant in VARIANTS.items():
        lines += [f"{what} {arm.tag} {arm.name} {arm.since}" for arm in variant.arms.values()]
    for enum in ENUMS:
        lines += [f"enum {enum.name} {case.value} {case.name} {case.since}" for case in enum.cases]
    for op in OPS:
        lines.append(f"op {op.opcode} {op.mnemonic} {op.since}")
        lines += [
            f"flag {op.mnemonic} {bit} {slot.name} {slot.since}"
            for bit, slot in enumerate(flag_slots(op))
        ]
    lines += [line for owner, since, record in records() for line in bits(owner, since, record)]
    return [*lines, *previews(), *container()]


def records() -> Iterator[tuple[str, Version, Record]]:
    """The records outside of ops, with what they belong to."""
    for variant in VARIANTS.values():
        for arm in variant.arms.values():
            yield arm.name, arm.since, arm.fields
    yield "entry", V13_1, FUNCTION
    yield "implementation", PREVIEW, EXTERN_IMPL


def words(since: Version, record: Record) -> Iterator[tuple[Version, str, FlagWord]]:
    """The flag words of a record, since when each of them is there, and its field."""
    for field in record.subcons:
        node, first = field.subcon, since
        while isinstance(node, Since):
            node, first = node.subcon, max(first, node.since)
        if isinstance(node, FlagWord):
            yield first, field.name, node


def bits(owner: str, since: Version, record: Record) -> Iterator[str]:
    """The bits of a record's flag words."""
    for first, _, word in words(since, record):
        for bit, name in enumerate(word.names):
            yield f"flag {owner} {bit} {name} {max(first, word.since.get(name, first))}"


def previews() -> Iterator[str]:
    """The numbers set aside for what has no published layout, from the first to the last."""
    for what, variant in {"op": OP, **VARIANTS}.items():
        for numbers in variant.preview:
            yield f"preview {what} {numbers[0]} {numbers[-1]}"


def container() -> Iterator[str]:
    """What is around the sections, and numbers that stand for something else than themselves."""
    yield f"magic {MAGIC.hex(' ')}"
    yield from (f"version {version.major} {version.minor}" for version in SUPPORTED)
    yield f"flag header {PREVIEW_BIT.bit_length() - 1} preview"
    yield f"flag section {ALIGNED.bit_length() - 1} aligned"
    yield f"section {END.number} {END.name}"
    for section in SECTIONS:
        yield f"alignment {section.name} {section.alignment} {section.since}"
    yield f"fill {FILL:#x}"
    yield f"dynamic {DYNAMIC}"
    listed = INT_LIST.subcon
    yield from (f"refused {listed.kind} {number}" for number in listed.refused)


def test_numbers_are_frozen(update: bool) -> None:
    if update:
        FROZEN.write_text("\n".join(numbers()) + "\n")
    frozen = FROZEN.read_text().splitlines()
    assert len(set(frozen)) == len(frozen)
    assert set(frozen) <= set(numbers()), "a frozen number changed"
    assert frozen == numbers(), "new numbers: run with --update"


# Nothing is missing --------------------------------------------------------------------------


def everything() -> list[Construct]:
    """Every node of the schema: whatever can be reached from the file and the sections."""
    found: dict[int, Construct] = {}
    waiting: list[object] = [FILE, *(section.payload for section in SECTIONS)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part
        elif isinstance(part, Alternative):
            waiting.append(part.fields)
        elif isinstance(part, Construct) and id(part) not in found:
            found[id(part)] = part
            waiting += [*vars(part).values(), *vars(type(part)).values()]
    return list(found.values())


def test_no_number_is_missing() -> None:
    nodes = everything()
    assert {n for n in nodes if isinstance(n, Variant)} == {OP, *VARIANTS.values()}
    assert {n.enum.name for n in nodes if isinstance(n, EnumValue)} == {e.name for e in ENUMS}
    listed = [arm.fields for arm in OP.arms.values()] + [record for _, _, record in records()]
    inside = [word for record in listed for _, _, word in words(V13_1, record)]
    assert {id(n) for n in nodes if isinstance(n, FlagWord)} == set(map(id, inside))
    assert len(OP.arms) == sum(op.in_body for op in OPS)
    for enum in ENUMS:
        assert len(enum.by_value) == len(enum.by_name) == len(enum.cases)
    assert [n for n in nodes if isinstance(n, Fixed) and n.refused] == [INT_LIST.subcon]


def test_masks_are_the_bits_of_their_names() -> None:
    """A field that a bit announces has the name of that bit; hints of 13.5 follow from another."""
    seen = set()
    listed = {arm.name: arm.fields for arm in OP.arms.values()}
    listed |= {owner: record for owner, _, record in records()}
    for owner, record in listed.items():
        for _, name, word in words(V13_1, record):
            for field in record.subcons:
                for mask in masks(field, name):
                    bit = word.names[mask.bit_length() - 1]
                    assert mask == 1 << word.names.index(bit)
                    seen.add((owner, field.name, bit))
    others = {(owner, field, bit) for owner, field, bit in seen if field != bit}
    assert others == {
        ("entry", "hints", "kernel"),
        ("entry", "argument_attributes", "kernel"),
        ("entry", "implementation", "hints"),  # what the bit says where there is no kernel
    }
    announced = {(owner, bit) for owner, _, bit in seen}
    silent = {("entry", "private"), ("DISubprogram", "declaration")}
    every = {
        (owner, name)
        for owner, record in listed.items()
        for _, _, word in words(V13_1, record)
        for name in word.names
    }
    assert every - announced == silent


def masks(field: Renamed, word: str) -> Iterator[int]:
    """The masks that a field is under, in any version."""
    waiting: list[object] = [field.subcon]
    while waiting:
        node = waiting.pop()
        if isinstance(node, If | Flag) and node.field == word and not isinstance(node, Unless):
            yield node.mask
        waiting += [layout for _, layout in getattr(node, "layouts", ())]
        if isinstance(node, If | Since):
            waiting.append(node.subcon)
