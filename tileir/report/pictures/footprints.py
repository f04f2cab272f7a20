"""Footprints: which elements of each array a block of a launch accesses, and those beside it.

Each of these blocks runs alone on the CPU, compiled to count, on copies of the arrays as they were
given. So what a block accesses is known element by element, as `tileir run --count` counts it; what
depends on the work of other blocks may be different in a launch of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import tileir
from tileir.commands.launch_on import aligned
from tileir.errors import TileIRError
from tileir.formats.forks import not_forking
from tileir.launch.roles import roles_of
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import printable

if TYPE_CHECKING:
    import numpy as np

    from tileir.bytecode import Bytecode

MOST_BOXES = 64
"""Most rectangles of a block in an array; elements of others are counted alone."""

MOST_BYTES = 1 << 28
"""Most bytes of an array whose elements are looked at."""

Block = tuple[int, int, int]


def footprints(
    bytecode: Bytecode, symbol: str, grid: Sequence[int], values: Sequence[Any], block: Block
) -> dict[str, Any]:
    """Return the footprints of a block of a launch, and of those beside it, as JSON.

    `values` has an argument for each parameter of the entry; arrays are of NumPy. What the first
    block that cannot run ran into is told as `problem`; it has no footprint. Raises what
    `tileir.compile` does.
    """
    extents = (*grid, 1, 1)[:3]
    blocks = list(neighbours(block, extents))
    made: dict[str, Any] = {"grid": list(extents), "blocks": [list(each) for each in blocks]}
    made |= {"problem": None, "arrays": []}
    with compiling():
        kernel: Any = tileir.compile(
            bytecode, "host", symbols=[symbol], count=True, check="memory"
        )[symbol]
    elements = [str(getattr(each, "pointee", each)) for each in kernel.elements]
    arrays = {n: value for n, value in enumerate(values) if hasattr(value, "strides")}
    roles = roles_of(bytecode.function(symbol).body).arrays
    names = {role.parameter: number for number, role in enumerate(roles)}
    rows = {n: _array(n, names.get(n), elements[n], array) for n, array in arrays.items()}
    for number, each in enumerate(blocks):
        try:
            for parameter, kind, mask in _touched(kernel, extents, values, each):
                rows[parameter]["touched"].append(touching(number, kind, mask))
        except TileIRError as problem:
            made["problem"] = made["problem"] or printable(str(problem))
    made["arrays"] = list(rows.values())
    return made


def neighbours(block: Block, grid: Sequence[int]) -> Iterator[Block]:
    """Yield a block, and those beside it along each axis that are in the grid."""
    yield block
    for axis in range(3):
        for step in (-1, 1):
            at = block[axis] + step
            if 0 <= at < grid[axis]:
                x, y, z = (at if each == axis else block[each] for each in range(3))
                yield x, y, z


def _array(parameter: int, number: int | None, element: str, array: np.ndarray) -> dict[str, Any]:
    """Return what is known of an array before a block has run."""
    return {
        "parameter": parameter,
        "array": number,
        "element": element,
        "shape": list(array.shape),
        "touched": [],
    }


def _touched(
    kernel: Any, grid: Sequence[int], values: Sequence[Any], block: Block
) -> Iterator[tuple[int, str, np.ndarray | None]]:
    """Run a block alone; yield which elements of each array it has accessed, and how.

    The mask of an array that is too large is None.
    """
    with not_forking:
        import numpy as np

        from tileir.codegen.arguments.extents import of_array
    copies = [aligned(value) if hasattr(value, "strides") else value for value in values]
    x, y, z = block
    number = x + grid[0] * (y + grid[1] * z)
    found: dict[tuple[int, str], np.ndarray | None] = {}
    kernel.run_blocks(range(number, number + 1), tuple(grid), copies, on_maps=found.update)
    for (parameter, kind), bytes_of in found.items():
        array = copies[parameter]
        if bytes_of is None or len(bytes_of) > MOST_BYTES:
            yield parameter, kind, None
        elif array.size:
            start = array.__array_interface__["data"][0] - of_array(array)[0]
            strided = np.lib.stride_tricks.as_strided
            mask = strided(bytes_of[start:], array.shape, array.strides, writeable=False)
            yield parameter, kind, mask != 0


def touching(number: int, kind: str, mask: np.ndarray | None) -> dict[str, Any]:
    """Return the elements that a block accesses in one way: how many, and rectangles of them."""
    row: dict[str, Any] = {"block": number, "kind": kind, "elements": None, "boxes": []}
    if mask is None:
        return row | {"others": None}
    table = mask.reshape(-1, mask.shape[-1]) if mask.ndim else mask.reshape(1, 1)
    boxes = []
    for box in _boxes(table):
        boxes.append(box)
        if len(boxes) == MOST_BOXES:
            break
    inside = sum((bottom - top) * (right - left) for top, bottom, left, right in boxes)
    count = int(mask.sum())
    return row | {"elements": count, "boxes": boxes, "others": count - inside}


def _boxes(table: np.ndarray) -> Iterator[list[int]]:
    """Yield rectangles of the elements of a table that are true, as [top, bottom, left, right].

    Rows that are alike and below each other make them; ends are behind the last.
    """
    with not_forking:
        import numpy as np

    changes = np.flatnonzero((table[1:] != table[:-1]).any(axis=1)) + 1
    for top, bottom in zip([0, *changes], [*changes, len(table)], strict=True):
        edges = np.flatnonzero(np.diff(table[top].astype(np.int8), prepend=0, append=0))
        for left, right in zip(edges[::2], edges[1::2], strict=True):
            yield [int(top), int(bottom), int(left), int(right)]
