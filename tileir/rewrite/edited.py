"""The module that passes edit, and what is written of it afterwards."""

from __future__ import annotations

from copy import copy

from tileir.bytecode import Bytecode
from tileir.launch.attributes import LaunchAttributes
from tileir.write.newer import refuse_newer


def editable(bytecode: Bytecode) -> Bytecode:
    """Return a copy of a module, for passes to edit.

    BuildError if it cannot be written, and for one of a newer version, of which something may be
    unknown.
    """
    refuse_newer(bytecode.original.version)
    made = copy(bytecode)
    made.text = None  # positions in a text would be those of what has been moved
    return made


def compacted(edited: Bytecode) -> Bytecode:
    """Return the module as it is read from its bytes, which have only what is used.

    BuildError if it cannot be written. Rules are not checked: `opt` verifies all of them, and to
    take parts out of a module that breaks rules is no mistake.
    """
    data = edited.build(check=False, compact=True)
    made = Bytecode.parse(data, limits=edited.limits)
    attributes, names = edited.launch_attributes, {function.name for function in made.functions}
    entries = {name: own for name, own in attributes.entries.items() if name in names}
    made.launch_attributes = LaunchAttributes(attributes.module, entries, attributes.names)
    return made
