"""Which values of a kernel are the variables of its source, if that is Python and can be read.

Bytecode has no names of variables, but the line and column of each op: those of the expression that
it computes. `x = f(y) + 1` makes the last op of `f(y) + 1` the value of `x`. Several ops may have
the position of one expression: those that others of them use are parts of it.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tileir.ir import Op, Value
from tileir.ir.locations import CallSite, LexicalBlock, SourceLocation, Subprogram
from tileir.types import Pointer, Tile

MAX_BYTES = 1 << 22
"""Larger files are not read."""

Position = tuple[int, int]


def source_names(function: Any) -> dict[Value, str]:
    """Return the names of those tiles of a function, or of a kernel, that are variables."""
    names: dict[Value, str] = {}
    for op in function.walk():
        for number, name in _assigned(op).items():
            if number < len(op.results) and is_shown(op.results[number]):
                names[op.results[number]] = name
    for op in reversed(list(function.walk())):  # the inner ones of nested ops first
        if op.regions:
            names |= _carried(op, names)
    return names


def is_shown(value: Value) -> bool:
    """Whether a value is a tile of numbers."""
    return isinstance(value.type, Tile) and not isinstance(value.type.element, Pointer)


def kernel_name(function: Any) -> str:
    """Return the name of a kernel in source, where that is known, or else its symbol."""
    at = function.location.innermost if function.location is not None else None
    scope = at.scope if at is not None else None
    while isinstance(scope, LexicalBlock):
        scope = scope.scope
    if isinstance(scope, Subprogram) and scope.linkage_name == function.name:
        return scope.name
    return function.name


def _assigned(op: Op) -> dict[int, str]:
    """Return the variables that the results of an op are assigned to, by the results' numbers."""
    for position, source, is_whole in _levels(op.location):
        if position in source.assigned and not _is_part(op):
            return dict(enumerate(source.assigned[position]))
        if not is_whole:
            break
    return {}


def _levels(location: Any) -> Iterator[tuple[Position, _Source, bool]]:
    """Yield the positions of an op from the inside out, as long as it is all of what is returned.

    Of an op of an inlined function, these are the position in it and those of the calls.
    """
    while location is not None:
        inner = location.callee if isinstance(location, CallSite) else location
        outer = location.caller if isinstance(location, CallSite) else None
        if not isinstance(inner, SourceLocation):
            return
        source = _source(inner.filename)
        position = (inner.line, inner.column)
        yield position, source, position in source.returned
        location = outer


def _is_part(op: Op) -> bool:
    """Whether an op at the same position uses what the op computes."""
    place = op.location_text
    tiles = filter(is_shown, op.results)
    return any(use.op.location_text == place for result in tiles for use in result.uses)


def _carried(op: Op, names: dict[Value, str]) -> dict[Value, str]:
    """Return the names of the results and arguments of an op with regions: what they take over."""
    found: dict[Value, str] = {}
    for region in op.regions:
        for block in region.blocks:
            if not block.ops:
                continue
            handed = list(block.ops[-1].operand_list())
            arguments = block.arguments[-len(handed) :] if handed else []
            for number, value in enumerate(handed):
                for other in (op.results[number : number + 1], arguments[number : number + 1]):
                    if value in names and other and is_shown(other[0]) and op.name in _CARRYING:
                        found.setdefault(other[0], names[value])
            if op.name == "for" and isinstance(op.location, SourceLocation):
                counted = _source(op.location.filename).counted
                name = counted.get((op.location.line, op.location.column))
                if name:
                    found[block.arguments[0]] = name
    return found


_CARRYING = ("for", "if", "loop")


@dataclass(frozen=True, slots=True)
class _Source:
    """What a Python file assigns: positions of expressions -> variables, in their order.

    `counted` has the variables of loops, by the positions of the loops; `returned` the positions of
    expressions after `return`.
    """

    assigned: dict[Position, tuple[str, ...]] = field(default_factory=dict)
    counted: dict[Position, str] = field(default_factory=dict)
    returned: set[Position] = field(default_factory=set)


@lru_cache(maxsize=32)
def _source(filename: str) -> _Source:
    found = _Source()
    try:
        tree = ast.parse("".join(_lines(filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    _assign(found, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                _assign(found, target, value)
            case ast.NamedExpr(target=target, value=value):
                _assign(found, target, value)
            case ast.AugAssign(target=ast.Name(id=name)):
                found.assigned[_position(node)] = (name,)
            case ast.For(target=ast.Name(id=name)):
                found.counted[_position(node)] = name
            case ast.Return(value=ast.expr() as value):
                found.returned.add(_position(value))
    return found


def _assign(found: _Source, target: ast.expr, value: ast.expr) -> None:
    match target, value:
        case ast.Name(id=name), _:
            found.assigned[_position(value)] = (name,)
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                _assign(found, one, other)
        case ast.Tuple(elts=targets), _ if all(isinstance(each, ast.Name) for each in targets):
            found.assigned[_position(value)] = tuple(
                each.id for each in targets if isinstance(each, ast.Name)
            )


def _position(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def _lines(filename: str) -> list[str]:
    """Return the lines of a Python file or of a cell of a notebook; none of anything else."""
    if filename not in linecache.cache:
        try:
            is_file = os.path.isfile(filename) and os.path.getsize(filename) <= MAX_BYTES
        except (OSError, ValueError):
            return []
        if not (is_file and filename.endswith(".py")):
            return []
    return linecache.getlines(filename)
