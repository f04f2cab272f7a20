"""What has to hold between stages. A stage that breaks it is a defect of the compiler.

It is asked under test, and wherever the environment has `TILEIR_VERIFY=1`: then a wrong decision is
found where it was taken, before there is PTX or machine code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from tileir.errors import BuildError
from tileir.formats.forks import not_forking
from tileir.ir.dialect import TILE_IR
from tileir.verifier.body import Alike
from tileir.write.changed_bodies import check_edited

from .kernel import KernelIR
from .kernel_diagnostics import kernel_diagnostics
from .state import KernelState, State

VARIABLE = "TILEIR_VERIFY"
"""The environment variable that asks for it."""


class StageError(RuntimeError):
    """A stage left a kernel that breaks a rule."""


_NEVER = -1
"""What was checked of a kernel that a stage has added."""


class StageVerifier:
    """The verifier of one compilation; a body is checked again only if a stage edited it.

    A body that breaks a rule before the first stage is not checked: traces are prints without
    tokens, which no file can have.
    """

    def __init__(self, target_family: str, state: State) -> None:
        with not_forking:
            rules = import_module(f".{target_family}.state_verifier", __package__)
        self._problem: Callable[[KernelState], str | None] = rules.state_problem
        kernels = [each.kernel for each in state.kernels]
        self._alike: Alike = {}
        self._checked = [kernel.edits for kernel in kernels]
        self._valid = [self._broken_rule(kernel) is None for kernel in kernels]

    def check(self, name: str, state: State) -> None:
        """Raise StageError for the first rule that a kernel breaks after the stage `name`."""
        added = len(state.kernels) - len(self._checked)
        self._checked += [_NEVER] * added
        self._valid += [True] * added
        for number, each in enumerate(state.kernels):
            problem = self._body_problem(number, each.kernel)
            problem = problem or self._problem(each)
            if problem:
                raise StageError(f"stage {name} left {each.kernel.symbol} invalid: {problem}")

    def _body_problem(self, number: int, kernel: KernelIR) -> str | None:
        if kernel.edits == self._checked[number] or not self._valid[number]:
            return None
        self._checked[number] = kernel.edits
        return self._broken_rule(kernel)

    def _broken_rule(self, kernel: KernelIR) -> str | None:
        """Return the first rule of its dialect that a body breaks, None if it keeps them all."""
        if kernel.dialect is not TILE_IR:
            return next(map(str, kernel_diagnostics(kernel, alike=self._alike)), None)
        try:
            check_edited(kernel.symbol, kernel.body)
        except BuildError as error:
            return str(error)
        return None


def verifier_for(target_family: str, state: State) -> StageVerifier | None:
    """Return the verifier of the stages of a compilation; None unless it is asked for."""
    asked = os.environ.get(VARIABLE, "0") not in ("", "0")
    return StageVerifier(target_family, state) if asked else None
