"""A hand-written kernel that copies boxes of a matrix with a tensor map, and its twin without one.

Each block copies a tile of 16 x 64 from the place that its number says, to a dense tile of `out`.
What is outside of the matrix is zero there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir.codegen.nvptx.launch.tensor_maps import Twin, guard_rows, map_rows
from tileir.codegen.nvptx.schedule.tensor_recipes import OfParameter, TensorRecipe
from tileir.types import Pointer, Scalar

ROWS, COLUMNS = 16, 64
RECIPE = TensorRecipe(
    element="f16",
    base=OfParameter(0),
    extents=(OfParameter(2), OfParameter(1)),
    strides=(OfParameter(3, times=2),),
    box=(COLUMNS, ROWS),
    swizzle=128,
    dimensions=(1, 0),
    boxes=1,
)
PARAMETERS = ("ptr<f16>", "i32", "i32", "i32", "ptr<f16>")
"""Matrix, rows, columns, pitch in elements, out."""
ELEMENTS = [
    Pointer(Scalar(kind[4:-1])) if kind.startswith("ptr") else Scalar(kind) for kind in PARAMETERS
]

_HEAD = """
.version 8.6
.target sm_90
.address_size 64
.shared .align 1024 .b8 tile[2048];
.shared .align 8 .b64 bar;
"""
_PARAMETERS = """
.param .u64 matrix, .param .u32 rows, .param .u32 columns, .param .u32 pitch, .param .u64 out"""
_START = """
.reg .pred %p<4>;
.reg .b16 %h<2>;
.reg .b32 %r<24>;
.reg .b64 %d<12>;
ld.param.u32 %r1, [rows];
ld.param.u32 %r2, [columns];
ld.param.u32 %r3, [pitch];
ld.param.u64 %d1, [matrix];
ld.param.u64 %d2, [out];
mov.u32 %r0, %tid.x;
mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %ctaid.y;
mov.u32 %r6, %nctaid.x;
mad.lo.s32 %r7, %r5, %r6, %r4;
mul.lo.s32 %r7, %r7, 2048;
mad.lo.s32 %r7, %r0, 2, %r7;
cvt.u64.u32 %d3, %r7;
add.u64 %d2, %d2, %d3;
mul.lo.s32 %r8, %r4, 64;
mul.lo.s32 %r9, %r5, 16;
"""
_COPY = """
mov.u32 %r10, tile;
mov.u32 %r11, bar;
mov.b64 %d4, map;
cvta.param.u64 %d4, %d4;
setp.eq.u32 %p0, %r0, 0;
@%p0 mbarrier.init.shared::cta.b64 [%r11], 1;
@%p0 fence.mbarrier_init.release.cluster;
bar.sync 0;
@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], 2048;
@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], \
[%d4, {%r8, %r9}], [%r11];
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r11], 0;
@!%p1 bra WAIT;
mul.lo.s32 %r12, %r0, 2;
"""
_STORE_COPIED = """
xor.b32 %r13, %r12, {flip};
add.u32 %r13, %r13, %r10;
ld.shared.u16 %h0, [%r13 + {line}];
st.global.u16 [%d2 + {line}], %h0;
"""
_STORE_LOADED = """
add.s32 %r14, %r9, {row};
add.s32 %r15, %r8, %r0;
setp.lt.s32 %p2, %r14, %r1;
setp.lt.and.s32 %p2, %r15, %r2, %p2;
mad.lo.s32 %r16, %r14, %r3, %r15;
mul.wide.s32 %d5, %r16, 2;
add.s64 %d5, %d5, %d1;
mov.u16 %h0, 0;
@%p2 ld.global.u16 %h0, [%d5];
st.global.u16 [%d2 + {line}], %h0;
"""


def ptx() -> str:
    """The text of both entries, `boxes` and `plain`."""
    lines = [{"row": row, "line": 128 * row, "flip": 16 * (row % 8)} for row in range(ROWS)]
    bodies = {
        f".visible .entry boxes({_PARAMETERS}, .param .align 64 .b8 map[128])": _COPY
        + "".join(_STORE_COPIED.format(**line) for line in lines),
        f".visible .entry plain({_PARAMETERS})": "".join(
            _STORE_LOADED.format(**line) for line in lines
        ),
    }
    entries = [f"{head}\n.reqntid 64\n{{{_START}{body}ret;\n}}\n" for head, body in bodies.items()]
    return _HEAD + "\n".join(entries)


def plan(**changes: Any) -> dict[str, Any]:
    """The launch plan of `boxes`."""
    rows, end = [], 0
    for index, kind in enumerate(PARAMETERS):
        size = 8 if kind.startswith("ptr") else 4
        end = -(-end // size) * size
        rows.append({
            "index": index, "type": kind, "size": size, "offset": end, "divisible_by": 1,
            "written": index == 4,
        })  # fmt: skip
        end += size
    return {
        "schema": 2, "entry": "boxes", "target": "sm_90", "ptx_target": "sm_90",
        "ptx_version": "8.6", "parameters": rows, "block": [64, 1, 1], "cluster": [1, 1, 1],
        "dynamic_shared_memory": 0, "heap": 0, "grid": ["x", "y", "z"], "grid_scale": [1, 1, 1],
        "grid_limits": [65535, 65535, 65535], "overlaps_grids": False, "asserts": False,
        "tensor_maps": map_rows(rows, [RECIPE]), "guard": guard_rows(rows, [RECIPE]),
        "twin": Twin("plain", 64, 0).row(), "roles": [], "one_role": None, "serial_products": None,
        "copies": [], **changes,
    }  # fmt: skip


def matrix(rows: int = 37, columns: int = 104) -> np.ndarray:
    """A matrix of different numbers, at an address that is a multiple of 16."""
    room = np.zeros(rows * columns + 8, np.float16)
    start = -room.ctypes.data % 16 // 2
    found = room[start : start + rows * columns].reshape(rows, columns)
    found[:] = np.arange(1, found.size + 1).reshape(found.shape) % 2048
    return found


def grid_of(matrix: np.ndarray) -> tuple[int, int]:
    """As many tiles as the matrix has."""
    return -(-matrix.shape[1] // COLUMNS), -(-matrix.shape[0] // ROWS)


def expected(matrix: np.ndarray) -> np.ndarray:
    """What `out` is afterwards."""
    across, down = grid_of(matrix)
    padded = np.zeros((down * ROWS, across * COLUMNS), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    tiles = padded.reshape(down, ROWS, across, COLUMNS).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(tiles).reshape(-1)
