"""The NumPy types for PTX's types: of an operand, and of the register that holds it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

FLOATS = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}

_BITS = ("b8", "b16", "b32", "b64")
_SIGNED = ("s16", "s32", "s64")
_UNSIGNED = ("u16", "u32", "u64")
_HALF = ("f16x2", "bf16x2", "f16", "bf16")
_FLOAT = ("f32", "f64")
SETS = {
    "bits": _BITS,
    "signed": _SIGNED,
    "int": (*_SIGNED, *_UNSIGNED),
    "half": _HALF,
    "float": _FLOAT,
    "any": (*_BITS, "s8", *_SIGNED, "u8", *_UNSIGNED, *_HALF, *_FLOAT),
}
"""Sets of types, which patterns of the instruction table refer to by name."""

TYPES = frozenset({*SETS["any"], "pred"})
"""The types of variables and registers."""
WIDEST = "b128"
"""A type of registers that may be declared, but that no instruction of the table takes."""


@cache
def width(kind: str) -> int:
    """Return the bytes of a value of a type; a predicate counts as one."""
    if kind == "pred":
        return 1
    bits, pair, _ = re.sub(r"^\D+", "", kind).partition("x2")
    return int(bits) // 8 * (2 if pair else 1)


@cache
def storage(kind: str) -> np.dtype:
    """Return the NumPy type that holds a register, or a word of memory, of this type."""
    return np.dtype(bool) if kind == "pred" else np.dtype(f"u{width(kind)}")


@cache
def dtype(kind: str) -> np.dtype:
    """Return the NumPy type for computing with operands of this type; a pair is one word."""
    if kind in FLOATS:
        return FLOATS[kind]
    if kind[0] == "s" and kind[1:].isdigit():
        return np.dtype(f"i{width(kind)}")
    return storage(kind)


@cache
def is_signed(kind: str) -> bool:
    """Whether values of this type are sign-extended in a wider register."""
    return dtype(kind).kind == "i"


def twice(kind: str) -> str:
    """Return the type of the same kind and twice the width."""
    return f"{kind[0]}{2 * int(kind[1:])}"


@cache
def immediate(text: str, kind: str) -> np.generic:
    """Return the value of a literal: 12, -1, 0x1f, 0f3F800000, 0d3FF0000000000000, 1.5.

    ValueError if it is none.
    """
    try:
        return _value(text, kind)
    except OverflowError:
        raise ValueError(f"{text} does not fit {kind}") from None


def _value(text: str, kind: str) -> Any:
    target = dtype(kind)
    bits = re.fullmatch(r"0([fFdD])([0-9A-Fa-f]+)", text)
    if bits:
        source = "u4,f4" if bits[1] in "fF" else "u8,f8"
        raw, real = source.split(",")
        number = np.array(int(bits[2], 16), raw).view(real)
        whole = target.kind == "u" and target.itemsize == number.itemsize
        return number.view(target)[()] if whole else number.astype(target)[()]
    if re.fullmatch(r"-?\d+\.\d*([eE][-+]?\d+)?", text):
        return np.float64(text).astype(target)
    number = _integer(text)
    if kind == "pred":
        return np.bool_(number)
    if target.kind not in "ui":
        return np.float64(number).astype(target)
    masked = number & ((1 << 8 * target.itemsize) - 1)
    return np.array(masked, f"u{target.itemsize}").view(target)[()]


def _integer(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    digits = digits.rstrip("U")
    octal = re.fullmatch(r"0[0-7]+", digits)
    return sign * (int(digits, 8) if octal else int(digits, 0))
