"""A kernel in Python's debuggers: a frame at a line of its source, whose variables are tiles.

Machine code has no frames, but any code may claim a file and a line. An exception raised in such a
frame shows the line in its traceback, and `pdb`, `%debug` of IPython and `--pdb` of pytest find the
tiles by their names there.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Mapping
from pdb import Pdb
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

import numpy as np

from tileir.codegen.host.running.messages import write_stdout
from tileir.errors import KernelError
from tileir.messages.texts import printable

_PLACE = re.compile(r"(.+):(\d{1,9}):\d+", re.DOTALL)
_LIBRARY = "/cuda/tile/"
"""In the paths of cuTile's own files, such as that of the method `astype`: nobody stops there."""

_STOP = "__tileir_stop__"


class Place(NamedTuple):
    """Where a kernel is: file and line, the kernel's name, and the block."""

    filename: str
    line: int
    kernel: str
    block: tuple[int, ...]

    @classmethod
    def of(cls, location: str, kernel: str, block: tuple[int, ...] | None) -> Place:
        """Read a source location as messages spell it; the first step that is not cuTile's own."""
        steps = location.split(", inlined at ")
        own = [step for step in steps if _LIBRARY not in step.replace("\\", "/")]
        match = _PLACE.fullmatch((own or steps)[0])
        filename, line = (match[1], int(match[2])) if match else ("<kernel>", 1)
        return cls(filename, max(line, 1), kernel, block or ())

    def __str__(self) -> str:
        return printable(f"{self.filename}:{self.line} in {self.kernel}, block {self.block}")


def traceback_at(
    place: Place, problem: KernelError, variables: Mapping[str, Any]
) -> TracebackType | None:
    """Return a traceback of one frame, in the kernel."""
    before, problem.__traceback__ = problem.__traceback__, None
    try:
        _run(place, "raise problem", {"problem": problem}, variables)
    except KernelError as raised:
        inner = raised.__traceback__
        while inner is not None and inner.tb_next is not None:
            inner = inner.tb_next
        problem.__traceback__ = before
        return inner
    return None


def stop_at(
    place: Place, variables: Mapping[str, Any], arguments: Mapping[str, Any] | None = None
) -> None:
    """Show the variables, and open pdb where somebody is at a terminal; its `q` ends the program.

    pdb also knows the arguments of the launch. In a notebook, or where input is no terminal, nobody
    is waited for.
    """
    show(place, variables, "breakpoint")
    if is_interactive():
        stop = {_STOP: lambda: _debug(sys._getframe(1))}
        _run(place, f"{_STOP}()", stop, {**(arguments or {}), **variables})


def stop_after(
    problem: KernelError, name: str, arguments: Mapping[str, Any]
) -> TracebackType | None:
    """Show the variables of a launch that went wrong, or open pdb; return a traceback there.

    `name` is that of the kernel in source, `arguments` what it was launched with.
    """
    place = Place.of(problem.location, name, problem.block)
    show(place, problem.variables, f"{problem.op}: {problem.problem}")
    traceback = traceback_at(place, problem, {**arguments, **problem.variables})
    look_into(traceback)
    return traceback


def look_into(traceback: TracebackType | None) -> None:
    """Open pdb at the end of a traceback where somebody is at a terminal."""
    if traceback is not None and is_interactive():
        debugger = Pdb()
        debugger.reset()
        debugger.interaction(None, traceback)


def show(place: Place, variables: Mapping[str, Any], why: str) -> None:
    """Print the variables as NumPy prints arrays."""
    lines = [f"{printable(why)} at {place}"]
    for name, value in variables.items():
        if isinstance(value, np.ndarray):
            head = f"  {name} = "
            lines.append(head + np.array2string(value, separator=", ", prefix=head))
    write_stdout("\n".join(lines) + "\n")


def is_interactive() -> bool:
    """Whether somebody can answer: standard input and output are a terminal."""
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


class _KernelPdb(Pdb):
    """Knows the kernel's frame only: those around it are of the launch, maybe on another thread."""

    def get_stack(
        self, f: FrameType | None, t: TracebackType | None
    ) -> tuple[list[tuple[FrameType, int]], int]:
        """Return frames and their lines, and the number of the one to show."""
        return ([(f, f.f_lineno)], 0) if f is not None else super().get_stack(f, t)


def _debug(frame: FrameType) -> None:
    debugger = _KernelPdb()
    debugger.reset()
    debugger.interaction(frame, None)
    if debugger.quitting:
        raise SystemExit("tileir: ended at a breakpoint")


def _run(place: Place, text: str, names: dict[str, Any], variables: Mapping[str, Any]) -> None:
    """Run a statement in a frame of the kernel."""
    known = {"__builtins__": builtins, "np": np, **names}
    exec(_code(place, text), known, dict(variables))


def _code(place: Place, text: str) -> CodeType:
    tree = ast.parse(text)
    ast.increment_lineno(tree, place.line - 1)
    code = compile(tree, place.filename, "exec")
    return code.replace(co_name=place.kernel)
