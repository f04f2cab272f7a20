"""Uses the lines of assembly text as source locations, if the text has no `loc(...)`."""

from __future__ import annotations

from tileir.bytecode import Bytecode
from tileir.errors import BuildError
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram


def with_text_lines(bytecode: Bytecode) -> Bytecode:
    """Return the module with each op located in the text that it was assembled from.

    It is returned unchanged if it was not assembled from text, if the text has locations, or if it
    has been edited since.
    """
    text = bytecode.text
    if text is None or bytecode.debug is not None:
        return bytecode
    if _edited(bytecode):
        return bytecode
    made = Bytecode.parse(bytecode.data, limits=bytecode.limits)
    made.launch_attributes, made.text = bytecode.launch_attributes, text
    file = File(text.name, "")
    for function, positions in zip(made.functions, text.ops, strict=True):
        own = text.position(text.symbols[function.name])
        unit = CompileUnit(file)
        scope = Subprogram(file, own.line, function.name, function.name, unit, own.line)
        function.location = SourceLocation(scope, *own)
        for op, position in zip(function.walk(), positions, strict=True):
            op.location = SourceLocation(scope, *text.position(position))
    return made


def _edited(bytecode: Bytecode) -> bool:
    """Whether a module is not what it was assembled as; one that cannot be written is not."""
    try:
        return bytecode.build(check=False) != bytecode.data
    except BuildError:
        return True
