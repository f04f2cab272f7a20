"""Rules about public-preview content: extern functions, their implementations, and calls.

They are those of tileirdisasm 13.5.37, in its words. Not checked is what it computes about layouts:
whether the modes of a memory layout overlap, and how participants of several fragments agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tileir.attributes import EnumAttribute
from tileir.expressions import (
    EXPRESSIONS,
    ConcreteType,
    ConstParam,
    ExprConstStr,
    ExprInt,
    ExprVar,
    SymbolicTuple,
    qualified,
)
from tileir.formats.enums import ACCESS
from tileir.ir import Op
from tileir.read.declarations import Declaration, ExternFunction, Implementation
from tileir.types import Fragment, ParameterType, SymbolicTile, SymbolicType, Tile
from tileir.verifier.catalogue import declare

FUNCTION = declare(
    "extern-function",
    "In public preview: an extern function is private and takes one tile or more. Each parameter "
    "says by `cuda_tile.preview$access` whether it is read or written; written ones have the types "
    "of the first results. Its constant parameters have different names, and its types use no "
    "other variables than those.",
)
IMPLEMENTATION = declare(
    "extern-implementation",
    "In public preview: an implementation is private and returns nothing. Its parameters are "
    "fragments with an access each; the map of a fragment has three modes (invocation, "
    "participant, footprint), whose footprint is as large as the fragment, and as many "
    "participants as its synchronization needs. No other variables are in fragments than constant "
    "parameters.",
)
CALL = declare(
    "preview-call",
    "In public preview: a call names an extern function of the module, and gives a value for each "
    "parameter and a constant for each constant parameter, of its types.",
)

KEY = "cuda_tile.preview$access"
PARAMETER_TYPES = ("index", "preview$shape", "preview$Datatype", "preview$string")
PARTICIPANTS = {"warp": 32, "warpgroup": 128}
"""Synchronization -> the number of threads of which the participants are a multiple."""

LARGEST_SIZE = (1 << 63) - 1
"""The most coordinates of a mode."""

PUBLIC = "symbol declaration cannot have public visibility"


def declaration_problem(declared: Declaration) -> str | None:
    """Return what is wrong with a function without a body."""
    if not declared.private:
        return PUBLIC
    problems = _extern if isinstance(declared, ExternFunction) else _implementation
    return next(iter(problems(declared)), None)  # type: ignore[operator]


def _extern(function: ExternFunction) -> Iterator[str]:
    """Yield what is wrong with an extern function, in the order of NVIDIA's checks."""
    inputs = function.type.parameters
    if not inputs:
        yield "extern functions must declare at least one input"
    yield from _const_params(function.const_params, wild=False)
    for word, types in (("input", inputs), ("result", function.type.results)):
        for index, type in enumerate(types):
            if isinstance(type, Fragment):
                yield (
                    f"{word} type {index} must not be a cuda_tile.preview$fragment; fragments are "
                    f"only valid in preview$extern_impl signatures, got '{qualified(type)}'"
                )
            if not isinstance(type, Tile | SymbolicTile):
                yield f"{word} type {index} must be a cuda_tile.tile, got '{qualified(type)}'"
    for index in range(len(inputs)):
        if not _access(function.argument_attributes, index):
            yield f"extern function argument {index} must have a '{KEY}' arg attr"
    bound = [
        index
        for index in range(len(inputs))
        if _access(function.argument_attributes, index) in ("out", "inout")
    ]
    if len(bound) > len(function.type.results):
        yield "number of bound inouts exceeded the number of results"
    for result, (index, type) in enumerate(zip(bound, function.type.results, strict=False)):
        if inputs[index] != type:
            yield f"extern function argument {index} must match result {result}"
    known = {param.name for param in function.const_params}
    for word, types in (("input", inputs), ("result", function.type.results)):
        for name in _variables({id(type): type for type in types}.values()):
            if name not in known:
                yield f"{word} type references undeclared symbolic variable '{name}'"


def _implementation(implementation: Implementation) -> Iterator[str]:
    type = implementation.type
    if implementation.config is not None:
        yield "extern_impl must not carry 'config'"
    if type.results:
        yield (
            "extern_impl must not declare results; outputs are represented as 'out' or 'inout' "
            f"fragment args, got {len(type.results)}"
        )
    if not type.parameters or not all(isinstance(part, Fragment) for part in type.parameters):
        yield "function_type must have at least one input and all inputs must be fragment types"
    yield from _const_params(implementation.const_params or (), wild=True)
    for index in range(len(type.parameters)):
        if not _access(implementation.argument_attributes or (), index):
            yield f"extern_impl argument {index} is missing '{KEY}' attr"
    if not all(isinstance(name, str) for name in implementation.arch or ()):
        yield "attribute 'arch' failed to satisfy constraint: string array attribute"
    for index, fragment in enumerate(type.parameters):
        yield from _fragment(index, fragment, implementation.synchronization)
    known = {param.name for param in implementation.const_params or ()}
    for index, fragment in enumerate(type.parameters):
        for field, parts in _parts(fragment).items():
            for name in _variables(parts):
                if name not in known:
                    problem = f"field {field} references an undeclared symbolic variable {name}"
                    yield f"argument {index} {problem}"


def _parts(fragment: Any) -> dict[str, Sequence[Any]]:
    """Return the expressions of each field of a fragment."""
    memory, fragmap = fragment.mem_layout, fragment.fragmap
    return {
        "shape": fragment.extents,
        "mem_layout": (*memory.shape, *memory.stride),
        "fragmap": (*fragmap.shape, *fragmap.stride),
        "alignment": (fragment.alignment,),
    }


def _fragment(index: int, fragment: Any, synchronization: str | None) -> Iterator[str]:
    for word, modes in (("shape", fragment.fragmap.shape), ("stride", fragment.fragmap.stride)):
        if len(modes) != 3:
            yield (
                f"fragment arg {index} fragmap must have 3 {word} modes (invocation, participant, "
                f"footprint), got {len(modes)}"
            )
    sizes = [_size(mode) for mode in fragment.fragmap.shape]
    if any(size is not None and size > LARGEST_SIZE for size in sizes):
        yield (
            f"fragment arg {index} fragmap modes must contain signed 64-bit shape leaves with "
            "representable products"
        )
    _, participants, footprint = sizes
    elements = _size(SymbolicTuple(fragment.extents))
    if footprint is not None and elements is not None and footprint != elements:
        yield (
            f"fragment arg {index} fragmap footprint mode size ({footprint}) must equal the "
            f"fragment element count ({elements})"
        )
    needed = PARTICIPANTS.get(synchronization or "")
    if needed and participants is not None and (participants % needed or participants <= 0):
        yield (
            f"synchronization '{synchronization}' requires the fragmap participant mode size "
            f"({participants}) to be a positive multiple of {needed}"
        )


def _size(mode: Any) -> int | None:
    """Return the number of coordinates of a mode; None if that is an expression.

    A number of more than 64 bits is not multiplied further: it is too large as it is.
    """
    if isinstance(mode, ExprInt):
        return mode.number
    if not isinstance(mode, SymbolicTuple):
        return None
    size = 1
    for part in map(_size, mode.elements):
        if part is None:
            return None
        if size <= LARGEST_SIZE:
            size *= part
    return size


def _const_params(params: Sequence[Any], wild: bool) -> Iterator[str]:
    seen: set[str] = set()
    for index, param in enumerate(params):
        if not isinstance(param, ConstParam):
            what = "array of Compile-time constant parameter declaration values"
            yield f"attribute 'const_params' failed to satisfy constraint: {what}"
            return
        if not param.name:
            yield "constant parameter name cannot be empty"
        if param.name == "?" and wild:
            continue
        if param.name == "?":
            where = f"const_params[{index}]"
            yield f"{where}: '?' wildcard is only valid in extern_impl const_params"
        if param.name in seen:
            yield f"duplicate constant parameter name: '{param.name}'"
        seen.add(param.name)
        type = param.type
        if not isinstance(type, ParameterType) or type.name not in PARAMETER_TYPES:
            yield (
                "constant parameter type must be index, !cuda_tile.preview$shape, "
                "!cuda_tile.preview$Datatype, or !cuda_tile.preview$string, got "
                f"'{qualified(type)}'"
            )


def _access(attributes: Sequence[Any], index: int) -> str:
    """Return the access that the attributes of a parameter state; "" if there is none."""
    stated = attributes[index] if index < len(attributes) else None
    access = stated.get(KEY) if isinstance(stated, dict) else None
    if isinstance(access, EnumAttribute) and access.enum == ACCESS.name:
        return access.name
    return ""


def _variables(types: Iterable[Any]) -> Iterator[Any]:
    """Yield the names of the variables in types."""
    waiting: list[Any] = list(reversed(list(types)))
    while waiting:
        part = waiting.pop()
        match part:
            case ExprVar():
                yield part.name
            case SymbolicType():
                waiting.append(part.symbol)
            case SymbolicTile():
                waiting += [part.element, *reversed(part.extents)]
            case SymbolicTuple():
                waiting += reversed(part.elements)
            case _:
                names = ("lhs", "rhs", "operand")
                waiting += [getattr(part, name) for name in names if hasattr(part, name)]


# Calls ------------------------------------------------------------------------------------------


def call_problem(op: Op, functions: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a call; `functions` has the functions of the module by name."""
    callee = functions.get(op.attributes["callee"])
    if not all(isinstance(argument, EXPRESSIONS) for argument in op.attributes["const_args"]):
        what = "array of symbolic expression attribute values"
        return f"attribute 'const_args' failed to satisfy constraint: {what}"
    if callee is None:
        return None  # NVIDIA's reader leaves it to the linker
    if not isinstance(callee, ExternFunction):
        return f"'{op.attributes['callee']}' does not reference a valid preview$func"
    return next(_call(op, callee), None)


def _call(op: Op, callee: ExternFunction) -> Iterator[str]:
    """Yield what of a call differs from the extern function, in the order of NVIDIA's checks."""
    given, wanted = op.attributes["const_args"], callee.const_params
    operands, results = [*op.operand_list()], op.results
    for word, values, types in (
        ("input", operands, callee.type.parameters),
        ("result", results, callee.type.results),
    ):
        if len(values) != len(types):
            yield (
                f"{word} count ({len(values)}) must match extern preview$func {word} count "
                f"({len(types)})"
            )
    if len(given) != len(wanted):
        yield (
            f"constant argument count ({len(given)}) must match extern function constant parameter "
            f"count ({len(wanted)})"
        )
    for index, (argument, param) in enumerate(zip(given, wanted, strict=True)):
        if not isinstance(param, ConstParam) or str(param.type) not in KINDS:
            continue  # which is a problem of the function
        where = f"constant argument #{index} for constant parameter '{param.name}' must be"
        for name in _variables([argument]):
            yield f"{where} statically known; references symbolic variable '{name}'"
        if not _fits(argument, param.type):
            yield f"{where} a valid {KINDS[str(param.type)]} expression"
    for word, values, types in (
        ("operand", operands, callee.type.parameters),
        ("result", results, callee.type.results),
    ):
        for index, (value, type) in enumerate(zip(values, types, strict=True)):
            if isinstance(type, Tile) and value.type != type:
                yield f"{word} type mismatch at index {index}"


KINDS = {
    "index": "integer",
    "preview$shape": "shape",
    "preview$Datatype": "type",
    "preview$string": "string",
}
"""Type of a constant parameter -> the kind of expression that it takes."""


def _fits(argument: Any, type: Any) -> bool:
    """Whether an argument may be of the kind of a constant parameter."""
    kinds = {
        "preview$shape": SymbolicTuple,
        "preview$Datatype": ConcreteType,
        "preview$string": ExprConstStr,
    }
    if str(type) in kinds:
        return isinstance(argument, kinds[str(type)])
    return not isinstance(argument, tuple(kinds.values()))
