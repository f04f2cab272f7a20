"""Programs: PTX and launch plans, from memory or files, as kernels ready to be launched."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from tileir.codegen.arguments.by_role import Convention, Parameters, arguments_of
from tileir.codegen.arguments.plan_schema import check_schema
from tileir.codegen.emulator.errors import emulation_error
from tileir.errors import EmulationError, LaunchError, UnsupportedError
from tileir.launch.kernels import Kernels
from tileir.launch.roles import Roles
from tileir.launch.roles_form import roles_of_plan, written_of_plan
from tileir.launch.stored_values import element_of
from tileir.messages.texts import display
from tileir.types import Element

from .checking import checked, checked_allocations
from .launching import Result, launch, own_module
from .module import Module
from .recipes import lacking


class GpuCompilation(Protocol):
    """The result of `tileir.compile` for a GPU."""

    @property
    def ptx(self) -> str | None:
        """The text of all kernels; None if it was compiled for the host."""
        ...

    @property
    def plan(self) -> Mapping[str, Any]:
        """Entry symbol -> launch plan."""
        ...


class EmulatedKernel:
    """One entry of a program: its symbol and its launch plan."""

    def __init__(self, symbol: str, plan: Mapping[str, Any], module: Module) -> None:
        self.symbol = symbol
        self.plan = dict(plan)
        self._module = module

    def __repr__(self) -> str:
        types = ", ".join(row["type"] for row in self.plan["parameters"])
        return f"<{type(self).__name__} {display(self.symbol)}({types})>"

    def launch(
        self,
        grid: int | Sequence[int],
        args: Sequence[Any],
        *,
        schedule: str = "lock-step",
        races: bool = True,
        allocations: Sequence[Any] = (),
        limit: int = 300_000,
        approximations: str = "exact",
        count: bool = False,
    ) -> Result:
        """Run the kernel on the memory of its arguments, in this thread.

        grid            tile blocks along x, y and z; missing extents are 1
        args            one for each parameter: for a pointer a NumPy array, an object of host
                        memory that offers DLPack or ``__array_interface__``, a `Buffer`, or an
                        address as an integer; for a scalar a number. Extents and strides (in
                        elements) are what scalar arguments say: an array may have any shape
        schedule        the order in which warps of a block run and bulk copies end, one of
                        `SCHEDULES` or `BETWEEN_BLOCKS`, or "random-N", "late-N" with a number. A
                        correct kernel is correct under all of them
        races           False: accesses that nothing orders are not an error, and running is faster
        allocations     arrays or Buffers that the kernel may access, too, through addresses
        limit           steps after which a kernel is taken for one that never ends: in each, the
                        threads that are at the same instruction continue to the next branch,
                        label or barrier. It applies to each group of blocks that run together
        approximations  "exact" or another of `APPROXIMATIONS`: how much of the error that PTX
                        allows approximate instructions on f32 have
        count           whether to count: the Result then has `counts`, with executed instructions
                        by class, sectors of global memory, bank conflicts of shared memory.
                        Memory of a GPU begins at multiples of 256 bytes; sectors are those of
                        the addresses that arrays have here

        No access may go beyond the arrays and Buffers. The extent of memory at an address outside
        of them is unknown: the kernel may then access whatever this process can write to, which
        only Linux tells, and a wrong access may damage the process.

        What the kernel prints goes to standard output and into the Result, which counts
        instructions, too. Raises EmulationError if the kernel does something wrong; its subclass
        LaunchError, before anything has run, if something does not fit the kernel; and its subclass
        UnsupportedError, with line and instruction, for PTX that the emulator does not know.
        """
        passed = checked(display(self.symbol), self.plan, args)
        memory = checked_allocations(allocations)
        return launch(
            self._module,
            self.plan,
            grid,
            passed,
            schedule=schedule,
            races=races,
            allocations=memory,
            limit=limit,
            approximations=approximations,
            count=count,
        )

    @property
    def roles(self) -> Roles:
        """Which parameters are the extents and strides of which array."""
        return roles_of_plan(self.plan, self._elements())

    def _elements(self) -> list[Element]:
        return [element_of(row["type"]) for row in self.plan["parameters"]]

    def launch_arrays(
        self,
        grid: int | Sequence[int],
        *args: Any,
        convention: Convention | None = None,
        **options: Any,
    ) -> Result:
        """Run the kernel as `launch` does, with arrays that bring their extents and strides along.

        It is `launch_arrays` of a compiled kernel (see `tileir.codegen.compilation.Compiled`), with
        the same errors.
        """
        written = written_of_plan(self.plan)
        kernel = Parameters(self.symbol, self._elements(), self.roles, written)
        return self.launch(grid, arguments_of(kernel, args, convention), **options)


class Program(Kernels[EmulatedKernel]):
    """The kernels of a PTX text: entry symbol -> `EmulatedKernel`.

    Global variables of the text keep what kernels write to them from one launch to the next, until
    `reset`.
    """

    def __init__(self, ptx: str, plans: Mapping[str, Mapping[str, Any]]) -> None:
        self.ptx = ptx
        self._module = own_module(ptx)
        if not self._module.text.entries and (plans or ".version" not in ptx):
            raise _no_kernels(ptx)
        super().__init__(
            {symbol: EmulatedKernel(symbol, plan, self._module) for symbol, plan in plans.items()}
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self)}>"

    def reset(self) -> None:
        """Give all global variables their initial values."""
        self._module.reset()


def load(
    ptx: GpuCompilation | str | os.PathLike[str],
    plan: Mapping[str, Any] | str | os.PathLike[str] | None = None,
) -> Program:
    """Return kernels ready to be launched on the emulator.

    ptx   the result of `tileir.compile` for a GPU, or PTX: its text, or a pathlib.Path of a file
    plan  with PTX, its launch plans: entry symbol -> launch plan, as in `Compilation.plan` and
          ``tileir compile --emit plan``, or the plan of a single kernel; as a mapping, as JSON, or
          as a pathlib.Path of a JSON file. Left out for a compilation, which has its own

    Raises UnsupportedError if the text is not PTX, or the compilation is for the host; LaunchError
    for an invalid plan; OSError if a file cannot be read; TypeError for anything else. Instructions
    are looked up when a kernel first reaches them.
    """
    if isinstance(ptx, str | os.PathLike):
        text = ptx if isinstance(ptx, str) else Path(ptx).read_text("utf-8", "surrogateescape")
    elif hasattr(ptx, "ptx") and hasattr(ptx, "plan"):
        text, plan = ptx.ptx, ptx.plan if plan is None else plan
    else:
        expected = "the result of tileir.compile for a GPU, or PTX as a str or a pathlib.Path"
        raise TypeError(f"expected {expected}, got {type(ptx).__name__}")
    if text is None:
        raise UnsupportedError("the host's code is no PTX; compile for a GPU, such as sm_90")
    if isinstance(plan, str):
        plan = _parsed(plan, "the text", _file_hint(plan))
    elif isinstance(plan, os.PathLike):
        plan = _parsed(Path(plan).read_bytes(), display(str(plan)))
    return Program(text, _plans(plan))


def _file_hint(text: str) -> str:
    """Return how to give a file, for a text that could be the name of one; "" for others."""
    return "; a file is given as a pathlib.Path" if text and "\n" not in text else ""


def _no_kernels(ptx: str) -> EmulationError:
    """Return the error of a text that is not PTX, or has no kernel to launch."""
    message = f"the text has no .entry, so it has no kernel{_file_hint(ptx)}"
    return emulation_error("syntax", message, line=1, text=ptx.partition("\n")[0])


def _parsed(plan: str | bytes, shown: str, hint: str = "") -> Any:
    """Parse a plan; LaunchError, which names it as `shown`, if it is not JSON."""
    try:
        return json.loads(plan)
    except (ValueError, RecursionError) as problem:
        raise LaunchError(f"{shown} is no launch plan: {problem}{hint}") from None


def _plans(plan: Any) -> dict[str, Any]:
    """Return the plans by symbol; LaunchError if one lacks something that a launch needs."""
    if isinstance(plan, Mapping) and isinstance(plan.get("entry"), str):
        plan = {plan["entry"]: plan}
    if plan is None:
        raise LaunchError("PTX needs its launch plan, which `tileir compile --emit plan` writes")
    if not isinstance(plan, Mapping):
        raise LaunchError(f"expected launch plans by entry symbol, got {type(plan).__name__}")
    for symbol, each in plan.items():
        if isinstance(each, Mapping):
            check_schema(display(str(symbol)), each)
        if lacking := _lacking(each):
            raise LaunchError(f"the launch plan of {display(str(symbol))} has no {lacking}")
    return dict(plan)


def _lacking(plan: Any) -> str:
    """Return the first field that a plan lacks or that is invalid; "" if it is complete."""
    if not isinstance(plan, Mapping):
        return "entries"
    for name, fits in _NEEDED.items():
        try:
            if not fits(plan[name]):
                return f"valid {name!r}"
        except (KeyError, TypeError, ValueError):
            return f"valid {name!r}" if name in plan else repr(name)
    if name := lacking(plan):
        return f"valid {name!r}"
    if plan.get("twin") is not None and not _valid_twin(plan["twin"]):
        return "valid 'twin'"
    return ""


def _valid_twin(twin: Any) -> bool:
    """Whether a twin has what differs from the entry with tensor maps."""
    names = ("entry", "block", "dynamic_shared_memory")
    try:
        return all(_NEEDED[name](twin[name]) for name in names)
    except (KeyError, TypeError, ValueError):
        return False


def _three(value: Any) -> bool:
    """Whether a value is three positive numbers."""
    return len(value) == 3 and all(type(each) is int and each >= 1 for each in value)


def _rows(value: Any) -> bool:
    whole = all(type(row[name]) is int for row in value for name in ("index", "size", "offset"))
    return whole and all(isinstance(row["type"], str) and row["offset"] >= 0 for row in value)


_NEEDED = {
    "entry": lambda value: isinstance(value, str),
    "parameters": _rows,
    "block": _three,
    "cluster": _three,
    "grid_scale": _three,
    "grid_limits": _three,
    "grid": lambda value: len(value) == 3 and set(value) <= set("xyz"),
    "dynamic_shared_memory": lambda value: type(value) is int and value >= 0,
}
"""Fields of a plan that a launch needs, each with a test of its value."""
