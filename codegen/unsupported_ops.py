"""Find the ops that a target does not support: all are reported at once, before LLVM IR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tileir.errors import Diagnostic, UnsupportedError
from tileir.ir import Op
from tileir.read.declarations import Implementation
from tileir.read.text_positions import located
from tileir.text.printer.values import symbol
from tileir.types import Tile

from .kernel import KernelIR

MAX_DEPTH = 100
"""The most levels of nested regions."""

WhyNot = Callable[[Op, str], str | None]


def check(kernels: Iterable[KernelIR], target: str, why_not: WhyNot) -> None:
    """Raise one UnsupportedError that lists every unsupported op, if there are any."""
    diagnostics: list[Diagnostic] = []
    for kernel in kernels:
        diagnostics += located(_unsupported(kernel, target, why_not), kernel.bytecode)
    if diagnostics:
        number = len(diagnostics)
        count = "one op is" if number == 1 else f"{number} ops are"
        raise UnsupportedError(f"{count} not supported on target {target}:", diagnostics)


def _unsupported(kernel: KernelIR, target: str, why_not: WhyNot) -> Iterator[Diagnostic]:
    yield from _parameters(kernel)
    for op in kernel.walk():
        if op.depth and op.spec.terminator:
            continue  # it counts as part of the op whose region it ends
        if op.depth > MAX_DEPTH + 1:
            continue  # it is inside of an op that is reported as too deep
        reason = _depth(op) or _call(op, kernel) or why_not(op, target)
        if reason:
            yield Diagnostic.about(op, kernel.symbol, "unsupported", reason)


def _depth(op: Op) -> str | None:
    return f"it is nested more than {MAX_DEPTH} levels deep" if op.depth > MAX_DEPTH else None


def _call(op: Op, kernel: KernelIR) -> str | None:
    """Return what a call needs that nothing here can give it: code of a library."""
    if op.name != "preview$call":
        return None
    name = symbol(op.attributes["callee"])
    here = [
        symbol(item.name)
        for item in (kernel.bytecode.declarations if kernel.bytecode else ())
        if isinstance(item, Implementation) and item.implements == op.attributes["callee"]
    ]
    which = f"its implementation {' or '.join(here)}" if here else f"an implementation of {name}"
    return (
        f"it calls the extern function {name}, and {which} is machine code of a library "
        "(.tilelib), which only NVIDIA's tileiras links (--preview=simt -l LIBRARY)"
    )


def _parameters(kernel: KernelIR) -> list[Diagnostic]:
    """Return the problems of parameters that a launch cannot pass."""
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
    """Whether a launch can pass a parameter of this type: a scalar or a pointer."""
    return isinstance(kind, Tile) and not kind.rank
