"""Passes that the compiler has as transforms, run on the functions of a module themselves.

They need NumPy, as all of `codegen` does, and no compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tileir.bytecode import Bytecode
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import ARRAYS, needing

from .canonical.canonicalise import canonicalise

if TYPE_CHECKING:
    from tileir.codegen.kernel import KernelIR


def eliminate_dead_ops(module: Bytecode) -> int:
    """Erase ops without effects whose results nothing uses; return their number."""
    with not_forking:
        from tileir.codegen.transform.eliminate_dead_ops import erase_dead_ops

    return _each(module, erase_dead_ops)


def share_common_ops(module: Bytecode) -> int:
    """Let the first of equal ops compute for all that it dominates; return how many are gone."""
    with needing(ARRAYS, "this pass"), not_forking:
        from tileir.codegen.transform.share_common_ops import replace_equal_ops

    return _each(module, lambda kernel: sum(replace_equal_ops(kernel).values()))


def hoist_invariants(module: Bytecode) -> int:
    """Move ops out of the loops that do not change their operands; return how many."""
    with needing(ARRAYS, "this pass"), not_forking:
        from tileir.codegen.transform.hoist_invariants import hoist_ops

    return _each(module, lambda kernel: len(hoist_ops(kernel)))


def count_loops(module: Bytecode) -> int:
    """Turn `loop` into `for` where it counts up to a bound; return how many."""
    with needing(ARRAYS, "this pass"), not_forking:
        from tileir.codegen.transform.count_loops import counted_loops

    return _each(module, lambda kernel: len(counted_loops(kernel)))


def canonical_forms(module: Bytecode) -> int:
    """Bring ops into canonical form; return how often a rule applied."""
    return sum(canonicalise(function.body).total() for function in module.functions)


def _each(module: Bytecode, transform: Callable[[KernelIR], int]) -> int:
    with not_forking:
        from tileir.codegen.kernel import KernelIR

    return sum(transform(KernelIR.of(function, module)) for function in module.functions)
