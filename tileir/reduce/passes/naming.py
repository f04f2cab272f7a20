"""Passes on what says something about a module and computes nothing: locations, hints, names."""

from __future__ import annotations

from functools import partial

from tileir.attributes import Hints
from tileir.bytecode import Bytecode, Function
from tileir.ir import Op

from .candidate import Candidate, Unit, ops_of


def locations(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out the source location of an op or function."""
    units: list[Unit] = [
        partial(_without_location, function)
        for function in bytecode.functions
        if function.location is not None
    ]
    return units + [
        partial(_without_location, op) for _, op in ops_of(bytecode) if op.location is not None
    ]


def _without_location(part: Function | Op, candidate: Candidate) -> None:
    part.location = None


def names(bytecode: Bytecode) -> list[Unit]:
    """Return units that take out long names, hints, the producer, attributes of parameters."""
    units: list[Unit] = []
    if bytecode.producer is not None:
        units.append(_without_producer)
    for number, function in enumerate(bytecode.functions):
        name = f"f{number or ''}"
        if len(function.name) > len(name):
            units.append(partial(_renamed, function, name))
        if function.argument_attributes and any(function.argument_attributes):
            units.append(partial(_without_argument_attributes, function))
        if function.hints.entries:
            units.append(partial(_without_hints, function))
    return units


def _without_producer(candidate: Candidate) -> None:
    candidate.bytecode.producer = None


def _renamed(function: Function, name: str, candidate: Candidate) -> None:
    function.name = name


def _without_hints(function: Function, candidate: Candidate) -> None:
    function.hints = Hints({})


def _without_argument_attributes(function: Function, candidate: Candidate) -> None:
    function.argument_attributes = ()
