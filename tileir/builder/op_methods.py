"""Every op of the table as a method, made from its row when this is imported.

Editors and type checkers read `op_methods.pyi` instead, which `op_stub` prints from the same rows:
``python -m tileir.builder.op_stub FILE``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Op as Spec

from .calls import documentation, python_name, signature


class Inserting(Protocol):
    """What the methods are called on: a `Kernel` or an `Editor`, which inserts the op of a row."""

    def op(self, spec: Spec, positional: Sequence, named: dict[str, object]) -> object:
        """Insert the op and return its results."""


class OpMethods:
    """The op methods of a `Kernel` and of an `Editor`.

    A call inserts the op and returns its results. Operands come first, in the order of the op's
    row, then attributes; all may be given by name. BuildError if anything is wrong with the call.
    """


def _method(spec: Spec) -> Callable:
    def call(self: Inserting, *positional, **named):
        return self.op(spec, positional, named)

    call.__name__ = python_name(spec.mnemonic)
    call.__qualname__ = f"{OpMethods.__name__}.{call.__name__}"
    call.__doc__ = documentation(spec)
    vars(call)["__signature__"] = signature(spec)
    return call


for _spec in OPS:
    if _spec.in_body:
        setattr(OpMethods, python_name(_spec.mnemonic), _method(_spec))
