"""What is wrong with the body of a kernel between stages, by the rules of its dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from tileir.errors import Diagnostic
from tileir.formats.version import LATEST
from tileir.read.function import Function, Global
from tileir.verifier.body import Alike, body_diagnostics

from .kernel import KernelIR


def kernel_diagnostics(
    kernel: KernelIR,
    variables: Mapping[str, Global] | None = None,
    alike: Alike | None = None,
) -> list[Diagnostic]:
    """Return what is wrong with the body of a kernel, op by op; `variables` are the globals.

    `alike` is what is known of ops of the kernel's dialect, and grows.
    """
    if variables is None:
        found = kernel.bytecode.globals if kernel.bytecode else ()
        variables = {variable.name: variable for variable in found}
    # A kernel has what the verifier asks of a function: name, type, location and body.
    return body_diagnostics(
        cast(Function, kernel), variables, LATEST, dialect=kernel.dialect, alike=alike
    )
