"""The arguments of a launch, made of arrays and numbers by the roles of a kernel's parameters.

An array brings its address, extents and strides along. What the kernel assumes of them (see
`tileir.launch.roles`) is checked, alike for every target: a kernel that was compiled for a stride
of 1 would read the wrong elements of a transposed array, and nobody would hear of it. Whether
arrays overlap each other is not asked: kernels may want that.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.roles import ArrayRole, Roles, by_convention
from tileir.messages.texts import display
from tileir.types import Element

from .array_fit import ArrayFit, unlike
from .array_layout import ArrayLayout, layout_of
from .shown import shown

Convention = Literal["cutile"]
"""Whose order of parameters a kernel has, where its body does not tell their roles."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a launch by roles knows of a kernel; `written` has the pointers it may write through."""

    symbol: str
    elements: Sequence[Element]
    roles: Roles
    written: Collection[int]


def arguments_of(
    kernel: Parameters, given: Sequence[Any], convention: Convention | None = None
) -> list[Any]:
    """Return one argument for each parameter, given arrays and numbers in order.

    LaunchError if something does not fit the kernel, or what it assumes.
    """
    symbol = display(kernel.symbol)
    if convention not in (None, "cutile"):
        raise LaunchError(f"{symbol}: the convention is 'cutile' or None, not {shown(convention)}")
    layouts = [_layout(symbol, given, number) for number in range(len(given))]
    roles: Roles | None = kernel.roles
    if convention is not None:
        ranks = [None if each is None else len(each.shape) for each in layouts]
        roles = by_convention(kernel.roles, kernel.elements, ranks)
        if roles is None:
            raise LaunchError(
                f"{symbol} has {len(kernel.elements)} parameters, to which these {len(given)}"
                " arguments do not lead by cuTile's convention: each array's address, extents and"
                f" strides, and each number but the constants: {_types(kernel.elements)}"
            )
    assert roles is not None
    takes = roles.arguments
    if len(takes) != len(given):
        raise LaunchError(_wrong_count(symbol, roles, len(given), convention))
    arguments = _Arguments(kernel, roles)
    for role, argument, layout in zip(takes, given, layouts, strict=True):
        if isinstance(role, int):
            arguments.put_number(role, argument)
        else:
            arguments.put_array(role, argument, layout)
    return arguments.values


def _layout(symbol: str, given: Sequence[Any], number: int) -> ArrayLayout | None:
    try:
        return layout_of(given[number])
    except LaunchError as problem:
        numbers = sum(isinstance(each, int | float | np.generic) for each in given[:number])
        raise LaunchError(f"{symbol}: array {number - numbers}: {problem}") from None


def _wrong_count(symbol: str, roles: Roles, given: int, convention: Convention | None) -> str:
    takes = roles.arguments
    arrays = sum(isinstance(role, ArrayRole) for role in takes)
    numbers = len(takes) - arrays
    text = f"{symbol} takes {_counted(arrays, 'array')} and {_counted(numbers, 'number')}"
    text += f", as kernel.roles says, not {_counted(given, 'argument')}"
    if convention is None and any(role.shape is None for role in roles.arrays):
        text += "; of a kernel of cuTile, say convention='cutile'"
    return text


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _types(elements: Sequence[Element]) -> str:
    return ", ".join(map(str, elements))


class _Arguments:
    """The arguments of one launch, as they are put together."""

    def __init__(self, kernel: Parameters, roles: Roles) -> None:
        self._kernel = kernel
        self._roles = roles
        self._from: dict[int, tuple[str, int]] = {}
        self.values: list[Any] = [None] * len(kernel.elements)

    def put_number(self, number: int, value: Any) -> None:
        """Pass a number for a scalar; LaunchError if the kernel assumes another one."""
        self.values[number] = value
        try:
            whole = operator.index(value)
        except TypeError:
            return  # a launch says whether it fits
        if wanted := unlike(whole, self._roles.assumed[number]):
            raise self._error(number, f"got {whole}, where the kernel assumes {wanted}")

    def put_array(self, role: ArrayRole, argument: Any, layout: ArrayLayout | None) -> None:
        """Pass an array: its address, extents and strides."""
        which, head = self._roles.arrays.index(role), role.parameter
        self.values[head] = argument
        if layout is None:
            if role.shape is None:
                return
            given = type(argument).__name__
            raise self._error(
                head,
                f"array {which} has to have a shape, and {given} has none; pass an array, or an"
                " argument for each parameter to launch()",
            )
        fit = ArrayFit(self._kernel.elements, self._roles.assumed, role, argument, layout)
        written = head in self._kernel.written
        problem = next(fit.problems(written), None)
        if problem is not None:
            keep = ", and keep it: the kernel writes to it" if written else ""
            raise self._error(head, f"array {which} {problem}{keep}")
        for name, dim, size in role.sizes:
            if size.parameter is not None:
                self._put_size(size.parameter, fit.size(name, dim), f"{name} {dim}", which)

    def _put_size(self, number: int, value: int, name: str, array: int) -> None:
        """Pass an extent or stride; LaunchError if another one was passed for the parameter."""
        source, other = self._from.setdefault(number, (name, array))
        if self.values[number] not in (None, value):
            same = other == array
            advice = "an array without gaps, such as x.copy()" if same else "arrays that agree"
            raise self._error(
                number,
                f"it is {source} of array {other}, here {self.values[number]}, and {name} of array"
                f" {array}, here {value}; pass {advice}",
            )
        self.values[number] = value

    def _error(self, number: int, text: str) -> LaunchError:
        symbol, element = display(self._kernel.symbol), self._kernel.elements[number]
        return LaunchError(f"{symbol}: parameter {number} ({element}): {text}")
