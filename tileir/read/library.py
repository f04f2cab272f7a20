"""Tile libraries (.tilelib): what calls of extern functions are linked with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tileir.bytecode import Bytecode
from tileir.errors import BytecodeError
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.tilelib import INTERFACE, Part, parts

from .declarations import ExternFunction, Implementation

SUFFIXES = {
    "Tile IR bytecode": "tileirbc",
    "cubin": "cubin",
    "fatbin": "fatbin",
    "LTO-IR": "ltoir",
    "LLVM bitcode": "bc",
    "object file": "o",
    "shared library": "so",
}
"""What a part is -> the suffix of a file with it."""


@dataclass(frozen=True)
class TileLibrary:
    """A library that was read: its parts, and the modules among them.

    interface        the extern functions that it offers, None if it has no interface
    implementations  the modules that say how the functions are implemented
    """

    parts: tuple[Part, ...]
    interface: Bytecode | None
    implementations: tuple[Bytecode, ...]

    @classmethod
    def parse(cls, data: bytes, limits: Limits = DEFAULT) -> TileLibrary:
        """Read a library; BytecodeError for what is none, or has a module that cannot be read."""
        found = parts(memoryview(data))
        if not found:
            raise BytecodeError(
                "missing_section",
                offset=0,
                section="library",
                expected=f"a section {INTERFACE}",
                found="none",
                hint="it is an ELF file, but no tile library",
            )
        modules = {part.name: _module(part, limits) for part in found if _is_module(part)}
        interface = modules.pop(INTERFACE, None)
        return cls(found, interface, tuple(modules.values()))

    def file_names(self) -> dict[str, Part]:
        """Return the parts by the names of the files that they are extracted to."""
        return {
            f"{'interface' if part.name == INTERFACE else f'implementation{part.name[5:]}'}"
            f".{SUFFIXES.get(part.kind, 'bin')}": part
            for part in self.parts
        }

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the library apart from its modules, in NVIDIA's words."""
        offered = set()
        if self.interface is not None:
            items = [*self.interface.declarations, *self.interface.functions]
            for item in items:
                if not isinstance(item, ExternFunction):
                    yield (
                        "tile library interface may only contain extern "
                        f"cuda_tile.experimental$func declarations, found '{item.name}'"
                    )
            offered = {item.name for item in items}
        codes = [part for part in self.parts if not _is_module(part)]
        if (len(self.implementations), len(codes)) != (1, 1):
            yield (
                "static tile library must contain exactly one tile bytecode implementation and one "
                "pre-compiled code implementation"
            )
        for module in self.implementations:
            for item in module.declarations:
                if isinstance(item, Implementation) and item.implements not in offered:
                    yield f"'{item.implements}' does not reference a valid extern preview$func"


def _is_module(part: Part) -> bool:
    return part.kind == "Tile IR bytecode"


def _module(part: Part, limits: Limits) -> Bytecode:
    try:
        return Bytecode.parse(bytes(part.content.data), limits=limits).touch()
    except BytecodeError as error:
        raise BytecodeError(
            error.kind,
            offset=error.offset + part.content.offset,
            section=f"library: {part.name}",
            path=error.path,
            expected=error.expected,
            found=error.found,
            hint=error.hint,
        ) from None
