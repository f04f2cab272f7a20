"""Compile a module that is not in the cache: verify, decode, transform, lower."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tileir.errors import UnsupportedError, VerifyError
from tileir.formats.forks import not_forking
from tileir.messages.texts import display
from tileir.verifier.module import check as check_rules
from tileir.verifier.module import check_names

from . import unsupported_ops
from .kernel import KernelIR
from .targets import HOST, package_of
from .transform.insert_breakpoints import insert_breakpoints
from .transform.insert_traces import insert_traces

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

    from .compilation import Compilation
    from .pipeline import AfterStage


def compile_fresh(
    bytecode: Bytecode,
    target: str,
    *,
    symbols: list[str] | None,
    checks: list[str],
    trace: list[str],
    launch: dict[str, object],
    lineinfo: bool,
    portable: bool,
    count: bool = False,
    after_stage: AfterStage | None = None,
    until: str | None = None,
) -> Compilation | None:
    """Compile the entries in `symbols`, or all if it is None; `api.compile` says what is raised.

    `after_stage` and `until` are those of `pipeline.run`. The result is None if stages were left
    out.
    """
    family = package_of(target)
    with not_forking:
        package = import_module(f".{family}", __package__)
    functions = _chosen(bytecode, symbols)
    if symbols is None and bytecode.newer:
        _refuse_unknown_entries(bytecode)
    _refuse_opaque(functions)
    check_rules(bytecode, functions)
    kernels = [KernelIR.copy_of(function, bytecode) for function in functions]
    if trace:
        insert_traces(kernels, trace)
    if target == HOST:
        insert_breakpoints(kernels)
    unsupported_ops.check(kernels, target, package.why_not)
    asked = {"checks": checks, "launch": launch, "lineinfo": lineinfo, "portable": portable}
    asked["count"] = count
    asked = {name: value for name, value in asked.items() if value}
    return package.compile_kernels(kernels, target, after_stage, until, **asked)


def _refuse_unknown_entries(bytecode: Bytecode) -> None:
    """Raise UnsupportedError if the functions of a file of a newer version cannot all be read.

    To compile all entries, and leave some out, would be found out at a launch only.
    """
    unknown = bytecode.original.sealed.get("Func")
    if unknown is not None:
        some = "not all entries are known, so name those wanted"
        raise UnsupportedError(f"{some if bytecode.functions else 'no entry is known'}: {unknown}")


def _refuse_opaque(functions: list[Any]) -> None:
    """Raise UnsupportedError for a function of a newer version that cannot be read to its end."""
    for function in functions:
        end = getattr(function, "opaque", None)
        if end is not None:
            entry = f"entry {display(function.name)} is not compiled"
            raise UnsupportedError(f"{entry}, as not all of it is known: {end.message}")


def _chosen(bytecode: Bytecode, symbols: list[str] | None) -> list[Any]:
    check_names(bytecode)
    by_name = {function.name: function for function in bytecode.functions}
    if len(by_name) < len(bytecode.functions):
        raise VerifyError("two entries have the same name")
    wanted = list(by_name if symbols is None else symbols)
    for symbol in wanted:
        if symbol not in by_name:
            raise KeyError(f"no entry {symbol!r}; there are: {', '.join(by_name) or 'none'}")
    return [by_name[symbol] for symbol in wanted]
