"""Property: what is read is written back, exactly where that is promised and in meaning otherwise.

`build` gives the bytes, the reference encoder gives each section's bytes, oddities included. The
canonical form gives the same values when it is read, and itself when it is written again.
"""

from __future__ import annotations

from tests.rebuild import rebuilt
from tileir import Bytecode, BytecodeError
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.recursion import deep_recursion
from tileir.formats.sections import BY_NAME
from tileir.formats.specialised.rows import unpack

from .agreement import decoded
from .finding import Finding, Outcome
from .sameness import difference

UNWRITTEN = frozenset({"offset", "op_offset", "pad", "layout", "rest", "width", "error"})
"""Parts of a record that say where and how it was written, and nothing else."""

UNMEANT = frozenset({"offset", "width", "sections"})
"""Parts of the IR that say where it was read."""


def check(data: bytes) -> Outcome:
    """Write everything that can be read."""
    try:
        bytecode = Bytecode.parse(data).touch()
    except BytecodeError as error:
        return Outcome(error.kind)
    if bytecode.build() != data:
        raise Finding("build gives other bytes")
    if bytecode.newer:  # of which records may be partial
        return Outcome("accepted")
    if rebuilt(bytecode) != data:
        raise Finding("the reference encoder gives other bytes")
    again = _canonical(bytecode)
    read = Bytecode.parse(again).touch()
    for (name, one), (_, other) in zip(decoded(bytecode), decoded(read), strict=True):
        wrong = "" if name == "sections" else difference(one, other, UNMEANT)
        if wrong:
            raise Finding(f"the canonical form means something else: {name}", wrong)
    if _canonical(read) != again:
        raise Finding("the canonical form of the canonical form is another")
    return Outcome("accepted")


def _canonical(bytecode: Bytecode) -> bytes:
    """The file with every section that counts written canonically, and no others."""
    file = codec.parse_file(bytecode.data)
    given = (bytecode.version, bytecode.types.tags)
    kept = []
    for section, record in zip(bytecode.sections, file["sections"], strict=True):
        if not section.active:
            continue
        name = section.name
        parsed, _ = codec.parse_section(bytecode.data, name, section.payload, *given, eager=True)
        built = codec.build_section(name, parsed, *given)
        where = Slice(0, memoryview(built))
        try:
            read, stop = codec.parse_section(memoryview(built), name, where, *given, eager=True)
        except BytecodeError as error:
            raise Finding(f"the canonical {name} section cannot be read", str(error)) from error
        wrong = difference(_named(name, parsed, given[0]), _named(name, read, given[0]), UNWRITTEN)
        if wrong or stop != len(built):
            raise Finding(f"the canonical {name} section reads otherwise", wrong)
        kept.append(record | {"payload": where, "length": len(built), "padding": None})
    file["sections"][:] = kept
    return codec.build_file(file)


def _named(name: str, record, version):
    with deep_recursion():
        return unpack(BY_NAME[name].payload, record, version)
