"""`assemble`: it reads a whole text, and writes it as bytecode."""

from __future__ import annotations

import contextlib
import re
from types import MappingProxyType

from tileir.bytecode import Bytecode
from tileir.errors import AssemblyError, BuildError, Problem
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import LATEST, PREVIEW, Version
from tileir.launch.attributes import LaunchAttributes
from tileir.read.declarations import Declaration
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
    """Return the module of a text, which tileirdisasm printed or which is MLIR's spelling of it.

    version  bytecode version to write, the latest if None; with the header's bit for
             public-preview content if that is the latest and the text has such content
    name     name of the text in messages, for example its file

    Raises AssemblyError, which lists everything that is wrong with the text, or that the version
    lacks; BuildError if there is no such version. Attributes that bytecode cannot hold are in the
    module's `launch_attributes`, and the positions of its parts in its `text`.
    """
    chosen = LATEST if version is None else supported(version)
    if chosen == PREVIEW.plain and isinstance(text, str) and PREVIEW_WORD.search(text):
        chosen = PREVIEW
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
            {entry: MappingProxyType(stated) for entry, stated in module.entry_attributes.items()}
        ),
        tuple(module.names),
    )
    bytecode.text = _positions(module, text, name, bytecode)
    return bytecode


def _positions(module: ModuleReader, text: str, name: str, bytecode: Bytecode) -> TextPositions:
    """Return the positions of a module's parts in its text."""
    symbols = {entry.name: entry.at for entry in module.entries}
    symbols |= {variable.name: at for variable, at in module.globals}
    ops = [[entry.starts[id(op)] for op in entry.body.walk()] for entry in module.entries]
    return TextPositions(name, text, bytecode.original, symbols, ops, module.attribute_positions)


PREVIEW_WORD = re.compile(r"(?<![\w$.])preview\$\w")
"""What the text of public-preview content begins with."""

BYTE_ORDER_MARK = "\ufeff"
UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")
"""The byte order marks of UTF-16, read as UTF-8 with surrogate escapes."""


def _check_characters(text: str, name: str) -> None:
    """AssemblyError for UTF-16, and for half of a surrogate pair, which is no character."""
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
    """Return the bytes of the module; AssemblyError, located at an item, if writing fails."""
    writer, report, at = Writer(version), module.source.report, 0
    writer.tables.limits = limits
    try:
        if module.producer is not None:
            at = module.producer[1]
            record = {"producer": writer.tables.string(module.producer[0])}
            writer.replace("Producer", record)
        functions, variables = [], []
        for item, position in module.in_order():
            at = position
            declared = isinstance(item, Declaration)
            functions.append(writer.declaration(item) if declared else writer.function(item))
        for variable, position in module.globals:
            at = position
            variables.append(writer.variable(variable))
        writer.replace("Func", functions)
        if variables:
            writer.replace("Global", variables)
        return writer.file()
    except BuildError as error:
        report.add(str(error), at)
        raise report.error() from None
