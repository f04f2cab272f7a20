"""Which byte goes where: matrix descriptors of `wgmma` and tensor copies, asked with numbers.

Every element of shared memory has a number of its own, told digit by digit, as few numbers are
exact in 8 bits. One operand of a product is the unit matrix, so the sums are the digits of the
elements that the other one's descriptor names.
"""

from __future__ import annotations

import base64
import ctypes
import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .driver import Driver, DriverError

THREADS = 128
IMAGE_BYTES, UNIT_BYTES, BOX_BYTES = 32768, 256, 16384
"""Bytes of shared memory: of the operand that is asked about, of the other, and of a box."""
DEPTH_BYTES = 32
"""Of the k of one product."""
ROWS, FEW, MANY = 64, 8, 128
"""m of a product, and n where A is asked about, or B."""
UNTOUCHED, OUTSIDE = -1, -2
"""Numbers of bytes of a box that nothing was copied to, or a zero from outside of the tensor."""
DIGITS = 127
"""Digits of the numbers of bytes, whose 0 is told as 1."""


class Kind(NamedTuple):
    """An element type: bytes, the type of sums, and how many numbers from 0 on it has exactly."""

    size: int
    sums: str
    base: int


KINDS = {
    "f16": Kind(2, "f32", 1024), "bf16": Kind(2, "f32", 256), "tf32": Kind(4, "f32", 1024),
    "e4m3": Kind(1, "f32", 16), "e5m2": Kind(1, "f32", 8), "s8": Kind(1, "s32", 128),
    "u8": Kind(1, "s32", 256),
}  # fmt: skip

Launch = Callable[[str, Sequence[Any]], None]
"""A launch of one block of a kernel file: arrays are copied in and out; tensor maps are `Box`es."""


class Box(NamedTuple):
    """A tensor map: dimensions from the innermost one on, strides in bytes."""

    element: str
    base: np.ndarray
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int


def encoded(kind: str, numbers: np.ndarray) -> np.ndarray:
    """Small numbers as elements of a type, in bits."""
    if kind in ("s8", "u8"):
        return numbers.astype(np.uint8)
    if kind == "f16":
        return numbers.astype(np.float16).view(np.uint16)
    words = numbers.astype(np.float32).view(np.uint32)
    if kind == "tf32":
        return words
    if kind == "bf16":
        return (words >> 16).astype(np.uint16)
    bits, bias = (3, 7) if kind == "e4m3" else (2, 15)
    found = (words >> (23 - bits)) - ((127 - bias) << bits)
    return np.where(numbers == 0, 0, found).astype(np.uint8)


def unit_columns(kind: str, first: int) -> np.ndarray:
    """B of 8 columns, of which column j is 1 where k = first + j; in two cores of 16 bytes."""
    size = KINDS[kind].size
    numbers = np.zeros((FEW, DEPTH_BYTES // size), np.int64)
    for column in range(FEW):
        numbers[column, first + column] = 1
    found = encoded(kind, numbers).view(np.uint8).reshape(FEW, 2, 16)
    return np.ascontiguousarray(found.swapaxes(0, 1)).ravel()


def unit_rows(kind: str) -> np.ndarray:
    """A whose rows are those of the unit matrix, as the four registers of each thread.

    PTX ISA, figures of wgmma's "Register Fragments": register i of a lane has row lane / 4, and 8
    more where i is odd, and from byte 4 (lane % 4) of the row on, 16 further where i is 2 or 3.
    """
    size = KINDS[kind].size
    numbers = np.zeros((ROWS, DEPTH_BYTES // size), np.int64)
    np.fill_diagonal(numbers, 1)
    words = encoded(kind, numbers).view(np.uint32)
    lane = np.arange(THREADS)[:, None]
    register = np.arange(4)[None, :]
    row = lane // 32 * 16 + lane % 32 // 4 + register % 2 * 8
    return np.ascontiguousarray(words[row, lane % 4 + register // 2 * 4])


def sums_of(words: np.ndarray, n: int, sums: str) -> np.ndarray:
    """The sums (64, n) out of the registers of each thread; PTX ISA, figures as above."""
    numbers = words.view(np.float32 if sums == "f32" else np.int32)
    lane, register = np.arange(THREADS)[:, None], np.arange(n // 2)[None, :]
    row = lane // 32 * 16 + lane % 32 // 4 + register // 2 % 2 * 8
    column = register // 4 * 8 + lane % 4 * 2 + register % 2
    out = np.zeros((ROWS, n), np.int64)
    out[row, column] = numbers
    return out


def asked(row: dict[str, Any], launch: Launch) -> np.ndarray:
    """The bytes where the elements of an operand are: (rows, k)."""
    kind = KINDS[row["kind"]]
    numbers = np.arange(IMAGE_BYTES // kind.size)
    place, scale = None, 1
    while scale <= numbers[-1]:
        digits = numbers // scale % kind.base
        image = np.ascontiguousarray(encoded(row["kind"], digits)).view(np.uint8)
        found = scale * _digits(row, kind, image, launch)
        place = found if place is None else place + found
        scale *= kind.base
    return place * kind.size


def _digits(row: dict[str, Any], kind: Kind, image: np.ndarray, launch: Launch) -> np.ndarray:
    depth = DEPTH_BYTES // kind.size
    word = row["start"] >> 4 | row["leading"] >> 4 << 16 | row["stride"] >> 4 << 32
    word |= row["base"] << 49 | row["mode"] << 62
    if row["side"] == "b":
        out = np.zeros((THREADS, MANY // 2), np.uint32)
        launch(row["file"], [image, unit_rows(row["kind"]), out, ctypes.c_uint64(word)])
        return sums_of(out, MANY, kind.sums)[:depth].T
    parts = []
    for first in range(0, depth, FEW):
        out = np.zeros((THREADS, FEW // 2), np.uint32)
        unit = unit_columns(row["kind"], first)
        launch(row["file"], [image, unit, out, ctypes.c_uint64(word)])
        parts.append(sums_of(out, FEW, kind.sums))
    return np.concatenate(parts, axis=1)


def copied(row: dict[str, Any], launch: Launch) -> np.ndarray:
    """The number of the byte of a tensor that is at each byte of shared memory, or what else.

    What nothing is copied to behind the last one is left out.
    """
    extents, size = row["extents"], row["size"]
    count = int(np.prod(extents)) * size
    strides = np.cumprod([size, *extents[:-1]])[1:]
    arriving = int(np.prod(row["box"])) * size
    place, scale = np.zeros(BOX_BYTES, np.int64), 1
    while scale < count:
        digits = (np.arange(count) // scale % DIGITS + 1).astype(np.uint8)
        tensor = Box(row["element"], digits, tuple(extents), tuple(map(int, strides)),
                     tuple(row["box"]), row["swizzle"])  # fmt: skip
        out = np.zeros(BOX_BYTES, np.uint8)
        coordinates = [ctypes.c_int32(each) for each in row["at"]]
        launch(row["file"], [tensor, out, ctypes.c_int32(arriving), *coordinates])
        told = out.astype(np.int64)
        place += scale * (told - 1)
        scale *= DIGITS
    place[told == 0] = OUTSIDE
    place[told == 255] = UNTOUCHED
    return place[: int(np.flatnonzero(place != UNTOUCHED).max(initial=-1)) + 1]


def answer(row: dict[str, Any], launch: Launch) -> dict[str, Any]:
    """What a row of the probe finds out, in few numbers."""
    found = copied(row, launch) if row["what"] == "box" else asked(row, launch)
    return compact(found)


def compact(places: np.ndarray) -> dict[str, Any]:
    """Numbers as the first one and what each bit of the index adds by exclusive or, if they do.

    Others are packed: they are few, and what they are can be seen with `expanded`.
    """
    flat = places.ravel().tolist()
    bits = (len(flat) - 1).bit_length()
    steps = [flat[1 << bit] ^ flat[0] for bit in range(bits)] if len(flat) == 1 << bits else []
    if _xored(flat[0], steps) == flat:
        return {"shape": list(places.shape), "first": flat[0], "steps": steps}
    data = zlib.compress(np.diff(places.ravel(), prepend=0).astype("<i4").tobytes(), 9)
    return {"shape": list(places.shape), "packed": base64.b85encode(data).decode()}


def expanded(found: dict[str, Any]) -> np.ndarray:
    """The numbers that `compact` has made few of."""
    if "packed" in found:
        data = zlib.decompress(base64.b85decode(found["packed"]))
        flat = np.cumsum(np.frombuffer(data, "<i4").astype(np.int64))
    else:
        flat = np.array(_xored(found["first"], found["steps"]), np.int64)
    return flat.reshape(found["shape"])


def _xored(first: int, steps: Sequence[int]) -> list[int]:
    made = [first]
    for step in steps:
        made += [each ^ step for each in made]
    return made


def on_device(driver: Driver, folder: Path) -> Launch:
    """Launches of the kernels of a folder on a GPU."""
    kernels: dict[str, Any] = {}

    def launch(file: str, given: Sequence[Any]) -> None:
        name = "box" if file.startswith("box") else "operand"
        if file not in kernels:
            kernels[file] = driver.load((folder / file).read_bytes(), name, 0)
        passed, arrays = [], []
        for each in given:
            if isinstance(each, Box):
                arrays.append((each.base, driver.uploaded(each.base)))
                passed.append(driver.tensor_map(each.element, arrays[-1][1], *each[2:]))
            elif isinstance(each, np.ndarray):
                arrays.append((each, driver.uploaded(each)))
                passed.append(ctypes.c_uint64(arrays[-1][1]))
            else:
                passed.append(each)
        driver.launch(kernels[file], (1, 1, 1), (THREADS, 1, 1), 0, passed)
        driver.wait()
        for array, address in arrays:
            driver.take(array, address)
            driver.free(address)

    return launch


def run(folder: Path, driver: Driver) -> dict[str, Any]:
    """All rows of a folder's probe.json, as far as the device answers, by their names."""
    rows = json.loads((folder / "probe.json").read_text())
    launch = on_device(driver, folder)
    found: dict[str, Any] = {}
    for name, row in rows.items():
        try:
            found[name] = answer(row, launch)
        except DriverError as problem:
            found[name] = {"problem": str(problem)}
    return found
