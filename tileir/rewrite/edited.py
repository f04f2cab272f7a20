"""The module that passes edit, and what is written of it afterwards."""

from __future__ import annotations

from copy import copy

from tileir.bytecode import Bytecode
from tileir.launch.attributes import LaunchAttributes


def editable(bytecode: Bytecode) -> Bytecode:
    """Return a copy of a module, for passes to edit. BuildError if it cannot be written."""
    made = copy(bytecode)
    made.text = None  # positions in a text would be those of what has been moved
    return made


def compacted(edited: Bytecode, check: bool = True) -> Bytecode:
    """Return the module as it is read from its bytes, which have only what is used.

    BuildError if it cannot be written, if it is of a newer version, of which something may be
    unknown, and, with `check`, if an op breaks a rule that it kept before.
    """
    made = Bytecode.parse(edited.build(check, compact=True), limits=edited.limits)
    attributes, names = edited.launch_attributes, {function.name for function in made.functions}
    entries = {name: own for name, own in attributes.entries.items() if name in names}
    made.launch_attributes = LaunchAttributes(attributes.module, entries, attributes.names)
    return made
