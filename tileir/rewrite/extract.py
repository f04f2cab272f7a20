"""`extract`: a module with some functions of another one, and what they need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from copy import copy
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.errors import BuildError

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


def apart(bytecode: Bytecode, functions: Iterable[str]) -> Iterator[tuple[str, Bytecode]]:
    """Yield these functions, each with a module that has no other, as others cost time alone.

    The module has the launch attributes of all. It is the one given if that has no other function,
    or is of a newer version, of which something may be unknown.
    """
    names = list(functions)
    if len(bytecode.functions) > 1:
        whole = copy(bytecode)  # written once here, and not again for each part
    for name in names:
        part = bytecode
        if len(bytecode.functions) > 1:
            with contextlib.suppress(BuildError):
                part = extract(whole, [name])
                part.launch_attributes = bytecode.launch_attributes
        yield name, part
