"""Arguments for any kernel, the same ones each time, made by the roles of its parameters.

They are meant to make kernels compute something without being told what they are: extents are those
that the kernel assumes, or not quite two tiles; strides are row-major where they are not constant;
integers are small, so that as indices they stay inside; floats are small multiples of 1/2, so
that sums and products of some are exact in every type and in every order. What is out of bounds
nevertheless, or undefined, the checked launch on the CPU finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tileir.bytecode import Function
from tileir.errors import LaunchError
from tileir.formats.forks import not_forking
from tileir.launch.roles import ArrayRole, Assumed, Roles, Size, roles_of
from tileir.types import PartitionView, Pointer, Scalar, StridedView

if TYPE_CHECKING:
    import numpy as np

EXTENT = 64
"""The extent of each dimension that a kernel leaves open, if it has no view of tiles."""
UNTOLD = 1 << 16
"""Elements of an array of which nothing is told."""
MOST = 1 << 24
"""Elements of an array at most; a kernel that wants more has no arguments."""
GRIDS = (2, 1)
"""Tile blocks along each axis of which a kernel asks its index, in the order in which to try."""
NUMBER = 3
"""What a scalar is unless the kernel assumes something else."""
PACKED = "f4E2M1FN"


class Launch(NamedTuple):
    """A launch: the grid, one argument for each parameter, and the element types of the arrays.

    `elements` has "" for what is no array.
    """

    grid: tuple[int, ...]
    arguments: list[Any]
    elements: list[str]


def arguments_for(function: Function, grid: int | list[int]) -> Launch:
    """Return a launch of an entry; LaunchError if there is none within limits.

    `grid` is the grid, or tile blocks along each axis of which the kernel asks its index.
    """
    roles = roles_of(function.body)
    usual = _usual_extent(function)
    parameters = [parameter.element for parameter in function.type.parameters]
    values: list[Any] = [None] * len(parameters)
    elements = [""] * len(parameters)
    for role in roles.arrays:
        pointer = parameters[role.parameter]
        assert isinstance(pointer, Pointer)
        shape, strides = _layout(role, roles, usual)
        for sizes, numbers in ((role.shape, shape), (role.strides, strides)):
            for size, number in zip(sizes or (), numbers, strict=False):
                if size.parameter is not None and values[size.parameter] is None:
                    values[size.parameter] = number
        count = UNTOLD
        if role.shape is not None:
            count = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        if not 0 <= count <= MOST:
            raise LaunchError(f"{function.name}: an array would have {count} elements")
        values[role.parameter] = _array(pointer.pointee, max(count, 1), role.parameter)
        elements[role.parameter] = pointer.pointee.name
    for number, element in enumerate(parameters):
        if values[number] is None:
            values[number] = _number(element, roles.assumed[number])
    shape = _grid(function, grid) if isinstance(grid, int) else tuple(grid)
    return Launch(shape, values, elements)


def _layout(role: ArrayRole, roles: Roles, usual: int) -> tuple[list[int], list[int]]:
    """Return extents and strides of an array, in elements."""
    rank = len(role.shape or ())
    shape = [_size(size, usual, roles) for size in role.shape or ()]
    strides, step = [0] * rank, 1
    for dim in reversed(range(rank)):
        assert role.strides is not None
        strides[dim] = _size(role.strides[dim], step, roles)
        step = max(step, strides[dim] * shape[dim])
    return shape, strides


def _size(size: Size, usual: int, roles: Roles) -> int:
    if size.constant is not None:
        return size.constant
    assumed = Assumed() if size.parameter is None else roles.assumed[size.parameter]
    return _as_assumed(usual, assumed)


def _as_assumed(number: int, assumed: Assumed) -> int:
    """Return the number, or the next one that a kernel accepts."""
    if assumed.at_least is not None:
        number = max(number, assumed.at_least)
    number = -(-number // assumed.divisible_by) * assumed.divisible_by
    if assumed.at_most is not None and number > assumed.at_most:
        number = assumed.at_most // assumed.divisible_by * assumed.divisible_by
    return number


def _number(element: Any, assumed: Assumed) -> int | float | bool:
    if element.is_float:
        return 1.5
    return True if element.bits == 1 else _as_assumed(NUMBER, assumed)


def _array(element: Scalar, count: int, seed: int) -> np.ndarray:
    """Return an array that depends on nothing but the parameter's number and its type."""
    with not_forking:
        import numpy as np

        from tileir.ir.arrays import DTYPES

    random = np.random.default_rng(seed)
    if element.name == PACKED:
        return random.integers(0, 256, -(-count // 2)).astype(np.uint8)
    dtype = DTYPES[element.name]
    if element.is_float:
        halves = random.integers(-4, 5, count) / 2
        with np.errstate(all="ignore"):
            return (np.exp2(np.rint(halves)) if "E8M0" in element.name else halves).astype(dtype)
    return random.integers(0, 2 if element.bits == 1 else 8, count).astype(dtype)


def _usual_extent(function: Function) -> int:
    """Return an extent for all dimensions alike: a whole tile of the largest one, and most of one
    more."""
    most = 0
    for op in function.body.walk():
        for value in op.results:
            if isinstance(value.type, PartitionView | StridedView):
                most = max(most, *value.type.tile)
    return 2 * most - most // 4 if most else EXTENT


def _grid(function: Function, blocks: int) -> tuple[int, int, int]:
    """Return a grid with so many blocks along each axis whose block index the kernel uses.

    Blocks that nobody tells apart would all write the same elements.
    """
    used = [False] * 3
    for op in function.body.walk():
        if op.name == "get_tile_block_id":
            used = [
                known or bool(value.uses) for known, value in zip(used, op.results, strict=True)
            ]
    x, y, z = (blocks if each else 1 for each in used)
    return x, y, z
