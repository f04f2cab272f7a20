"""What a cubin says of its kernels: registers, threads, shared memory, stack, barriers.

A cubin is an ELF file. Attributes of kernels stand in its sections .nv.info as records of a form, a
name, and a value; NVIDIA does not document them, `cuobjdump -elf` names them. The module's section
.nv.info tells of functions by the numbers of their symbols, .nv.info.KERNEL of one kernel.
`tests/lab/resources` compares all of it with `cuobjdump -res-usage` and `ptxas -v`.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tileir.errors import PackageError
from tileir.formats.forks import not_forking
from tileir.gpus import RESERVED_BYTES, TARGETS, gpu_named, gpu_of_number, is_name
from tileir.messages.missing_packages import needing

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import Section

ELF = b"\x7fELF"
"""The bytes with which a cubin begins."""
_CUDA = 190
"""EM_CUDA, the machine of an ELF file."""
_FORM_BYTE, _FORM_HALF, _FORM_SIZED = 2, 3, 4
"""EIFMT_BVAL, EIFMT_HVAL and EIFMT_SVAL: where the value of a record stands, and its size."""
_REGISTERS, _FRAME, _LEAST_STACK = 0x2F, 0x11, 0x12
"""EIATTR_REGCOUNT, EIATTR_FRAME_SIZE, EIATTR_MIN_STACK_SIZE: a symbol's number and a number."""
_REQUIRED, _MOST = 0x10, 0x05
"""EIATTR_REQNTID and EIATTR_MAX_THREADS, each of three numbers of 32 bits."""
_BARRIERS, _MBARRIERS = 0x4C, 0x38
"""EIATTR_NUM_BARRIERS and EIATTR_NUM_MBARRIERS."""
_LANGUAGE, _TILE_IR = 0x66, 7
"""EIATTR_LANGUAGE, and its value in a cubin of tileiras; 3 is PTX."""
_HEADER = struct.Struct("<4xIQ8xQQ24x")
"""The header of a section, with its type, flags, offset and size."""
_SYMBOL_BYTES = 24
_COMPRESSED, _NO_BITS = 0x800, 8
"""SHF_COMPRESSED, a flag of sections, and SHT_NOBITS, the type of those without any bytes."""
_MOST_NAMES = 1 << 26
"""Bytes of all names of sections, or of symbols."""
_NAMED_TARGET = re.compile(rb"-arch[= ](\w+)")
"""In the note .nv.tkinfo: the options that ptxas was called with."""


@dataclass(frozen=True, slots=True)
class CubinKernel:
    """What the file says of one kernel.

    threads    threads of a block; None if it does not say
    shared     bytes of shared memory that the code asks for
    reserved   bytes of shared memory that the system takes in each block; where GPUs have clusters,
               the section of a kernel's shared memory begins with them
    section    bytes of the section of its shared memory, 0 without one
    stack      bytes of local memory of a thread: its stack frame and those of what it calls
    constants  bytes of its bank of constants, parameters among them
    """

    name: str
    registers: int
    threads: int | None
    shared: int
    reserved: int
    section: int
    stack: int
    barriers: int
    mbarriers: int
    code_bytes: int
    constants: int


@dataclass(frozen=True, slots=True)
class Cubin:
    """A cubin: the GPU that it is for, who made it, and its kernels in the order of the file.

    target    the GPU, or its form with the suffix a; "" if the file does not say
    tile_ir   whether its kernels were made from Tile IR, by tileiras
    """

    target: str
    tile_ir: bool
    kernels: tuple[CubinKernel, ...]


def read_cubin(data: bytes) -> Cubin:
    """Read the resources of the kernels in a cubin.

    PackageError if it is no cubin, or a broken one; MissingPackageError without pyelftools.
    """
    with needing(("elftools",), "reading cubins"), not_forking:
        from elftools.elf.elffile import ELFFile
    try:
        return _read(ELFFile(io.BytesIO(data)))
    except PackageError:
        raise
    # pyelftools reads what the file claims: of a broken one, any of Python's errors may be raised.
    except Exception as error:
        why = f"{error}" or type(error).__name__
        raise PackageError(f"the cubin is broken, it cannot be read: {why}") from None


def _read(file: ELFFile) -> Cubin:
    if file["e_machine"] not in ("EM_CUDA", _CUDA):
        raise PackageError("the ELF file is for another machine than NVIDIA's GPUs: no cubin")
    if file.elfclass != 64 or not file.little_endian:
        raise PackageError("the cubin does not have 64 bits, as those of CUDA 12 and later do")
    count = file.num_sections()
    if file["e_shentsize"] != _HEADER.size or count * _HEADER.size > file.stream_len:
        raise PackageError("the cubin is cut off: its sections lie behind its end")
    _check_contents(file, count)
    _check_names(file.get_section(file.get_shstrndx()), count)
    sections = {section.name: section for section in file.iter_sections()}
    target = _target(sections, file["e_flags"])
    symbols = _symbols(file)
    told: dict[int, dict[str, int]] = {_REGISTERS: {}, _FRAME: {}, _LEAST_STACK: {}}
    for attribute, value in _attributes(sections.get(".nv.info")):
        if attribute in told and len(value) >= 8:
            number, amount = struct.unpack_from("<II", value)
            told[attribute][symbols.get(number, "")] = amount
    kernels, tile_ir = [], False
    for section_name, section in sections.items():
        name = section_name.removeprefix(".text.")
        if name == section_name or f".nv.info.{name}" not in sections:
            continue
        own = dict(_attributes(sections[f".nv.info.{name}"]))
        tile_ir |= _number(own.get(_LANGUAGE)) == _TILE_IR
        kernels.append(_kernel(name, own, told, sections, section["sh_size"], target))
    return Cubin(target, tile_ir, tuple(kernels))


def _kernel(
    name: str,
    own: dict[int, bytes],
    told: dict[int, dict[str, int]],
    sections: dict[str, Section],
    code_bytes: int,
    target: str,
) -> CubinKernel:
    size = _size(sections.get(f".nv.shared.{name}"))
    gpu = gpu_named(target)
    reserved = gpu.reserved_shared if gpu else RESERVED_BYTES
    within = reserved if gpu and gpu.has("clusters") else 0
    threads = own.get(_REQUIRED) or own.get(_MOST)
    return CubinKernel(
        name=name,
        registers=told[_REGISTERS].get(name, 0),
        threads=_product(threads) if threads else None,
        shared=max(0, size - within),
        reserved=reserved,
        section=size,
        stack=max(told[_LEAST_STACK].get(name, 0), told[_FRAME].get(name, 0)),
        barriers=_number(own.get(_BARRIERS)),
        mbarriers=_number(own.get(_MBARRIERS)),
        code_bytes=code_bytes,
        constants=_size(sections.get(f".nv.constant0.{name}")),
    )


def _target(sections: dict[str, Section], flags: int) -> str:
    """Return the GPU by what ptxas was called with, else by the flags of the file."""
    note = sections.get(".note.nv.tkinfo")
    named = _NAMED_TARGET.search(_content(note))
    if named and is_name(text := named[1].decode("latin-1")):
        return text
    name = gpu_of_number(flags >> 8 & 0xFF or flags & 0xFF)  # in older files the low byte
    return name if name in TARGETS else ""


def _symbols(file: ELFFile) -> dict[int, str]:
    """Return the names of all symbols that are functions, by number."""
    with not_forking:
        from elftools.elf.sections import SymbolTableSection

    table = file.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return {}
    if table["sh_entsize"] != _SYMBOL_BYTES:
        raise PackageError(f"the cubin has symbols of {table['sh_entsize']:,} bytes")
    _check_names(file.get_section(table["sh_link"]), table.num_symbols())
    return {
        number: symbol.name
        for number, symbol in enumerate(table.iter_symbols())
        if symbol["st_info"]["type"] == "STT_FUNC"
    }


def _check_contents(file: ELFFile, count: int) -> None:
    """Raise PackageError if reading every section once may be more work than reading it twice.

    pyelftools makes bytes of zeros for a section that has none, as large as that says it is, and
    the contents of sections may overlap: in cubins with lines of source for compute capability 12.0
    two sections share the text of the PTX.
    """
    file.stream.seek(file["e_shoff"])
    left = 2 * file.stream_len
    for kind, flags, offset, size in _HEADER.iter_unpack(file.stream.read(count * _HEADER.size)):
        if flags & _COMPRESSED:
            raise PackageError("the cubin has compressed sections, as nvcc never makes them")
        if kind != _NO_BITS:
            left -= size
            if left < 0 or offset + size > file.stream_len:
                raise PackageError("the cubin is cut off: sections overlap, or lie behind its end")


def _content(section: Section | None) -> bytes:
    """Return the bytes of a section that the file has; b"" of none."""
    return b"" if section is None or section["sh_type"] == "SHT_NOBITS" else section.data()


def _check_names(table: Section, count: int) -> None:
    """Raise PackageError if so many names of a table may be more text than any cubin has.

    Names may overlap in the table, so that all of them are long, and each is read by itself.
    """
    longest = max(map(len, _content(table).split(b"\0")))
    if longest * count > _MOST_NAMES:
        raise PackageError(f"the cubin has names of {longest:,} bytes")


def _attributes(section: Section | None) -> Iterator[tuple[int, bytes]]:
    """Yield the names and values of the records of a section."""
    content = _content(section)
    at = 0
    while at + 4 <= len(content):
        form, name, value = struct.unpack_from("<BBH", content, at)
        at += 4
        if form == _FORM_SIZED:
            yield name, content[at : at + value]
            at += value
        elif form in (_FORM_BYTE, _FORM_HALF):
            yield name, content[at - 2 : at - 2 + form - 1]
        else:
            yield name, b""


def _number(value: bytes | None) -> int:
    return int.from_bytes(value or b"", "little")


def _product(value: bytes) -> int:
    x, y, z = struct.unpack_from("<III", value)
    return x * y * z


def _size(section: Section | None) -> int:
    return 0 if section is None else section["sh_size"]
