"""Recipes for tensor maps: how a launcher describes the tensor behind a load to the copy engine.

One thread copies a whole box of a tensor (cp.async.bulk.tensor) if a *tensor map* describes the
tensor: base address, extents and strides, all from the host. So they must be parameters of the
kernel, or constants; whatever a kernel computes is in no map. A map also says how large boxes are,
and how their rows are swizzled in shared memory. The rules are those of cuTensorMapEncodeTiled in
the CUDA driver API; what of them depends on arguments are the conditions of a recipe.

Of a tile whose rows are longer than the swizzle's span, each copy takes a piece of one span in
width: what is beyond a span lies behind all other elements in shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.view_geometry import dimensions
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops.extents import tensor_view_op
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.sizes import is_packed, memory_bytes
from tileir.ir import Op, Value
from tileir.types import GatherScatterView, Pointer, Scalar, TensorView, Tile, View

from .token_order import why_fenced
from .view_facts import inner_dim

SPANS = (128, 64, 32)
"""The spans that a swizzle can have, in bytes; wider first."""
UNIT = 16
"""Bytes that the base, strides and rows of a box are multiples of."""
MOST_DIMENSIONS = 5
MOST_IN_BOX = 256
"""The most elements of a box along a dimension."""
MOST_STRIDE = 1 << 40
"""Strides are less than that, in bytes."""
ROUNDED = "tf32"
"""The element type of a map whose copies round f32 to tf32, to nearest even."""
COORDINATES = 1 << 31
"""Coordinates are less than that: instructions take them in 32 bits, signed."""
ELEMENTS = {
    "i1": "u8", "i8": "u8", "i16": "u16", "i32": "s32", "i64": "s64",
    "f8E4M3FN": "u8", "f8E5M2": "u8", "f8E8M0FNU": "u8",
    "f16": "f16", "bf16": "bf16", "tf32": "f32", "f32": "f32", "f64": "f64",
}  # fmt: skip
"""Element type in memory -> that of a map, as PTX spells it; what has none there is its bits."""


@dataclass(frozen=True, slots=True)
class OfParameter:
    """The number `times` an integer or address that is an argument, `plus` another one."""

    parameter: int
    times: int = 1
    plus: int = 0
    bits: int = 64
    """The argument fits in so many bits, signed, or the kernel sees another number."""


Size = int | OfParameter


@dataclass(frozen=True, slots=True)
class Condition:
    """What holds of a size where a recipe is valid; bounds are inclusive."""

    size: Size
    divisor: int
    least: int
    most: int

    @property
    def holds(self) -> bool:
        """Whether it is known to hold, as the size is a constant that it holds for."""
        size = self.size
        known = isinstance(size, int)
        return known and not size % self.divisor and self.least <= size <= self.most


@dataclass(frozen=True, slots=True)
class TensorRecipe:
    """A tensor map, up to the arguments of a launch; dimensions are listed innermost first."""

    element: str
    """As PTX spells it."""
    base: OfParameter
    """The address of the first element."""
    extents: tuple[Size, ...]
    """In elements."""
    strides: tuple[Size, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    """Elements that one copy moves along each dimension."""
    swizzle: int
    """The span in bytes, 0 for none."""
    dimensions: tuple[int, ...]
    """The dimensions of the tile in this order."""
    boxes: int
    """The copies of a tile, side by side along the innermost dimension."""

    def conditions(self) -> Iterator[Condition]:
        """Yield what must hold of base, extents and strides."""
        yield Condition(self.base, UNIT, 1, (1 << 64) - 1)
        tile = (self.box[0] * self.boxes, *self.box[1:])
        for extent, elements in zip(self.extents, tile, strict=True):
            yield _condition(extent, 1, 1, COORDINATES - elements)
        for stride in self.strides:
            yield _condition(stride, UNIT, UNIT, MOST_STRIDE - 1)


def _condition(size: Size, divisor: int, least: int, most: int) -> Condition:
    """Return a condition that holds of no argument that the kernel sees as another number."""
    if isinstance(size, OfParameter):
        most = min(most, size.times * ((1 << size.bits - 1) - 1))
    return Condition(size, divisor, least, most)


def may_have_tensor_maps(kernel: KernelIR) -> bool:
    """Whether operands or results of matrix products may be copied from or to views, so far as ops
    say."""
    names = {op.name for op in kernel.walk()}
    views = {"load_view_tko", "store_view_tko"}
    return not names.isdisjoint(views) and not names.isdisjoint(PRODUCT_NAMES)


class TensorRecipes:
    """Finds the recipes for the loads of a kernel, in Tile IR and in block IR."""

    def __init__(self, kernel: KernelIR) -> None:
        self._facts = kernel.facts(Divisibility)
        self._body = kernel.body
        self._numbers = {value: number for number, value in enumerate(kernel.parameters)}

    @classmethod
    def of(cls, kernel: KernelIR) -> TensorRecipes:
        """Prepare for the loads of a kernel."""
        return cls(kernel)

    def recipe(self, load: Op, span: int | None = None) -> TensorRecipe | Reason:
        """Return the recipe for a load or a copy_async, or why there is none.

        `span` is that of the swizzle, in bytes, 0 for none; if it is None, the widest one that the
        rows of the tile fill.
        """
        view = load.operands.get("view")
        if view is None:
            return Reason("through_pointers")
        kind = cast("View", view.type)
        if isinstance(kind, GatherScatterView):
            return Reason("gathered")
        if problem := why_fenced(load, self._body):
            return problem
        return self._of_view(view, kind, span, padding=kind.padding)

    def of_store(self, store: Op, span: int | None) -> TensorRecipe | Reason:
        """Return the recipe for a store to a view, or why there is none; `span` is as in `recipe`.

        What orders the store is not asked.
        """
        view = store.operands.get("view")
        if view is None:
            return Reason("stores_pointers")
        kind = cast("View", view.type)
        if isinstance(kind, GatherScatterView):
            return Reason("gathered")
        return self._of_view(view, kind, span, padding=None)

    def _of_view(
        self, view: Value, kind: View, span: int | None, padding: str | None
    ) -> TensorRecipe | Reason:
        """Return the recipe for the tiles of a view that gathers none."""
        element = kind.view.element
        if is_packed(element):
            return Reason("packed")
        name = ELEMENTS.get(element.name) if isinstance(element, Scalar) else None
        if name is None:
            return Reason("no_map_element", element)
        if padding_bits(element, padding):
            return Reason("padding")
        if len(kind.tile) > MOST_DIMENSIONS:
            return Reason("many_dimensions", MOST_DIMENSIONS)
        inner = inner_dim(view, self._facts)
        if inner is None:
            return Reason("no_unit_stride")
        size = memory_bytes(element)
        order = (inner, *(dim for dim in reversed(range(len(kind.tile))) if dim != inner))
        boxes = _boxes([kind.tile[dim] for dim in order], size, span)
        if isinstance(boxes, Reason):
            return boxes
        tensor = self._tensor(view, [dimensions(kind)[dim] for dim in order], size)
        if isinstance(tensor, Reason):
            return tensor
        base, extents, strides = tensor
        box, count, span = boxes
        recipe = TensorRecipe(name, base, extents, strides, box, span, order, count)
        for each in recipe.conditions():
            if isinstance(each.size, int) and not each.holds:
                return Reason("unfit_size", each.size)
        return recipe

    def _tensor(
        self, view: Value, dims: Sequence[int], size: int
    ) -> tuple[OfParameter, tuple[Size, ...], tuple[Size, ...]] | Reason:
        """Return base, extents and strides of the tensor of a view, along its dimensions `dims`."""
        op = tensor_view_op(view)
        base = None if op is None else self._base(op.operands["base"])
        if op is None or base is None:
            return Reason("computed_base")
        extents = [self._size(op, dim, "shape", "dynamicShape") for dim in dims]
        strides = [self._size(op, dim, "strides", "dynamicStrides") for dim in dims[1:]]
        known = [each for each in extents if each is not None]
        if len(known) < len(extents):
            return Reason("computed_extent")
        in_bytes = [_times(each, size) for each in strides if each is not None]
        if len(in_bytes) < len(strides):
            return Reason("computed_stride")
        return base, (*known,), (*in_bytes,)

    def _base(self, value: Value) -> OfParameter | None:
        """Return the parameter that an address is, and the constant distance from it in bytes."""
        moved = 0
        while value not in self._numbers:
            op = value.owner
            if not isinstance(op, Op) or op.name not in ("assume", "ptr_to_ptr", "offset"):
                return None
            if op.name == "offset":
                distance = self._facts[op.operands["offset"]].constant
                if distance is None:
                    return None
                moved += distance * memory_bytes(_pointee(value))
            value = next(op.operand_list())
        return OfParameter(self._numbers[value], plus=moved)

    def _size(self, op: Op, dim: int, field: str, slot: str) -> Size | None:
        """Return an extent or a stride of a make_tensor_view, in elements."""
        sizes = getattr(cast(TensorView, op.result.type), field)
        if sizes[dim] is not None:
            return sizes[dim]
        return self._number(op.operands[slot][sizes[:dim].count(None)])

    def _number(self, value: Value) -> Size | None:
        """Return the constant or parameter that a value is; None if the kernel computes it.

        Conversions between integers keep all numbers that are not negative and fit; others are in
        no valid recipe.
        """
        bits = 64
        while value not in self._numbers:
            constant = self._facts[value].constant
            if constant is not None:
                return constant
            op = value.owner
            if not isinstance(op, Op):
                return None
            bits = min(bits, value.type.element.bits)
            if op.name == "get_tensor_shape":
                tensor = tensor_view_op(op.operands["src"])
                if tensor is None:
                    return None
                return _within(self._size(tensor, value.index, "shape", "dynamicShape"), bits)
            if op.name not in ("assume", "exti", "trunci"):
                return None
            value = next(op.operand_list())
        return OfParameter(self._numbers[value], bits=bits)


def _within(size: Size | None, bits: int) -> Size | None:
    """Return a size that a conversion to so many bits may have changed."""
    if isinstance(size, OfParameter):
        return OfParameter(size.parameter, size.times, size.plus, min(size.bits, bits))
    return size


def _times(size: Size, factor: int) -> Size:
    if isinstance(size, int):
        return size * factor
    return OfParameter(size.parameter, size.times * factor, size.plus * factor, size.bits)


def _pointee(value: Value) -> Scalar:
    kind = cast(Tile, value.type).element
    return cast(Pointer, kind).pointee


def _boxes(
    tile: Sequence[int], size: int, span: int | None
) -> tuple[tuple[int, ...], int, int] | Reason:
    """Return the box, the number of boxes and the span for a tile, listed innermost first."""
    row = tile[0] * size
    if span is None:
        span = next((each for each in SPANS if each <= row), 0)
    if row < max(span, UNIT):
        return Reason("short_rows", row)
    box = (span // size if span else tile[0], *tile[1:])
    if max(box) > MOST_IN_BOX:
        return Reason("large_box", MOST_IN_BOX)
    return box, tile[0] // box[0], span
