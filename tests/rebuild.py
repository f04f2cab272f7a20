"""Files built again from their records, for round trips."""

from __future__ import annotations

from collections.abc import Iterator

from tileir import Bytecode, Section
from tileir.formats import codec
from tileir.formats.cursor import Slice


def rebuilt_sections(
    bytecode: Bytecode, reference: bool = True
) -> Iterator[tuple[Section, bytes, int]]:
    """Each section that counts, its payload built from its records, and where reading stopped.

    The reference repeats everything odd; the specialised encoder writes canonically.
    """
    tags = bytecode.types.tags
    for section in bytecode.sections:
        if section.active:
            record, stop = codec.parse_section(
                bytecode.data, section.name, section.payload, bytecode.version, tags, eager=True
            )
            built = codec.build_section(
                section.name, record, bytecode.version, tags, reference=reference
            )
            yield section, built, stop


def rebuilt(bytecode: Bytecode) -> bytes:
    """The file, every section built from its records; what nothing refers to stays as found."""
    file = codec.parse_file(bytecode.data)
    records = dict(zip(map(id, bytecode.sections), file["sections"], strict=True))
    for section, built, stop in rebuilt_sections(bytecode):
        rest = bytes(bytecode.data[stop : section.payload.offset + section.size])
        records[id(section)]["payload"] = Slice(0, built + rest)
    return codec.build_file(file)
