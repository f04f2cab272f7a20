"""The text of a compiled module: PTX, and the LLVM IR that it was made from.

Most launches need no twin, the entry for arguments that no tensor map describes. So the text can be
made without twins, too; `kept_text.py` says when which is.
"""

from __future__ import annotations

from tileir.codegen.pipeline import run

from .state import State

_FIRST, _LAST = "emit_llvm", "emit_ptx"
DECIDED = "unroll_loops"
"""The stage behind which everything has been decided."""


class Text:
    """Makes the text of the kernels in a state, which has gone through the stages up to `DECIDED`.

    twins  the entries that are twins
    apart  whether others can do without them
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self.twins = frozenset(
            each.kernel.symbol for each in state.kernels if each.twin_of is not None
        )
        self.apart = bool(self.twins) and state.lines is None and not _variables(state)

    def whole(self) -> tuple[str, str]:
        """Return PTX and LLVM IR of all entries."""
        if not self._state.ptx:
            run("nvptx", self._state, since=_FIRST, until=_LAST)
        return self._state.ptx, self._state.llvm_ir

    def without_twins(self) -> str:
        """Return the PTX of all entries but twins."""
        kernels = [each for each in self._state.kernels if each.twin_of is None]
        alone = State(kernels, self._state.target, self._state.launch)
        run("nvptx", alone, since=_FIRST, until=_LAST)
        return alone.ptx


def _variables(state: State) -> bool:
    """Whether kernels have global variables, which they share with their twins."""
    return any(each.kernel.bytecode and each.kernel.bytecode.globals for each in state.kernels)
