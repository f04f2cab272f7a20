"""Moves, packing and unpacking of words, and generic addresses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.spaces import WINDOWS
from tileir.codegen.emulator.ptx.table import value


def same(source: Any) -> Any:
    """`mov`, and `cvta` where generic addresses are the same: the value itself."""
    return source


def unpack(match: re.Match[str]) -> Any:
    """`mov.b64 {a, b}, c`: equal parts, the lowest first."""

    def parts(source: Any) -> tuple[Any, ...]:
        pieces = int(match["n"])
        return tuple(cut(source, index, pieces) for index in range(pieces))

    return parts


def cut(word: Any, index: int, pieces: int) -> Any:
    """Return one of the equal parts of a word, the lowest being number 0."""
    bits = 8 * word.dtype.itemsize // pieces
    return (word >> word.dtype.type(bits * index)).astype(f"u{bits // 8}")


def join(parts: tuple[Any, ...]) -> Any:
    """Return the word of equal parts, the lowest first."""
    bits = 8 * parts[0].dtype.itemsize
    kind = np.dtype(f"u{bits * len(parts) // 8}").type
    word = parts[0].astype(kind)
    for index, part in enumerate(parts[1:], 1):
        word = word | (part.astype(kind) << kind(bits * index))
    return word


def prmt(match: re.Match[str]) -> Any:
    """`prmt`: four bytes of two words, chosen by a selector."""
    mode = match["mode"]

    def permute(low: Any, high: Any, selector: Any) -> Any:
        source = [cut(word, index, 4) for word in (low, high) for index in range(4)]
        stack = np.stack(np.broadcast_arrays(*source, selector.astype(np.uint8))[:8])
        out = []
        for target in range(4):
            index = _byte_index(mode, target, selector.astype(np.int64))
            indices = np.broadcast_to(index & 7, stack.shape[1:])
            byte = np.take_along_axis(stack, indices[None], 0)[0]
            sign = np.where(byte >> 7 != 0, np.uint8(255), np.uint8(0))
            out.append(np.where(index & 8 != 0, sign, byte) if mode is None else byte)
        return join(tuple(out))

    return permute


def into_generic(space: str) -> Any:
    """`cvta`: from an address in a space to a generic one."""
    start = np.uint64(WINDOWS[space])
    return lambda address: address + start


def from_generic(space: str) -> Any:
    """`cvta.to`: from a generic address to one in a space."""
    start = np.uint64(WINDOWS[space])
    return lambda address: address - start


_MODES = {
    "f4e": lambda target, selector: selector + target,
    "b4e": lambda target, selector: selector - target,
    "rc8": lambda target, selector: selector,
    "ecl": lambda target, selector: np.maximum(selector, target),
    "ecr": lambda target, selector: np.minimum(selector, target),
    "rc16": lambda target, selector: 2 * (selector & 1) + target % 2,
}
"""The index of a result's byte among the sources, by the modes of `prmt`."""


def _byte_index(mode: str | None, target: int, selector: Any) -> Any:
    if mode is None:
        return (selector >> 4 * target) & 15
    return _MODES[mode](target, selector & 3) & 7


value("mov.(?P<t>pred)", "t = t", lambda m: same)
value("mov.<t:any>", "t = t", lambda m: same)
for _whole, _part, _count in (
    ("b16", "b8", 2),
    ("b32", "b16", 2),
    ("b32", "b8", 4),
    ("b64", "b32", 2),
    ("b64", "b16", 4),
):
    value(f"mov.{_whole}.unpack(?P<n>{_count})", f"{_part}* = {_whole}", unpack)
    value(f"mov.{_whole}.pack{_count}", f"{_whole} = {_part}*", lambda m: join)
value("prmt.b32(.(?P<mode>f4e|b4e|rc8|ecl|ecr|rc16))?", "b32 = b32 b32 b32", prmt)
value("cvta(.to)?.(global|const).u(32|64)", "u64 = u64", lambda m: same)
for _space in WINDOWS:
    _part = "(::cta|::cluster)?" if _space == "shared" else ""
    value(f"cvta.(?P<s>{_space}){_part}.u64", "u64 = u64", lambda m: into_generic(m["s"]))
    value(f"cvta.to.(?P<s>{_space}){_part}.u64", "u64 = u64", lambda m: from_generic(m["s"]))
value(
    "isspacep.(?P<s>shared|local|global|param)(::cta|::cluster|::entry)?",
    "pred = u64",
    lambda m: lambda address: _space_of(address) == m["s"],
)


def _space_of(address: Any) -> Any:
    starts = np.array(list(WINDOWS.values()), np.uint64)
    return np.asarray(np.array(["global", *WINDOWS])[np.searchsorted(starts, address, "right")])
