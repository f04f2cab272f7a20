"""Ops that a target cannot compile: all are reported at once, before any LLVM IR is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tileir.errors import Diagnostic, UnsupportedError
from tileir.ir import Op
from tileir.read.text_positions import located
from tileir.types import Tile

from .kernel import Kernel

MAX_DEPTH = 100
"""Levels of nested regions; no hand-written kernel is nested deeper."""

WhyNot = Callable[[Op, str], str | None]


def check(kernels: Iterable[Kernel], target: str, why_not: WhyNot) -> None:
    """Raise one UnsupportedError that lists every op which is not lowered."""
    diagnostics: list[Diagnostic] = []
    for kernel in kernels:
        diagnostics += located(_unsupported(kernel, target, why_not), kernel.bytecode)
    if diagnostics:
        count = "one op is" if len(diagnostics) == 1 else f"{len(diagnostics)} ops are"
        raise UnsupportedError(f"{count} not supported on target {target}:", diagnostics)


def _unsupported(kernel: Kernel, target: str, why_not: WhyNot) -> Iterator[Diagnostic]:
    yield from _parameters(kernel)
    for op in kernel.walk():
        if op.depth and op.spec.terminator:
            continue  # part of the op whose region it ends
        if op.depth > MAX_DEPTH + 1:
            continue  # part of one that is too deep
        reason = _depth(op) or why_not(op, target)
        if reason:
            yield Diagnostic.about(op, kernel.symbol, "unsupported", reason)


def _depth(op: Op) -> str | None:
    return f"it is nested more than {MAX_DEPTH} levels deep" if op.depth > MAX_DEPTH else None


def _parameters(kernel: Kernel) -> list[Diagnostic]:
    """Return a diagnostic for each parameter that a launch could not pass."""
    return [
        Diagnostic(
            "error",
            "unsupported",
            f"parameter {number}: {value.type} cannot be passed",
            function=kernel.symbol,
        )
        for number, value in enumerate(kernel.parameters)
        if not _passable(value.type)
    ]


def _passable(kind: object) -> bool:
    """Whether a launch can pass a value of this type: a tile of rank 0."""
    return isinstance(kind, Tile) and not kind.rank
