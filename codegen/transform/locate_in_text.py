"""The lines of a text as source locations, for a module whose text names no other source."""

from __future__ import annotations

from tileir.bytecode import Bytecode
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram


def with_text_lines(bytecode: Bytecode) -> Bytecode:
    """The module with every op where it stands in the text that the module was assembled from.

    The module itself if it was not, if the text says where something comes from, by `loc(...)`, or
    if the module has been edited since.
    """
    text = bytecode.text
    if text is None or bytecode.debug is not None:
        return bytecode
    if any(function.touched for function in bytecode.functions) and (
        bytecode.build(check=False) != bytecode.data
    ):
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
