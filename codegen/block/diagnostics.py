"""What is wrong with a kernel in block IR: a defect of whoever made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from tileir.codegen.kernel import KernelIR
from tileir.errors import Diagnostic
from tileir.formats.version import LATEST
from tileir.ir import Body
from tileir.read.function import Function, Global
from tileir.types import FunctionType
from tileir.verifier.body import body_diagnostics

from .dialect import BLOCK


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A kernel as the verifier of bodies sees it."""

    name: str
    location: Any
    body: Body
    type: FunctionType


def block_diagnostics(
    kernel: KernelIR, variables: Mapping[str, Global] | None = None
) -> list[Diagnostic]:
    """Return what is wrong with the body of a kernel, op by op; `variables` are the globals."""
    of = kernel.function
    if variables is None:
        found = kernel.bytecode.globals if kernel.bytecode else ()
        variables = {variable.name: variable for variable in found}
    seen = _Kernel(of.name, of.location, kernel.body, kernel.body.type)
    return body_diagnostics(cast(Function, seen), variables, LATEST, dialect=BLOCK)
