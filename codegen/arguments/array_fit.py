"""Whether an array is as a kernel assumes: what it has otherwise, and what to do about that.

Where an extent is 0 or 1, no index but 0 multiplies the stride, so any number will do; the kernel
is given one that it assumes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tileir.codegen.scalar.sizes import is_packed, memory_bytes
from tileir.errors import LaunchError
from tileir.launch.roles import ArrayRole, Assumed, Size
from tileir.types import Element, Pointer, Scalar

from .array_layout import ArrayLayout, column_major, row_major
from .elements import DTYPES, check_type

_COPIES = {
    "torch": ("x.contiguous()",),
    "cupy": ("cupy.ascontiguousarray(x)", "cupy.asfortranarray(x)"),
}
"""Library -> how a copy is made there that is row-major, and one that is column-major."""
_NUMPY = ("x.copy() or np.ascontiguousarray(x)", "np.asfortranarray(x)")


def unlike(number: int, assumed: Assumed) -> str:
    """Return what a kernel assumes of a number that is otherwise; "" if it is so."""
    if number % assumed.divisible_by:
        return f"a multiple of {assumed.divisible_by}"
    if assumed.at_least is not None and number < assumed.at_least:
        return f"at least {assumed.at_least}"
    if assumed.at_most is not None and number > assumed.at_most:
        return f"at most {assumed.at_most}"
    return ""


class ArrayFit:
    """One array beside its role; extents and strides are in elements."""

    def __init__(
        self,
        elements: Sequence[Element],
        assumed: Sequence[Assumed],
        role: ArrayRole,
        argument: Any,
        layout: ArrayLayout,
    ) -> None:
        self._elements = elements
        self._assumed = assumed
        self._role = role
        self._library = type(argument).__module__.partition(".")[0]
        self._layout = layout
        element = elements[role.parameter]
        assert isinstance(element, Pointer)
        self._pointee = element.pointee
        size = memory_bytes(self._pointee)
        self._shape, self._strides = layout.shape, tuple(each // size for each in layout.strides)
        self._empty = 0 in layout.shape
        if is_packed(self._pointee) and layout.shape:
            self._shape = (*self._shape[:-1], 2 * self._shape[-1])
            self._strides = (*(2 * stride for stride in self._strides[:-1]), 1)

    def size(self, name: str, dim: int) -> int:
        """Return an extent, or a stride: where that does not matter, one that fits."""
        if name == "extent":
            return self._shape[dim]
        if self._matters(dim):
            return self._strides[dim]
        size = (self._role.strides or ())[dim]
        if size.constant is not None:
            return size.constant
        assumed = self._of(size)
        for least in (max(self._strides[dim], assumed.at_least or 0), assumed.at_least or 0):
            size = -(-least // assumed.divisible_by) * assumed.divisible_by
            if not unlike(size, assumed):
                break
        return size

    def problems(self, written: bool) -> Iterator[str]:
        """Yield what the kernel assumes otherwise, and what to do; each relies on those before.

        `written`: the kernel may write to the array.
        """
        yield from self._wrong_type()
        if self._role.shape is not None:
            yield from self._wrong_shape(self._role.shape)
            yield from self._wrong_bytes()
            if problem := self._wrong_stride(self._strides):
                yield f"{problem}; {self._relaid()}"
            if written:
                yield from self._repeated()
        yield from self._wrong_address()

    def _wrong_type(self) -> Iterator[str]:
        try:
            check_type(self._layout.dtype, self._pointee)
        except LaunchError:
            names = DTYPES[self._pointee.name]
            copy = (
                f"x.to(torch.{names[0]})" if self._library == "torch" else f"x.astype({names[0]!r})"
            )
            yield (
                f"is of {self._layout.dtype}, where the kernel assumes {' or '.join(names)};"
                f" pass {copy}"
            )

    def _wrong_shape(self, sizes: Sequence[Size]) -> Iterator[str]:
        if len(self._shape) != len(sizes):
            wanted = f"where the kernel assumes a rank of {len(sizes)}"
            yield f"has shape {self._shape}, {wanted}; reshape it"
        for dim, (size, extent) in enumerate(zip(sizes, self._shape, strict=True)):
            if wanted := self._unlike(extent, size):
                given = f"an extent of {extent} along dimension {dim}"
                yield f"has {given}, where the kernel assumes {wanted}; pass such an array"

    def _wrong_bytes(self) -> Iterator[str]:
        size, strides = memory_bytes(self._pointee), self._layout.strides
        odd = next((stride for stride in strides if stride % size), None)
        if odd is not None and not self._empty:
            wanted = f"no multiple of the {size} of an element"
            yield f"has a stride of {odd} bytes, {wanted}; {self._copy(0)}"
        if is_packed(self._pointee) and strides and strides[-1] != 1 and self._shape[-1] > 2:
            yield (
                f"has a stride of {strides[-1]} bytes along its last dimension, where two elements"
                f" share a byte; {self._copy(0)}"
            )

    def _wrong_stride(self, strides: Sequence[int]) -> str:
        """Return which stride of some is otherwise; "" if all fit."""
        for dim, size in enumerate(self._role.strides or ()):
            wanted = self._unlike(strides[dim], size) if self._matters(dim) else ""
            if wanted:
                given = f"a stride of {strides[dim]} along dimension {dim}"
                return f"has {given}, where the kernel assumes {wanted}"
        return ""

    def _repeated(self) -> Iterator[str]:
        for dim, stride in enumerate(self._strides):
            if stride == 0 and self._matters(dim):
                yield (
                    f"repeats the same elements along dimension {dim}, where the kernel writes to"
                    f" each; {self._copy(0)}"
                )

    def _wrong_address(self) -> Iterator[str]:
        divisor, address = self._assumed[self._role.parameter].divisible_by, self._layout.address
        if address % divisor and not self._empty:
            yield (
                f"is at address {address:#x}, where the kernel assumes a multiple of {divisor};"
                f" {self._copy(0)}, which starts at one"
            )

    def _matters(self, dim: int) -> bool:
        """Whether any index along a dimension multiplies its stride."""
        return self._shape[dim] > 1 and not self._empty

    def _of(self, size: Size) -> Assumed:
        """Return what is assumed of an extent or stride besides its constant."""
        if size.parameter is None:
            return Assumed(at_least=0)
        assumed, element = self._assumed[size.parameter], self._elements[size.parameter]
        assert isinstance(element, Scalar)
        limit = (1 << element.bits) - 1  # views read sizes as unsigned
        most = limit if assumed.at_most is None else min(limit, assumed.at_most)
        return Assumed(assumed.divisible_by, max(assumed.at_least or 0, 0), most)

    def _unlike(self, number: int, size: Size) -> str:
        if size.constant is not None:
            return "" if number == size.constant else str(size.constant)
        return unlike(number, self._of(size))

    def _relaid(self) -> str:
        """Return which copy has the strides that the kernel assumes."""
        for order, strides in enumerate((row_major, column_major)):
            if not self._wrong_stride(strides(self._shape, 1)):
                return self._copy(order)
        return "pass an array that is laid out so"

    def _copy(self, order: int) -> str:
        """Return the advice to copy, to row-major (0) or column-major (1)."""
        copies = _COPIES.get(self._library, _NUMPY)
        return f"pass {copies[order]}" if order < len(copies) else "pass a copy that is laid out so"
