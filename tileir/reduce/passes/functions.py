"""Passes on what a module consists of: functions and globals go, and parameters of functions."""

from __future__ import annotations

from functools import partial

from tileir.bytecode import Bytecode, Function, Global
from tileir.reduce.edit import Edit

from .candidate import Candidate, Unit, in_edit


def functions(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out a function or a global."""
    return [
        *(partial(_without_function, function) for function in bytecode.functions),
        *(partial(_without_global, variable) for variable in bytecode.globals),
    ]


def _without_function(function: Function, candidate: Candidate) -> None:
    candidate.bytecode.functions.remove(function)


def _without_global(variable: Global, candidate: Candidate) -> None:
    candidate.bytecode.globals.remove(variable)


def parameters(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out a parameter."""
    return [
        in_edit(Edit.drop_parameter, function, value)
        for function in bytecode.functions
        for value in function.parameters
    ]
