"""`tileir run`: one kernel on the CPU, with arrays from .npy files."""

from __future__ import annotations

import argparse
import io
import re
from typing import TYPE_CHECKING

import tileir
from tileir.bytecode import Bytecode, Function
from tileir.command import UsageError, open_input, write_output
from tileir.references import display
from tileir.types import Pointer, Tile

if TYPE_CHECKING:
    import numpy as np

ARRAY = "a .npy file or zeros:SHAPE:DTYPE"
NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?|true|false", re.IGNORECASE)
"""What is given for a scalar and hardly ever the name of a file."""

EXAMPLES = """\
arguments of the kernel, one --arg for each parameter of the entry, in order:
  a pointer   the path of a .npy file, or zeros:SHAPE:DTYPE for a new array (float32 or f32)
  a scalar    a number; its type is the parameter's
  `tileir run FILE --list` shows the entries and their parameters.

The kernel gets addresses, as on a GPU: extents and strides are what its scalar arguments say, and
an extent larger than the array makes it write outside.

examples:
  tileir run k.tileirbc --entry scale --grid 4 --arg x.npy --arg 1000 --arg 2.5 --save 0=y.npy
  tileir run k.tileirbc --grid 2,3 --arg zeros:64x48:float32 --arg 64 --arg 48 --save 0=out.npy
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Run a kernel of a Tile IR bytecode file on this machine's CPU."
    parser.epilog = EXAMPLES
    parser.add_argument("file", metavar="FILE", help="bytecode file, or - for standard input")
    parser.add_argument("--entry", metavar="NAME", help="the kernel, if the file has several")
    parser.add_argument("--grid", metavar="X[,Y[,Z]]", default="1", help="tile blocks (default: 1)")
    parser.add_argument(
        "--arg",
        metavar="VALUE",
        action="append",
        default=[],
        dest="values",
        help="the next argument: a .npy file, zeros:SHAPE:DTYPE, or a number",
    )
    parser.add_argument(
        "--save",
        metavar="N=FILE",
        action="append",
        default=[],
        help="write the array of parameter N, counted from 0, to a .npy file afterwards",
    )
    parser.add_argument("--threads", metavar="N", type=int, help="threads (default: all cores)")
    parser.add_argument("--list", action="store_true", help="list entries and parameters, run none")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    bytecode = Bytecode.parse(open_input(arguments.file))
    if arguments.list:
        for function in bytecode.functions:
            print(display(function.name))
            for number, type in enumerate(function.type.parameters):
                print(f"  {number}  {type.element}")
        return 0
    function = _choose(bytecode, arguments.entry)
    grid = _grid(arguments.grid)
    values = _values(function, arguments.values)
    saves = [_save(text, values) for text in arguments.save]
    kernel = tileir.compile(bytecode, "host", symbols=[function.name])[function.name]
    kernel.launch(grid, values, threads=arguments.threads)
    for number, path in saves:
        write_output(path, _npy(values[number]))
    return 0


def _choose(bytecode: Bytecode, name: str | None) -> Function:
    names = [function.name for function in bytecode.functions]
    shown = ", ".join(map(display, names))
    if name is None and len(names) == 1:
        return bytecode.functions[0]
    if name in names:
        return bytecode.function(name)
    if not names:
        raise UsageError("the file has no kernel")
    problem = "--entry is needed" if name is None else f"there is no entry {name!r}"
    raise UsageError(f"{problem}; the file has {shown}")


def _grid(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if len(parts) > 3 or not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--grid takes one to three numbers such as 4,1,1, not {text!r}")
    return tuple(map(int, parts))


def _values(function: Function, texts: list[str]) -> list[object]:
    parameters = function.type.parameters
    if len(texts) != len(parameters):
        takes = "one argument" if len(parameters) == 1 else f"{len(parameters)} arguments"
        raise UsageError(
            f"{display(function.name)} takes {takes}, not {len(texts)}; --list shows them"
        )
    return [
        _value(type, text, number)
        for number, (type, text) in enumerate(zip(parameters, texts, strict=True))
    ]


def _value(type: Tile, text: str, number: int) -> object:
    if isinstance(type.element, Pointer):
        return _array(text, number, type.element)
    if type.element.is_float:
        convert, wanted = float, "a number"
    elif type.element.bits == 1:
        convert, wanted = _truth, "true or false"
    else:
        convert, wanted = lambda number: int(number, 0), "a whole number"
    try:
        return convert(text)
    except ValueError:
        raise UsageError(f"argument {number} is {type}: {text!r} is not {wanted}") from None


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "1", "false", "0"):
        raise ValueError(text)
    return text.lower() in ("true", "1")


def _array(text: str, number: int, type: Pointer) -> np.ndarray:
    import numpy as np

    if text.startswith("zeros:"):
        return _zeros(text, number)
    what = f"argument {number} is a {type}"
    try:
        array = np.load(io.BytesIO(open_input(text)), allow_pickle=False)
    except (ValueError, EOFError):
        array = None
    except OSError as error:
        if NUMBER.fullmatch(text):
            raise UsageError(f"{what}, which {text} is not; give {ARRAY}") from None
        raise UsageError(f"{what}: {text}: {error.strerror or error}") from None
    if not isinstance(array, np.ndarray):
        raise UsageError(f"{what}: {text} is not a .npy file of numbers")
    return array


def _zeros(text: str, number: int) -> np.ndarray:
    import ml_dtypes  # noqa: F401 - teaches NumPy the names bfloat16, float8_e4m3fn, ...
    import numpy as np

    from tileir.arrays import DTYPES

    match = re.fullmatch(r"zeros:(\d+(?:x\d+)*):(\w+)", text)
    if match is None:
        raise UsageError(
            f"argument {number}: {text!r} is not zeros:SHAPE:DTYPE, as in zeros:64x48:float32"
        )
    try:
        return np.zeros(
            tuple(map(int, match[1].split("x"))),
            DTYPES[match[2]] if match[2] in DTYPES else np.dtype(match[2]),
        )
    except TypeError:
        raise UsageError(f"argument {number}: there is no element type {match[2]!r}") from None
    except (MemoryError, ValueError):
        raise UsageError(f"argument {number}: no memory for {text}") from None


def _save(text: str, values: list[object]) -> tuple[int, str]:
    number, equals, path = text.partition("=")
    if not equals or not path or not (number.isascii() and number.isdecimal()):
        raise UsageError(f"--save takes N=FILE, as in 0=out.npy, not {text!r}")
    if len(number) > 9 or int(number) >= len(values):
        has = f"the last one is {len(values) - 1}" if values else "the kernel has none"
        raise UsageError(f"--save {text}: there is no argument {number}; {has}")
    if isinstance(values[int(number)], bool | int | float):
        raise UsageError(f"--save {text}: argument {number} is a scalar, not an array")
    return int(number), path


def _npy(array: np.ndarray) -> bytes:
    import numpy as np

    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()
