"""What workers compute: verify, dis, as, inspect and compile, on bytes.

All of it happens in a child of the front process; `answer` is the function that a supervisor calls.
"""

from __future__ import annotations

import base64
import json
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_type_hints

import tileir
from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import UsageError
from tileir.commands.inspect import as_json, check_names, kept
from tileir.commands.modules import check_entry, ignored_attributes, module_in
from tileir.commands.verify import diagnostic_as_json, is_valid
from tileir.errors import TileIRError, UnsupportedError
from tileir.explain.annotate import Leaf, annotate
from tileir.formats.version import SUPPORTED, Version
from tileir.launch.compile_options import CompileOptions
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import decode_text, printable
from tileir.messages.wording import did_you_mean

from . import requests
from .failures import failure
from .methods import METHODS
from .parameters import FLAG, TEXTS, ParameterError, read_parameters

SENT = "<module>"
"""What messages call a text that was sent."""

EMIT = ("ptx", "plan", "llvm", "cubin")
_MOST_TARGETS = 32


class Result(NamedTuple):
    """What came of a request: members of its result, and warnings."""

    values: dict[str, Any]
    warnings: list[str]


def answer(data: bytes) -> bytes:
    """Return the part of the answer to a message that `requests.parse` has accepted.

    What is raised is a defect, or a lack of memory: the supervisor replaces this process then.
    """
    message = json.loads(data)
    method = message["method"]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            given = read_parameters(METHODS[method], message.get("params", {}))
            result = COMPUTED[method](**given)
        texts = [*result.warnings, *(str(each.message) for each in caught)]
        return requests.result({**result.values, "warnings": list(map(printable, texts))})
    except (TileIRError, UsageError) as error:
        return failure(error)


def _verify(module: bytes, target: str | None, strict: bool | None) -> Result:
    bytecode = module_in(module, SENT)
    found = tileir.verify(bytecode, target, bool(strict))
    diagnostics = [diagnostic_as_json(each) for each in found]
    values = {"valid": is_valid(found), "diagnostics": diagnostics}
    return Result(values, [*ignored_attributes(bytecode)])


def _dis(module: bytes, debug: bool | None, function: str | None) -> Result:
    bytecode = Bytecode.parse(module).touch()
    check_names(bytecode, function, None)
    text = tileir.disassemble(bytecode, bool(debug), function)
    return Result({"text": text}, _oddities(bytecode))


def _as(text: bytes, version: str | None) -> Result:
    try:
        chosen = None if version is None else Version.of(version)
    except ValueError as error:
        raise ParameterError(f"version: {error}") from None
    if chosen is not None and chosen not in SUPPORTED:
        raise UnsupportedError(f"version {chosen} is not one of {SUPPORTED[0]} to {SUPPORTED[-1]}")
    bytecode = tileir.assemble(decode_text(text), chosen, SENT)
    lost = [f"bytecode cannot hold {each}" for each in bytecode.launch_attributes.spelled()]
    return Result({"module": _base64(bytes(bytecode.data))}, lost)


def _inspect(
    module: bytes, function: str | None, section: str | None, full: bool | None, strict: bool | None
) -> Result:
    bytecode = Bytecode.parse(module).touch(strict=bool(strict))
    check_names(bytecode, function, section)
    lines = kept(annotate(bytecode), function, section)
    fields = [as_json(each, bool(full)) for each in lines if isinstance(each, Leaf)]
    return Result({"fields": fields}, _oddities(bytecode))


def _compile(
    module: bytes,
    targets: list[str],
    emit: list[str] | None,
    options: dict[str, Any] | None,
) -> Result:
    if not 0 < len(set(targets)) <= _MOST_TARGETS:
        raise ParameterError(f"targets is not a list of 1 to {_MOST_TARGETS} names")
    for name in emit or ():
        if name not in EMIT:
            raise ParameterError(f"emit has {name!r}, which is none of {', '.join(EMIT)}")
    bytecode = module_in(module, SENT)
    with compiling():
        checked = _options(options or {}, bytecode)
    made = {}
    for target in dict.fromkeys(targets):
        wanted = emit or (["llvm"] if target == "host" else ["ptx", "plan"])
        if target == "host" and set(wanted) != {"llvm"}:
            raise ParameterError('of target host there is nothing but "llvm"')
        compiled: Any = tileir.compile(bytecode, target, **checked)
        made[target] = {name: _MAKERS[name](compiled, checked) for name in dict.fromkeys(wanted)}
    return Result({"targets": made}, [*ignored_attributes(bytecode)])


def _options(given: Mapping[str, Any], bytecode: Bytecode) -> dict[str, Any]:
    """Return the options for `tileir.compile`; ParameterError for what cannot be."""
    from tileir.codegen.launch_terms import OPTIONS as LAUNCH
    from tileir.codegen.launch_terms import check_options

    launch = [each.name for each in LAUNCH]
    checks = {"symbols": TEXTS, "lineinfo": FLAG, "portable": FLAG}
    known = set(get_type_hints(CompileOptions)) & {*launch, *checks}
    for name in given:
        if name not in known:
            raise ParameterError(f"there is no option {printable(name)}{did_you_mean(name, known)}")
    options = read_parameters(checks, {name: given[name] for name in checks if name in given})
    for symbol in options["symbols"] or ():
        check_entry(bytecode, symbol)
    try:
        return options | check_options({name: given[name] for name in launch if name in given})
    except UnsupportedError as error:
        raise ParameterError(str(error)) from None


def _cubin(compiled: Any, lines: bool) -> bytes:
    from tileir.codegen.cubins import assembled

    return assembled(compiled.ptx, compiled.target, lines)


_MAKERS: dict[str, Callable[[Any, Mapping[str, Any]], object]] = {
    "ptx": lambda compiled, _: compiled.ptx,
    "plan": lambda compiled, _: compiled.plan,
    "llvm": lambda compiled, _: compiled.llvm_ir,
    "cubin": lambda compiled, options: _base64(_cubin(compiled, bool(options["lineinfo"]))),
}
"""What `emit` may name -> how it is made of a compilation and its options."""


def _oddities(bytecode: Bytecode) -> list[str]:
    return list(map(str, bytecode.warnings))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


COMPUTED: dict[str, Callable[..., Result]] = {
    "verify": _verify,
    "dis": _dis,
    "as": _as,
    "inspect": _inspect,
    "compile": _compile,
}
"""Method -> what computes its result, given the parameters in `METHODS`."""
