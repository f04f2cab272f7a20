"""Modules: PTX ready to run, with memory for its global variables."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.memory.mbarriers import AGENTS
from tileir.codegen.emulator.ptx.blocks import BasicBlock
from tileir.codegen.emulator.ptx.granules import granules, orders_threads, uses_mbarriers
from tileir.codegen.emulator.ptx.scope import Scope
from tileir.codegen.emulator.ptx.syntax import Text, Variable, read
from tileir.codegen.emulator.ptx.types import immediate, storage, width
from tileir.errors import EmulationError

from .compiling import compile_block

_OF_HEAP = frozenset({"malloc", "free"})
"""Functions that need a heap."""


class Module:
    """PTX with memory for its global variables; kernels are compiled when first launched."""

    def __init__(self, ptx: str) -> None:
        self.ptx = ptx
        self.text: Text = read(ptx)
        self.variables = {
            variable.name: _memory(variable)
            for variable in self.text.variables
            if variable.space in ("global", "const")
        }
        self.reset()
        self._kernels: dict[str, KernelCode] = {}

    def kernel(self, name: str) -> KernelCode:
        """Return the kernel of that name; EmulationError if there is none."""
        if name not in self._kernels:
            if name not in self.text.entries:
                raise emulation_error("launch", f"the PTX has no entry {name}")
            shared = [v for v in self.text.variables if v.space == "shared"]
            scope = Scope(self.text.entries[name], self.addresses, shared)
            self._kernels[name] = KernelCode(scope)
        return self._kernels[name]

    @cached_property
    def addresses(self) -> dict[str, int]:
        """The addresses of the global variables."""
        return {name: array.ctypes.data for name, array in self.variables.items()}

    def reset(self) -> None:
        """Give all global variables their initial values."""
        for variable in self.text.variables:
            if variable.name not in self.variables:
                continue
            _initialise(self.variables[variable.name], variable)
            for index, item in enumerate(_items(variable)):
                match = re.fullmatch(
                    r"(?:generic\()?([%\w$]*[A-Za-z_$][\w$]*)\)?(?:\+(\d{1,18}))?", item
                )
                if match and match[1] in self.addresses:
                    if index >= variable.count or width(variable.kind) != 8:
                        raise _wrong(variable, item)
                    address = self.addresses[match[1]] + int(match[2] or 0)
                    self.variables[variable.name].view(np.uint64)[index] = address


def _memory(variable: Variable) -> np.ndarray:
    """Return aligned bytes for a variable."""
    align = max(variable.align, 16)
    try:
        memory = np.zeros(variable.size + align, np.uint8)
    except MemoryError:
        message = f"no memory for the {variable.size} bytes of {variable.name}"
        raise emulation_error("syntax", message, line=variable.line, text=variable.name) from None
    start = -memory.ctypes.data % align
    return memory[start : start + variable.size]


def _items(variable: Variable) -> list[str]:
    return [item.strip() for item in variable.initial.strip("{}").split(",")]


def _initialise(array: np.ndarray, variable: Variable) -> None:
    """Write the numbers among the initial values; everything else is zero."""
    array[:] = 0
    kind = storage(variable.kind)
    for index, item in enumerate(_items(variable)):
        if re.match(r"-?\d", item):
            try:
                array.view(kind)[index] = immediate(item, variable.kind).view(kind)
            except (IndexError, ValueError):
                raise _wrong(variable, item) from None


def _wrong(variable: Variable, item: str) -> EmulationError:
    """Return the error of an initial value that is none, or is one too many."""
    message = f"{variable.name} cannot start with {item}"
    return emulation_error("syntax", message, line=variable.line, text=variable.name)


class KernelCode:
    """The blocks of an entry, each compiled when it is first reached."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.name = scope, scope.name
        self.blocks: list[BasicBlock] = scope.blocks
        self.opcodes = [block.opcodes() for block in self.blocks]
        self.places = np.argsort(np.array(scope.order, np.int32)).astype(np.int32)
        """Of each block, when lanes that have diverged get there: its place in `scope.order`."""
        self.granules = granules(scope.entry)
        self.orders_threads = orders_threads(scope.entry)
        self.agents = AGENTS if uses_mbarriers(scope.entry) else 0
        """The clocks that a launch needs besides those of threads."""
        self.allocates = any(
            statement.opcode.startswith("call") and not _OF_HEAP.isdisjoint(statement.operands)
            for statement in scope.entry.statements
        )
        self._functions: dict[tuple[int, bool], Callable[..., Any]] = {}

    def function(self, number: int, counting: bool = False) -> Callable[..., Any]:
        """Return the function that runs a block for the active lanes."""
        key = number, counting
        if key not in self._functions:
            block = self.blocks[number]
            self._functions[key] = compile_block(self.scope, number, block, counting)
        return self._functions[key]
