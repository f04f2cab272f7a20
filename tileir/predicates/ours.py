"""What our own tools answer about a file; it runs in a child that may be killed.

An exception that is no TileIRError ends the child, and is a crash: a defect of ours.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import tileir
from tileir.commands.launch_on import aligned
from tileir.commands.modules import module_in
from tileir.errors import EmulationError, KernelError, LaunchError, TileIRError, UnsupportedError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import compiling

from .answer import Answer, Values

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

NAME = "module"
"""What messages call the file."""
Grid = int | Sequence[int]
"""The grid of launches, or blocks along each axis whose index a kernel uses."""
Without = Mapping[str, Sequence[str]]
"""Family of targets -> optional stages that are left out."""


def answer(data: bytes) -> bytes:
    """Return what the function named on the first line answers about the rest."""
    name, _, rest = data.partition(b"\n")
    function = FUNCTIONS[name.decode()]
    without = _request(rest)[0]["without"] if function in (ptx_made, checked, launched) else {}
    if not without:
        return function(rest)
    with compiling(), not_forking:
        from tileir.codegen import optional_stages
    with optional_stages.without(without):
        return function(rest)


def disassembled(data: bytes) -> bytes:
    """Print it as text."""
    try:
        return Answer(text=tileir.disassemble(module_in(data, NAME))).to_bytes()
    except TileIRError as error:
        return _without_answer(error)


def verified(data: bytes) -> bytes:
    """Say whether it is valid."""
    try:
        found = tileir.verify(module_in(data, NAME))
    except TileIRError as error:
        return Answer(verdict=False, said=str(error)).to_bytes()
    valid = not any(each.severity == "error" for each in found)
    return Answer(verdict=valid, said="\n".join(map(str, found))).to_bytes()


def ptx_made(data: bytes) -> bytes:
    """Compile it for a GPU: the answer's text is the PTX."""
    request, module = _request(data)
    try:
        compiled = _compiled(module_in(module, NAME), request["target"])
    except TileIRError as error:
        return _without_answer(error)
    return Answer(text=compiled.ptx).to_bytes()


def checked(data: bytes) -> bytes:
    """Launch each entry on the CPU under checks: the answer's text is the first grid of some that
    does nothing undefined, as JSON."""
    with not_forking:
        from .arguments import GRIDS

    request, module = _request(data)
    problem: Exception | None = None
    for grid in [request["grid"]] if request["grid"] else GRIDS:
        try:
            for _ in _values(module_in(module, NAME), "host", grid, check=["memory", "undefined"]):
                pass
            return Answer(text=json.dumps(grid)).to_bytes()
        except KernelError as error:
            problem = problem or error
        except TileIRError as error:
            return _without_answer(error)
    assert problem is not None
    return _without_answer(problem)


def launched(data: bytes) -> bytes:
    """Launch each entry, on the CPU or on the emulator, with arguments made by its roles.

    On the emulator, what the PTX must not do is a crash.
    """
    request, module = _request(data)
    try:
        values = _values(module_in(module, NAME), request["target"], request["grid"])
        return Answer(values=tuple(values)).to_bytes()
    except (LaunchError, UnsupportedError) as error:  # some of the emulator's are among them
        return _without_answer(error)
    except EmulationError as error:
        return Answer(said=str(error), crash=str(error)).to_bytes()
    except TileIRError as error:
        return _without_answer(error)


def _without_answer(error: Exception) -> bytes:
    return Answer(said=str(error), missing=str(error)).to_bytes()


def asked(target: str, grid: Grid | None, data: bytes, without: Without) -> bytes:
    """Return what `launched` and `ptx_made` take."""
    request = {"target": target, "grid": grid, "without": {**without}}
    return json.dumps(request).encode() + b"\n" + data


def _request(data: bytes) -> tuple[dict[str, Any], bytes]:
    line, _, module = data.partition(b"\n")
    return json.loads(line), module


def _compiled(module: Bytecode, target: str, **options: Any) -> Any:
    with compiling(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files of newer versions, and accesses not checked
        return tileir.compile(module, target, cache=False, **options)


def _values(
    module: Bytecode, target: str, grid: int | list[int], check: Iterable[str] = ()
) -> Iterator[Values]:
    """Launch each entry, and yield what its arrays hold then."""
    with not_forking:
        from .arguments import arguments_for

    options = {"check": list(check)} if check else {}
    compiled = _compiled(module, target, **options)
    program = compiled if target == "host" else tileir.emulator.load(compiled)
    options = {"threads": 1, "print_assertions": False} if target == "host" else {}
    for function in module.functions:
        if function.name not in compiled:
            continue
        launch = arguments_for(function, grid)
        given = [_copied(each) for each in launch.arguments]
        program[function.name].launch(launch.grid, given, **options)
        for element, array in zip(launch.elements, given, strict=True):
            if element:
                yield Values(element, array.tobytes())


def _copied(value: Any) -> Any:
    """Return an array that may be changed, aligned as in memory of a GPU; numbers as they are."""
    return aligned(value) if hasattr(value, "strides") and value.ndim else value


FUNCTIONS = {each.__name__: each for each in (disassembled, verified, ptx_made, checked, launched)}
