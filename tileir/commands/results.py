"""The results of a run of a kernel, as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tileir.bytecode import Function
from tileir.errors import EmulationError, KernelError
from tileir.launch.roles import roles_of
from tileir.messages.texts import display
from tileir.messages.wording import counted
from tileir.types import Pointer

from .argument_words import PACKED

if TYPE_CHECKING:
    import numpy as np

SCHEMA = 1


def listing(functions: Sequence[Function], as_json: bool) -> Iterator[str]:
    """Yield lines that show entries, their parameters, and what these are to arrays."""
    if as_json:
        entries = [
            {
                "entry": function.name,
                "parameters": [str(type.element) for type in function.type.parameters],
                **roles_of(function.body).to_json(),
            }
            for function in functions
        ]
        yield json.dumps({"schema": SCHEMA, "entries": entries})
        return
    for function in functions:
        yield display(function.name)
        types = [str(type.element) for type in function.type.parameters]
        width = max(map(len, types), default=0)
        for number, role in enumerate(roles_of(function.body).described()):
            yield f"  {number}  {types[number]:{width}}  {role}"


def numbers_of(array: np.ndarray, type: Pointer) -> np.ndarray:
    """Return the elements of an argument; elements that share a byte are separated."""
    import numpy as np

    if type.pointee.name != PACKED:
        return array
    from tileir.ir.arrays import DTYPES

    packed = array.view(np.uint8)
    pairs = np.stack([packed & 0xF, packed >> 4], axis=-1)
    return pairs.reshape(*array.shape[:-1], -1).view(DTYPES[PACKED])


def heading(number: int, array: np.ndarray, type: Pointer) -> str:
    """Return the line above the numbers of an argument."""
    shape = "x".join(map(str, array.shape)) or "one"
    return f"argument {number}, {type}, {shape} {array.dtype}:"


def remark(function: Function, grid: Sequence[int], by_default: bool, shown: bool) -> str:
    """Return what a user may miss of a run that went well: how many blocks ran, and the results.

    "" if something is `shown` of blocks as many as were asked for, by a grid that is not there
    `by_default`, or of the one block of a kernel that does not ask which one it is.
    """
    blocks = math.prod(grid)
    said = f"{display(function.name)}: {counted(blocks, 'block')} ran"
    if not blocks:
        said += f", as --grid {','.join(map(str, grid))} has none"
    elif by_default and any(op.name == "get_tile_block_id" for op in function.walk()):
        said += ", as no --grid asks for more"
    elif shown:
        return ""
    arrays = any(isinstance(type.element, Pointer) for type in function.type.parameters)
    if blocks and arrays and not shown:
        said += "; --print all shows the arrays, --save N=FILE writes that of parameter N"
    return said


def timing(seconds: Sequence[float], values: Sequence[Any]) -> dict[str, Any]:
    """Return best and median time, and the memory rate if each byte of the arrays is moved once."""
    best = min(seconds)
    size = sum(getattr(value, "nbytes", 0) for value in values)
    rate = size / best / 1e9 if best else 0.0
    middle = sorted(seconds)[len(seconds) // 2]
    return {
        "runs": len(seconds),
        "best_s": best,
        "median_s": middle,
        "bytes": size,
        "gb_per_s": rate,
    }


def timing_line(time: dict[str, Any]) -> str:
    """Return the result of `timing` as a sentence."""
    runs = "1 run" if time["runs"] == 1 else f"{time['runs']} runs"
    line = f"best of {runs}: {_seconds(time['best_s'])}, median {_seconds(time['median_s'])}"
    if time["bytes"]:
        size = time["bytes"] / 1e6
        line += f"; {time['gb_per_s']:.3g} GB/s if each of {size:.4g} MB in arrays is touched once"
    return line


def _seconds(number: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if number * factor >= 1:
            return f"{number * factor:.3f} {unit}"
    return f"{number * 1e6:.1f} us"


def as_json(
    function: Function,
    grid: Sequence[int],
    values: Sequence[Any],
    printed: Sequence[int],
    time: dict[str, Any] | None,
    counts: Any = None,
) -> dict[str, Any]:
    """Return a run as an object; `printed` are the arguments whose numbers it includes.

    `counts` are those of a run that counted.
    """
    arguments = []
    for number, (type, value) in enumerate(zip(function.type.parameters, values, strict=True)):
        row: dict[str, Any] = {"number": number, "type": str(type.element)}
        if isinstance(type.element, Pointer):
            row |= {"dtype": str(value.dtype), "shape": list(value.shape)}
            if number in printed:
                row["values"] = _plain(numbers_of(value, type.element).tolist())
        else:
            row["value"] = _plain(value)
        arguments.append(row)
    return {
        "schema": SCHEMA,
        "entry": function.name,
        "grid": list(grid),
        "arguments": arguments,
        "time": time,
        **({} if counts is None else {"counts": counts.to_json()}),
    }


def failure(file: str, error: Exception, message: str) -> dict[str, Any]:
    """Return an error of a run as an object."""
    details: dict[str, Any] = {"message": message}
    if isinstance(error, KernelError):
        details |= {
            "op": error.op,
            "entry": error.kernel,
            "block": error.block,
            "indices": error.indices,
            "location": error.location,
        }
    elif isinstance(error, EmulationError):
        details |= {
            "kind": error.kind,
            "line": error.line,
            "block": error.block,
            "threads": error.threads,
            "address": error.address,
        }
    return {"schema": SCHEMA, "file": file, "error": details}


def _plain(value: Any) -> Any:
    """Return numbers in JSON's types: infinities and NaN become strings, small floats floats."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int):
        return value
    number = float(value)
    return number if math.isfinite(number) else str(number)
