"""From a text to a module: read everything, then write it as bytecode."""

from __future__ import annotations

import contextlib
from types import MappingProxyType

from tileir.bytecode import Bytecode
from tileir.errors import AssemblyError, BuildError, Problem
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import LATEST, Version
from tileir.launch.attributes import LaunchAttributes
from tileir.read.paused_collector import paused_collector
from tileir.read.text_positions import TextPositions
from tileir.write.requested_version import supported
from tileir.write.sections import Writer

from .diagnostics import Stop
from .module import ModuleReader
from .source import Source


def assemble(
    text: str,
    version: Version | str | None = None,
    name: str = "<text>",
    *,
    limits: Limits = DEFAULT,
) -> Bytecode:
    """The module that a text describes: what tileirdisasm prints, or its dialect in MLIR's syntax.

    version  bytecode version to write, the latest if None
    name     what the text is called in messages, for example its file

    Raises AssemblyError, which lists everything that is wrong with the text, or that the version
    lacks; BuildError if `version` is none. What the text says and bytecode cannot hold is in the
    `launch_attributes` of the module, and where its parts stand in `text`.
    """
    chosen = LATEST if version is None else supported(version)
    if not isinstance(text, str):
        raise TypeError(f"expected a str, got {type(text).__name__}")
    text = text.removeprefix(BYTE_ORDER_MARK)
    _check_characters(text, name)
    source = Source(text, name, chosen, limits)
    module = ModuleReader(source)
    with paused_collector():
        with deep_recursion(limits), contextlib.suppress(Stop):
            module.read()
        if source.report:
            raise source.report.error()
        bytecode = Bytecode.parse(_written(module, chosen, limits), limits=limits)
    bytecode.launch_attributes = LaunchAttributes(
        MappingProxyType(module.module_attributes),
        MappingProxyType(
            {entry: MappingProxyType(given) for entry, given in module.entry_attributes.items()}
        ),
        tuple(module.names),
    )
    bytecode.text = _places(module, text, name, bytecode)
    return bytecode


def _places(module: ModuleReader, text: str, name: str, bytecode: Bytecode) -> TextPositions:
    """Where the parts of a module that has been written stand in its text."""
    symbols = {entry.name: entry.at for entry in module.entries}
    symbols |= {variable.name: at for variable, at in module.globals}
    ops = [[entry.starts[id(op)] for op in entry.body.walk()] for entry in module.entries]
    return TextPositions(name, text, bytecode.original, symbols, ops, module.attribute_places)


BYTE_ORDER_MARK = "\ufeff"
UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")
"""Its byte order marks, which are no UTF-8, as bytes that are none are read."""


def _check_characters(text: str, name: str) -> None:
    """Refuse another encoding, and half of a surrogate pair, which is no character."""
    if text.startswith(UTF_16):
        raise AssemblyError(name, [Problem(1, 1, "this is UTF-16; text is to be UTF-8", "", 1)])
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        column = error.start - (text.rfind("\n", 0, error.start) + 1) + 1
        source = text[error.start - column + 1 :].partition("\n")[0]
        problem = Problem(line, column, "half of a surrogate pair", source, 1)
        raise AssemblyError(name, [problem]) from None


def _written(module: ModuleReader, version: Version, limits: Limits) -> bytes:
    """The bytes of the module. What reading has not found out about is told at the item."""
    writer, report, at = Writer(version), module.source.report, 0
    writer.tables.limits = limits
    try:
        if module.producer is not None:
            at = module.producer[1]
            record = {"producer": writer.tables.string(module.producer[0])}
            writer.replace("Producer", record)
        functions, variables = [], []
        for entry in module.entries:
            at = entry.at
            functions.append(writer.function(entry))
        for variable, where in module.globals:
            at = where
            variables.append(writer.variable(variable))
        writer.replace("Func", functions)
        if variables:
            writer.replace("Global", variables)
        return writer.file()
    except BuildError as error:
        report.add(str(error), at)
        raise report.error() from None
