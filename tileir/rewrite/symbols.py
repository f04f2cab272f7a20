"""The symbols of a module that others of its parts refer to, and the removal of all others.

Entries are launched by the host, so they are used whether or not anything refers to them. An entry
cannot be called: it uses globals, by `get_global`, and, in public preview, extern functions; what
implements one of those is used if that is.
"""

from __future__ import annotations

from collections.abc import Iterable

from tileir.bytecode import Bytecode
from tileir.ir import Op
from tileir.read.declarations import Declaration, Implementation

USES = {"get_global": "name", "preview$call": "callee"}
"""Op -> its attribute that names a symbol of the module."""


def used_symbols(ops: Iterable[Op]) -> set[str]:
    """Return the names of the globals and extern functions that ops refer to."""
    return {str(op.attributes[USES[op.name]]) for op in ops if op.name in USES}


def keep_functions(module: Bytecode, names: Iterable[str]) -> int:
    """Remove all functions but those of these names, and all that none of those uses.

    Returns the number of functions, globals and declarations that were removed.
    """
    kept = set(names)
    gone = len(module.functions)
    module.functions[:] = [function for function in module.functions if function.name in kept]
    used = used_symbols(op for function in module.functions for op in function.walk())
    return gone - len(module.functions) + _remove_unused(module, used, public=True)


def remove_unused_symbols(module: Bytecode) -> int:
    """Remove private globals and declarations that no function refers to; return their number.

    Public globals stay: the host and other modules can find them by their names.
    """
    used = used_symbols(op for function in module.functions for op in function.walk())
    return _remove_unused(module, used, public=False)


def _remove_unused(module: Bytecode, used: set[str], public: bool) -> int:
    declared = module.original.declared
    before = len(module.globals) + len(declared)
    module.globals[:] = [
        each for each in module.globals if each.name in used or not (each.private or public)
    ]
    left = [(each, record) for each, record in declared if _symbol(each) in used]
    module.original.declared = left  # of a copy, that nobody else has: see `editable`
    return before - len(module.globals) - len(left)


def _symbol(declared: Declaration) -> str:
    """Return the name by which kernels call a declared function."""
    return declared.implements if isinstance(declared, Implementation) else declared.name
