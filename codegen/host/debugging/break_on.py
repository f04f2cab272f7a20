"""At what a launch stops for the debugger, and what is known there of the kernel's variables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tileir.bytecode import Bytecode
from tileir.codegen.api import compile
from tileir.codegen.kernel import KernelIR
from tileir.codegen.transform.insert_breakpoints import shown_names
from tileir.errors import KernelAssertionError, KernelError

from .replay import Memory, Replay


class BreakOn:
    """Finds out the variables of a kernel when a launch of it goes wrong.

    `breaks` are some of `launch.breakpoints.BREAKS`, `checks` those that the kernel has been
    compiled with.
    """

    def __init__(
        self, breaks: Collection[str], bytecode: Bytecode, symbol: str, checks: Sequence[str]
    ) -> None:
        self._breaks, self._bytecode, self._symbol = breaks, bytecode, symbol
        self._checks = checks

    @contextmanager
    def launch(
        self,
        kernel: Any,
        grid: int | Sequence[int],
        args: Sequence[Any],
        memory: Iterable[Memory],
        allocations: Iterable[Any] = (),
    ) -> Iterator[None]:
        """A launch runs inside; a KernelError that leaves gets the `variables`."""
        replay = Replay(memory)
        try:
            yield
        except KernelError as problem:
            kind = "assert" if isinstance(problem, KernelAssertionError) else "finding"
            if kind in self._breaks:
                problem.variables = replay.values(
                    problem, kernel, self._traced, grid, args, allocations
                )
            raise

    def _traced(self) -> Any:
        function = self._bytecode.function(self._symbol)
        names = shown_names(KernelIR.of(function, self._bytecode)).values()
        options = {"symbols": [self._symbol], "check": self._checks}
        return compile(self._bytecode, trace=sorted(set(names)), **options)[self._symbol]
