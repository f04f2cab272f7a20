"""The module that a command works on: bytecode, or a text that is assembled first."""

from __future__ import annotations

import sys

import tileir
from tileir.bytecode import Bytecode
from tileir.formats.container import MAGIC
from tileir.messages.texts import decode_text, display
from tileir.messages.wording import did_you_mean

from .colour import escaped
from .conventions import UsageError, called, open_input

_NO_TEXT = set(range(32)) - set(b"\t\n\f\r")
"""Bytes that no text contains."""


def open_module(path: str) -> Bytecode:
    """Return the module in a file, or on standard input for ``-``.

    A warning on standard error names launch attributes of a text that have no effect. A file with
    control characters is not a text, even if it does not begin as bytecode does.
    """
    return module_of(open_input(path), path)


def module_of(data: bytes, path: str) -> Bytecode:
    """Return the module that these bytes of a file are: see `open_module`."""
    if not data:
        raise UsageError(f"{called(path)} is empty: neither bytecode nor text")
    if data.startswith(MAGIC[:1]) or not _NO_TEXT.isdisjoint(data):
        return Bytecode.parse(data)
    bytecode = tileir.assemble(decode_text(data), name=called(path))
    _warn(bytecode)
    return bytecode


def check_entry(bytecode: Bytecode, name: str) -> None:
    """Raise UsageError if the module has no entry of that name."""
    names = [function.name for function in bytecode.functions]
    if not names:
        raise UsageError("the file has no kernel")
    if name not in names:
        known = ", ".join(map(display, names))
        raise UsageError(f"there is no entry {name!r}; the file has {known}")


def _warn(bytecode: Bytecode) -> None:
    """Warn about launch attributes of a text that no target uses: they may be misspelled."""
    launch = bytecode.launch_attributes
    if not launch:
        return
    from tileir.codegen.launch_terms import ATTRIBUTES
    from tileir.codegen.targets import CAPABILITY, SPELLED

    owners = [("", launch.module, (*ATTRIBUTES, CAPABILITY, SPELLED))]
    owners += [(entry, own, ATTRIBUTES) for entry, own in launch.entries.items()]
    for entry, attributes, known in owners:
        owner = f"entry {entry}" if entry else "the module"
        for attribute in attributes:
            if bytecode.text and attribute not in known:
                position = bytecode.text.attribute(attribute, entry)
                text = f"{attribute} of {owner} is ignored{did_you_mean(attribute, known)}"
                print(escaped(f"{position}: warning: {text}"), file=sys.stderr)
