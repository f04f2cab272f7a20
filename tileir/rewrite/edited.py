"""The module that passes edit, and what is written of it afterwards."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.launch.attributes import LaunchAttributes
from tileir.write.newer import refuse_newer

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def editable(bytecode: Bytecode | ReadableBuffer) -> Bytecode:
    """Return a copy of a module, for passes to edit.

    What is no Bytecode is parsed as bytes; TypeError for what is neither. BuildError if it cannot
    be written, and for one of a newer version, of which something may be unknown.
    """
    given = Bytecode.of(bytecode)
    refuse_newer(given.original.version)
    made = copy(given)
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
