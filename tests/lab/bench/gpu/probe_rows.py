"""What the probe asks: matrix descriptors of every kind, and boxes of tensors.

A row of an operand says which canonical layout of the PTX ISA the descriptor means, from which of
its columns on; so it can be compared with that layout, by whoever reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.codegen.emulator.ops.warpgroup.layouts import SPANS, Tile, dense
from tests.lab.bench.gpu import probe_ptx
from tests.lab.bench.gpu.kit.probe import DEPTH_BYTES, IMAGE_BYTES, KINDS, MANY, ROWS

MODES = (0, 1, 2, 3)
HALF = IMAGE_BYTES // 2
TWICE = 2
"""Steps along k that tiles have where k-steps are asked about."""


def tile_of(row: dict[str, Any]) -> Tile:
    """The tile of a row, as many columns as its k-steps need."""
    kind = KINDS[row["kind"]]
    depth = DEPTH_BYTES // kind.size * row["of"]
    return Tile(row["major"], row["mode"], ROWS if row["side"] == "a" else MANY, depth,
                kind.size, row["leading"], row["stride"])  # fmt: skip


def operands() -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and row of each descriptor that is asked about."""
    for kind, about in KINDS.items():
        for side in "ab":
            for major in ("k", "mn") if about.size == 2 else ("k",):
                for mode in MODES:
                    yield from _of_layout(kind, side, major, mode)


def _of_layout(kind: str, side: str, major: str, mode: int) -> Iterator[tuple[str, dict[str, Any]]]:
    size = KINDS[kind].size
    rows, depth = ROWS if side == "a" else MANY, DEPTH_BYTES // size
    line = SPANS[mode]
    name = f"{kind} {side} {major}-major {line if mode else 'no'} swizzle"
    steps = TWICE if major == "mn" or not mode or line > DEPTH_BYTES else 1

    def row(tile: Tile, of: int, step: int, begin: int, base: int = 0) -> dict[str, Any]:
        start = _start(tile, step * depth, size)
        return {
            "what": "operand", "file": file_of(kind, side, major), "kind": kind, "side": side,
            "major": major, "mode": mode, "leading": tile.leading, "stride": tile.stride,
            "base": base, "begin": begin, "start": begin + start, "of": of, "step": step,
        }  # fmt: skip

    tile = dense(major, mode, rows, depth * steps, size)
    for step in range(steps):
        yield f"{name}, k-step {step}", row(tile, steps, step, HALF)
    yield f"{name}, gaps", row(dense(major, mode, rows, depth, size, gap=1), 1, 0, 0)
    if mode and kind in ("f16", "s8", "tf32"):
        for base in (1, 3, 7)[: 1 if line == 32 else 2 if line == 64 else 3]:
            begin = 1024 + 128 * base
            yield f"{name}, base {base}", row(tile, 1, 0, begin, base)
    if mode and major == "k":
        for leading in (0, 4096):
            other = Tile(major, mode, rows, depth, size, leading, tile.stride)
            yield f"{name}, leading {leading}", row(other, 1, 0, 0)


def _start(tile: Tile, column: int, size: int) -> int:
    """The byte of the first element of a column if nothing were swizzled.

    K-major lines go on along k, by 16 bytes a core where there is no swizzle; of M- or N-major
    ones, eight columns follow each other.
    """
    if tile.major == "k":
        return column * size if tile.mode else column * size // 16 * tile.leading
    return column // 8 * (tile.stride if tile.mode else tile.leading)


def file_of(kind: str, side: str, major: str) -> str:
    """The file of the kernel of a row."""
    return f"operand_{kind}_{side}_{major}.ptx"


BOXES = (
    # element, bytes, extents, box, first coordinates
    ("u8", 1, (256, 24), (128, 16), (0, 0)),
    ("f16", 2, (128, 24), (64, 16), (0, 0)),
    ("f32", 4, (64, 24), (32, 16), (0, 0)),
    ("f16", 2, (128, 24), (32, 20), (16, 3)),
    ("f16", 2, (128, 24), (16, 9), (8, 1)),
    ("u8", 1, (256, 24), (64, 8), (32, 5)),
    ("f16", 2, (48, 20), (64, 16), (-8, 9)),
    ("f16", 2, (48, 20), (64, 16), (24, -3)),
    ("f16", 2, (64, 12, 5), (64, 8, 3), (0, 1, 1)),
    ("u8", 1, (64, 12, 5), (32, 8, 3), (16, 7, 3)),
)


def boxes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and row of each box that is copied."""
    for element, size, extents, box, at in BOXES:
        for swizzle in (0, 32, 64, 128):
            if swizzle and box[0] * size > swizzle:
                continue
            shape, place = ("x".join(map(str, each)) for each in (box, extents))
            name = (
                f"box {shape} of {place} {element} at {','.join(map(str, at))}, swizzle {swizzle}"
            )
            yield name, {
                "what": "box", "file": f"box_{len(box)}.ptx", "element": element, "size": size,
                "extents": list(extents), "box": list(box), "at": list(at), "swizzle": swizzle,
            }  # fmt: skip


def write(folder: Path) -> list[str]:
    """Write the kernels of the probe and what it asks; return the names of the files."""
    texts = {
        file_of(kind, side, major): probe_ptx.operand(kind, side, major == "mn")
        for kind, about in KINDS.items()
        for side in "ab"
        for major in (("k", "mn") if about.size == 2 else ("k",))
    }
    texts |= {f"box_{rank}.ptx": probe_ptx.box(rank) for rank in (2, 3)}
    texts["probe.json"] = json.dumps(rows()) + "\n"
    for name, text in texts.items():
        (folder / name).write_text(text)
    return list(texts)


def rows() -> dict[str, dict[str, Any]]:
    """Everything that is asked, by name."""
    return {**dict(operands()), **dict(boxes())}
