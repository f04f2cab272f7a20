"""Constants by bit pattern, so that no NaN or signed zero is lost in a Python float."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tileir.ir.constants import Constant
from tileir.types import Element, Scalar

from .types import llvm_type, memory_bytes

_PADDING = {
    # element: (zero, neg_zero, nan, pos_inf, neg_inf); None where the format has no such value.
    # The patterns are those of NVIDIA's compiler, which refuses the others.
    "f16": (0, 0x8000, 0x7E00, 0x7C00, 0xFC00),
    "bf16": (0, 0x8000, 0x7FC0, 0x7F80, 0xFF80),
    "f32": (0, 1 << 31, 0x7FC00000, 0x7F800000, 0xFF800000),
    "f64": (0, 1 << 63, 0x7FF8 << 48, 0x7FF0 << 48, 0xFFF0 << 48),
    "tf32": (0, 0x40000, 0x3FE00, 0x3FC00, 0x7FC00),
    "f8E4M3FN": (0, 0x80, 0x7F, None, None),
    "f8E5M2": (0, 0x80, 0x7E, 0x7C, 0xFC),
    "f8E8M0FNU": (0, None, 0xFF, None, None),  # its zero is 2^-127, the least number
    "f4E2M1FN": (0, 0x8, None, None, None),
    "fnv8E5M3FNU": (0, 0, 0xFF, 0xFF, None),
}
_NAMES = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
_TF32_DROPPED = 13


def constant(element: Element, bits: int) -> ir.Constant:
    """Return the element with this bit pattern (19 bits for tf32, the address of a pointer)."""
    kind = llvm_type(element)
    if isinstance(element, Scalar) and element.name == "tf32":
        bits <<= _TF32_DROPPED
    if isinstance(kind, ir.IntType):
        return ir.Constant(kind, bits & ((1 << kind.width) - 1))
    width = element.bits
    return ir.Constant(ir.IntType(width), bits).bitcast(kind)


def in_memory(value: Constant) -> bytearray:
    """Return the elements of a constant, each as wide as in a buffer (see `memory_type`)."""
    element, count = value.type.element, value.type.size
    width = memory_bytes(element)
    if len(value.data) == count * width and element.name != "i1":
        return bytearray(value.data)
    shift = _TF32_DROPPED if element.name == "tf32" else 0
    indices = range(1) if value.is_splat else range(count)
    data = bytearray()
    for index in indices:
        data += (value.bits(index) << shift).to_bytes(width, "little")
    return data * (count // len(indices))


def padding_bits(element: Element, padding: str | None) -> int | Any:
    """Return the bits of elements outside the tensor; None if the format has no such value, which
    is refused before anything is lowered.

    Unspecified padding (None) is zero, so that results do not depend on the machine.
    """
    if padding is None:
        return 0
    if element.name in _PADDING:
        return _PADDING[element.name][_NAMES.index(padding)]
    return 0 if padding == "zero" else None
