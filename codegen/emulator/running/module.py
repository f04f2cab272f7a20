"""A PTX file ready to run: memory for its global variables, kernels compiled at first use."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx.blocks import Block
from tileir.codegen.emulator.ptx.granules import granules, orders_threads
from tileir.codegen.emulator.ptx.scope import Scope
from tileir.codegen.emulator.ptx.syntax import Text, Variable, read
from tileir.codegen.emulator.ptx.types import immediate, storage

from .compiling import compile_block


class Module:
    """A PTX file with memory for its global variables; kernels are compiled when first launched."""

    def __init__(self, ptx: str) -> None:
        self.text: Text = read(ptx)
        self.variables = {
            variable.name: _room(variable)
            for variable in self.text.variables
            if variable.space in ("global", "const")
        }
        self.reset()
        self._kernels: dict[str, Kernel] = {}

    def kernel(self, name: str) -> Kernel:
        """The kernel of that name."""
        if name not in self._kernels:
            if name not in self.text.entries:
                raise emulation_error("launch", f"the PTX has no entry {name}")
            shared = [v for v in self.text.variables if v.space == "shared"]
            scope = Scope(self.text.entries[name], self.addresses, shared)
            self._kernels[name] = Kernel(scope)
        return self._kernels[name]

    @cached_property
    def addresses(self) -> dict[str, int]:
        """Where the global variables lie."""
        return {name: array.ctypes.data for name, array in self.variables.items()}

    def reset(self) -> None:
        """Give all global variables their initial values."""
        for variable in self.text.variables:
            if variable.name not in self.variables:
                continue
            _initialise(self.variables[variable.name], variable)
            items = _items(variable)
            for place, item in enumerate(items):
                found = re.fullmatch(
                    r"(?:generic\()?([%\w$]*[A-Za-z_$][\w$]*)\)?(?:\+(\d+))?", item
                )
                if found and found[1] in self.addresses:
                    address = self.addresses[found[1]] + int(found[2] or 0)
                    self.variables[variable.name].view(np.uint64)[place] = address


def _room(variable: Variable) -> np.ndarray:
    """Aligned bytes for a variable."""
    align = max(variable.align, 16)
    room = np.zeros(variable.size + align, np.uint8)
    start = -room.ctypes.data % align
    return room[start : start + variable.size]


def _items(variable: Variable) -> list[str]:
    return [item.strip() for item in variable.initial.strip("{}").split(",")]


def _initialise(array: np.ndarray, variable: Variable) -> None:
    """What is not said is zero."""
    array[:] = 0
    kind = storage(variable.kind)
    for place, item in enumerate(_items(variable)):
        if re.match(r"-?\d", item):
            array.view(kind)[place] = immediate(item, variable.kind).view(kind)


class Kernel:
    """The blocks of an entry, each compiled when it is first reached."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.name = scope, scope.name
        self.blocks: list[Block] = scope.blocks
        self.opcodes = [block.opcodes() for block in self.blocks]
        self.granules = granules(scope.entry)
        self.orders_threads = orders_threads(scope.entry)
        self.allocates = any(
            statement.opcode.startswith("call") and "malloc" in statement.text
            for statement in scope.entry.statements
        )
        self._functions: dict[int, Callable[..., Any]] = {}

    def function(self, number: int) -> Callable[..., Any]:
        """What a block does with the active lanes."""
        if number not in self._functions:
            self._functions[number] = compile_block(self.scope, number, self.blocks[number])
        return self._functions[number]
