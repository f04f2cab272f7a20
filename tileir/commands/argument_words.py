"""What a command line says of a launch: entry, grid, and words for arguments.

Words are files, new arrays, and numbers.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from tileir.bytecode import Bytecode, Function
from tileir.command_line.exit_codes import UsageError
from tileir.command_line.files import open_input
from tileir.launch.roles import roles_of
from tileir.messages.texts import display
from tileir.messages.wording import counted, did_you_mean
from tileir.types import Pointer, Scalar, Tile

from .launch_on import aligned
from .launch_options import GRID
from .modules import check_entry

if TYPE_CHECKING:
    import numpy as np

ARRAY = "a .npy file, zeros:SHAPE:DTYPE or random:SHAPE:DTYPE[:SEED]"
PACKED = "f4E2M1FN"
"""The element type with two elements per byte; its arrays are of uint8, half as long."""

_NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?|true|false", re.IGNORECASE)
"""A word that is meant for a scalar, and hardly ever the name of a file."""

_NEW = re.compile(r"(zeros|random):(\d{1,19}(?:x\d{1,19}){0,63}):(\w+)(?::(\d{1,39}))?", re.ASCII)
_EXAMPLES = {"zeros": "zeros:64x48:f32", "random": "random:64x48:f32:7"}
_BELOW_ZERO = re.compile(r"[-\dx]*-")
"""A shape with an extent that is none."""
_LISTED = "`tileir run FILE --list` shows them"
_TF32_BITS = 0xFFFFE000
"""The bits of an f32 that a tf32 has."""


def add_launch(parser: argparse.ArgumentParser, usual_grid: str = "") -> None:
    """Add the options that say of a launch which entry, how many blocks, and the arguments.

    `usual_grid` is what help says of a launch without --grid, if there is one.
    """
    add = parser.add_argument
    add("--entry", metavar="NAME", help="the kernel, if the file has several")
    told = f" (default: {usual_grid})" if usual_grid else ""
    add("--grid", metavar=GRID, help=f"tile blocks, up to 16777215 along an axis{told}")
    for option, metavar, prefix, text in (
        ("--arg", "VALUE", "", "the next argument: a .npy file, a new array, or a number"),
        ("--zeros", "SHAPE:DTYPE", "zeros:", "the next argument: a new array of zeros"),
        ("--random", "SHAPE:DTYPE[:SEED]", "random:", "the next argument: a new array of noise"),
    ):
        add(
            option,
            metavar=metavar,
            action="append",
            default=[],
            dest="values",
            type=prefix.__add__,
            help=text,
        )
    add(
        "--array",
        metavar="VALUE",
        action="append",
        dest="values",
        type=ArrayWord,
        help="the next array, with its extents and strides: a .npy file, or a new array",
    )
    add(
        "--convention",
        choices=["cutile"],
        help="with --array: extents and strides lie behind each pointer, as cuTile has it",
    )


def entry_given(bytecode: Bytecode, name: str | None) -> Function:
    """Return the entry of that name, or the only one; UsageError if neither is there."""
    names = [function.name for function in bytecode.functions]
    if name is None and len(names) == 1:
        return bytecode.functions[0]
    if name is None and names:
        raise UsageError(f"--entry is needed; the file has {', '.join(map(display, names))}")
    check_entry(bytecode, name or "")
    return bytecode.function(name or "")


def values_given(function: Function, arguments: argparse.Namespace) -> list[Any]:
    """Return a value for each parameter, by the options of `add_launch`; UsageError."""
    if any(isinstance(word, ArrayWord) for word in arguments.values):
        return values_by_role(function, arguments.values, arguments.convention)
    if arguments.convention:
        raise UsageError("--convention needs --array")
    return values_of(function, arguments.values)


def values_of(function: Function, words: Sequence[str]) -> list[Any]:
    """Return a value for each parameter of the entry; UsageError if a word does not fit."""
    parameters = function.type.parameters
    if len(words) != len(parameters):
        takes = f"takes {counted(len(parameters), 'argument')}, not {len(words)}"
        arrays = any(isinstance(type.element, Pointer) for type in parameters)
        hint = f"{_LISTED}, and --array brings extents and strides along" if arrays else _LISTED
        raise UsageError(f"{display(function.name)} {takes}; {hint}")
    return [
        _value(type, word, number)
        for number, (type, word) in enumerate(zip(parameters, words, strict=True))
    ]


class ArrayWord(str):
    """A word for an array that brings its extents and strides along."""

    __slots__ = ()


def values_by_role(
    function: Function, words: Sequence[str], convention: Literal["cutile"] | None
) -> list[Any]:
    """Return a value for each parameter, given a word for each array and each scalar.

    UsageError if a word does not fit; LaunchError if an array is not as the kernel assumes.
    """
    from tileir.codegen.arguments.by_role import Parameters, arguments_of

    parameters, roles = function.type.parameters, roles_of(function.body)
    takes = roles.arguments
    if convention is None and len(words) != len(takes):
        arrays = sum(not isinstance(each, int) for each in takes)
        text = _arrays_and_numbers(arrays, len(takes))
        if any(role.shape is None for role in roles.arrays):
            text += ", or others with --convention cutile"
        given_arrays = sum(isinstance(word, ArrayWord) or _is_array(word) for word in words)
        were = "was" if len(words) == 1 else "were"
        said = f"{_arrays_and_numbers(given_arrays, len(words))} {were} given"
        raise UsageError(f"{display(function.name)} takes {text}; {said} ({_LISTED})")
    heads = [each if isinstance(each, int) else each.parameter for each in takes]
    given: list[Any] = []
    at = 0
    for number, word in enumerate(words):
        at = at if convention else heads[number]
        if at >= len(parameters):
            break
        pointer = isinstance(parameters[at].element, Pointer)
        if isinstance(word, ArrayWord) and not pointer:
            raise UsageError(f"argument {at} is of {parameters[at].element}, not an array: {word}")
        value = _value(parameters[at], word, at)
        given.append(aligned(value) if pointer else value)
        at += 1 + (2 * value.ndim if pointer else 0)
    given += words[len(given) :]  # too many, which is told next
    elements = [parameter.element for parameter in parameters]
    # What the kernel writes to is not asked: arrays from files repeat no elements.
    return arguments_of(Parameters(function.name, elements, roles, ()), given, convention)


def _arrays_and_numbers(arrays: int, values: int) -> str:
    """Return how many arrays there are among values, and how many numbers, in words."""
    said = [(arrays, "array"), (values - arrays, "number")]
    return " and ".join(counted(*each) for each in said if each[0]) or "no arguments"


def _is_array(word: str) -> bool:
    """Whether a word is meant for an array, by its looks."""
    return word.partition(":")[0] in _EXAMPLES or word.endswith(".npy")


def _value(type: Tile, word: str, number: int) -> Any:
    if isinstance(type.element, Pointer):
        return _array(word, number, type.element)
    if type.element.is_float:
        convert, wanted = _float, "a number"
    elif type.element.bits == 1:
        convert, wanted = _truth, "true or false"
    else:
        convert, wanted = lambda number: int(number, 0), "a whole number"
    try:
        return convert(word)
    except ValueError:
        raise UsageError(f"argument {number} ({type.element}): {word!r} is not {wanted}") from None
    except OverflowError:
        raise UsageError(f"argument {number} ({type.element}): {word} is out of range") from None


def _float(word: str) -> float:
    """Return the number of a word; OverflowError if only its size makes an infinity of it."""
    number = float(word)
    if math.isinf(number) and "inf" not in word.lower():
        raise OverflowError(word)
    return number


def _truth(word: str) -> bool:
    if word.lower() not in ("true", "1", "false", "0"):
        raise ValueError(word)
    return word.lower() in ("true", "1")


def _array(word: str, number: int, type: Pointer) -> np.ndarray:
    kind, colon, _ = word.partition(":")
    if kind in _EXAMPLES:
        return _new(word, number)
    what = f"argument {number} is a {type}"
    meant = did_you_mean(kind, _EXAMPLES) if colon and not os.path.exists(word) else ""
    if meant:
        raise UsageError(f"{what}: there is no file {word}, nor an array of {kind}{meant}")
    return _as_elements(_loaded(word, what), type.pointee)


def _loaded(path: str, what: str) -> np.ndarray:
    import numpy as np

    try:
        array = np.load(io.BytesIO(open_input(path)), allow_pickle=False)
    except (ValueError, EOFError):
        array = None
    except OSError as error:
        if not path or _NUMBER.fullmatch(path):
            raise UsageError(f"{what}, which {path or repr(path)} is not; give {ARRAY}") from None
        raise UsageError(f"{what}: {path}: {error.strerror or error}") from None
    if not isinstance(array, np.ndarray):
        raise UsageError(f"{what}: {path} is not a .npy file of numbers")
    return array


def _as_elements(array: np.ndarray, element: Scalar) -> np.ndarray:
    """Return an array as the element type, which a .npy file may store as untyped bytes."""
    from tileir.ir.arrays import DTYPES

    dtype = DTYPES[element.name]
    nameless = array.dtype.kind == "V" and array.dtype.names is None
    same_size = array.dtype.itemsize == dtype.itemsize and element.name != PACKED
    return array.view(dtype) if nameless and same_size else array


def _new(word: str, number: int) -> np.ndarray:
    """Return the array that `zeros:SHAPE:DTYPE` or `random:SHAPE:DTYPE[:SEED]` describes."""
    import numpy as np

    match = _NEW.fullmatch(word)
    kind, _, described = word.partition(":")  # of `--zeros`, the user has not written the kind
    if match is None or (kind == "zeros" and match[4]):
        form = f"SHAPE:DTYPE{'[:SEED]' if kind == 'random' else ''}"
        example = _EXAMPLES[kind].partition(":")[2]
        why = "; extents are numbers from 0 on" if _BELOW_ZERO.match(described) else ""
        raise UsageError(
            f"argument {number}: {kind} takes {form}, as in {example}, not {described!r}{why}"
        )
    shape = tuple(map(int, match[2].split("x")))
    if match[3] == PACKED:
        if shape[-1] % 2:
            problem = f"two elements share a byte, and {shape[-1]} is odd"
            raise UsageError(f"argument {number}: {described}: {problem}")
        shape = (*shape[:-1], shape[-1] // 2)
    try:
        if kind == "zeros":
            return np.zeros(shape, _dtype(match[3]))
        return _random(shape, match[3], int(match[4] or 0))
    except TypeError:
        raise UsageError(f"argument {number}: there is no element type {match[3]!r}") from None
    except (MemoryError, ValueError, OverflowError):
        raise UsageError(f"argument {number}: no memory for {described}") from None


def _dtype(name: str) -> np.dtype:
    """Return the NumPy type for a name of Tile IR or NumPy."""
    import ml_dtypes  # noqa: F401 - teaches NumPy the names bfloat16, float8_e4m3fn, ...
    import numpy as np

    from tileir.ir.arrays import DTYPES

    if name == PACKED:
        return np.dtype(np.uint8)
    return DTYPES[name] if name in DTYPES else np.dtype(name)


def _random(shape: tuple[int, ...], name: str, seed: int) -> np.ndarray:
    """Return random elements: floats are standard normal, integers have random bits."""
    import numpy as np

    dtype = _dtype(name)
    generator = np.random.default_rng(seed)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu" or name == "fnv8E5M3FNU":
        data = generator.bytes(math.prod(shape) * dtype.itemsize)
        return np.frombuffer(bytearray(data), dtype).reshape(shape)
    if dtype.kind not in "fV":
        raise TypeError(name)
    numbers = generator.standard_normal(shape)
    if name in ("f8E8M0FNU", "float8_e8m0fnu"):
        numbers = np.exp2(np.rint(numbers))
    if name == "tf32":
        bits = numbers.astype(np.float32).view(np.uint32)
        return (bits & np.uint32(_TF32_BITS)).view(np.float32)
    return numbers.astype(dtype)
