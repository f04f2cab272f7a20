"""What a target cannot compile: all of it is said at once, before any LLVM is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tileir.errors import Diagnostic, UnsupportedError
from tileir.ir import Op
from tileir.read.text_positions import located
from tileir.types import Tile

from .kernel import Kernel

DEEPEST = 100
"""Levels of regions; code that is nested deeper is no kernel anyone wrote."""

WhyNot = Callable[[Op, str], str | None]


def check(kernels: Iterable[Kernel], target: str, why_not: WhyNot) -> None:
    """Raise one UnsupportedError that lists every op which is not lowered."""
    found: list[Diagnostic] = []
    for kernel in kernels:
        found += located(_unsupported(kernel, target, why_not), kernel.bytecode)
    if found:
        count = "one op is" if len(found) == 1 else f"{len(found)} ops are"
        raise UnsupportedError(f"{count} not supported on target {target}:", found)


def _unsupported(kernel: Kernel, target: str, why_not: WhyNot) -> Iterator[Diagnostic]:
    yield from _parameters(kernel)
    for op in kernel.walk():
        if op.depth and op.spec.terminator:
            continue  # part of the op whose region it ends
        if op.depth > DEEPEST + 1:
            continue  # part of one that is too deep
        reason = _depth(op) or why_not(op, target)
        if reason:
            yield Diagnostic.about(op, kernel.symbol, "unsupported", reason)


def _depth(op: Op) -> str | None:
    return f"it is nested more than {DEEPEST} levels deep" if op.depth > DEEPEST else None


def _parameters(kernel: Kernel) -> list[Diagnostic]:
    """Parameters that a launch could not pass."""
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
    """Whether a launch can pass it: a single number, as long as it is in memory, or a pointer."""
    return isinstance(kind, Tile) and not kind.rank
