"""Boxes of tensors as NumPy has them, and kernels that load one, for tests."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tests.codegen.emulator.ops.hopper.bodies import MEMORY, kept, made, wait
from tests.codegen.emulator.snippets import run
from tests.codegen.emulator.values import aligned
from tileir.codegen.emulator import TensorMap

PARAMETERS = ("map", "u64")
DTYPES: dict[str, Any] = {
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "s32": np.int32,
    "u64": np.uint64,
    "s64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}


def described(x: np.ndarray, element: str, box: tuple[int, ...], **more: Any) -> TensorMap:
    """The tensor map of an array, whose dimensions are listed from the innermost one on."""
    return TensorMap(element, x, x.shape[::-1], x.strides[-2::-1], box, **more)


def tensor(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """An array of different small numbers, none of them zero."""
    return aligned(np.random.default_rng(5).integers(1, 100, shape).astype(kind))


def boxed(x: np.ndarray, start: tuple[int, ...], box: tuple[int, ...], fill: Any = 0) -> np.ndarray:
    """The box of an array, outside of which everything is `fill`; one element after the other."""
    out = np.full(box[::-1], fill, x.dtype)
    for place in np.ndindex(*out.shape):
        at = tuple(p + s for p, s in zip(place, start[::-1], strict=True))
        if all(0 <= a < extent for a, extent in zip(at, x.shape, strict=True)):
            out[place] = x[at]
    return out


def swizzled(data: np.ndarray, swizzle: int) -> np.ndarray:
    """Bytes as they lie in memory: 16 bytes at column c of line l are put to another column.

    A line is 128 bytes. The column is changed by the number of the line: in all of its three bits
    by the swizzle of 128 bytes, in the lower two or one by those of 64 and 32 bytes.
    """
    chunks = data.reshape(-1).view(np.uint8).reshape(-1, 16)
    out = np.empty_like(chunks)
    columns = {0: 1, 32: 2, 64: 4, 128: 8}[swizzle]
    for number, chunk in enumerate(chunks):
        line, column = divmod(number, 8)
        out[8 * line + (column ^ line % columns)] = chunk
    return out.ravel()


def load(rank: int, start: tuple[int, ...], size: int, mode: str = ".tile") -> str:
    """Load a box in thread 0, all of `size` bytes, and wait."""
    places = ", ".join(map(str, start))
    return (
        made(1) + f"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {size};\n"
        f"@%p1 cp.async.bulk.tensor.{rank}d.shared::cluster.global{mode}"
        f".mbarrier::complete_tx::bytes [%r4], [%d0, {{{places}}}], [%r3];\n" + wait(0)
    )


def loaded(box: TensorMap, start: tuple[int, ...], size: int, schedule: str, **more: Any) -> bytes:
    """The bytes that a box has in shared memory."""
    out = aligned(np.zeros(size, np.uint8))
    body = MEMORY + load(box.rank, start, size, **more) + kept(size // 4, 1)
    run(body, box, out, parameters=PARAMETERS, schedule=schedule)
    return out.tobytes()
