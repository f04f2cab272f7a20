"""The text of a compiled module: PTX, and the LLVM IR that it was made from.

Most launches need no twin, the entry for arguments that no tensor map describes. So where a module
has twins, its text is made when it is first asked for: for a launch of another entry, without them.
"""

from __future__ import annotations

from tileir.codegen.pipeline import run
from tileir.formats.forks import Lock

from .state import State

_FIRST, _LAST = "emit_llvm", "emit_ptx"
DECIDED = "unroll_loops"
"""The stage behind which everything has been decided."""


class Text:
    """The text of the kernels in a state, which has gone through the stages up to `DECIDED`."""

    def __init__(self, state: State) -> None:
        self._state: State | None = state
        self._lock = Lock()
        self._whole = (state.ptx, state.llvm_ir) if state.ptx else None
        self._alone: str | None = None
        self._twins = frozenset(
            each.kernel.symbol for each in state.kernels if each.twin_of is not None
        )
        self._apart = bool(self._twins) and state.lines is None and not _variables(state)
        if not self._twins:
            self.whole()  # what is wrong is raised where it is compiled

    def whole(self) -> tuple[str, str]:
        """Return PTX and LLVM IR of all entries."""
        with self._lock:
            if self._whole is None and self._state is not None:
                state = self._state
                run("nvptx", state, since=_FIRST, until=_LAST)
                self._whole, self._state = (state.ptx, state.llvm_ir), None
        assert self._whole is not None
        return self._whole

    def ptx_with(self, entry: str) -> str:
        """Return PTX that has an entry: without twins where they are not needed."""
        if entry in self._twins or not self._apart:
            return self.whole()[0]
        with self._lock:
            if self._whole is not None:
                return self._whole[0]
            if self._alone is None and self._state is not None:
                kernels = [each for each in self._state.kernels if each.twin_of is None]
                alone = State(kernels, self._state.target, self._state.launch)
                run("nvptx", alone, since=_FIRST, until=_LAST)
                self._alone = alone.ptx
        assert self._alone is not None
        return self._alone


def _variables(state: State) -> bool:
    """Whether kernels have global variables, which they share with their twins."""
    return any(each.kernel.bytecode and each.kernel.bytecode.globals for each in state.kernels)
