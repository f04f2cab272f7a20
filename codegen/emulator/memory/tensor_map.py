"""Tensor maps: how a tensor lies in global memory, and which box of it one copy moves.

The rules are those of the CUDA driver's cuTensorMapEncodeTiled and of the PTX ISA, "Tensors".
Dimensions are listed from the innermost one on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

import numpy as np

from tileir.codegen.emulator.errors import emulation_error

BYTES = 128
"""Bytes of a tensor map, as a parameter of a kernel."""
ELEMENTS = {
    "u8": 1,
    "u16": 2,
    "u32": 4,
    "s32": 4,
    "u64": 8,
    "s64": 8,
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "tf32": 4,
    "f64": 8,
}
"""Element types -> bytes."""
FILLS = ("zero", "nan")
SWIZZLES = (0, 32, 64, 128)
UNIT = 16
"""Bytes; what a swizzle moves, and what base, strides and boxes are multiples of."""
_LINE, _ROWS = 7, 8
"""A swizzle changes the number of a unit in its row of 2^7 bytes, with a period of 8 rows."""


@dataclass(frozen=True)
class TensorMap:
    """A recipe for a tensor map, to be passed as an argument of a launch.

    `base` is an array, a Buffer or an address; `strides` are in bytes, for all dimensions but the
    innermost. `box` counts elements of the tensor; where `element_strides` has s for a dimension,
    every s-th of them is moved. `swizzle` is in bytes, 0 for none. Elements of tf32 are f32 in
    global memory, which copies to shared memory round. What lies outside of the tensor
    is read as zero or, with `fill`, as NaN, whose bits nothing documents: here all but the sign.
    Rows shorter than the swizzle are taken to lie densely, which no device has confirmed.
    """

    element: str
    base: Any
    extents: Sequence[int]
    strides: Sequence[int]
    box: Sequence[int]
    element_strides: Sequence[int] = ()
    swizzle: int = 0
    fill: str = "zero"

    def __post_init__(self) -> None:
        """Check all but the base; EmulatedLaunchError for what cannot be encoded."""
        if problem := self._problem():
            raise emulation_error("launch", f"no tensor map: {problem}")

    def _problem(self) -> str:
        rank = len(self.extents)
        steps = self.element_strides or (1,) * rank
        if self.element not in ELEMENTS:
            return f"elements of type {self.element!r}, not one of {', '.join(ELEMENTS)}"
        if not 1 <= rank <= 5:
            return f"{rank} dimensions, not 1 to 5"
        if (len(self.strides), len(self.box), len(steps)) != (rank - 1, rank, rank):
            return f"{rank} extents need {rank - 1} strides and {rank} extents of the box"
        inner = self.box[0] * self.size
        rules = [
            (all(1 <= each <= 1 << 32 for each in self.extents), "extents are 1 to 2^32"),
            (all(1 <= each <= 256 for each in self.box), "extents of a box are 1 to 256"),
            (all(1 <= each <= 8 for each in steps), "element strides are 1 to 8"),
            (
                all(each % UNIT == 0 and 0 <= each < 1 << 40 for each in self.strides),
                f"strides are multiples of {UNIT} bytes below 2^40",
            ),
            (inner % UNIT == 0, f"rows of a box are multiples of {UNIT} bytes"),
            (self.swizzle in SWIZZLES, f"swizzles are {SWIZZLES}"),
            (
                not self.swizzle or inner <= self.swizzle,
                f"rows of {inner} bytes are longer than the swizzle of {self.swizzle}",
            ),
            (self.fill in FILLS, f"fills are {FILLS}"),
            (self.fill == "zero" or "f" in self.element, "only floats are filled with NaN"),
        ]
        return next((message for holds, message in rules if not holds), "")

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.extents)

    @property
    def alignment(self) -> int:
        """What addresses in shared memory are multiples of: 128, or the period of the swizzle."""
        return max(128, _ROWS * self.swizzle)

    def coordinates(self, start: Sequence[int]) -> list[np.ndarray]:
        """Return the coordinates of a box along each dimension."""
        # The innermost dimension has no element stride.
        steps = [1, *self.element_strides[1:]] if self.element_strides else [1] * self.rank
        return [
            first + np.arange(0, extent, step, dtype=np.int64)
            for first, extent, step in zip(start, self.box, steps, strict=True)
        ]

    def units(self, coordinates: list[np.ndarray]) -> tuple[int, np.ndarray, np.ndarray]:
        """Return what a box is copied in: bytes of a unit, its addresses, and which are inside.

        Units are in the order of the box; none is partly inside.
        """
        row = len(coordinates[0]) * self.size
        start = int(coordinates[0][0]) * self.size
        unit = gcd(UNIT, row, start, self.extents[0] * self.size)
        byte = start + np.arange(0, row, unit, dtype=np.int64)
        address = np.int64(int(self.base)) + byte
        inside = (byte >= 0) & (byte < self.extents[0] * self.size)
        outer = zip(coordinates[1:], self.strides, self.extents[1:], strict=True)
        for place, stride, extent in outer:
            address = place[:, None] * np.int64(stride) + address[None, :]
            inside = ((place >= 0) & (place < extent))[:, None] & inside[None, :]
            address, inside = address.ravel(), inside.ravel()
        return unit, address.astype(np.uint64), inside

    def moved(self, coordinates: list[np.ndarray]) -> int:
        """Return the bytes of a box in shared memory, those outside of the tensor too."""
        return prod(map(len, coordinates)) * self.size

    def swizzled(self, address: np.ndarray) -> np.ndarray:
        """Return where bytes at addresses of shared memory are put."""
        if not self.swizzle:
            return address
        mask = np.uint64(self.swizzle // UNIT - 1)
        return address ^ ((address >> np.uint64(_LINE)) & mask) << np.uint64(4)

    def filling(self, unit: int) -> np.ndarray:
        """Return the bytes of a unit outside of the tensor."""
        if self.fill == "zero":
            return np.zeros(unit, np.uint8)
        one = np.full(self.size, 0xFF, np.uint8)
        one[-1] = 0x7F
        return np.tile(one, unit // self.size)
