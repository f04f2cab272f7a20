"""`extract`: a module with some functions of another one, and what they need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode

from .edited import compacted, editable
from .symbols import keep_functions

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def extract(bytecode: Bytecode | ReadableBuffer, functions: Iterable[str]) -> Bytecode:
    """Return a module with these functions alone, in the order of the file.

    It has the globals, types, constants, strings and locations that they refer to, the producer,
    and nothing of the others. KeyError for a name that no function has; BuildError for a file of a
    newer version, of which something may be unknown.
    """
    names = [functions] if isinstance(functions, str) else list(functions)
    made = editable(bytecode)
    for name in names:
        made.function(name)
    keep_functions(made, names)
    return compacted(made)
