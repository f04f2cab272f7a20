"""What is compared of modules that are compiled: their PTX, machine code, or text after a stage.

Files that hold PTX or a cubin already are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import tileir
from tileir.bytecode import Bytecode
from tileir.errors import UnsupportedError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import decode_text
from tileir.tools import nvidia

from .listings import LLVM, PTX, SASS, STAGE, Language

_VERSION = re.compile(rb"^[ \t]*\.version[ \t]+\d", re.MULTILINE)
_LLVM, _PTX = ("emit_llvm", "optimise"), ("emit_ptx",)
"""Stages whose text is LLVM IR, or PTX."""


def is_ptx(data: bytes) -> bool:
    """Whether the contents of a file are PTX."""
    return _VERSION.search(data[: 1 << 16]) is not None and b"\0" not in data[: 1 << 16]


def is_cubin(data: bytes) -> bool:
    """Whether the contents of a file are a cubin, or another ELF file."""
    return data.startswith(b"\x7fELF")


def language_of(what: str | None, stage: str | None, data: bytes) -> Language | None:
    """Return the language in which to compare; None for Tile IR.

    `what` is "ptx" or "sass", if that was asked for; `data` is one of the files.
    """
    if stage is not None:
        return LLVM if stage in _LLVM else PTX if stage in _PTX else STAGE
    if what is None:
        return PTX if is_ptx(data) else SASS if is_cubin(data) else None
    return {"ptx": PTX, "sass": SASS}[what]


def listing(
    data: bytes,
    language: Language,
    target: str | None,
    stage: str | None,
    module: Callable[[], Bytecode],
) -> str:
    """Return the text to compare of a file; `module` reads it as Tile IR.

    UnsupportedError if the file holds what cannot become that text.
    """
    if stage is not None:
        return _stage(module(), target, stage)
    if language is SASS:
        return nvidia.disassemble(_cubin(data, target, module)).decode("utf-8", "replace")
    if is_cubin(data):
        raise UnsupportedError("a cubin has no PTX; --sass compares machine code")
    return decode_text(data) if is_ptx(data) else _ptx(module(), target)


def _cubin(data: bytes, target: str | None, module: Callable[[], Bytecode]) -> bytes:
    if is_cubin(data):
        return data
    with not_forking:
        from tileir.codegen.cubins import assembled

    ptx = decode_text(data) if is_ptx(data) else _ptx(module(), target)
    return assembled(ptx, _named(target), False, True)


def _named(target: str | None) -> str:
    if target is None:
        raise UnsupportedError("which GPU? --ptx and --sass take one, such as --ptx sm_90")
    return target


def _ptx(module: Bytecode, target: str | None) -> str:
    with compiling():
        return tileir.compile(module, _named(target)).ptx or ""


def _stage(module: Bytecode, target: str | None, stage: str) -> str:
    with compiling():
        with not_forking:
            from tileir.codegen.api import stages

        return str(stages(module, target, until=stage)[stage])
