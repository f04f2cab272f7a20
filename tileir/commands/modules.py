"""The module a command works on: bytecode, or a text that is assembled first."""

from __future__ import annotations

import tileir
from tileir.bytecode import Bytecode
from tileir.command import called, open_input
from tileir.formats.container import MAGIC
from tileir.references import decode_text

_NO_TEXT = set(range(32)) - set(b"\t\n\f\r")
"""Bytes that no text has."""


def open_module(path: str) -> Bytecode:
    """The module in a file, or on standard input for ``-``.

    A file with control characters is no text, even where it does not begin as bytecode does.
    """
    data = open_input(path)
    if not data or data.startswith(MAGIC[:1]) or not _NO_TEXT.isdisjoint(data):
        return Bytecode.parse(data)
    return tileir.assemble(decode_text(data), name=called(path))
